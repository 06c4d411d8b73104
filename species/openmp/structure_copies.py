"""What a loop only reads, and every thread may have a copy of: small structures, and some numbers.

Others might write to what threads share by its address, so compilers load it again in every iteration; a
thread's own copy stays in registers (scalar replacement of aggregates).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cached_property
from typing import Any

from pycparser import c_ast

from species.dependence.judge import Judge
from species.dependence.judgement import Judgement
from species.loops.model import FunctionModel, Loop, Reference
from species.loops.walk import FileModel
from species.openmp.addresses import goes_out, is_kept, parents_in
from species.sets.affine import constant
from species.source.syntax.tree import walk
from species.symbols.enumerations import constant_value
from species.symbols.static_types import type_of
from species.symbols.symbols import Symbol
from species.symbols.types import UNKNOWN, CType, TypeTable, scalar_bytes

MAX_BYTES = 256  # a copy costs less than starting a thread


class StructureCopies:
    """Answers for the loops of one function."""

    def __init__(
        self, file: FileModel, model: FunctionModel, judge: Judge, judgements: Mapping[int, Judgement]
    ) -> None:
        """`judgements` are those of all loops, when answers are asked for."""
        self._file, self._model, self._judge, self._judgements = file, model, judge, judgements

    @cached_property
    def _combined(self) -> frozenset[Symbol]:
        """The variables that threads may set together, in some loop: they know where these are."""
        found = set[Symbol]()
        for judgement in self._judgements.values():
            found |= {r.place.symbol for r in judgement.reductions if r.is_scalar}
            found |= {*judgement.lastprivate, *judgement.conditional}
        return frozenset(found)

    def variables(self, judgement: Judgement) -> Iterator[Symbol]:
        """Variables of the function that are such structures, and such numbers: those whose address is taken,
        or is known to threads.
        """
        loop = judgement.loop
        tested = {r.symbol for pair in judgement.overlaps for r in pair}
        for symbol, references in _by_symbol(self._judge.references(loop)).items():
            known = symbol.storage in ("local", "parameter") and not symbol.peculiar and symbol not in tested
            seen = loop.visible.get(symbol.name) is symbol and not self._judge.is_inside(symbol, loop)
            number = symbol.ctype.is_number and (symbol.address_taken or symbol in self._combined)
            fits = (number and not symbol.ctype.volatile) or self._is_small(symbol.ctype)
            read = fits and not any(r.write for r in references)
            if known and seen and read and not self._is_kept(symbol, loop):
                yield symbol

    def _is_kept(self, symbol: Symbol, loop: Loop) -> bool:
        """Does the loop use the address of the variable for more than to get there?"""
        parents = parents_in(loop.node)
        named = (n for n in walk(loop.node) if self._file.resolution.symbols.get(id(n)) is symbol)
        return any(is_kept(node, symbol, parents, self._model) for node in named)

    def handed(self, judgement: Judgement) -> dict[Symbol, list[c_ast.ID]]:
        """Pointers to such structures, where the loop gives them to functions that only follow them."""
        found: dict[Symbol, list[c_ast.ID]] = {}
        parents = parents_in(judgement.loop.node)
        for call in (n for n in walk(judgement.loop.node) if isinstance(n, c_ast.FuncCall)):
            for node in call.args.exprs if call.args and id(call) in self._model.inlined else ():
                symbol = self._file.resolution.symbols.get(id(node))
                pointer = symbol is not None and symbol.ctype.kind == "pointer"
                if symbol is None or not pointer or not self._is_small(symbol.ctype.target or UNKNOWN):
                    continue
                if not goes_out(node, parents, self._model):
                    found.setdefault(symbol, []).append(node)
        return found

    def of_nests(self, tops: Sequence[Loop], references: Sequence[Reference]) -> dict[str, Reference]:
        """Structures of which nests only read members, as C before the first: `s`, and `*p` of a pointer;
        each with a reference to a member.

        `references` are all those of the outermost loops `tops`; nothing else writes to the structures.
        """
        found: dict[str, Reference] = {}
        written = {(r.symbol, r.place.base) for r in references if r.write}
        declared = {n.name for top in tops for n in walk(top.node) if isinstance(n, c_ast.Decl)}
        seen = {r.symbol for r in references if tops[0].visible.get(r.symbol.name) is r.symbol}
        neighbours = {r.symbol for r in references if not _is_of_first(r)}
        for reference in references:
            symbol, place = reference.symbol, reference.place
            pointer = symbol.ctype.kind == "pointer"
            owner = (symbol.ctype.target if pointer else symbol.ctype) or UNKNOWN
            if not place.path or symbol not in seen or symbol.peculiar or symbol.name in declared:
                continue
            if {(symbol, place.base), (symbol, None)} & written or (pointer and symbol in neighbours):
                continue
            if self._is_small(owner) and not any(self._is_away(symbol, top) for top in tops):
                found.setdefault(f"*{symbol.name}" if pointer else symbol.name, reference)
        return found

    def _is_away(self, symbol: Symbol, loop: Loop) -> bool:
        """Does the loop use the structure's address for more than to get there?"""
        if symbol.ctype.kind != "pointer":
            return self._is_kept(symbol, loop)
        parents = parents_in(loop.node)
        named = (n for n in walk(loop.node) if self._file.resolution.symbols.get(id(n)) is symbol)
        return any(goes_out(node, parents, self._model) for node in named)

    def _is_small(self, ctype: CType) -> bool:
        """Is a copy as good as the structure, and cheaper than a thread?"""
        size = bytes_of(ctype, self._file.types) if ctype.kind == "struct" else None
        return size is not None and size <= MAX_BYTES and not self._decayed & set(self._tags(ctype))

    def _tags(self, ctype: CType) -> Iterator[str]:
        """Its own name, and those of the structures in it."""
        while ctype.kind == "array" and ctype.target is not None:
            ctype = ctype.target
        if ctype.kind in ("struct", "union"):
            yield ctype.tag
            for member in self._file.types.members(ctype):
                yield from self._tags(member)

    @cached_property
    def _decayed(self) -> set[str]:
        """The structures with arrays that the function uses as addresses of their first elements."""
        bodies = (self._model.node.body, *(each.body for each in self._model.inlined.values()))
        nodes = [node for body in bodies for node in walk(body)]
        followed = {id(n.name) for n in nodes if isinstance(n, c_ast.ArrayRef)}
        followed |= {id(n.expr) for n in nodes if isinstance(n, c_ast.UnaryOp) and n.op == "sizeof"}
        arrays = (n for n in nodes if isinstance(n, c_ast.StructRef) and self._type(n).kind == "array")
        owners = (self._type(node.name) for node in arrays if id(node) not in followed)
        return {(owner.target or owner).tag if owner.kind == "pointer" else owner.tag for owner in owners}

    def _type(self, node: Any) -> CType:
        return type_of(node, self._file.resolution.symbols, self._file.types)


def _is_of_first(reference: Reference) -> bool:
    """Is it of a pointer, or of the structure that it leads to, and not of another next to that?"""
    place = reference.place
    return not place.loose and place.flat is None and (not place.path or place.path[0] == constant(0))


def _by_symbol(references: Iterable[Reference]) -> dict[Symbol, list[Reference]]:
    found: dict[Symbol, list[Reference]] = {}
    for reference in references:
        if reference.symbol.ctype.kind == "struct" or reference.symbol.ctype.is_number:
            found.setdefault(reference.symbol, []).append(reference)
    return found


def bytes_of(ctype: CType, types: TypeTable) -> int | None:
    """At least the sizes of all members together; None for what has none, or cannot be copied."""
    if ctype.volatile or ctype.unclear or "_Atomic" in ctype.text:
        return None
    if ctype.kind in ("struct", "union"):
        members = [bytes_of(member, types) for member in types.members(ctype)]
        known = [size for size in members if size is not None]
        return sum(known) if members and len(known) == len(members) else None
    if ctype.kind == "array" and ctype.target is not None and ctype.extent is not None:
        count, size = constant_value(ctype.extent, types.certain_constants()), bytes_of(ctype.target, types)
        return count * size if count is not None and count > 1 and size is not None else None
    return max(1, ctype.bits // 8) if ctype.kind == "int" else scalar_bytes(ctype)
