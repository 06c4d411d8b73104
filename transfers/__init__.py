"""What moves?  Plans of the copies between host and accelerator."""

from transfers.plan.around_kernels import around_kernels
from transfers.plan.resident import Resident, resident

__all__ = ["Resident", "around_kernels", "resident"]
