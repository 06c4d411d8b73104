"""Accumulations that are one call of a library of matrix products (cuBLAS), for programs on accelerators.

`called` takes an accumulation and makes what the templates print; Refusal says why the library does not
compute just that.
"""

from __future__ import annotations

from skeletons.sums.cublas.call import called
from skeletons.sums.cublas.views import ProductView

__all__ = ["ProductView", "called"]
