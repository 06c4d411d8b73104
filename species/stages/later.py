"""Serial loops of which all but a few statements may run in any order: these are put off until they have.

    for (i = 0; i < n; i++) for (j = 0; j < i; j++) if (near(i, j)) append(&pairs, i, j);

What an iteration would append is noted, with the values that it takes; behind the loop, what has been noted
is done in the order of the iterations: a pipeline whose last stage is sequential (seed 004, section 4.1.1),
and takes any number of values from each iteration.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from pycparser import c_ast

from species.core.positions import Span
from species.dependence.aliases import Relation, relation
from species.facts.loop_forms import Deferral, Late, Noted
from species.loops.environment import is_shared
from species.loops.model import Call, Reference
from species.source.syntax.tree import walk
from species.stages.body import LOOPS, Body
from species.stages.pieces import Piece, leaves, pieces
from species.symbols.declared_types import declared_type
from species.symbols.symbols import Symbol
from species.symbols.types import CType

MOST = 150  # references to memory: those that are put off are compared with all others
_LATER = frozenset(("output", "input", "state", "allocation", "exit"))  # effects of calls that may be put off


def put_off(body: Body, place: Span) -> Deferral | None:
    """The statements of a loop whose body stands at a `place` that keep its iterations in order, where they
    can be put off; None: they cannot, or there would be nothing left.
    """
    root = pieces(body.unit, body.loop.node.stmt, place)
    found = _Deferral(body, root).found() if root is not None else None
    return found if found is not None and found.late else None


@dataclass(frozen=True)
class _Deferral:
    """A body, and the statements that it consists of."""

    body: Body
    root: Piece

    def found(self) -> Deferral | None:
        if not self._is_plain or len(self._memory) > MOST:
            return None
        late = self._closed(self._seeds())
        outermost = [piece for piece in late if piece.around not in late]
        if (
            not late
            or self.root in late
            or self._is_in_header(late)
            or any(leaves(p.node) for p in outermost)
        ):
            return None
        if not any(self._is_work(piece) for piece in self.root.walk() if piece not in late):
            return None
        sites = list(_sites(self.root, late))
        noted = [self._noted(site, late, alone=len(sites) == 1) for site in sites]
        iterator = self.body.loop.iterator
        if iterator is None or any(each is None for each in noted):
            return None
        spans = [Span(site[0].span.start, site[-1].span.end) for site in sites]
        lines = [self.body.unit.source.position(span.start).line for span in spans]
        late_ones = zip(spans, lines, noted, strict=True)
        puts = tuple(Late(span, line, each) for span, line, each in late_ones if each is not None)
        return Deferral(iterator.name, iterator.ctype.text, self.body.loop.declared_inside, puts)

    # What belongs to which statement

    @cached_property
    def _owners(self) -> dict[int, Piece]:
        return {id(node): piece for piece in self.root.walk() for node in piece.own_nodes()}

    def _owner(self, of: Reference | Call) -> Piece | None:
        """The innermost statement that a reference or a call stands in; None: the loop's header."""
        return self._owners.get(id(of.inlining.chain[0].call if of.inlining else of.node))

    @cached_property
    def _references(self) -> list[tuple[Piece, Reference]]:
        found = ((self._owner(r), r) for r in self.body.judge.references(self.body.loop))
        return [(piece, reference) for piece, reference in found if piece is not None]

    @cached_property
    def _memory(self) -> list[tuple[Piece, Reference]]:
        """But for references to variables that nothing else can mean."""
        return [(p, r) for p, r in self._references if not _is_plain_variable(r)]

    @cached_property
    def _calls(self) -> list[Call]:
        """Those that iterations have to make in order."""
        return [call for call in self.body.model.calls if self.body.loop.number in call.loops]

    @property
    def _is_plain(self) -> bool:
        """Does nothing in the body keep statements from being put off?"""
        for call in self._calls:
            if self._owner(call) is None or call.inside or call.effect not in _LATER:
                return False
        if any(
            isinstance(n, c_ast.Switch | c_ast.Goto | c_ast.Label | c_ast.Return)
            for n in walk(self.root.node)
        ):
            return False
        if any(r.place.ctype.volatile or r.symbol.ctype.volatile for _, r in self._references):
            return False
        return not any(self.body.is_odd(each.node) for each in self.root.walk())

    # What has to stay in order

    def _seeds(self) -> set[Piece]:
        """Statements with calls in order, at the ends of dependences, or with variables that go on."""
        found = {self._owner(call) for call in self._calls}
        for each in self.body.judgement.dependences:
            found |= {self._owner(each.source), self._owner(each.sink)}
        combined = {each.place.symbol for each in self.body.judgement.reductions}
        exposed = self.body.flows.iteration(self.body.loop.node).exposed
        tied = {r.symbol for _, r in self._references if r.write and r.symbol in exposed} - combined
        found |= {piece for piece, r in self._references if r.symbol in tied and _is_plain_variable(r)}
        return {piece for piece in found if piece is not None}

    def _closed(self, late: set[Piece]) -> set[Piece]:
        """With all that is in them, and all that they get in the way of."""
        while True:
            found = {part for piece in late for part in piece.walk()}
            found |= {piece for piece in self.root.walk() if piece not in found and self._meets(piece, found)}
            if found == late:
                return found
            late = found

    def _meets(self, piece: Piece, late: set[Piece]) -> bool:
        """Is there anything that both a statement and one of those put off touch, and one of them writes?"""
        mine = [r for p, r in self._references if p is piece]
        return any(self._meet(a, b) for a in mine for p, b in self._references if p in late)

    def _meet(self, early: Reference, late: Reference) -> bool:
        if not (early.write or late.write):
            return False
        if _is_plain_variable(early) and _is_plain_variable(late):
            noted = not late.write and late.inlining is None  # its value is
            return early.symbol is late.symbol and not noted
        if self._is_new(early) or self._is_new(late):
            return early.symbol is late.symbol and late.write
        return relation(early.place, late.place, self.body.loop) is not Relation.NONE

    def _is_new(self, reference: Reference) -> bool:
        """Is it to a variable that each iteration has anew, and not to what one points to?"""
        return reference.place.base is None and reference.symbol in self.body.inside

    def _is_in_header(self, late: set[Piece]) -> bool:
        """Does the loop's header touch what statements do that are put off?"""
        found = [r for r in self.body.judge.references(self.body.loop) if self._owner(r) is None]
        return any(self._meet(a, b) for a in found for piece, b in self._references if piece in late)

    def _is_work(self, piece: Piece) -> bool:
        """Does a statement, apart from those in it, call something, or is it done again and again?"""
        if isinstance(piece.node, (*LOOPS, c_ast.Compound)):
            return False
        again = any(isinstance(each.node, LOOPS) for each in piece.outwards())
        return again or any(isinstance(node, c_ast.FuncCall) for node in piece.own_nodes())

    # What has to be noted

    def _noted(self, site: list[Piece], late: set[Piece], *, alone: bool) -> tuple[Noted, ...] | None:
        """The values that statements need of the iteration; None: they cannot be noted."""
        inside = {part for piece in site for part in piece.walk()}
        spans = {piece.span for piece in site}
        if any(piece.span in spans for piece in self.root.walk() if piece not in inside):
            return None  # other variables of one declaration
        nodes = [node for piece in site for node in walk(piece.node)]
        declared = {symbol for symbol in self.body.inside if any(symbol.node is node for node in nodes)}
        named = {symbol for node in nodes if (symbol := self._symbol(node)) is not None}
        written = {r.symbol for piece, r in self._references if r.write and piece in inside}
        early = {r.symbol for p, r in self._references if r.write and p not in late and r.place.base is None}
        found = []
        for symbol in sorted(named - declared - {self.body.loop.iterator}, key=lambda s: s.name):
            if symbol not in self.body.inside and symbol not in early:
                continue
            if symbol in written or not self._can_be_noted(symbol, alone=alone):
                return None
            found.append(Noted(symbol.name, declared_type(symbol)))
        others = (node for piece in self.root.walk() if piece not in inside for node in piece.own_nodes())
        return None if any(self._symbol(node) in declared for node in others) else tuple(found)

    def _symbol(self, node: Any) -> Symbol | None:
        return self.body.flows.symbol(node) if isinstance(node, c_ast.ID) else None

    def _can_be_noted(self, symbol: Symbol, *, alone: bool) -> bool:
        """May statements have a copy of a variable?  Where all stand together, they may use its address."""
        ctype = symbol.ctype
        if not declared_type(symbol) or ctype.kind not in ("int", "float", "pointer", "struct"):
            return False
        if symbol.outlives_function or (symbol.address_taken and not (alone and ctype.kind == "struct")):
            return False
        if ctype.kind == "struct" and not self.body.types.is_assignable(ctype):
            return False
        return not self._leads(ctype) or not self._may_lead_here

    def _leads(self, ctype: CType) -> bool:
        """Is it a pointer, or does it hold one?"""
        if ctype.kind in ("struct", "array"):
            return any(
                map(self._leads, [ctype.element] if ctype.kind == "array" else self.body.types.members(ctype))
            )
        return ctype.kind not in ("int", "float", "complex")

    @cached_property
    def _may_lead_here(self) -> bool:
        """May pointers lead to what the iteration has anew?"""
        if any(isinstance(node, c_ast.CompoundLiteral) for node in walk(self.root.node)):
            return True
        kinds = ("array", "union")
        return any(s.address_taken or s.ctype.kind in kinds for s in self.body.inside)


def _is_plain_variable(reference: Reference) -> bool:
    place, symbol = reference.place, reference.symbol
    return place.is_variable and symbol.is_scalar and not is_shared(symbol)


def _sites(piece: Piece, late: set[Piece]) -> Iterator[list[Piece]]:
    """The outermost statements that are put off, those that follow each other in a block together."""
    run: list[Piece] = []
    for part in piece.parts:
        if part in late:
            run.append(part)
            continue
        if run:
            yield run
        run = []
        yield from _sites(part, late)
    if run:
        yield run
