"""The statements of a loop's body: what they touch and call, and which of them are tied to each other."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import combinations_with_replacement
from typing import Any

from pycparser import c_ast

from species.core.positions import Span
from species.dependence.aliases import Relation, relation
from species.dependence.exact.dependence_test import carried
from species.dependence.flow.scalars import FlowAnalysis
from species.dependence.judge import Judge
from species.dependence.judgement import Judgement
from species.dependence.tables import tables_of
from species.loops.environment import is_shared
from species.loops.model import Call, FunctionModel, Loop, Reference, inner_loops
from species.source import TranslationUnit
from species.source.syntax.tree import walk
from species.symbols.symbols import Symbol
from species.symbols.types import TypeTable

MOST = 100  # references to memory: their pairs are compared
IN_ORDER = frozenset(("output", "state"))  # effects of calls of which one stage may have all
LOOPS = (c_ast.For, c_ast.While, c_ast.DoWhile)


@dataclass(frozen=True)
class Body:
    """The statements of a loop, where they stand, and what they need of each other."""

    unit: TranslationUnit
    model: FunctionModel
    judge: Judge
    flows: FlowAnalysis
    judgement: Judgement
    types: TypeTable
    items: Sequence[Any]
    spans: Sequence[Span]

    @property
    def loop(self) -> Loop:
        return self.judgement.loop

    @cached_property
    def _numbers(self) -> dict[int, int]:
        return {id(node): number for number, item in enumerate(self.items) for node in walk(item)}

    def number(self, of: Reference | Call) -> int | None:
        """The statement that a reference or a call stands in; None: the loop's header."""
        return self._numbers.get(id(of.inlining.chain[0].call if of.inlining else of.node))

    @cached_property
    def references(self) -> list[tuple[int, Reference]]:
        numbered = ((self.number(r), r) for r in self.judge.references(self.loop))
        return [(number, reference) for number, reference in numbered if number is not None]

    @cached_property
    def own(self) -> dict[Symbol, int]:
        """The variables that a statement of the body declares for those behind it."""
        decls = {id(item): n for n, item in enumerate(self.items) if isinstance(item, c_ast.Decl)}
        return {s: decls[id(s.node)] for s in self.inside if id(s.node) in decls}

    @cached_property
    def inside(self) -> list[Symbol]:
        """All variables that each iteration has anew."""
        return [s for s, loops in self.model.declared.items() if self.loop.number in loops]

    @cached_property
    def outer(self) -> set[Symbol]:
        """The variables from outside that iterations set, but for the iterator."""
        written = {r.symbol for _, r in self.references if r.write and r.place.is_variable}
        return {symbol for symbol in written if symbol is not self.loop.iterator} - {*self.inside}

    @property
    def is_plain(self) -> bool:
        """Does nothing in the body keep it from being taken apart?"""
        if len(self._memory) > MOST or any(self.is_odd(item) for item in self.items):
            return False
        if any(r.place.ctype.volatile or r.symbol.ctype.volatile for _, r in self.references):
            return False
        called = self.calls
        return all(c.effect in IN_ORDER and not c.inside and self.number(c) is not None for c in called)

    @cached_property
    def calls(self) -> list[Call]:
        """Those that iterations must make in order, and those of which memory would be kept for a chunk."""
        number, refused = self.loop.number, {f.node for f in self.judgement.findings}
        chains = ((c, c.inlining.chain[0].call if c.inlining else c.node) for c in self.model.calls)
        kinds = (*IN_ORDER, "allocation")
        return [c for c, first in chains if number in c.loops and (first in refused or c.effect in kinds)]

    def is_odd(self, item: Any) -> bool:
        """Is it a declaration that cannot be repeated, or of a type that only the body knows?"""
        types = (n for n in walk(item) if isinstance(n, c_ast.Struct | c_ast.Union | c_ast.Enum))
        if any(getattr(n, "decls", None) or getattr(n, "values", None) for n in types):
            return True
        unfit = isinstance(item, c_ast.Decl) and (bool(item.storage) or not item.name)
        return unfit or isinstance(getattr(item, "type", None), c_ast.FuncDecl)

    @cached_property
    def _memory(self) -> list[tuple[int, Reference]]:
        found = ((n, r, r.place.is_variable and r.symbol.is_scalar) for n, r in self.references)
        return [(n, r) for n, r, plain in found if not plain or is_shared(r.symbol)]

    @cached_property
    def tied(self) -> set[tuple[int, int]]:
        """Pairs of statements: what the first one does must stay before the second one's later iterations."""
        pairs = combinations_with_replacement(self._memory, 2)
        found = {pair for one, other in pairs for pair in self._met(one, other)}
        return found | {pair for symbol in self.outer for pair in self._carried(symbol)}

    def _is_new(self, reference: Reference) -> bool:
        """Is it to a variable that each iteration has anew, and not to what one points to?"""
        return reference.place.base is None and reference.symbol in self.inside

    def _met(self, one: tuple[int, Reference], other: tuple[int, Reference]) -> Iterator[tuple[int, int]]:
        (first, a), (second, b) = one, other
        loop = self.loop
        if not (a.write or b.write) or self._is_new(a) or self._is_new(b):
            return
        found = relation(a.place, b.place, loop)
        if found is Relation.NONE:
            return
        same = found is Relation.SAME and a.symbol is b.symbol and a.place.base == b.place.base
        same = same and all(self.judge.leads_to_own(table, (a, b)) for table in tables_of(a.symbol))
        inner = inner_loops(loop)
        for source, sink, pair in ((a, b, (first, second)), (b, a, (second, first))):
            if not same or carried(loop, inner, source, sink, self.judge.tests) is not None:
                yield pair

    def _carried(self, symbol: Symbol) -> Iterator[tuple[int, int]]:
        """The writes of a variable, and the reads of what an earlier iteration wrote."""
        if not symbol.is_scalar:
            return
        own = [(n, r) for n, r in self.references if r.symbol is symbol and r.place.is_variable]
        combined = {r.update.number for _, r in own if r.update} if self._is_combined(symbol) else set()
        if combined and all(r.update for _, r in own):
            return
        before = self._before
        for number in {n for n, r in own if r.write}:
            yield from ((number, reader) for reader in before.get(symbol, ()))

    def _is_combined(self, symbol: Symbol) -> bool:
        return any(each.place.symbol is symbol for each in self.judgement.reductions)

    @cached_property
    def _before(self) -> dict[Symbol, list[int]]:
        """By variable, the statements that may read what it was before the iteration."""
        found: dict[Symbol, list[int]] = {}
        written: set[Symbol] = set()
        for number, item in enumerate(self.items):
            flow = self.flows.of(item)
            for symbol in flow.exposed.keys() - written:
                found.setdefault(symbol, []).append(number)
            written |= flow.must or set()
        return found


def weight(item: Any) -> int:
    """How much a statement seems to do: of one with neither loops nor calls, nothing counts."""
    nodes = [node for node in walk(item) if isinstance(node, (*LOOPS, c_ast.FuncCall))]
    return sum(20 if isinstance(node, LOOPS) else 5 for node in nodes)
