"""Vectors over `while`: several iterations of a loop side by side, with data-dependent exits.

The lanes of vectors make steps of the inner loop together.  A lane whose next step would not be followed by
another keeps its values from before that step, and makes it again and again until no lane goes on; then the
loop as it was written ends every iteration.  So no lane ever does anything that the program would not do,
however it might trap, overflow, or read.
"""

from skeletons.body.outer_vectorisation.found import Lanes
from skeletons.body.outer_vectorisation.kernels import KernelLanes

__all__ = ["KernelLanes", "Lanes"]
