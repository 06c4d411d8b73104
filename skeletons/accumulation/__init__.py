"""Accumulations: sums over inner loops, of values that many iterations share, for tiles on accelerators.

`recognise` takes a kernel; `fitted` makes what the templates print.
"""

from __future__ import annotations

from skeletons.accumulation.fit import fitted
from skeletons.accumulation.model import Accumulation
from skeletons.accumulation.recognise import recognise
from skeletons.accumulation.texts import Device
from skeletons.accumulation.views import AccumulationView

__all__ = ["Accumulation", "AccumulationView", "Device", "fitted", "recognise"]
