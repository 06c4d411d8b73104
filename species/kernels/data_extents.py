"""Where a loop touches arrays at places that data chooses: between the least and the greatest of the numbers.

`y[perm[i]]`, or `val[k]` with k from `start[i]` to `start[i + 1]`: a pass over the numbers, before the loop,
tells from where to where.  See `species.row_tests` for the functions.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from species.dependence.data_checks import element
from species.dependence.data_reads import Read, is_left_alone, read_of
from species.facts.loops import GREATEST, LEAST
from species.kernels.data_tests import guarded, numbers_text, size_of
from species.kernels.trip_counts import trips_text
from species.loops.model import FunctionModel, Loop, PathStep, Place, Reference, inner_loops
from species.loops.shifted import place_of
from species.regions.c_printer import Unprintable
from species.regions.entry_names import EntryNames
from species.regions.hull import Region, Regions
from species.sets.affine import Affine, Atom, Counter, Value
from species.sets.conditions import Compare, Condition, rewritten
from species.sets.products import factors, replaced
from species.symbols.types import WIDEST

_ENDS = (LEAST, GREATEST)
_FIRST = 1_000_000  # numbers of counters that stand for what a number is above the least one


@dataclass(frozen=True)
class _Range:
    """A number of which iterations find one each, from the least one on, and when they read it."""

    number: Affine
    limits: tuple[Condition, ...]
    read: Read


class DataExtents:
    """The regions of references in one loop, as far as numbers in memory bound them; names note the texts.

    `references` are all of the loop.
    """

    def __init__(
        self, model: FunctionModel, loop: Loop, names: EntryNames, references: Sequence[Reference]
    ) -> None:
        self._model, self._loop, self._names, self._all = model, loop, names, references
        self._found: dict[Atom, _Range | None] = {}

    def hull(self, references: Sequence[Reference], provided: tuple[Condition, ...]) -> Region | None:
        """The box around references to one object; None where numbers in memory do not help."""
        bounded = [self._bounded(reference) for reference in references]
        if bounded == [*references]:
            return None
        counters = frozenset(range(_FIRST, _FIRST + len(self._found)))
        return Regions(self._model, self._loop, self._names, provided, moving=counters).hull(bounded)

    def _bounded(self, reference: Reference) -> Reference:
        """The reference with numbers that it finds in memory as some between the least and the greatest."""
        limits = dict[Condition, None]()

        def of(expression: Affine) -> Affine:
            for atom in dict.fromkeys(f for a in expression.atoms() for f in factors(a)):
                found = self._range(atom)
                if found is not None and found.read.is_made_by(reference):
                    expression = replaced(expression, atom, found.number)
                    limits.update(dict.fromkeys(found.limits))
            return expression

        def moved(step: PathStep) -> PathStep:
            return of(step) if isinstance(step, Affine) else step

        path = tuple(map(moved, reference.place.path))
        conditions = tuple(rewritten(c, of) for c in reference.conditions)
        place = replace(reference.place, path=path)
        return replace(reference, place=place, conditions=(*conditions, *limits))

    def _range(self, atom: Atom) -> _Range | None:
        """A number as the least one and some more, and how much more it is at most."""
        if atom not in self._found:
            place = element(atom, self._loop)
            read = read_of(place, self._loop, self._all) if place is not None else None
            known = place is not None and is_left_alone(place, self._loop, self._all)
            self._found[atom] = self._named(place, read) if known and place and read else self._in_box(atom)
        return self._found[atom]

    def _in_box(self, atom: Atom) -> _Range | None:
        """The same of a number that loops inside find, each in an element of its own: of all around these."""
        place = place_of(atom)
        if place is None or len(place.path) != 1 or place.loose or place.flat or place.byte is not None:
            return None
        inside = inner_loops(self._loop)
        moves = place.base is not None and bool(place.base.loops & inside)
        if moves or not place.ctype.is_integer or place.ctype.bits not in (8, 16, 32, 64):
            return None
        reads = [r for r in self._all if not r.write and r.place == place]
        name = self._names.table(Place(place.symbol, (), place.base))
        if not reads or name is None or not is_left_alone(place, self._loop, self._all):
            return None
        region = Regions(self._model, self._loop, self._names).hull(reads)
        if region is None or not region.exact or not all(map(self._is_certain, reads)):
            return None
        low, high = region.ranges[0].low, region.ranges[0].high
        numbers = f"&{name}[{low}], (long)sizeof(*{name}), {size_of(place.ctype)}"
        count = f"(long)({high}) - ({low}) + 1"
        arguments = f"({numbers}, 0, 0, 0, {count})"
        ends = {each: _if_any(each + arguments, count, low == "0") for each in _ENDS}
        return self._between(place, ends, Read())

    def _is_certain(self, reference: Reference) -> bool:
        """Is it made in all iterations of all loops around it?"""
        known = self._model.numbered
        loops = [known[number] for number in reference.loops]
        always = {condition for loop in loops for condition in (*loop.conditions, loop.bound)}
        always |= {Compare(Affine.of(loop.counter)) for loop in loops}
        return always.issuperset(reference.conditions)

    def _named(self, place: Place, read: Read) -> _Range | None:
        regions = Regions(self._model, self._loop, self._names)
        places = [place] if read.length is None else [place, read.length]
        texts = [numbers_text(each, self._loop.counter, self._names) for each in places]
        trips = trips_text(regions, self._loop, self._loop)
        known = [text for text, _ in filter(None, texts)]
        if trips is None or len(known) < len(texts):
            return None
        lengths = known[1] if read.length is not None else "0, 0, 0"
        arguments = f"({known[0]}, {lengths}, (long)({trips}))"
        try:
            read_by = {each: guarded(each + arguments, read.where, self._names, "0") for each in _ENDS}
        except Unprintable:
            return None
        at_first = known[0].partition(",")[0].endswith("[0]")
        ends = {each: _if_any(text, f"(long)({trips})", at_first) for each, text in read_by.items()}
        return self._between(place, ends, read)

    def _between(self, place: Place, ends: Mapping[str, str], read: Read) -> _Range:
        """A number from the least one on to the greatest, by their texts."""
        values = [Value((name, place), frozenset(), text, WIDEST) for name, text in ends.items()]
        self._names.given |= {value: value.text for value in values}
        least, greatest = map(Affine.of, values)
        above = Affine.of(Counter(_FIRST + len(self._found)))
        return _Range(least + above, (Compare(above), Compare(greatest - least - above)), read)


def _if_any(text: str, count: str, at_first: bool) -> str:
    """A pass over so many numbers; without any there is no address of one, but for the array's own."""
    return text if at_first else f"({count} > 0 ? {text} : 0)"
