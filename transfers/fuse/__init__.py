"""What merges?  Kernels that stand one after the other made one (seed 003, section 4.4)."""

from transfers.fuse.fuse import Analysed, Fuser

__all__ = ["Analysed", "Fuser"]
