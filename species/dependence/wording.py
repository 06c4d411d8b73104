"""The sentences of findings: what is touched where, and where again by a later iteration."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from species.dependence.exact.dependence_test import Dependence
from species.loops.model import Loop, Reference
from species.symbols.symbols import Symbol

_VERBS = {"flow": ("written", "read"), "anti": ("read", "written"), "output": ("written", "written again")}


@dataclass(frozen=True)
class Wording:
    """How nodes are spoken of: `text` is their C, `line` says where they stand ("line 12").

    A sentence about two places names both lines where they differ; where they do not, the position of
    the finding says it.
    """

    text: Callable[[Any], str]
    line: Callable[[Any], str]

    def carried(self, loop: Loop, dependence: Dependence, certain: bool = True) -> str:
        """A dependence between references to memory, with its distance or that it varies."""
        source, sink = dependence.source.node, dependence.sink.node
        name, other = self.text(source), self.text(sink)
        verbs = _VERBS[dependence.kind]
        if not dependence.exact:
            return self._later((name, source), (other, sink), verbs, certain=False)
        iterator = loop.iterator.name if loop.iterator else "the loop"
        distance = dependence.distance
        where = f"distance {distance}" if distance is not None else "at varying distances"
        return f"{self._later((name, source), (other, sink), verbs, certain)} ({where} in {iterator})"

    def carried_scalar(self, symbol: Symbol, write: Any, read: Any, certain: bool = True) -> str:
        """A variable that an iteration reads as an earlier one has left it."""
        return self._later((symbol.name, write), (symbol.name, read), _VERBS["flow"], certain)

    def _later(
        self, first: tuple[str, Any], second: tuple[str, Any], verbs: tuple[str, str], certain: bool = True
    ) -> str:
        (name, here), (other, there) = first, second
        line, later = self.line(here), self.line(there)
        then = verbs[1] + (f" as '{other}'" if other != name else "")
        if line == later:
            return f"'{name}' is {verbs[0]}, and {'' if certain else 'may be '}{then} by a later iteration"
        modal = "is" if certain else "may be"
        return f"'{name}' {verbs[0]} in {line} {modal} {then} in {later} by a later iteration"

    def not_a_reduction(self, symbol: Symbol, update: Reference, other: Reference) -> str:
        """A variable that is accumulated, and then something else."""
        here, there = self.places(update.node, other.node)
        if update.update and other.update and update.update.operator != other.update.operator:
            one, two = update.update.operator, other.update.operator
            return f"'{symbol.name}' is combined with '{one}'{here} and with '{two}'{there}"
        return f"'{symbol.name}' is accumulated{here}, but also used otherwise{there}"

    def alike(self, first: Reference, second: Reference) -> str:
        """Two references to what may be the same memory."""
        name, other = self.text(first.node), self.text(second.node)
        here, there = self.places(first.node, second.node)
        when = " in different iterations" if first.symbol is second.symbol else ""
        if not here and name == other:
            return f"'{name}' may be the same memory{when}"
        return f"'{name}'{here} and '{other}'{there} may be the same memory{when}"

    def places(self, first: Any, second: Any) -> tuple[str, str]:
        """Where both are, to be put behind their names: nothing where it is one line."""
        here, there = self.line(first), self.line(second)
        return ("", "") if here == there else (f" in {here}", f" in {there}")
