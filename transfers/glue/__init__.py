"""What else can run on the device?  Small host statements between kernels (seed 004, section 2.4.3)."""

from transfers.glue.glue import Gluer, Glues
from transfers.glue.profit import Prices

__all__ = ["Gluer", "Glues", "Prices"]
