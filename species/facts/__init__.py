"""Static control parts: nests that may be taken apart and put together in another order.

The model is the polyhedral one (Feautrier 1991): statements with the set of iterations in which they run,
and for every array reference the relation between these iterations and the cells that it touches.
"""

from species.facts.scops import Scop, ScopAccess, ScopArray, ScopLoop, ScopNode, ScopScalar, ScopStatement

__all__ = [
    "Scop",
    "ScopAccess",
    "ScopArray",
    "ScopLoop",
    "ScopNode",
    "ScopScalar",
    "ScopStatement",
]
