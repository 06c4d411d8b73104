"""Reasons as the analysis finds them, and those that calls give."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any

from species.dependence.wording import Wording
from species.loops.model import Call, Reference
from species.loops.pointees import analysis_of
from species.symbols.effect_table import ELEMENTS
from species.symbols.symbols import Symbol

_WHAT = {
    "output": "writes output, in an order that would be lost",
    "input": "reads input, in an order that would be lost",
    "state": "depends on hidden state or on the order of calls",
    "allocation": "allocates or frees memory, which other iterations may be using",
    "exit": "ends the program or leaves the loop",
}


@dataclass(frozen=True)
class Finding:
    """A reason before its positions are mapped: nodes stand for places.

    `unsure` is said instead of the message where the dependence is not there for certain.
    """

    code: str
    message: str
    node: Any
    related: tuple[Any, ...] = ()
    symbol: Symbol | None = None  # the variable or array that it speaks of
    unsure: str = ""


def refused_call(call: Call, references: Iterable[Reference], wording: Wording) -> Iterator[Finding]:
    """Why a loop with these references cannot be parallel for the call, if it is so.

    A function that only reads memory, but for elements that it is given, does not matter where the loop
    writes nothing that it can see.
    """
    chain = (*(i.name for i in call.inlining.chain), *call.inside) if call.inlining else call.inside
    name = f"'{call.name}'" + (f" (called by {_quoted(chain)})" if chain else "")
    nodes = (call.inlining.chain[0].call, call.node) if call.inlining else (call.node,)
    if call.effect not in ("reading", ELEMENTS):
        what = _WHAT.get(call.effect, "is called, and its effects are not known")
        yield Finding("CV305", f"{name} {what}", nodes[0], nodes[1:])
        return
    written = next((r for r in references if r.write and _may_be_read(call, r)), None)
    if written is not None:
        here, there = wording.places(nodes[0], written.node)
        called = f", called{here}," if here else ""
        message = f"{name}{called} may read '{written.place.name}', which the loop writes{there}"
        yield Finding("CV305", message, nodes[0], (*nodes[1:], written.node), written.symbol)


def _quoted(chain: tuple[str, ...]) -> str:
    return ", called by ".join(f"'{name}'" for name in reversed(chain))


def _may_be_read(call: Call, reference: Reference) -> bool:
    """May the function read what is written there?"""
    analysis = analysis_of(reference.place)
    if analysis is not None:
        read, written = analysis.of_reads(call.node), analysis.of_key(reference.place)
        if read is not None and written is not None:
            return bool(analysis.may_meet(read, written))
    return _is_visible(reference)


def _is_visible(reference: Reference) -> bool:
    """May other functions see what is written?"""
    symbol = reference.symbol
    if reference.place.is_variable and symbol.storage in ("local", "parameter"):
        return symbol.address_taken  # `out++`: whoever has a copy of the pointer does not see it
    own = symbol.storage in ("local", "parameter") and reference.place.base is None
    return not own or symbol.exposed or symbol.address_taken
