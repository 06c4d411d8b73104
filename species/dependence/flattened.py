"""Flattened arrays as arrays of rows: `a[i*n + j]` is the cell (i, j), where j stays in its row.

Where all subscripts of an array are N*g + h, with one N and 0 <= h < N, two of them are equal just where
their g and their h are.  N is a sum of products that the nests do not change.  That h stays in range is
proved, or asked for; not of arrays that are only read: no order depends on which of their cells are the same.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

from species.dependence.exact.delinearise import moves_freely, strides
from species.dependence.parametric import excluding
from species.loops.model import Loop, Place, Reference, inner_loops
from species.sets.affine import Affine
from species.sets.conditions import Both, Compare, Condition, Either, leaves, negated
from species.sets.domains import implied
from species.sets.products import Polynomial, affine, divided, factors, multiplied, polynomial
from species.symbols.symbols import Symbol

Key = tuple[Symbol, Any]  # a variable, and the object that it points to
Known = tuple[Condition, ...]
MAX_STRIDES = 3


@dataclass(frozen=True)
class _Cell:
    """A subscript, and what holds wherever it is used."""

    subscript: Affine
    known: tuple[Known, ...]


@dataclass(frozen=True)
class _Rows:
    """The same cells by rows of the lengths `strides`, and what has to be tested for that."""

    strides: tuple[Affine, ...]
    paths: tuple[tuple[Affine, ...], ...]
    start: Affine
    tested: tuple[Condition, ...] = ()


@dataclass(frozen=True)
class Shape:
    """How an array lies in rows: their lengths, outer dimensions first, for each dimension but the first; and
    the cell that all its subscripts are counted from.
    """

    rows: tuple[Affine, ...]
    start: Affine


class Flattened:
    """The arrays of some nests that are used by rows, although they are declared without: their `shapes`.

    Where one of `conditions` fails, what is said here is wrong.
    """

    def __init__(self, references: Iterable[Reference], loops: Sequence[Loop]) -> None:
        """`references` are all those in the nests of the outermost `loops`."""
        self._loop, self._inside = loops[0], frozenset().union(*map(inner_loops, loops))
        self.shapes: dict[Key, Shape] = {}
        self.conditions: list[Condition] = []
        self._paths: dict[Place, tuple[Affine, ...]] = {}
        named: dict[Key, list[Reference]] = {}
        for reference in references:
            named.setdefault((reference.symbol, reference.place.base), []).append(reference)
        for key, own in named.items():
            self._enter(key, own)

    def by_rows(self, reference: Reference) -> Reference:
        """The reference with a subscript for every dimension."""
        path = self._paths.get(reference.place)
        return reference if path is None else replace(reference, place=replace(reference.place, path=path))

    def _enter(self, key: Key, references: list[Reference]) -> None:
        places: dict[Place, list[Known]] = {}
        for reference in references:
            places.setdefault(reference.place, []).append(reference.conditions)
        cells = [_Cell(s, tuple(places[p])) for p in places if (s := _single(p)) is not None]
        if len(cells) < len(places) or not any(moves_freely(c.subscript, self._inside) for c in cells):
            return
        found = self._split(cells, any(r.write for r in references))
        if found is not None:
            self.shapes[key] = Shape(found.strides, found.start)
            self.conditions += (c for c in found.tested if c not in self.conditions)
            self._paths |= zip(places, found.paths, strict=True)

    def _split(self, cells: Sequence[_Cell], written: bool, depth: int = 0) -> _Rows | None:
        """The cells by rows, of several ways one that takes the fewest tests."""
        found: list[_Rows] = []
        for stride in strides((cell.subscript for cell in cells), self._inside):
            rows = self._by(stride, cells, written)
            if rows is not None:
                found.append(self._further(rows, cells, written, depth))
        return min(found, key=lambda rows: len(rows.tested), default=None)

    def _further(self, rows: _Rows, cells: Sequence[_Cell], written: bool, depth: int) -> _Rows:
        """With the numbers of the rows split, too."""
        numbers = [_Cell(path[0], cell.known) for path, cell in zip(rows.paths, cells, strict=True)]
        found = self._split(numbers, written, depth + 1) if depth < MAX_STRIDES else None
        if found is None:
            return rows
        paths = (outer + path[1:] for outer, path in zip(found.paths, rows.paths, strict=True))
        [length] = rows.strides
        before = affine(multiplied(polynomial(length), polynomial(found.start)))
        start, tested = rows.start + before, found.tested + rows.tested
        return _Rows((*found.strides, length), tuple(paths), start, tested)

    def _by(self, stride: Polynomial, cells: Sequence[_Cell], written: bool) -> _Rows | None:
        """The cells by rows of one length; None where they cannot be kept in range."""
        parts = [divided(polynomial(cell.subscript), stride) for cell in cells]
        pairs = [(affine(row), affine(column)) for row, column in parts]
        length, start = affine(stride), self._common([column for _, column in pairs])
        if any(moves_freely(column, self._inside) for _, column in pairs):
            return None
        paths: list[tuple[Affine, ...]] = []
        missing: list[tuple[Known, Compare]] = []
        for cell, (row, column) in zip(cells, pairs, strict=True):
            ways = [(row + s, column - start - length.scaled(s)) for s in (0, -1, 1)]
            path = next((w for w in ways if not list(_missing(w[1], length, cell))), ways[0])
            missing += _missing(path[1], length, cell)
            paths.append(path)
        tested = self._tests(missing, length) if written else ()
        return _Rows((length,), tuple(paths), start, tested) if tested is not None else None

    def _common(self, columns: Sequence[Affine]) -> Affine:
        """The values that the nests do not change and that all columns have: where their rows begin."""
        fixed = (frozenset(t for t in column.terms if not t[0].loops & self._inside) for column in columns)
        return Affine(frozenset.intersection(*fixed))

    def _tests(self, missing: Iterable[tuple[Known, Compare]], length: Affine) -> Known | None:
        """Conditions under which each comparison holds wherever those before it do; None: there are none.

        Nothing else than a length that is a product is compared with one: `n*m` columns are all cells, and no
        row has so many.
        """
        found: dict[Condition, None] = {}
        for known, claim in dict.fromkeys(missing):
            test = excluding(self._loop, self._inside, [Both(known)], [Both((*known, negated(claim)))])
            parts = tuple(leaves(test)) if test is not None else ()
            atoms = {a for part in parts if isinstance(part, Compare) for a in part.expression.atoms()}
            if test is None or any(len(factors(a)) > 1 for a in atoms - set(length.atoms())):
                return None
            found |= dict.fromkeys(parts if _is_conjunction(test) else (test,))
        return _needed(tuple(found))


def _is_conjunction(condition: Condition) -> bool:
    if isinstance(condition, Both | Either):
        joined = isinstance(condition, Both) or len(condition.parts) == 1
        return joined and all(map(_is_conjunction, condition.parts))
    return True


def _needed(conditions: Known) -> Known:
    """Those that do not follow from others."""
    for condition in conditions:
        others = tuple(c for c in conditions if c != condition)
        if isinstance(condition, Compare) and not condition.equal and implied(condition, others):
            return _needed(others)
    return conditions


def _single(place: Place) -> Affine | None:
    """The only subscript of a place."""
    [step] = place.path if len(place.path) == 1 and not place.loose else (None,)
    return step if isinstance(step, Affine) else None


def _missing(column: Affine, length: Affine, cell: _Cell) -> Iterator[tuple[Known, Compare]]:
    """What is not proved of `0 <= column < length`."""
    for known in cell.known:
        for claim in (Compare(column), Compare(length - column - 1)):
            if not implied(claim, known):
                yield known, claim
