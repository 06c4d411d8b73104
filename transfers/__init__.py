"""What moves?  Plans of the copies between host and accelerator."""

from transfers.plan.around_kernels import around_kernels

__all__ = ["around_kernels"]
