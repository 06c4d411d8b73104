"""The text of several iterations at once."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

from skeletons.body.inner_sums import marked
from skeletons.body.unroll_and_jam.declared import Declared, read_declaration
from skeletons.body.unroll_and_jam.joint import Together, Unit
from skeletons.body.unroll_and_jam.loads import Read
from skeletons.body.unroll_and_jam.reads import shared_reads
from skeletons.kernel.context import holds_at, value_at
from skeletons.kernel.views import LoopView, MergeView
from species.core.positions import Span
from species.source.syntax.statement_tree import Statement
from species.source.text.code import block, names_in, on_one_line, parenthesised, rename
from species.source.text.edits import Edit, apply_edits


@dataclass(frozen=True)
class _Place:
    """Where statements stand: in joint loops over `around`, and what there is one of for each iteration."""

    around: frozenset[str]
    several: frozenset[str]


class Writer:
    """Writes the body of `together`; `own` is the view of the loop that is merged.

    With `blocks`, the iterations are neighbours, and all of them are the loop's; `sums` are statements that
    may be computed in any order.
    """

    def __init__(
        self,
        together: Together,
        own: LoopView,
        fresh: Callable[[str], str],
        *,
        blocks: bool = False,
        sums: frozenset[Span] = frozenset(),
    ) -> None:
        self.together, self.own, self.fresh = together, own, fresh
        self.text, self.loop = together.text, together.loop
        self.blocks, self.sums = blocks, sums
        self.each, self.count = fresh("each"), fresh(f"{self.loop.iterator}_merged")
        self.apart = fresh(f"{self.loop.iterator}_apart")

    def view(self, others: tuple[LoopView, ...]) -> MergeView:
        """What the templates see."""
        several = frozenset(self.together.private) - self.together.iterators
        lines = self._privates(several) if self.together.joint else []
        place = _Place(frozenset(), several if self.together.joint else frozenset())
        lines += self._sequence(self.together.sequence, place)
        first = self.own.base
        last = f"{first} + {self.count} - 1"
        number = first if not self.blocks else last if self.loop.step == 1 else f"({last})"
        sums = max(1, len(self.sums))
        inside = holds_at(self.loop, number, self.own.host_ctype)
        return MergeView(self.own, others, self.count, self.apart, inside, "\n".join(lines), sums)

    def _privates(self, several: frozenset[str]) -> list[str]:
        """The variables of the iterations that are declared before the loop."""
        return [
            f"{ctype} {name}{f'[{self.count}]' if name in several else ''};"
            for name, ctype in self.together.private.items()
        ]

    def _sequence(self, sequence: tuple[Statement, ...], place: _Place) -> list[str]:
        units = self.together.units(sequence)
        crossing = dict(self._crossing(units))
        lines = [f"{ctype} {name}[{self.count}];" for name, ctype in crossing.items()]
        place = _Place(place.around, place.several | crossing.keys())
        for unit in units:
            lines += self._joint(unit.statements[0], place) if unit.joint else self._each(unit, place)
        return lines

    def _crossing(self, units: list[Unit]) -> Iterator[tuple[str, str]]:
        """The variables, with their types, that are declared in one unit and used in another."""
        for number, unit in enumerate(units):
            later = {name for other in units[number + 1 :] for name in names_in(other.span.of(self.text))}
            for found in filter(None, map(self.together.declared, unit.statements)):
                yield from ((name, found.ctype) for name, _ in found.names if name in later)

    def _joint(self, part: Statement, place: _Place) -> list[str]:
        """A loop or condition for all iterations."""
        assert part.header is not None
        inside = _Place(self.together.inside(part, place.around), place.several)
        lines = self._sequence(part.parts[0].sequence(), inside)
        return [f"{part.kind} ({on_one_line(part.header.of(self.text))}) {{", *_moved(lines), "}"]

    def _each(self, unit: Unit, place: _Place) -> list[str]:
        """Statements for one iteration after the other, what they share before them."""
        reads = list(shared_reads(self.together, unit, place.around))
        once = {read.key: read for read in reads}.values()
        names = {read.key: self.fresh(f"{read.array}_shared") for read in once}
        private = [] if self.together.joint else [f"{t} {n};" for n, t in self.together.private.items()]
        body = [line for part in unit.statements for line in self._one(part, reads, names, place.several)]
        own, lines = self.own, private + body
        number = f"{own.base} + {self.each}" if self.blocks else f"{own.base} + {self.each} * {self.apart}"
        if not self.blocks:
            condition = f"{own.counter} < {own.trips} && {parenthesised(self.loop.condition)}"
            lines = [f"if ({condition}) {{", *_moved(lines), "}"]
        return [
            *(self._load(read, names[read.key]) for read in once),
            "#pragma unroll",
            f"for (int {self.each} = 0; {self.each} < {self.count}; {self.each}++) {{",
            f"    const long {own.counter} = {number};",
            f"    const {own.ctype} {self.loop.iterator} = {value_at(self.loop, own.counter)};",
            *_moved(lines),
            "}",
        ]

    def _load(self, read: Read, name: str) -> str:
        element = self.together.subject.arrays[read.array].element.removeprefix("const ")
        return f"const {element} {name} = {read.use.span.of(self.text)};"

    def _one(
        self, part: Statement, reads: list[Read], names: dict[tuple[str, ...], str], several: frozenset[str]
    ) -> Iterator[str]:
        """The lines of a statement of one iteration."""
        spans = [(r.use.span.start, r.use.span.end, names[r.key]) for r in reads]
        start = part.span.start
        edits = [
            Edit(Span(first - start, end - start), name)
            for first, end, name in spans
            if start <= first < part.span.end
        ]
        text = apply_edits(part.span.of(self.text), edits)
        places = {name: f"{name}[{self.each}]" for name in several}
        found = self.together.declared(part)
        if part.span in self.sums:
            yield marked(rename(text, places))
        elif found is None or not several & {name for name, _ in found.names}:
            yield from block(rename(text, places), 0).split("\n")
        else:
            moved = read_declaration(text, self.together.subject.declarations)
            assert moved is not None
            yield from self._set(moved, places)

    def _set(self, found: Declared, places: dict[str, str]) -> Iterator[str]:
        """A declaration of variables of which there is one for each iteration."""
        for name, value in found.names:
            target = places.get(name, f"{found.ctype} {name}")
            if value:
                yield f"{target} = {rename(value, places)};"
            elif name not in places:
                yield f"{target};"


def _moved(lines: list[str]) -> list[str]:
    return ["    " + line if line else line for line in lines]
