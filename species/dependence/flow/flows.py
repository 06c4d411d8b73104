"""Flows: what a piece of code reads that may be older, and writes on every path; and how two combine."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from species.dependence.flow.outcomes import is_return
from species.symbols.symbols import Symbol

Written = frozenset[Symbol] | None  # None: control never gets there


@dataclass(frozen=True)
class Flow:
    """Of a piece of code: reads that may see an older value, variables written on every path that
    falls through, and those written on every path that leaves by `break`, by `continue`, for a label, or out
    of a callee (see `outcomes`).
    """

    exposed: dict[Symbol, Any] = field(default_factory=dict)
    must: Written = frozenset()
    leaving: Mapping[str, frozenset[Symbol]] = field(default_factory=dict)

    @property
    def at_jumps(self) -> Written:
        """What is written on every path that jumps away; None: none does."""
        return all_of(written for way, written in self.leaving.items() if not is_return(way))

    @property
    def at_returns(self) -> Written:
        """What is written on every path that leaves a callee, before its end; None: none does."""
        return all_of(written for way, written in self.leaving.items() if is_return(way))

    @property
    def beyond(self) -> dict[str, frozenset[Symbol]]:
        """The ways that lead out of a loop around the code: for labels, and out of a callee."""
        return {
            way: written if is_return(way) else frozenset[Symbol]()
            for way, written in self.leaving.items()
            if way not in _WAYS
        }


NOTHING = Flow()
_WAYS = ("break", "continue")


def meet(a: Written, b: Written) -> Written:
    if a is None:
        return b
    return a if b is None else a & b


def all_of(sets: Iterable[frozenset[Symbol]]) -> Written:
    result: Written = None
    for written in sets:
        result = meet(result, written)
    return result


def then(a: Flow, b: Flow) -> Flow:
    """The flow of a followed by b."""
    if a.must is None:
        return a
    exposed = {**{s: n for s, n in b.exposed.items() if s not in a.must}, **a.exposed}
    must = None if b.must is None else a.must | b.must
    return Flow(exposed, must, all_ways(a.leaving, {way: a.must | w for way, w in b.leaving.items()}))


def all_ways(
    a: Mapping[str, frozenset[Symbol]], b: Mapping[str, frozenset[Symbol]]
) -> dict[str, frozenset[Symbol]]:
    return {**a, **{way: written & a.get(way, written) for way, written in b.items()}}


def in_sequence(flows: Iterable[Flow]) -> Flow:
    result = NOTHING
    for flow in flows:
        result = then(result, flow)
    return result


def in_any_order(flows: Sequence[Flow]) -> Flow:
    """What one of them writes, another one may have read before."""
    exposed = {symbol: node for flow in reversed(flows) for symbol, node in flow.exposed.items()}
    must = frozenset[Symbol]().union(*(flow.must or () for flow in flows))
    leaving: dict[str, frozenset[Symbol]] = {}
    for flow in flows:
        leaving = all_ways(leaving, flow.leaving)
    return Flow(exposed, must, leaving)


def either(a: Flow, b: Flow) -> Flow:
    return Flow({**b.exposed, **a.exposed}, meet(a.must, b.must), all_ways(a.leaving, b.leaving))
