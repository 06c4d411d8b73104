"""Compares species by what they mean, not by how they are spelt.

Two species mean the same where every part of the one is in the other: the same memory, by whatever name; the
same first and last elements; as many of them in an iteration.  A part may stand twice or once, arrays in any
order, and neighbours that are listed one by one are the same as a stretch of them.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace

from species.analysis.stated_values import Object, StatedValues
from species.grammar.nodes import ArraySpecies, Range, Species
from species.grammar.printer import print_part
from species.sets.affine import Affine, constant

_MANY = 16  # parts that are not joined any more


@dataclass(frozen=True)
class _Dimension:
    """The first and the last element that the nest touches, and how many an iteration does.

    `start` is where an iteration's begin, from its own position on; None where that does not count.
    """

    low: Affine
    high: Affine
    length: Affine = field(default_factory=lambda: constant(1))
    start: Affine | None = None


@dataclass(frozen=True)
class _Part:
    """A part of a species.  `kind`: "own" (elements of the iteration's own), "overlap" (some are those of a
    neighbour, too) or "same" (those of all others); empty: either of the first two.

    `members` are the numbers of the parts that it is made of.
    """

    object: object | None  # None: the part has no name
    dimensions: tuple[_Dimension, ...]
    kind: str
    operator: str | None
    members: frozenset[int]


@dataclass(frozen=True)
class Difference:
    """The first part on which two species do not agree: one that is `stated` for nothing, or left out."""

    part: str
    stated: bool


class Meaning:
    """Compares species of one loop."""

    def __init__(self, values: StatedValues) -> None:
        self._values = values

    def difference(self, stated: Species, found: Species) -> Difference | None:
        """Where a species that a person stated means something else than the one that was found."""
        combined = {self._object(p) for p in found.outputs if _is_same(p)}
        inputs = [p for p in stated.inputs if not (_is_same(p) and self._object(p) in combined)]
        lengths = {p.name: len(p.domain) for p in sorted((*found.inputs, *found.outputs), key=_rank)}
        pointers = [p for p in found.inputs if len(p.domain) < lengths[p.name]]  # which lead to rows
        sides = ((inputs, found.inputs, pointers), (stated.outputs, found.outputs, ()))
        return next(filter(None, (self._of_side(*side) for side in sides)), None)

    def other_arrays(self, stated: Species, approximate: Species) -> Difference | None:
        """A part on an array that the loop does not touch, or an array that it writes and that is left out,
        where what was found says more than is certain.
        """
        sides = ((stated.inputs, approximate.inputs), (stated.outputs, approximate.outputs))
        for own, found in sides:
            known = set(map(self._object, found))
            strange = (p for p in own if p.name is not None and self._object(p) not in known)
            if (part := next(strange, None)) is not None:
                return Difference(print_part(part), True)
        named = set(map(self._object, stated.outputs))
        missing = (p for p in approximate.outputs if None not in named and self._object(p) not in named)
        return next((Difference(print_part(part), False) for part in missing), None)

    def _of_side(
        self, stated: Sequence[ArraySpecies], found: Sequence[ArraySpecies], spared: Sequence[ArraySpecies]
    ) -> Difference | None:
        """As `difference`; what is `spared` need not be stated."""
        own = self._joined([self._part(p, k, by_hand=True) for k, p in enumerate(stated)])
        others = self._joined([self._part(p, k, by_hand=False) for k, p in enumerate(found)])
        pairs = [(one, other) for one in own for other in others if self._fits(one, other)]
        right = frozenset[int]().union(*(one.members for one, _ in pairs))
        named = frozenset[int]().union(*(other.members for _, other in pairs))
        wrong = (Difference(print_part(p), True) for k, p in enumerate(stated) if k not in right)
        missing = (
            Difference(print_part(p), False)
            for k, p in enumerate(found)
            if k not in named and p not in spared
        )
        return next(wrong, None) or next(missing, None)

    # Parts

    def _object(self, part: ArraySpecies) -> object | None:
        if part.name is None:
            return None
        thing = self._values.object(part.name)
        return thing.identity, tuple(step for step in thing.path if isinstance(step, str))

    def _part(self, part: ArraySpecies, number: int, *, by_hand: bool) -> _Part:
        pattern = part.pattern
        kind = {"neighbourhood": "overlap", "full": "same", "shared": "same"}.get(pattern.kind, "own")
        ranges = pattern.ranges or (None,) * len(part.domain)
        pairs = zip(part.domain, ranges, strict=True)
        dimensions = tuple(self._dimension(domain, window, by_hand) for domain, window in pairs)
        if kind == "overlap" and all(d.length == constant(1) for d in dimensions):
            kind = "own"
        dimensions = tuple(d if kind == "overlap" else replace(d, start=None) for d in dimensions)
        if part.name is not None:
            dimensions = _moved(dimensions, self._values.object(part.name))
        return _Part(self._object(part), dimensions, kind, pattern.operator, frozenset((number,)))

    def _dimension(self, domain: Range, window: Range | None, by_hand: bool) -> _Dimension:
        low, high = (self._values.number(end, by_hand=by_hand) for end in (domain.low, domain.high))
        if window is None:
            return _Dimension(low, high, start=constant(0))
        first, last = (self._values.number(end, by_hand=by_hand) for end in (window.low, window.high))
        return _Dimension(low, high, last - first + 1, first)

    # Joined parts

    def _joined(self, parts: list[_Part]) -> list[_Part]:
        """The parts, and what they are together where they touch or overlap in one dimension."""
        found = dict.fromkeys(parts)
        pending = list(found)
        while pending and len(found) < _MANY:
            part = pending.pop()
            for other in list(found):
                joined = self._together(part, other) or self._together(other, part)
                if joined is not None and joined not in found:
                    found[joined] = None
                    pending.append(joined)
        return list(found)

    def _together(self, a: _Part, b: _Part) -> _Part | None:
        """Both as one part, where `b` goes on where `a` is."""
        alike = a.object is not None and (a.object, a.operator) == (b.object, b.operator)
        if not alike or "same" in (a.kind, b.kind) or len(a.dimensions) != len(b.dimensions):
            return None
        if a.members >= b.members or b.members >= a.members:
            return None
        different = [
            k for k, (one, other) in enumerate(zip(a.dimensions, b.dimensions, strict=True)) if one != other
        ]
        if len(different) != 1:
            return None
        place = different[0]
        hull = _hull(a.dimensions[place], b.dimensions[place])
        if hull is None:
            return None
        dimensions = (*a.dimensions[:place], hull, *a.dimensions[place + 1 :])
        unplaced = tuple(replace(d, start=None) for d in dimensions)
        return _Part(a.object, unplaced, "", a.operator, a.members | b.members)

    # Comparison

    def _fits(self, stated: _Part, found: _Part) -> bool:
        """A part without a name fits any array, and `shared` without an operator any operator."""
        if stated.object not in (None, found.object) or len(stated.dimensions) != len(found.dimensions):
            return False
        kinds = {stated.kind, found.kind}
        if len(kinds) > 1 and ("same" in kinds or "" not in kinds):
            return False
        if stated.operator not in (None, found.operator):
            return False
        pairs = list(zip(stated.dimensions, found.dimensions, strict=True))
        if stated.kind == found.kind == "same":
            return all(self._same_ends(_ends(one), _ends(other)) for one, other in pairs)
        if not all(self._same_window(one, other) for one, other in pairs):
            return False
        return any(
            all(self._same_ends(a, b) for a, b in zip(one, other, strict=True))
            for one in _readings(stated)
            for other in _readings(found)
        )

    def _same_window(self, one: _Dimension, other: _Dimension) -> bool:
        starts = one.start is None or other.start is None or self._values.same(one.start, other.start)
        return starts and self._values.same(one.length, other.length)

    def _same_ends(self, one: tuple[Affine, Affine], other: tuple[Affine, Affine]) -> bool:
        """Is it the same range, which a person may have written from its end to its beginning?"""
        same = self._values.same
        return (same(one[0], other[0]) and same(one[1], other[1])) or (
            same(one[0], other[1]) and same(one[1], other[0])
        )


def _rank(part: ArraySpecies) -> int:
    return len(part.domain)


def _is_same(part: ArraySpecies) -> bool:
    return part.pattern.kind in ("full", "shared")


def _moved(dimensions: tuple[_Dimension, ...], thing: Object) -> tuple[_Dimension, ...]:
    """The dimensions in terms of the object that a pointer, which stands somewhere in it, leads to."""
    before = tuple(_Dimension(step, step) for step in thing.path if isinstance(step, Affine))
    if not dimensions or thing.offset == Affine():
        return (*before, *dimensions)
    first = dimensions[0]
    first = replace(first, low=first.low + thing.offset, high=first.high + thing.offset)
    return (*before, first, *dimensions[1:])


def _hull(a: _Dimension, b: _Dimension) -> _Dimension | None:
    """The dimension of both: the iterations move alike in it, and `b` begins in `a` or right behind it."""
    shift, excess = b.low - a.low, b.length - a.length
    moves_alike = (a.high - a.length) - a.low == (b.high - b.length) - b.low
    if not moves_alike or not shift.is_constant or not excess.is_constant:
        return None
    if shift.constant < 0 or not (shift - a.length).is_constant or (shift - a.length).constant > 0:
        return None
    longer = shift.constant + excess.constant > 0
    return _Dimension(a.low, b.high if longer else a.high, b.length + shift if longer else a.length)


def _ends(dimension: _Dimension) -> tuple[Affine, Affine]:
    return dimension.low, dimension.high


def _readings(part: _Part) -> Iterator[tuple[tuple[Affine, Affine], ...]]:
    """What a domain may stand for: all that is touched or, of a neighbourhood, the range of the base loops
    alone (docs/species.md, "The polyhedral theory").
    """
    yield tuple(map(_ends, part.dimensions))
    if part.kind == "overlap":
        starts = [d.start or constant(0) for d in part.dimensions]
        pairs = list(zip(part.dimensions, starts, strict=True))
        yield tuple((d.low + start, d.high + start + d.length - 1) for d, start in pairs)
