"""The division of a loop's statements into stages, and what these hand on."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from pycparser import c_ast

from species.core.positions import Span
from species.dependence.aliases import Relation, relation
from species.facts.loop_forms import Handed, Stages
from species.loops.environment import is_shared
from species.loops.model import Reference
from species.source.syntax.tree import walk
from species.stages.body import LOOPS, Body, weight
from species.symbols.declared_types import declared_type
from species.symbols.symbols import Symbol

_ENDING = frozenset(("output",))  # effects of calls that only the last stage may have


@dataclass(frozen=True)
class Division:
    """The ways to divide the statements of a body."""

    body: Body

    def best(self) -> Stages | None:
        """The stages of which the parallel one has most to do, as few as that takes."""
        count, weights = len(self.body.items), [weight(item) for item in self.body.items]
        cuts = [k for k in range(1, count) if self.body.spans[k] != self.body.spans[k - 1]]
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
        iterator = self.body.loop.iterator
        assert iterator is not None
        first = self.body.spans[a - 1].end if a else None
        last = self.body.spans[b - 1].end if b < len(self.body.items) else None
        inside = self.body.loop.declared_inside
        return Stages(iterator.name, iterator.ctype.text, inside, first, last, tuple(handed))

    def _is_legal(self, a: int, b: int) -> bool:
        """Does no dependence lead back, and none from one iteration of the middle stage to another?"""
        stage = [(number >= a) + (number >= b) for number in range(len(self.body.items))]
        if any(stage[s] > stage[t] or (stage[s] == stage[t] == 1) for s, t in self.body.tied):
            return False
        numbered = ((call.effect, self.body.number(call)) for call in self.body.calls)
        calling = {(effect, stage[number]) for effect, number in numbered if number is not None}
        if any(where == 1 or (effect in _ENDING and where != 2) for effect, where in calling):
            return False
        skipping = {stage[n] for n, item in enumerate(self.body.items) if _goes_on(item)}
        one_each = len({where for effect, where in calling if effect == "state"}) < 2
        return one_each and skipping <= {2 if b < len(self.body.items) else 1}

    def _handed(self, a: int, b: int) -> list[Handed] | None:
        """What later stages need of earlier ones; None: something cannot be handed on."""
        ends = [end for end in dict.fromkeys((a, b, len(self.body.items))) if end]
        begins = [0, *ends[:-1]]
        parts = [self.body.items[begin:end] for begin, end in zip(begins, ends, strict=True)]
        flows = [self.body.flows.sequence(part) for part in parts]
        found: list[Handed] = []
        for later in range(1, len(parts)):
            named = {r.symbol for n, r in self.body.references if self._part(n, begins) == later}
            named |= {*self.body.own} & {
                self.body.flows.symbol(n) for item in parts[later] for n in walk(item)
            }
            for symbol in sorted(named, key=lambda s: s.name):
                writers = self._writers(symbol, begins)
                declared = symbol in self.body.own and self._part(self.body.own[symbol], begins) < later
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
            or (kind == "struct" and not self.body.types.is_assignable(symbol.ctype))
        ):
            return False
        if kind == "pointer" and needed and (self._has_addresses or self._has_hidden_memory):
            return False
        outside = symbol not in self.body.own
        return not outside or (len(writers) == 1 and symbol.is_scalar and not is_shared(symbol))

    def _again(self, symbol: Symbol) -> Span | None:
        """The declaration of a variable that has one value, made of what the loop leaves alone."""
        number = self.body.own[symbol]
        item, span = self.body.items[number], self.body.spans[number]
        if item.init is None or self.body.spans.count(span) > 1 or any(map(_has_effect, walk(item.init))):
            return None
        names = {each.name for each in self.body.inside}
        if any(node.name in names for node in walk(item.init) if isinstance(node, c_ast.ID)):
            return None
        own = [r for n, r in self.body.references if n == number]
        writes = [r for _, r in self.body.references if r.write and r.symbol is not symbol]
        sets = sum(r.write and r.symbol is symbol and r.place.is_variable for _, r in self.body.references)
        kept = not any(self._meets(r, w) for r in own if r.symbol is not symbol for w in writes)
        fixed = symbol.is_scalar and sets <= 1 and not symbol.address_taken
        return span if kept and fixed else None

    def _meets(self, read: Reference, write: Reference) -> bool:
        if read.place.is_variable and write.place.is_variable:
            return read.symbol is write.symbol
        return relation(read.place, write.place, self.body.loop) is not Relation.NONE

    @property
    def _has_hidden_memory(self) -> bool:
        """May a later call change what a pointer of an earlier one leads to, as those of `localtime` do?"""
        return any(call.effect == "state" for call in self.body.calls)

    @cached_property
    def _has_addresses(self) -> bool:
        """May a pointer lead to a variable that each iteration has anew?"""
        kinds = ("array", "struct", "union")
        if any(isinstance(node, c_ast.CompoundLiteral) for item in self.body.items for node in walk(item)):
            return True
        return any(s.address_taken or s.ctype.kind in kinds for s in self.body.inside)

    def _agree(self, begins: Sequence[int]) -> bool:
        """Is no variable from outside written in two stages?  (Of a temporary, each may have its own.)"""
        loop, flows = self.body.loop.node, self.body.flows
        for symbol in self.body.outer:
            kept = symbol in flows.iteration(loop).exposed or flows.live_after(loop, symbol)
            if kept and len(self._writers(symbol, begins)) > 1:
                return False
        return True

    def _writers(self, symbol: Symbol, begins: Sequence[int]) -> set[int]:
        """The parts that give the variable a value."""
        own, writes = self.body.own.get(symbol), ((n, r) for n, r in self.body.references if r.write)
        numbers = [n for n, r in writes if r.symbol is symbol and r.place.base is None]
        numbers += [own] if own is not None and self.body.items[own].init is not None else []
        return {self._part(number, begins) for number in numbers}


def _has_effect(node: Any) -> bool:
    """Does an expression call a function, or set a variable?"""
    steps = isinstance(node, c_ast.UnaryOp) and node.op in ("++", "--", "p++", "p--")
    return steps or isinstance(node, c_ast.FuncCall | c_ast.Assignment)


def _goes_on(item: Any) -> bool:
    """Does a `continue` in it end the iteration?"""
    if isinstance(item, c_ast.Continue):
        return True
    return not isinstance(item, LOOPS) and any(_goes_on(child) for _, child in item.children())
