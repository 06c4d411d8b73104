"""Kernels of a device as the host's threads make them: nests in the best order, like those of OpenMP."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

import islpy as isl

from skeletons.kernel.nest_within import nest_within
from skeletons.schedule.schedules import Rescheduled, Scheduler
from species.core.positions import Span
from species.facts import Scop, ScopLoop, ScopNode, ScopStatement
from species.facts.scops import with_statements


@dataclass(frozen=True)
class HostNests:
    """Finds better orders for the nests of a file that are kernels."""

    scheduler: Scheduler

    def of(self, span: Span, skipped: str) -> Rescheduled | None:
        """What the host makes of the loop at `span`, without the first iterations: `skipped` names a variable
        of type `long` that holds how many; empty: it makes all.  None where the nest's own order is the best
        one known, or nothing can be said of it.
        """
        for scop in self.scheduler.facts.scops:
            if scop.conditions or not scop.span.holds(span):
                continue
            found = _alone(scop, span)
            if found is None:
                continue
            other = _alone(scop.alternative, span) if scop.alternative is not None else None
            nests = [_begun_later(each, skipped) for each in (found, other) if each is not None]
            if nests[0] is None:
                return None
            alternative = nests[1] if len(nests) > 1 else None
            return self.scheduler.rescheduled(replace(nests[0], alternative=alternative), 1)
        return None


def _alone(scop: Scop, span: Span) -> Scop | None:
    """The loop at a place, by itself."""
    places = (each for node in scop.nodes for each in _loops(node, ()))
    found = next(((node, around) for node, around in places if node.spans.whole == span), None)
    return nest_within(scop, *found) if found is not None else None


def _loops(node: ScopNode, around: tuple[ScopLoop, ...]) -> Iterator[tuple[ScopLoop, tuple[ScopLoop, ...]]]:
    """All loops of a nest, with those around them."""
    if isinstance(node, ScopLoop):
        yield node, around
        for child in node.children:
            yield from _loops(child, (*around, node))


def _begun_later(scop: Scop, skipped: str) -> Scop | None:
    """The nest of one loop without its first iterations; None where the loop does not count up by one."""
    (loop,) = scop.nodes
    if not skipped:
        return scop
    if not isinstance(loop, ScopLoop) or loop.step != 1:
        return None
    first = f"{skipped}_first"
    while first in dict(scop.parameters):
        first += "_"
    lower = skipped if loop.lower.strip() == "0" else f"({loop.lower}) + {skipped}"
    known = f"{first} >= {loop.lower}" if loop.lower.strip().isdecimal() else ""
    return replace(
        scop,
        nodes=(with_statements(replace(loop, lower=lower), lambda each: _from(each, first)),),
        parameters=(*scop.parameters, (first, lower)),
        context=str(isl.Set(scop.context).intersect(isl.Set(f"[{first}] -> {{ : {known} }}"))),
        skipped=skipped,
    )


def _from(statement: ScopStatement, first: str) -> ScopStatement:
    """The statement in the iterations of its outermost loop from one on, which is a parameter."""
    names = ", ".join(f"x{k}" for k in range(len(statement.iterators)))
    later = isl.Set(f"[{first}] -> {{ {statement.name}[{names}] : x0 >= {first} }}")
    return replace(statement, domain=str(isl.Set(statement.domain).intersect(later)))
