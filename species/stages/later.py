"""Serial loops of which all but a few statements may run in any order: these are put off until they have.

    for (i = 0; i < n; i++) for (j = 0; j < i; j++) if (near(i, j)) append(&pairs, i, j);

What an iteration would append is noted, with the values that it takes; behind the loop, what has been noted
is done in the order of the iterations: a pipeline whose last stage is sequential (seed 004, section 4.1.1),
and takes any number of values from each iteration.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

from pycparser import c_ast

from species.core.positions import Span
from species.dependence.aliases import Relation, relation
from species.facts.loop_forms import Deferral, Late
from species.loops.environment import is_shared
from species.loops.model import Call, Inlining, Reference
from species.stages.body import Body
from species.stages.effort import functions_with_loops, is_worth
from species.stages.noting import Noting, sites
from species.stages.opened_calls import Calls, late_function
from species.stages.pieces import Piece, leaves, pieces
from species.symbols.symbols import Resolution

MOST = 150  # references to memory: those that are put off are compared with all others
_LATER = frozenset(("output", "input", "state", "allocation", "exit"))  # effects of calls that may be put off


def put_off(body: Body, place: Span, resolution: Resolution) -> Deferral | None:
    """The statements of a loop whose body stands at a `place` that keep its iterations in order, where they
    can be put off, perhaps in functions that it calls; None: they cannot, or there would be nothing left.
    """
    calls = Calls(body, place, resolution)
    for opening in (_none, calls.opened)[: 1 + bool(calls.known)]:
        root = pieces(body.unit, body.loop.node.stmt, place, opening)
        found = _Deferral(body, root, resolution).found() if root is not None else None
        if found is not None:
            return found
    return None


def _none(_: Any) -> None:
    """No call's callee is looked at."""


@dataclass(frozen=True)
class _Deferral:
    """A body, and the statements that it consists of."""

    body: Body
    root: Piece
    resolution: Resolution

    def found(self) -> Deferral | None:
        if not self._is_plain or len(self._memory) > MOST:
            return None
        late = self._closed(self._seeds())
        outermost = [piece for piece in late if piece.around not in late]
        if not late or self.root in late or self._is_in_header(late):
            return None
        if any(leaves(piece.node) for piece in outermost):
            return None
        if not is_worth(self.root, late, functions_with_loops(self.resolution.functions.values())):
            return None
        together = list(sites(self.root, late))
        noting = Noting(self.body, self.root, self.resolution, self._references, late, together)
        noted = [noting.noted(site) for site in together]
        iterator = self.body.loop.iterator
        if iterator is None or any(each is None for each in noted):
            return None
        spans = [Span(site[0].span.start, site[-1].span.end) for site in together]
        lines = [self.body.unit.source.position(span.start).line for span in spans]
        late_ones = zip(spans, lines, noted, strict=True)
        puts = tuple(Late(span, line, each) for span, line, each in late_ones if each is not None)
        functions = dict.fromkeys(site[0].function for site in together)
        known = tuple(late_function(self.body.unit, each) for each in functions if each is not None)
        return Deferral(iterator.name, iterator.ctype.text, self.body.loop.declared_inside, puts, known)

    # What belongs to which statement

    @cached_property
    def _owners(self) -> dict[int, Piece]:
        return {id(node): piece for piece in self.root.walk() for node in piece.own_nodes()}

    def _owner(self, of: Reference | Call) -> Piece | None:
        """The innermost statement that a reference or a call stands in; None: the loop's header."""
        closed = self._closed_calls(of)
        return self._owners.get(id(closed[0].call if closed else of.node))

    def _closed_calls(self, of: Reference | Call) -> list[Inlining]:
        """The calls that lead to it, from the first one on whose callee's statements are not looked at."""
        chain = of.inlining.chain if of.inlining else ()
        return [each for each in chain if id(each) not in self._opened]

    @cached_property
    def _opened(self) -> set[int]:
        return {id(piece.opened.inlining) for piece in self.root.walk() if piece.opened is not None}

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
        for piece in self.root.walk():
            jumps = (c_ast.Goto, c_ast.Label, *(() if piece.function is not None else (c_ast.Return,)))
            if any(isinstance(node, jumps) for node in piece.own_nodes()):
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
            noted = not late.write and not self._closed_calls(late)  # its value is
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


def _is_plain_variable(reference: Reference) -> bool:
    place, symbol = reference.place, reference.symbol
    return place.is_variable and symbol.is_scalar and not is_shared(symbol)
