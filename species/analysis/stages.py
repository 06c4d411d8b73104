"""Serial loops with a parallel part: what stands before it and behind it goes in order, in loops of its own.

    for (i = 0; i < n; i++) { seed = next(seed); double v = work(seed); printf("%f\\n", v); }

Statements are assigned to up to three stages, as decoupled software pipelining does (Rangan et al. 2004; in
three stages with the middle one parallel: Raman et al. 2008, PS-DSWP; seed 004, section 4.1.1), so that no
dependence leads from a later stage to an earlier one.  What stages hand on is expanded: there is a value for
each iteration.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import combinations_with_replacement
from typing import Any

from pycparser import c_ast

from species.analysis.canonical_form import declared_type
from species.core.positions import Span
from species.dependence.aliases import Relation, relation
from species.dependence.exact.dependence_test import carried
from species.dependence.flow.scalars import FlowAnalysis
from species.dependence.judge import Judge
from species.dependence.judgement import Judgement
from species.facts.loops import Handed, Stages
from species.loops.environment import is_shared
from species.loops.model import Call, FunctionModel, Loop, Reference, inner_loops
from species.source import TranslationUnit
from species.source.syntax.statement_tree import read_statement
from species.source.syntax.tree import walk
from species.symbols.symbols import Symbol

MOST = 100  # references to memory: their pairs are compared
_ENDING = frozenset(("output",))  # effects of calls that only the last stage may have
_IN_ORDER = frozenset(("output", "state"))  # those of which one stage may have all
_LOOPS = (c_ast.For, c_ast.While, c_ast.DoWhile)
_STAYING = (c_ast.Label, c_ast.Goto, c_ast.Return, c_ast.Typedef)


def stages(
    unit: TranslationUnit,
    model: FunctionModel,
    judge: Judge,
    flows: FlowAnalysis,
    judgement: Judgement,
    body: Span,
) -> Stages | None:
    """The stages of a serial loop whose body stands at a place in the file; None: it has no parallel part."""
    loop = judgement.loop
    items = loop.node.stmt.block_items or [] if isinstance(loop.node.stmt, c_ast.Compound) else []
    plain = loop.kind == "for" and loop.counted and loop.step == 1 and not (loop.assumed or loop.strided)
    if (
        not plain
        or len(items) < 2
        or not any(map(_weight, items))
        or any(isinstance(n, _STAYING) for n in walk(loop.node.stmt))
    ):
        return None
    spans = _spans(unit, items, body) if _counts_to_bound(loop) else None
    if spans is None:
        return None
    found = _Body(unit, model, judge, flows, judgement, items, spans)
    return found.best() if found.is_plain else None


def _counts_to_bound(loop: Loop) -> bool:
    """Is it `for (..; i < n; i++)`, or `i <= n`, with an iterator of 32 bits or more?"""
    condition, iterator = loop.node.cond, loop.iterator
    compares = isinstance(condition, c_ast.BinaryOp) and condition.op in ("<", "<=")
    named = compares and isinstance(condition.left, c_ast.ID) and iterator is not None
    if not named or iterator is None or condition.left.name != iterator.name or is_shared(iterator):
        return False
    return loop.steps_in_header and not loop.steps and iterator.ctype.is_integer and iterator.ctype.bits >= 32


def _spans(unit: TranslationUnit, items: Sequence[Any], body: Span) -> list[Span] | None:
    """Where the statements stand that the items are, or are parts of; None: macros make some of them."""
    text = body.of(unit.source.text)
    spans = [part.span for part in read_statement(text).sequence()]
    if "#" in text:
        return None
    found, here = [], 0
    for item in items:
        if item.coord is None:
            return None
        position = unit.position(item.coord)
        at = unit.source.offset(position.line, position.column) - body.start
        while here < len(spans) and at >= spans[here].end:
            here += 1
        if position.file != unit.source.path or here == len(spans) or at < spans[here].start:
            return None
        found.append(here)
    if {*found} != {*range(len(spans))}:
        return None
    return [Span(body.start + spans[number].start, body.start + spans[number].end) for number in found]


@dataclass(frozen=True)
class _Body:
    """The statements of a loop, where they stand, and what they need of each other."""

    unit: TranslationUnit
    model: FunctionModel
    judge: Judge
    flows: FlowAnalysis
    judgement: Judgement
    items: Sequence[Any]
    spans: Sequence[Span]

    @cached_property
    def _numbers(self) -> dict[int, int]:
        return {id(node): number for number, item in enumerate(self.items) for node in walk(item)}

    def _number(self, of: Reference | Call) -> int | None:
        """The statement that a reference or a call stands in; None: the loop's header."""
        return self._numbers.get(id(of.inlining.chain[0].call if of.inlining else of.node))

    @cached_property
    def _references(self) -> list[tuple[int, Reference]]:
        numbered = ((self._number(r), r) for r in self.judge.references(self.judgement.loop))
        return [(number, reference) for number, reference in numbered if number is not None]

    @cached_property
    def _own(self) -> dict[Symbol, int]:
        """The variables that a statement of the body declares for those behind it."""
        decls = {id(item): n for n, item in enumerate(self.items) if isinstance(item, c_ast.Decl)}
        declared = self.model.declared.items()
        inside = (s for s, loops in declared if self.judgement.loop.number in loops and id(s.node) in decls)
        return {symbol: decls[id(symbol.node)] for symbol in inside}

    @property
    def is_plain(self) -> bool:
        """Does nothing in the body keep it from being taken apart?"""
        if len(self._memory) > MOST or any(self._is_odd(item) for item in self.items):
            return False
        called = self._calls
        return all(c.effect in _IN_ORDER and not c.inside and self._number(c) is not None for c in called)

    @cached_property
    def _calls(self) -> list[Call]:
        """Those that iterations must make in order, and those of which memory would be kept for a chunk."""
        number, refused = self.judgement.loop.number, {f.node for f in self.judgement.findings}
        chains = ((c, c.inlining.chain[0].call if c.inlining else c.node) for c in self.model.calls)
        kinds = (*_IN_ORDER, "allocation")
        return [c for c, first in chains if number in c.loops and (first in refused or c.effect in kinds)]

    def _is_odd(self, item: Any) -> bool:
        return isinstance(item, c_ast.Decl) and (
            bool(item.storage) or not item.name or item.bitsize is not None
        )

    @cached_property
    def _memory(self) -> list[tuple[int, Reference]]:
        return [(n, r) for n, r in self._references if not r.place.is_variable or not r.symbol.is_scalar]

    @cached_property
    def _tied(self) -> set[tuple[int, int]]:
        """Pairs of statements: what the first one does must stay before the second one's later iterations."""
        pairs = combinations_with_replacement(self._memory, 2)
        outer = {r.symbol for _, r in self._references if r.write} - {*self._own}
        outer -= {self.judgement.loop.iterator}
        found = {pair for one, other in pairs for pair in self._met(one, other)}
        return found | {pair for symbol in outer for pair in self._carried(symbol)}

    def _met(self, one: tuple[int, Reference], other: tuple[int, Reference]) -> Iterator[tuple[int, int]]:
        (first, a), (second, b) = one, other
        loop = self.judgement.loop
        if not (a.write or b.write) or a.symbol in self._own or b.symbol in self._own:
            return
        found = relation(a.place, b.place, loop)
        if found is Relation.NONE:
            return
        same = found is Relation.SAME and a.symbol is b.symbol and a.place.base == b.place.base
        inner = inner_loops(loop)
        for source, sink, pair in ((a, b, (first, second)), (b, a, (second, first))):
            if not same or carried(loop, inner, source, sink, self.judge.tests) is not None:
                yield pair

    def _carried(self, symbol: Symbol) -> Iterator[tuple[int, int]]:
        """The writes of a variable, and the reads of what an earlier iteration wrote."""
        if not symbol.is_scalar:
            return
        own = [(n, r) for n, r in self._references if r.symbol is symbol and r.place.is_variable]
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

    # Stages

    def best(self) -> Stages | None:
        """The stages of which the parallel one has most to do, as few as that takes."""
        count, weights = len(self.items), [_weight(item) for item in self.items]
        cuts = [k for k in range(1, count) if self.spans[k] != self.spans[k - 1]]
        ways = [(a, b) for a in (0, *cuts) for b in (*cuts, count) if a < b and (a, b) != (0, count)]

        def rank(way: tuple[int, int]) -> tuple[int, int, int]:
            a, b = way
            return -sum(weights[a:b]), (a > 0) + (b < count), a - b

        for a, b in sorted(ways, key=rank):
            if not any(weights[a:b]):
                return None
            handed = self._handed(a, b) if self._is_legal(a, b) else None
            if handed is not None:
                return self._stages(a, b, handed)
        return None

    def _stages(self, a: int, b: int, handed: list[Handed]) -> Stages | None:
        iterator = self.judgement.loop.iterator
        assert iterator is not None
        first = self.spans[a - 1].end if a else None
        last = self.spans[b - 1].end if b < len(self.items) else None
        inside = self.judgement.loop.declared_inside
        return Stages(iterator.name, iterator.ctype.text, inside, first, last, tuple(handed))

    def _is_legal(self, a: int, b: int) -> bool:
        """Does no dependence lead back, and none from one iteration of the middle stage to another?"""
        stage = [(number >= a) + (number >= b) for number in range(len(self.items))]
        if any(stage[s] > stage[t] or (stage[s] == stage[t] == 1) for s, t in self._tied):
            return False
        calling = {(call.effect, stage[n]) for call in self._calls if (n := self._number(call)) is not None}
        if any(where == 1 or (effect in _ENDING and where != 2) for effect, where in calling):
            return False
        skipping = {stage[n] for n, item in enumerate(self.items) if _goes_on(item)}
        one_each = len({where for effect, where in calling if effect == "state"}) < 2
        return one_each and skipping <= {2 if b < len(self.items) else 1}

    def _handed(self, a: int, b: int) -> list[Handed] | None:
        """What later stages need of earlier ones; None: something cannot be handed on."""
        parts = [part for part in (self.items[:a], self.items[a:b], self.items[b:]) if part]
        begins = [k for k, part in ((0, self.items[:a]), (a, self.items[a:b]), (b, self.items[b:])) if part]
        flows = [self.flows.sequence(part) for part in parts]
        found: list[Handed] = []
        for later in range(1, len(parts)):
            named = {r.symbol for n, r in self._references if self._part(n, begins) == later}
            for symbol in sorted(named, key=lambda s: s.name):
                writers = self._writers(symbol, begins)
                declared = symbol in self._own and self._part(self._own[symbol], begins) < later
                earlier = {w for w in writers if w < later}
                if symbol not in flows[later].exposed and len(writers) < 2:
                    earlier = set()  # it has its own value there
                if not declared and not earlier:
                    continue
                again = self._again(symbol) if declared else None
                if again is None and not self._can_be_handed(symbol, writers, needed=bool(earlier)):
                    return None
                noted = tuple(sorted(w + (a == 0) for w in earlier)) if again is None else ()
                ctype, is_structure = declared_type(symbol), symbol.ctype.kind == "struct"
                found.append(Handed(symbol.name, ctype, later + (a == 0), noted, is_structure, again))
        return found if self._agree(begins) else None

    def _part(self, number: int, begins: Sequence[int]) -> int:
        return sum(number >= begin for begin in begins) - 1

    def _can_be_handed(self, symbol: Symbol, writers: set[int], *, needed: bool) -> bool:
        kind = symbol.ctype.kind
        if (
            not declared_type(symbol)
            or kind not in ("int", "float", "pointer", "struct")
            or symbol.ctype.volatile
        ):
            return False
        if kind == "pointer" and needed and self._has_addresses:
            return False
        outside = symbol not in self._own
        return not outside or (len(writers) == 1 and symbol.is_scalar and not is_shared(symbol))

    def _again(self, symbol: Symbol) -> Span | None:
        """The declaration of a variable that has one value, made of what the loop leaves alone."""
        number = self._own[symbol]
        item, span = self.items[number], self.spans[number]
        if item.init is None or self.spans.count(span) > 1 or any(map(_has_effect, walk(item.init))):
            return None
        if any(self.flows.symbol(node) in self._own for node in walk(item.init)):
            return None
        own = [r for n, r in self._references if n == number]
        writes = [r for _, r in self._references if r.write and r.symbol is not symbol]
        sets = sum(r.write and r.symbol is symbol and r.place.is_variable for _, r in self._references)
        kept = not any(self._meets(r, w) for r in own if r.symbol is not symbol for w in writes)
        return span if kept and sets <= 1 and not symbol.address_taken else None

    def _meets(self, read: Reference, write: Reference) -> bool:
        if read.place.is_variable and write.place.is_variable:
            return read.symbol is write.symbol
        return relation(read.place, write.place, self.judgement.loop) is not Relation.NONE

    @cached_property
    def _has_addresses(self) -> bool:
        """May a pointer lead to a variable that each iteration has anew?"""
        inside = [s for s, loops in self.model.declared.items() if self.judgement.loop.number in loops]
        return any(s.address_taken or s.ctype.kind in ("array", "struct", "union") for s in inside)

    def _agree(self, begins: Sequence[int]) -> bool:
        """Is no variable from outside written in two stages?  (Of a temporary, each may have its own.)"""
        loop = self.judgement.loop.node
        outer = {r.symbol for _, r in self._references if r.write and r.place.is_variable} - {*self._own}
        for symbol in outer:
            kept = symbol in self.flows.iteration(loop).exposed or self.flows.live_after(loop, symbol)
            if kept and len(self._writers(symbol, begins)) > 1:
                return False
        return True

    def _writers(self, symbol: Symbol, begins: Sequence[int]) -> set[int]:
        """The parts that give the variable a value."""
        numbers = [n for n, r in self._references if r.write and r.symbol is symbol and r.place.base is None]
        own = self._own.get(symbol)
        numbers += [own] if own is not None and self.items[own].init is not None else []
        return {self._part(number, begins) for number in numbers}


def _weight(item: Any) -> int:
    """How much a statement seems to do: of one with neither loops nor calls, nothing counts."""
    nodes = [node for node in walk(item) if isinstance(node, (*_LOOPS, c_ast.FuncCall))]
    return sum(20 if isinstance(node, _LOOPS) else 5 for node in nodes)


def _has_effect(node: Any) -> bool:
    """Does an expression call a function, or set a variable?"""
    steps = isinstance(node, c_ast.UnaryOp) and node.op in ("++", "--", "p++", "p--")
    return steps or isinstance(node, c_ast.FuncCall | c_ast.Assignment)


def _goes_on(item: Any) -> bool:
    """Does a `continue` in it end the iteration?"""
    if isinstance(item, c_ast.Continue):
        return True
    return not isinstance(item, _LOOPS) and any(_goes_on(child) for _, child in item.children())
