"""What has to be noted of an iteration for statements that are put off: the values that they take."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from pycparser import c_ast

from species.facts.loop_forms import Noted
from species.loops.model import Reference
from species.source.syntax.tree import walk
from species.source.text.code import names_in
from species.stages.body import Body
from species.stages.pieces import Piece
from species.symbols.declared_types import declared_type
from species.symbols.symbols import Resolution, Symbol
from species.symbols.types import CType


@dataclass(frozen=True)
class Noting:
    """The statements `late` of a body are put off; `references` are those of all, with their statements."""

    body: Body
    root: Piece
    resolution: Resolution
    references: list[tuple[Piece, Reference]]
    late: set[Piece]
    sites: list[list[Piece]]

    def noted(self, site: list[Piece]) -> tuple[Noted, ...] | None:
        """The values for statements that stand together; None: they cannot be noted."""
        inside = {part for piece in site for part in piece.walk()}
        spans = {piece.span for piece in site}
        if any(piece.span in spans for piece in self.root.walk() if piece not in inside):
            return None  # other variables of one declaration
        nodes = [node for piece in site for node in walk(piece.node)]
        declared = {symbol for symbol in self.body.inside if any(symbol.node is node for node in nodes)}
        others = (node for piece in self.root.walk() if piece not in inside for node in piece.own_nodes())
        if any(self._symbol(node) in declared for node in others):
            return None
        written = {r.symbol for piece, r in self.references if r.write and piece in inside}
        found, called = dict[str, Noted](), site[0].function is not None
        for node in nodes:
            symbol = self._symbol(node)
            if symbol is None or symbol in declared or not self._changes(symbol, node, called=called):
                continue
            if symbol in written or not self._can_be_noted(symbol):
                return None
            if len(self.sites) > 1 and any(_takes_address(each, node) for each in nodes):
                return None  # another one might use it
            own = self._own(node)
            found[own.name] = Noted(own.name, declared_type(own))
        if called and self._clashes(site, {*found}, {symbol.name for symbol in declared}):
            return None
        return tuple(found[name] for name in sorted(found))

    def _symbol(self, node: Any) -> Symbol | None:
        return self.body.flows.symbol(node) if isinstance(node, c_ast.ID) else None

    def _own(self, node: Any) -> Symbol:
        """The variable as the function has it that the text is in: where it is called, there are copies."""
        return self.resolution.symbols[id(self.resolution.original(node))]

    def _changes(self, symbol: Symbol, node: Any, *, called: bool) -> bool:
        """Is the value another one behind the loop, or is the variable unknown there?"""
        if called and self._own(node).storage in ("local", "parameter"):
            return True
        if symbol in self.body.inside:
            return symbol is not self.body.loop.iterator
        return symbol in self._early

    @cached_property
    def _early(self) -> set[Symbol]:
        """The variables that other statements set."""
        found = ((p, r) for p, r in self.references if r.write and r.place.base is None)
        return {r.symbol for p, r in found if p not in self.late and r.symbol is not self.body.loop.iterator}

    def _can_be_noted(self, symbol: Symbol) -> bool:
        """May statements have a copy of a variable?"""
        ctype = symbol.ctype
        if not declared_type(symbol) or ctype.kind not in ("int", "float", "pointer", "struct"):
            return False
        if symbol.outlives_function or (ctype.kind == "struct" and not self.body.types.is_assignable(ctype)):
            return False
        return not self._leads(ctype) or not self._may_lead_here

    def _leads(self, ctype: CType) -> bool:
        """Is it a pointer, or does it hold one?"""
        if ctype.kind == "array":
            return self._leads(ctype.element)
        if ctype.kind == "struct":
            return any(map(self._leads, self.body.types.members(ctype)))
        return ctype.kind not in ("int", "float", "complex")

    @cached_property
    def _may_lead_here(self) -> bool:
        """May pointers lead to what the iteration has anew?"""
        nodes = (node for piece in self.root.walk() for node in piece.own_nodes())
        if any(isinstance(node, c_ast.CompoundLiteral) for node in nodes):
            return True
        kinds = ("array", "union")
        return any(s.address_taken or s.ctype.kind in kinds for s in self.body.inside)

    def _clashes(self, site: list[Piece], noted: set[str], declared: set[str]) -> bool:
        """Do names of a function's text mean something else where the loop is?"""
        text = self.body.unit.source.text
        words = {word for piece in site for word in names_in(piece.span.of(text))} - noted - declared
        return "#undef" in text or any(symbol.name in words for symbol in self.body.model.declared)


def _takes_address(node: Any, variable: Any) -> bool:
    """Is it the address of a variable, or of a part of it?"""
    if not isinstance(node, c_ast.UnaryOp) or node.op != "&":
        return False
    return any(each is variable for each in walk(node))


def sites(piece: Piece, late: set[Piece]) -> Iterator[list[Piece]]:
    """The outermost statements that are put off, those that follow each other in a block together."""
    run: list[Piece] = []
    for part in piece.parts:
        if run and not (part in late and isinstance(piece.node, c_ast.Compound)):
            yield run
            run = []
        if part in late:
            run.append(part)
        else:
            yield from sites(part, late)
    if run:
        yield run
