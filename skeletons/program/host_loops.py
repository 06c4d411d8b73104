"""Loops that a program for a CPU leaves to the host for good, with the loops around them.

One core makes them before a launch has begun, however often they run, and nothing else is launched in the
loop around them.  So the host need not ask, in every iteration of that loop, whether it may go on.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from itertools import product
from math import inf, isnan, prod

import islpy as isl

from models.sizes.amounts import Amounts
from skeletons.kernel.context import Subject
from skeletons.schedule.core.constants import constant
from species.core.positions import Span
from species.facts import Scop, ScopStatement
from species.facts.loops import UnitFacts

_COUNT = re.compile(r"[\w\s+*/()-]+")  # extreme where the iterators around are


def left_to_host(
    facts: UnitFacts, kernels: Sequence[Subject], few: Callable[[Subject], int]
) -> dict[str, int]:
    """The loops of a file, of those that may be `kernels`, that are left to the host, and the most iterations
    of each.

    `few` says below how many iterations a kernel is sooner made by the host.
    """
    parents = {loop.id: loop.parent for loop in facts.loops}
    own = {kernel.facts.id for kernel in kernels}
    outermost = {k.facts.id: k for k in kernels if not own.intersection(_ancestors(k.facts.id, parents))}
    inside: dict[str, list[str]] = {}
    for key in outermost:
        for around in _ancestors(key, parents):
            inside.setdefault(around, []).append(key)
    most = {key: _most_iterations(outermost[key], facts.scops) for keys in inside.values() for key in keys}
    is_few = {key: count < few(outermost[key]) for key, count in most.items()}
    alone = (key for key in most if all(is_few[other] for other in inside[parents[key] or ""]))
    return {key: round(most[key]) for key in alone}


def _ancestors(loop: str, parents: dict[str, str | None]) -> Iterator[str]:
    parent = parents[loop]
    while parent is not None:
        yield parent
        parent = parents[parent]


def _most_iterations(subject: Subject, scops: Sequence[Scop]) -> float:
    """How many iterations the loops of a kernel that are spread over threads make together at the most;
    infinity: nobody knows.
    """
    texts = [loop.trips or "" for loop in subject.spread]
    if not all(text and _COUNT.fullmatch(text) for text in texts):
        return inf
    inside = (s for scop in scops for s in scop.statements() if _meet(s.span, subject.span))
    ranges = dict(_ranges(next(inside, None)))
    corners = product(*([(name, end) for end in ends] for name, ends in ranges.items()))
    return max(_iterations(subject, texts, dict(corner)) for corner in corners)


def _iterations(subject: Subject, texts: list[str], values: dict[str, float]) -> float:
    amounts = Amounts(subject.macro_body, inf, values)
    found = prod(max(0.0, amounts.of(text)) for text in texts)
    return inf if amounts.taken or isnan(found) else found


def _meet(one: Span, other: Span) -> bool:
    return one.start < other.end and other.start < one.end


def _ranges(statement: ScopStatement | None) -> Iterator[tuple[str, tuple[int, int]]]:
    """The least and the greatest value of the iterators around a statement that have some."""
    domain = isl.Set(statement.domain) if statement is not None else None
    for place, name in enumerate(statement.iterators if statement is not None else ()):
        if domain is None or domain.is_empty():
            return
        ends = constant(domain.dim_min(place)), constant(domain.dim_max(place))
        if ends[0] is not None and ends[1] is not None:
            yield name, (ends[0], ends[1])
