"""Hyperplanes along which serial nests with constant distances are parallel (seed 001, sections 3.2 and 4.1).

With each loop's counter plus some times those further out, no distance is negative in any of them: the nest
is fully permutable, so that it can be tiled, and tiles along a diagonal need nothing of each other (Lamport
1974; Wolf and Lam 1991, "A loop transformation theory and an algorithm to maximize parallelism").
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import product

MOST_SKEW = 2  # times that a loop further out is added, here and by `skeletons.schedule.transform.wavefront`

Hyperplane = tuple[int, ...]  # a coefficient for each loop, outermost first


def hyperplanes(vectors: Sequence[tuple[int, ...]]) -> tuple[Hyperplane, ...] | None:
    """For each loop, the hyperplane with the least coefficients that no distance crosses backwards; the
    loop's own is 1, those of loops further in are 0.  None: none is small enough.

    `vectors` are lexicographically positive and of one length, which is the number of loops.
    """
    depth = len(vectors[0]) if vectors else 0
    found = [next(_legal(vectors, k, depth), None) for k in range(depth)]
    legal = tuple(each for each in found if each is not None)
    return legal if legal and len(legal) == depth else None


def _legal(vectors: Sequence[tuple[int, ...]], loop: int, depth: int) -> Iterator[Hyperplane]:
    ways = sorted(product(range(MOST_SKEW + 1), repeat=loop), key=lambda way: (sum(way), way))
    for way in ways:
        plane = (*way, 1, *(0,) * (depth - loop - 1))
        if all(sum(c * d for c, d in zip(plane, vector, strict=True)) >= 0 for vector in vectors):
            yield plane


def text(plane: Hyperplane, iterators: Sequence[str]) -> str:
    """`2*t + i`."""
    terms = (f"{c}*{name}" if c > 1 else name for c, name in zip(plane, iterators, strict=True) if c)
    return " + ".join(terms)
