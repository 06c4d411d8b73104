"""Accumulations: sums over inner loops, of values that many iterations share, for tiles on accelerators.

`recognise` takes a kernel; `fitted` makes what the templates print.
"""

from __future__ import annotations

from skeletons.sums.tiled_reduction.fit import fitted
from skeletons.sums.tiled_reduction.model import Accumulation
from skeletons.sums.tiled_reduction.recognise import recognise
from skeletons.sums.tiled_reduction.texts import Device
from skeletons.sums.tiled_reduction.views import AccumulationView

__all__ = ["Accumulation", "AccumulationView", "Device", "fitted", "recognise"]
