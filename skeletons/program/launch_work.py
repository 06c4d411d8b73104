"""How much work a launch is, counted when sizes are known: how often all statements of its loop run together.

Dollinger (thesis, Strasbourg 2015), section 3.7.7: Q, from which predictions are made.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from math import prod

import islpy as isl

from models.counting.counts import Count
from models.counting.sets import counted
from skeletons.kernel.context import Subject
from species.core.positions import Span
from species.facts.scops import Scop, ScopLoop, ScopNode, ScopStatement

LONGEST = 600  # characters of a formula that is evaluated at every launch
_WORD = re.compile(r"[A-Za-z_]\w*")
_MEMBER = re.compile(r"\.|->")
_NAMED = re.compile(r"\(long long\)\(([A-Za-z_]\w*)\)")  # how counts spell their parameters
_TYPES = frozenset({"long", "int", "unsigned", "size_t", "double"})


@dataclass(frozen=True)
class LaunchWork:
    """`text`: C of type double, over what the launch function is given; `estimate`: its value as sizes are
    taken to be.
    """

    text: str
    estimate: float


def launch_work(subject: Subject, scops: Sequence[Scop], amount: Callable[[str], float]) -> LaunchWork | None:
    """The work of a launch of the subject's kernel; None where no short formula over its scalars gives it.

    `amount` evaluates C texts as the estimate of the kernel's time does.
    """
    scalars = {scalar.name for scalar in subject.kernel.scalars if scalar.role == "in"}
    scop = next((each for each in scops if each.span.holds(subject.span)), None)
    if scop is None:
        return None
    outside = [*_outside(scop.nodes, subject.span)]
    texts = {**dict(scop.parameters), **{name: name for name in outside}}
    statements = (each for each in scop.statements() if subject.span.holds(each.span))
    parts = [_part(each, outside, texts, scalars) for each in statements]
    found = [each for each in parts if each is not None]
    text = _sum(found)
    if len(found) < len(parts) or not 0 < len(text) <= LONGEST:
        return None
    return LaunchWork(text, sum(each.value(amount) for each in found))


@dataclass(frozen=True)
class _Part:
    """How often a statement runs, by how often its innermost loops do: `factors`."""

    count: Count
    factors: tuple[str, ...]
    texts: Mapping[str, str]  # of the count's parameters

    @property
    def names(self) -> list[str]:
        """The parameters that the formula needs."""
        return _NAMED.findall(self.count.c_expression())

    @property
    def text(self) -> str:
        own = _NAMED.sub(lambda match: f"(long long)({self.texts[match[1]]})", self.count.c_expression())
        return " * ".join((f"(double)({own})", *(f"(double)({factor})" for factor in self.factors)))

    def value(self, amount: Callable[[str], float]) -> float:
        given = {name: round(amount(self.texts[name])) for name in self.names}
        given |= {name: 0 for name in self.count.parameters if name not in given}
        return float(self.count.value(given)) * prod(map(amount, self.factors))


def _sum(parts: Sequence[_Part]) -> str:
    """Statements that run equally often are counted once, and multiplied."""
    times = dict[str, int]()
    for part in parts:
        times[part.text] = times.get(part.text, 0) + 1
    return " + ".join(f"{count} * {text}" if count > 1 else text for text, count in times.items())


def _outside(nodes: Iterable[ScopNode], span: Span) -> Iterator[str]:
    """The iterators of loops around a place, outermost first."""
    for node in nodes:
        if isinstance(node, ScopLoop) and node.spans.whole != span and node.spans.whole.holds(span):
            yield node.iterator
            yield from _outside(node.children, span)


def _part(
    statement: ScopStatement, outside: Sequence[str], texts: Mapping[str, str], scalars: set[str]
) -> _Part | None:
    """None where it is not a formula over the launch's scalars."""
    try:
        count = counted(_inside(isl.Set(statement.domain), outside))
    except ValueError:  # without end
        return None
    if not isinstance(count, Count):
        return None
    part = _Part(count, statement.trips, texts)
    given = (*(texts[name] for name in part.names), *statement.trips)
    return part if all(text and _is_given(text, scalars) for text in given) else None


def _inside(points: isl.Set, outside: Sequence[str]) -> isl.Set:
    """The points of one iteration of the loops `outside`, where it has some: these become parameters."""
    first = points.dim(isl.dim_type.param)
    points = points.move_dims(isl.dim_type.param, first, isl.dim_type.set, 0, len(outside))
    for place, name in enumerate(outside):
        points = points.set_dim_name(isl.dim_type.param, first + place, name)
    return points.gist_params(points.params())


def _is_given(text: str, scalars: set[str]) -> bool:
    """Is it C over scalars that the launch function has?"""
    return not _MEMBER.search(text) and set(_WORD.findall(text)) - _TYPES <= scalars
