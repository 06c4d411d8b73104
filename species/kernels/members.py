"""Members of structures that a nest uses and does not change, `v->n` and `v->x` in
`for (i = 0; i < v->n; i++) v->x[i] = 0`: variables that are set before it can stand for them, as copies can
for structures that functions are given, `v` in `x[i] = at(v, i)`.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

from pycparser import c_ast, c_generator

from species.dependence.judge import Judge
from species.dependence.judgement import Judgement
from species.facts.loops import KernelMember
from species.loops.model import FunctionModel, PathStep, Place, Reference, inner_loops
from species.loops.walk import FileModel
from species.openmp.structure_copies import StructureCopies
from species.regions.c_printer import Unprintable
from species.regions.entry_names import (
    EntryNames,
    conditions_of_first,
    first_iteration,
    parameter_of,
)
from species.regions.symbolic import condition_text
from species.sets.affine import constant
from species.sets.conditions import Condition
from species.source import TranslationUnit
from species.symbols.static_types import type_of
from species.symbols.symbols import Symbol
from species.symbols.types import BIT_FIELD, UNKNOWN, CType

_GENERATOR = c_generator.CGenerator()


class Members:
    """The members that one loop uses; the loop is parallel, perhaps on conditions."""

    def __init__(
        self,
        unit: TranslationUnit,
        file: FileModel,
        model: FunctionModel,
        judge: Judge,
        judgement: Judgement,
        copies: StructureCopies,
    ) -> None:
        self._unit, self._file, self._model, self._judge = unit, file, model, judge
        self._copies = copies
        self._judgement, self._loop = judgement, judgement.loop
        self._references = judge.references(judgement.loop)
        self._inside = inner_loops(judgement.loop)
        self._by_node: dict[tuple[int, bool], list[Reference]] = {}  # True: of the array that they index
        for reference in self._references:
            self._by_node.setdefault((id(reference.node), False), []).append(reference)
            self._by_node.setdefault((id(_indexed(reference.node)), True), []).append(reference)
        self._guards: dict[str, None] = {}

    def found(self) -> tuple[tuple[KernelMember, ...], tuple[str, ...], bool]:
        """The members, under which conditions they may be read before the loop, and whether these say that
        it makes an iteration, and no more.
        """
        if self._unit.is_hinted(self._loop.node):
            return (), (), False
        uses: dict[str, list[KernelMember | None]] = {}
        started = set(map(id, _chains(init))) if (init := getattr(self._loop.node, "init", None)) else set()
        for node in _chains(self._loop.node):
            found = self._of_start(node) if id(node) in started else self._member(node)
            uses.setdefault(_GENERATOR.visit(node), []).append(found)
        whole = [[u for u in each if u is not None] for each in uses.values() if None not in each]
        members = (
            replace(
                each[0], places=tuple(u.places[0] for u in each), tested=any(member.tested for member in each)
            )
            for each in whole
        )
        every = (*members, *self._structures())
        first = first_iteration(self._loop)
        entered = self._texts(first) if first is not None and self._guards else None
        return every, tuple(self._guards), entered is not None and entered == list(self._guards)

    def _structures(self) -> Iterator[KernelMember]:
        """The whole structures that the loop gives to functions by their addresses."""
        for symbol, nodes in self._copies.handed(self._judgement).items():
            spans = [span for node in nodes if (span := self._unit.member_span(node)) is not None]
            places = (r.place for r in self._references if r.symbol is symbol)
            used = [place for place in places if place.path or place.loose]
            reached = {place.base for place in used}
            if len(reached) != 1 or len(spans) < len(nodes) or not self._has_fixed_root(nodes[0]):
                continue
            if not all(map(_is_of_first, used)):
                continue  # the pointer leads to more structures than one
            place = Place(symbol, (constant(0),), reached.pop())
            declaration, read = _declaration(symbol.ctype.target or UNKNOWN), self._read(symbol)
            known = read is not None and declaration and self._stays(place) and self._is_there(place)
            if known and read is not None:
                text = f"*{symbol.name}"
                yield KernelMember(text, declaration, tuple(spans), self._is_tested(place), read)

    def _read(self, symbol: Symbol) -> tuple[str, ...] | None:
        """The members of a structure that the loop reads; none where all may be, as the whole is there for
        certain.  None: it reads more than numbers and pointers one by one, of which less may be there.
        """
        if symbol.is_there:
            return ()
        found = dict[str, None]()
        for r in (r for r in self._references if r.symbol is symbol and r.place.base is not None):
            names = r.place.path[1:]
            if r.place.loose or not names or not all(map(_is_name, names)) or not _is_scalar(r.place.ctype):
                return None
            found[f"{symbol.name}->{'.'.join(map(str, names))}"] = None
        return tuple(sorted(found)) or None

    def _member(self, node: c_ast.StructRef) -> KernelMember | None:
        """A member as it is used in one place; None where no variable could stand for it."""
        span = self._unit.member_span(node)
        ctype = type_of(node, self._file.resolution.symbols, self._file.types)
        declaration = _declaration(ctype)
        parts = list(_parts(node))
        if span is None or not declaration or not self._has_fixed_root(parts[-1].name):
            return None
        is_array = ctype.kind == "array"
        followed = [part for part, outer in zip(parts[1:], parts, strict=False) if outer.type == "->"]
        places = [self._place(node, is_array), *(self._place(part, False) for part in followed)]
        known = [place for place in places if place is not None]
        if len(known) < len(places) or not all(map(self._stays, known[is_array:])):
            return None
        if not all(map(self._is_there, known)):
            return None
        tested = any(map(self._is_tested, known[is_array:]))
        return KernelMember(_GENERATOR.visit(node), declaration, (span,), tested)

    def _of_start(self, node: c_ast.StructRef) -> KernelMember | None:
        """A member that the loop starts from: it is read once, before anything is written."""
        span = self._unit.member_span(node)
        ctype = type_of(node, self._file.resolution.symbols, self._file.types)
        declaration = _declaration(ctype)
        if span is None or not declaration or ctype.kind == "array":
            return None
        if not self._has_fixed_root(list(_parts(node))[-1].name):
            return None
        return KernelMember(_GENERATOR.visit(node), declaration, (span,), False)

    def _has_fixed_root(self, root: c_ast.ID) -> bool:
        symbol = self._file.resolution.symbols.get(id(root))
        if symbol is None or self._judge.is_inside(symbol, self._loop) or not self._loop.sees(symbol):
            return False
        if self._loop.visible.get(root.name, symbol) is not symbol:
            return False
        return not any(r.write and r.symbol is symbol and r.place.is_variable for r in self._references)

    def _place(self, node: c_ast.StructRef, is_array: bool) -> Place | None:
        """Where the member is; None where it moves, or nobody knows."""
        found = {self._prefix(r.place) for r in self._by_node.get((id(node), is_array), ())}
        return found.pop() if len(found) == 1 else None

    def _prefix(self, place: Place) -> Place | None:
        if place.loose or place.flat is not None or (place.base and place.base.loops & self._inside):
            return None
        path = place.path
        first = next((k for k, step in enumerate(path) if isinstance(step, str)), None)
        if first is None or path[:first] not in ((), (constant(0),)):
            return None
        last = next((k for k in range(first, len(path)) if not isinstance(path[k], str)), len(path))
        return Place(place.symbol, path[:last], place.base)

    def _stays(self, place: Place) -> bool:
        """Does nothing in the loop write it?  (What may be the same memory by another name is tested.)"""
        writes = (r.place for r in self._references if r.write and r.symbol is place.symbol)
        same = (w for w in writes if w.base == place.base)
        return not any(w.loose or all(map(_may_be, w.path, place.path)) for w in same)

    def _is_tested(self, place: Place) -> bool:
        pairs = self._judgement.overlaps
        return any(r.symbol is place.symbol and r.place.base == place.base for pair in pairs for r in pair)

    def _is_there(self, place: Place) -> bool:
        """May the structure be looked at before the loop?  Notes under which conditions."""
        parameter = parameter_of(place)
        if place.base is None or (parameter is not None and parameter.is_there):
            return True
        beside = (
            r
            for r in self._references
            if r.symbol is place.symbol and r.place.base == place.base and r.place.path
        )
        found = (conditions_of_first(self._loop, r) for r in beside)
        least = min((c for c in found if c is not None), key=len, default=None)
        texts = self._texts(least) if least is not None else None
        if texts is None:
            return False
        self._guards |= dict.fromkeys(texts)
        return True

    def _texts(self, conditions: list[Condition]) -> list[str] | None:
        names = EntryNames(self._model, self._loop, self._references)
        try:
            texts = [condition_text(condition, names) for condition in conditions]
        except Unprintable:
            return None
        return texts if not names.guards else None


def _is_of_first(place: Place) -> bool:
    """Is it in the structure that the pointer leads to, and in none behind or before it?"""
    return not place.loose and place.flat is None and place.path[0] == constant(0)


def _is_name(step: PathStep) -> bool:
    """Is it a member's, not one of ours for a member without a name?"""
    return isinstance(step, str) and step.isidentifier()


def _is_scalar(ctype: CType) -> bool:
    return ctype.is_number or ctype.kind == "pointer"


def _may_be(one: PathStep, other: PathStep) -> bool:
    """May two steps lead to one place?"""
    if isinstance(one, str) or isinstance(other, str):
        return one == other
    distance = one - other
    return not distance.is_constant or distance.constant == 0


def _indexed(node: Any) -> Any:
    """What a reference takes an element of."""
    while isinstance(node, c_ast.ArrayRef) or getattr(node, "op", None) == "*":
        node = node.name if isinstance(node, c_ast.ArrayRef) else getattr(node, "expr", None)
    return node


def _chains(node: Any) -> Iterator[c_ast.StructRef]:
    """All members of members ... of variables in a piece of code, with no subscript between."""
    if isinstance(node, c_ast.StructRef) and isinstance(list(_parts(node))[-1].name, c_ast.ID):
        yield node
        return
    for _, child in node.children():
        yield from _chains(child)


def _parts(node: Any) -> Iterator[c_ast.StructRef]:
    """A member, and the structures that it lies in, from the last to the first."""
    while isinstance(node, c_ast.StructRef):
        yield node
        node = node.name


def _declaration(ctype: CType) -> str:
    """That of a variable `{}` which stands for a member; empty: none can."""
    if ctype.volatile or ctype.unclear or ctype.text == BIT_FIELD:
        return ""
    if ctype.kind in ("int", "float"):
        return f"{ctype.text.removeprefix('const ')} {{}}"
    if ctype.kind == "struct" and re.fullmatch(r"(const )?(struct )?\w+", ctype.text):
        return f"{ctype.text.removeprefix('const ')} {{}}"
    if ctype.kind == "pointer" and ctype.target is not None:
        plain = ctype.target.kind in ("int", "float", "struct") and not ctype.target.volatile
        const = "const " * (ctype.target.const and not ctype.text.startswith("const "))
        return f"{const}{ctype.text.removesuffix(' const')}{{}}" if plain and ctype.text.endswith("*") else ""
    if ctype.kind == "array" and ctype.target is not None:
        return _pointer_to(ctype, ctype.target)
    return ""


def _pointer_to(array: CType, row: CType) -> str:
    element = array.element
    if element.kind not in ("int", "float", "struct") or element.volatile:
        return ""
    is_const = array.const or element.const
    text = f"const {element.text.removeprefix('const ')}" if is_const else element.text
    lengths = ""
    while row.kind == "array" and row.target is not None:
        if row.extent is None:
            return ""
        lengths, row = f"{lengths}[{_GENERATOR.visit(row.extent)}]", row.target
    return f"{text} (*{{}}){lengths}" if lengths else f"{text} *{{}}"
