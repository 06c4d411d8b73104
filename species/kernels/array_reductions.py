"""Reductions into elements of arrays: may threads have copies of what a loop combines values into?"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import dropwhile, takewhile

from species.dependence.flow.private_copies import sees_array_copy
from species.dependence.judge import Judge
from species.dependence.judgement import Judgement
from species.dependence.reductions import Combined, common_operator
from species.facts.loops import KernelArray, KernelReduction, LoopFacts
from species.grammar.nodes import Range
from species.kernels.data_extents import DataExtents
from species.kernels.pointees import Object, pointer_to, through
from species.kernels.unsigned_bounds import asked, ranges
from species.loops.model import FunctionModel, Place, Reference
from species.loops.unsigned_bounds import Unclear
from species.openmp.addresses import kept_address
from species.openmp.kept_pointers import keeps_pointers, tells_apart
from species.openmp.rules import OPERATORS, private_obstacle, sharing_obstacle
from species.regions.entry_names import EntryNames
from species.regions.hull import Regions
from species.sets.affine import Affine
from species.symbols.symbols import Symbol
from species.symbols.types import BIT_FIELD, TypeTable

_PLAIN = ("+", "-", "|", "^")  # what starts from nothing, members of all kinds
_EXTREMES = ("min", "max")


@dataclass(frozen=True)
class ArrayReductions:
    """Those of one loop; `references` are in terms of the pointers that its text names, `names` says which.

    Of the objects of `hidden` the text has no name, or none that is seen.
    """

    judge: Judge
    judgement: Judgement
    regions: Regions
    references: Sequence[Reference]
    names: Mapping[Object, Symbol]
    hidden: Iterable[Reference]
    symbols: Mapping[int, Symbol]
    types: TypeTable

    def found(
        self, model: FunctionModel, facts: LoopFacts, arrays: Iterable[KernelArray], provided: tuple[str, ...]
    ) -> tuple[KernelReduction, ...]:
        """Each array and operator once; `provided`: what the regions of `arrays` hang on."""
        elements = [r for r in self.judgement.reductions if not (r.is_scalar or r.keeps)]
        alone = bool(elements) and self._is_shared_otherwise(model, facts)
        known = {array.name: array for array in arrays}
        made = (self._made(model, combined, known, provided, alone=alone) for combined in elements)
        return tuple(dict.fromkeys(made))

    def _is_shared_otherwise(self, model: FunctionModel, facts: LoopFacts) -> bool:
        """Can clauses of OpenMP say all that the loop does, but for these reductions?"""
        if sharing_obstacle(facts, self.judgement, model) or private_obstacle(self.judgement, model):
            return False
        known = all(r.operator in OPERATORS for r in self.judgement.reductions)
        return known and kept_address(self.judgement, model) is None and not self._keeps_pointers()

    def _keeps_pointers(self) -> bool:
        places = [r.place for r in self.judgement.reductions if not r.place.is_variable]
        asked = (self.symbols, self.types)
        kept = keeps_pointers(self.judge, self.judgement.loop, *asked)
        return kept or tells_apart(self.judge, self.judgement.loop, places, *asked)

    def _made(
        self,
        model: FunctionModel,
        combined: Combined,
        known: Mapping[str, KernelArray],
        provided: tuple[str, ...],
        *,
        alone: bool,
    ) -> KernelReduction:
        place = combined.place
        renamed = self.names.get((place.symbol, place.base))
        symbol = place.symbol if renamed is None else renamed
        plain = KernelReduction(place.name if renamed is None else symbol.name, combined.operator)
        own = [r for r in self.references if r.symbol is symbol]
        members = {_members(r.place) for r in own if not r.place.is_variable}
        if members != {""}:
            arrays = [
                array
                for name, array in known.items()
                if name.rpartition(".")[0].startswith(place.symbol.name)
            ]
            symbol, own = self._by_pointer(symbol, own)
            seen = alone and self._is_named(combined, symbol, own)
            return self._of_structures(model, plain, symbol, own, arrays, provided) if seen else plain
        if not alone or not self._is_seen(combined, symbol, own):
            return plain
        array = known.get(symbol.name)
        if array is None:
            return plain
        asks = self._asks(own, [array])
        is_sized = bool(array.extent) and None not in array.extent
        region = array.writes or (() if is_sized else self._around(own) or self._chosen(model, own))
        if asks is None or not (region or is_sized):
            return plain
        return replace(plain, copied=True, region=region, provided=tuple(dict.fromkeys((*provided, *asks))))

    def _of_structures(
        self,
        model: FunctionModel,
        plain: KernelReduction,
        symbol: Symbol,
        own: Sequence[Reference],
        arrays: Sequence[KernelArray],
        provided: tuple[str, ...],
    ) -> KernelReduction:
        """What is combined into members of an array's elements, all in one."""
        element, members = symbol.ctype.decayed.target, self._operators(own)
        asks, whole = self._asks(own, arrays), [_without_members(r) for r in own if r.place.path]
        region = self._around(whole) or self._chosen(model, whole)
        named = bool(members) and not any("[" in each for each in members)
        if asks is None or len(region) != 1 or element is None or not named:
            return plain
        if element.kind != "struct" or not self.types.is_assignable(element):
            return plain
        return replace(
            plain,
            array=symbol.name,
            operator=next(iter(members.values()))[0],
            copied=True,
            region=region,
            provided=tuple(dict.fromkeys((*provided, *asks))),
            members=tuple(members),
            operators=tuple(operator for operator, _ in members.values()),
            types=tuple(text for _, text in members.values()),
            element=element.text,
        )

    def _operators(self, own: Sequence[Reference]) -> dict[str, tuple[str, str]]:
        """By member, what all its references combine it with, and its type; empty where one has several, or
        cannot start from nothing.
        """
        groups: dict[str, list[Reference]] = {}
        for reference in own:
            if not reference.place.is_variable:
                groups.setdefault(_members(reference.place), []).append(reference)
        found = dict[str, tuple[str, str]]()
        for member, references in sorted(groups.items()):
            operator, ctype = common_operator(references), references[0].place.ctype
            if not member or operator not in (*_PLAIN, *_EXTREMES) or not ctype.is_number:
                return {}
            if operator in _EXTREMES and (ctype.enumerated or ctype.text == BIT_FIELD):
                return {}
            found[member] = (operator, ctype.text)
        return found

    def _by_pointer(self, symbol: Symbol, own: list[Reference]) -> tuple[Symbol, list[Reference]]:
        """A variable that points to an array of structures in memory, and the references by it; what is given
        where there is none.
        """
        loop = self.judgement.loop
        pointer = pointer_to(own, self.symbols, loop)
        target = pointer.ctype.decayed.target if pointer is not None else None
        if (
            symbol.storage != "memory"
            or pointer is None
            or target is None
            or any(r.place.is_variable for r in own)
        ):
            return symbol, own
        found = []
        for each in own:
            whole = _without_members(each)
            led = through(replace(whole, place=replace(whole.place, ctype=target)), pointer, loop)
            if led is None:
                return symbol, own
            path = (*led.place.path, *each.place.path[len(whole.place.path) :])
            found.append(replace(each, place=replace(led.place, path=path, ctype=each.place.ctype)))
        return pointer, found

    def _asks(self, own: Sequence[Reference], arrays: Sequence[KernelArray]) -> tuple[str, ...] | None:
        """What has to hold so that regions are what they say; None: that cannot be asked."""
        try:
            elements = (r for r in own if not r.place.is_variable)
            return asked(self.regions, self.judgement, elements, ranges(arrays))
        except Unclear:
            return None

    def _around(self, own: Sequence[Reference]) -> tuple[Range, ...]:
        """Where the elements are, and perhaps others that are not there; empty where that is not known."""
        region = self.regions.hull([r for r in own if not r.place.is_variable])
        return region.ranges if region is not None else ()

    def _chosen(self, model: FunctionModel, own: Sequence[Reference]) -> tuple[Range, ...]:
        """The same of elements that data chooses: from the least of the numbers to the greatest."""
        loop = self.judgement.loop
        names = EntryNames(model, loop, self.judge.references(loop))
        extents = DataExtents(model, loop, names, self.judge.references(loop))
        region = extents.hull([r for r in own if not r.place.is_variable], self.judgement.provided)
        return region.ranges if region is not None else ()

    def _is_seen(self, combined: Combined, symbol: Symbol, own: Sequence[Reference]) -> bool:
        """Is all that the loop does with the array such updates, by the array's name as the loop has it?"""
        if common_operator([r for r in own if not r.place.is_variable]) != combined.operator:
            return False  # other elements are read, of which a copy does not have the values
        return self._is_named(combined, symbol, own)

    def _is_named(self, combined: Combined, symbol: Symbol, own: Sequence[Reference]) -> bool:
        """Does the loop reach the array by the name only that it has for it?"""
        if symbol.storage == "memory" or not self.judgement.loop.sees(symbol):
            return False
        if {symbol, combined.place.symbol} & {r.symbol for r in self.hidden}:
            return False
        if any(r.write and r.place.is_variable for r in own):
            return False  # a pointer that moves would be that to a copy, behind the loop, too
        return all(sees_array_copy(r, self.symbols, self.judgement.loop) for r in own)


def _members(place: Place) -> str:
    """`in.sum`, where a place is a member of an element, `in.[]` in an array there; empty: an element."""
    steps = (*dropwhile(lambda step: isinstance(step, Affine), place.path),)
    return ".".join(step if isinstance(step, str) else "[]" for step in steps)


def _without_members(reference: Reference) -> Reference:
    path = tuple(takewhile(lambda step: isinstance(step, Affine), reference.place.path))
    return replace(reference, place=replace(reference.place, path=path))
