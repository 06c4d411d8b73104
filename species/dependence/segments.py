"""Segments that data bounds: `for (e = start[v]; e < start[v + 1]; e++)`; does one reach into the next?

No text shows that offsets ascend; a pass over them does, before the loop.
"""

from __future__ import annotations

from species.dependence.data_checks import Chunks, InOrder, element
from species.loops.model import Loop, Place
from species.sets.affine import Affine


def asked(expression: Affine, loop: Loop) -> InOrder | Chunks | None:
    """The claim on numbers in memory which says that a difference of them is never negative."""
    return in_order(expression, loop) or _chunks(expression, loop)


def in_order(expression: Affine, loop: Loop) -> InOrder | None:
    """What says that a difference of two numbers in memory is never negative: the ends of segments.

    (Of places that data chooses, one for each iteration, it would say that they ascend: they seldom do.)
    """
    above, below = _places(expression, loop)
    if len(above) != 1 or len(below) != 1:
        return None
    (after,), (before,) = above, below
    # Ends may be in their segments; of starts, those of one array, it would say nothing new.
    constant, alike = expression.constant, _are_alike(after, before)
    ascends = _distance(after, before) > 0 and constant >= 0 if alike else constant >= -1
    return InOrder(after, before, constant) if ascends else None


def _chunks(expression: Affine, loop: Loop) -> Chunks | None:
    """What says that the next start is no less than this one and its length, if not less than that."""
    above, below = _places(expression, loop)
    if len(above) != 1 or len(below) != 2 or expression.constant < 0:
        return None
    starts = [place for place in below if _are_alike(above[0], place)]
    lengths = [place for place in below if place not in starts]
    is_next = len(starts) == 1 and _distance(above[0], starts[0]) == 1
    return Chunks(starts[0], lengths[0]) if is_next and lengths else None


def _places(expression: Affine, loop: Loop) -> tuple[list[Place], list[Place]]:
    """The places that a sum of numbers in memory adds, and those that it takes away; else none."""
    found = [(sign, element(atom, loop)) for atom, sign in expression.ordered]
    if any(place is None or abs(sign) != 1 for sign, place in found):
        return [], []
    above, below = ([place for s, place in found if s == sign and place is not None] for sign in (1, -1))
    return above, below


def without_implied(claims: list[InOrder | Chunks]) -> list[InOrder | Chunks]:
    """Those that are to be asked: that the starts of chunks ascend follows, as far as they have cells, and
    that numbers are in order if they are so with less slack.
    """
    starts = [claim.starts for claim in claims if isinstance(claim, Chunks)]
    least: dict[tuple[Place, Place], int] = {}
    for claim in claims:
        if isinstance(claim, InOrder):
            pair = claim.after, claim.before
            least[pair] = min(claim.slack, least.get(pair, claim.slack))
    orders = [
        InOrder(after, before, slack)
        for (after, before), slack in least.items()
        if before not in starts or not _are_alike(after, before)
    ]
    return [*dict.fromkeys(claim for claim in claims if isinstance(claim, Chunks)), *orders]


def _distance(after: Place, before: Place) -> int:
    """How many elements of an array one place is behind another one; 0: no such number."""
    apart = sum((a - b for a, b in zip(after.subscripts, before.subscripts, strict=True)), Affine())
    return apart.constant if apart.is_constant else 0


def _are_alike(a: Place, b: Place) -> bool:
    """Are they elements of one array?"""
    names = [[step for step in place.path if isinstance(step, str)] for place in (a, b)]
    return (a.symbol, a.base) == (b.symbol, b.base) and names[0] == names[1]
