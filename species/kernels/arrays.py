"""The arrays of kernels: which part of each is read, and which is written."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

from species.dependence.aliases import came_from
from species.dependence.flow.coverage import Coverage, is_overwritten
from species.dependence.judge import Judge
from species.dependence.judgement import Judgement
from species.facts.loops import KernelArray
from species.grammar.nodes import Range
from species.kernels.structures import Structures, as_whole, has_member, rank
from species.kernels.tables import is_row
from species.loops.model import FunctionModel, Loop, PathStep, Place, Reference, inner_loops
from species.regions.c_printer import Unprintable
from species.regions.hull import Regions
from species.sets.affine import Affine
from species.sets.conditions import Either, Fact
from species.symbols.enumerations import constant_value
from species.symbols.symbols import Symbol
from species.symbols.types import CType, TypeTable


@dataclass(frozen=True)
class _Part:
    """Bounds per dimension, an empty tuple where they are not certain, None where nothing is touched.

    `covered` and `rows` as of a KernelArray.
    """

    bounds: tuple[Range, ...] | None
    covered: bool = False
    rows: tuple[Range, ...] = ()


class KernelArrays:
    """Finds those of the kernels of one function."""

    def __init__(
        self, model: FunctionModel, types: TypeTable, structures: Structures, *, clipped: bool = False
    ) -> None:
        self._clipped = clipped
        self._model, self._types, self._structures = model, types, structures
        self._whole: Mapping[str, KernelArray] = {}

    def found(
        self,
        judge: Judge,
        judgement: Judgement,
        regions: Regions,
        references: list[Reference],
        whole: Mapping[str, KernelArray] | None = None,
    ) -> tuple[tuple[KernelArray, ...], tuple[str, ...]]:
        """The arrays that references are to, and conditions under which what is said of them is right.

        Where they are made in a part of the iterations, all of these touch the `whole` of the arrays.
        """
        self._whole = whole or {}
        loop, grouped = judgement.loop, by_array(judge, judgement, references)
        found = tuple(self._array(regions, loop, s, rs) for s, rs in grouped.items())
        unknown = [rs for array, rs in zip(found, grouped.values(), strict=True) if array.is_unsized]
        signed, texts = regions.with_signs([r for references in unknown for r in references])
        if not texts:
            return found, ()
        others = tuple(self._array(signed, loop, s, rs) for s, rs in grouped.items())
        return (found, ()) if any(array.is_unsized for array in others) else (others, texts)

    def _array(
        self, regions: Regions, loop: Loop, symbol: Symbol, references: list[Reference]
    ) -> KernelArray:
        reads = [r for r in references if not r.write and not is_overwritten(r, references, self._model)]
        writes = [r for r in references if r.write]
        if writes and Coverage(self._model).covered(loop, references):
            reads = []
        extent = self._extent(regions, symbol, references)
        whole = self._whole.get(symbol.name)
        read = self._region(regions, reads, writes, whole.reads if whole else None)
        written = self._region(regions, writes, reads, whole.writes if whole else None)
        return KernelArray(
            name=symbol.name,
            element=_element(references[0], symbol),
            extent=extent,
            pointer=symbol.ctype.kind == "pointer" or symbol.storage == "parameter",
            storage={"static": "global"}.get(symbol.storage, symbol.storage),
            reads=read.bounds,
            writes=written.bounds,
            covered=written.covered,
            readonly=symbol.ctype.is_readonly,
            read_rows=read.rows,
            written_rows=written.rows,
            named=is_row(symbol) or not any(_is_elsewhere(r.place, inner_loops(loop)) for r in references),
        )

    def _region(
        self,
        regions: Regions,
        references: list[Reference],
        others: list[Reference],
        within: tuple[Range, ...] | None,
    ) -> _Part:
        """The part of an array that references touch; `others` are to the same array.

        What is read by a part of the iterations may be more, `within` what all of them read.
        """
        if not references:
            return _Part(None)
        parts = [r for r in references if has_member(r.place)]
        strange = any(not self._structures.in_element(r.place) for r in parts)
        whole = [*map(as_whole, references)]
        loose = self._clipped or (bool(within) and not references[0].write)
        among = [*map(as_whole, others)]
        found = None if strange else regions.hull(whole, among)
        if loose and not strange and (found is None or not found.exact):
            found = regions.around(dict.fromkeys(map(_without_choices, whole))) or found
        if found is None or not (found.exact or loose):
            return _Part(())
        bounds = found.ranges if self._clipped else regions.where_entered(found, whole, within, among)
        if not bounds:
            return _Part(())  # the whole array, of which much is not touched
        rows = () if parts else regions.rows(found, references)
        return _Part(bounds, found.covered and not parts, rows)

    def _extent(
        self, regions: Regions, symbol: Symbol, references: list[Reference]
    ) -> tuple[str | None, ...]:
        sizes = self._model.extents.get(symbol)
        if sizes is None:
            rows = self._rows(symbol.ctype)
            most = max(rank(r.place) for r in references)
            return (None, *rows) if len(rows) == most - 1 else (None,) * most
        return tuple(_text_or_none(regions, s) for s in sizes)

    def _rows(self, ctype: CType) -> tuple[str, ...]:
        """The lengths of the rows that a pointer leads to, where they are numbers; () if one is none."""
        found, row = [], ctype.target
        while row is not None and row.kind == "array":
            found.append(constant_value(row.extent, self._types.certain_constants()))
            row = row.target
        return tuple(map(str, found)) if None not in found else ()


def _without_choices(reference: Reference) -> Reference:
    """As if it were made where one of several conditions may hold, too."""
    own = (c for c in reference.conditions if isinstance(c, Fact) or not isinstance(c, Either))
    return replace(reference, conditions=tuple(own))


def _is_elsewhere(place: Place, loops: frozenset[int]) -> bool:
    """May a pointer lead to other memory in another iteration, or is it one of several, as in `t[i].rows`?"""
    if place.base is None:
        return False
    owner, steps = came_from(place), tuple[PathStep, ...]()
    if owner is not None:
        first_is_member = owner.path[:1] == (Affine(),) and len(owner.path) > 1
        steps = owner.path[1:] if first_is_member else owner.path
    several = any(not isinstance(step, str) for step in steps)
    return bool(place.base.loops & loops) or several or (owner is not None and _is_elsewhere(owner, loops))


def is_array(reference: Reference) -> bool:
    return not reference.place.is_variable


def by_array(
    judge: Judge, judgement: Judgement, references: list[Reference]
) -> dict[Symbol, list[Reference]]:
    """The references to arrays that a kernel gets: neither private ones nor those of one iteration."""
    found: dict[Symbol, list[Reference]] = {}
    private = {array.symbol for array in judgement.arrays}
    for reference in references:
        symbol = reference.symbol
        if symbol not in private and is_array(reference) and not judge.is_inside(symbol, judgement.loop):
            found.setdefault(symbol, []).append(reference)
    return found


def _element(reference: Reference, symbol: Symbol) -> str:
    """The C type of one element; of structures, the whole structure."""
    if has_member(reference.place):
        owner = symbol.ctype.element if symbol.ctype.kind == "array" else symbol.ctype.target
        return (owner or symbol.ctype).text.removeprefix("const ")
    return reference.place.ctype.element.text.removeprefix("const ") or symbol.ctype.element.text


def _text_or_none(regions: Regions, size: Affine | None) -> str | None:
    if size is None:
        return None
    try:
        return regions.expression(size)
    except Unprintable:
        return None
