"""Loops in parts, with what functions count in each of them: see `cuvier.pipeline.privatised`."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from math import prod

from cuvier.pipeline.base.counted_header import counted_header
from skeletons.kernel.names import FreshNames
from species.core.positions import Span
from species.facts.loop_forms import OwnCopy
from species.facts.loops import LoopFacts
from species.source import TranslationUnit
from species.source.text.edits import Edit

PARTS = 64  # at most; there is a copy of the tallies for each
LEAST = 16  # iterations in a part, besides one for each cell
_NEUTRAL = {"+": "0", "-": "0", "|": "0", "^": "0", "*": "1"}  # others start from what there is


def over(part: str) -> str:
    """How the header of the loop over parts begins, by its iterator."""
    return f"for (int {part} = 0;"


def in_parts(unit: TranslationUnit, loop: LoopFacts, part: str, names: FreshNames) -> Iterator[Edit]:
    """What makes a loop, which has tallies, one over parts, with the iterator `part`."""
    assert loop.spans is not None and loop.own_copies is not None
    own, spans, i = loop.own_copies, loop.spans, loop.own_copies.iterator
    text = spans.header.of(unit.source.text)
    header = counted_header(text, i)
    assert header is not None
    start, stop, trips, parts, length, at, first, end = (
        names.fresh(f"{i}_{what}")
        for what in ("start", "stop", "trips", "parts", "length", "at", "from", "end")
    )
    least = LEAST + sum(prod(each.shape) for each in own.tallies)
    few, many = f"{trips} < {2 * least}", f"{trips} >= {PARTS * least}"
    tallies = [_Tally(each, names, names.fresh(f"{each.name}_of")) for each in own.tallies]
    behind = f"(long)({header.bound}){' + 1' * (header.sign == '<=')}"
    lines = [
        "{",
        *(each.declared for each in tallies),
        f"const long {start} = {header.start}, {stop} = {behind}, {trips} = {stop} - {start};",
        f"const int {parts} = {many} ? {PARTS} : {few} ? 1 : (int)({trips} / {least});",
        f"const long {length} = ({trips} + {parts} - 1) / {parts};",
        *(each.saved for each in tallies),
        f"{over(part)} {part} < {parts}; {part}++) {{",
        *(each.reset for each in tallies),
        f"const long {at} = {start} + {part} * {length};",
        f"const {own.ctype} {first} = {at} < {stop} ? {at} : {stop};",
        f"const {own.ctype} {end} = {at} + {length} < {stop} ? {at} + {length} : {stop};",
        f"for ({own.ctype} {i} = {first}; {i} < {end}; {i}++) {{",
    ]
    yield Edit(spans.header, " ".join(lines) + "\n" * text.count("\n"))
    after = f" {i} = ({own.ctype})({trips} > 0 ? {stop} : {start});"
    after = "" if own.declared_inside else after
    kept = " ".join(each.kept(part) for each in tallies)
    combined = " ".join(each.combined(parts) for each in tallies)
    yield Edit(Span(spans.body.end, spans.body.end), f" }} {kept} }} {combined}{after} }}")


@dataclass(frozen=True)
class _Tally:
    """A tally, and the table `of` what is in it at the end of each part."""

    copy: OwnCopy
    names: FreshNames
    of: str

    @cached_property
    def _counters(self) -> list[str]:
        return [self.names.fresh(f"{self.copy.name}_{k}") for k in range(len(self.copy.shape))]

    def _each(self, statement: str) -> str:
        """A statement, for each cell, whose subscripts stand where there is an `@`."""
        pairs = zip(self._counters, self.copy.shape, strict=True)
        loops = "".join(f"for (int {k} = 0; {k} < {size}; {k}++) " for k, size in pairs)
        return loops + statement.replace("@", "".join(f"[{k}]" for k in self._counters))

    @property
    def declared(self) -> str:
        """The declaration of the table."""
        rest = "".join(f"[{size}]" for size in self.copy.shape)
        return f"static {self.copy.element} {self._was}{rest}, {self.of}[{PARTS}]{rest};"

    @cached_property
    def _was(self) -> str:
        return self.names.fresh(f"{self.copy.name}_was")

    @property
    def saved(self) -> str:
        """What notes the value before the loop."""
        return self._each(f"{self._was}@ = {self.copy.place}@;")

    @property
    def reset(self) -> str:
        """What a part starts from."""
        return self._each(f"{self.copy.place}@ = {_NEUTRAL.get(self.copy.operator, f'{self._was}@')};")

    def kept(self, part: str) -> str:
        """What notes the value at the end of a part."""
        return self._each(f"{self.of}[{part}]@ = {self.copy.place}@;")

    def combined(self, parts: str) -> str:
        """What gives the tally the value that it has behind the loop."""
        k, variable, sign = self.names.fresh("k"), self.copy.place, self.copy.operator
        other = f"{self.of}[{k}]@"
        added = f"{variable}@ {sign}= {other};"
        if sign in ("min", "max"):
            added = f"if ({other} {'<' if sign == 'min' else '>'} {variable}@) {variable}@ = {other};"
        start, first = (f"{self._was}@", 0) if sign in _NEUTRAL else (f"{self.of}[0]@", 1)
        return self._each(
            f"{{ {variable}@ = {start}; for (int {k} = {first}; {k} < {parts}; {k}++) {added} }}"
        )
