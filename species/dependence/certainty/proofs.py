"""Which findings prove that a loop's iterations must run in order, and which only say what is not known.

Proofs are dependences that certainly exist (`species.dependence.certainty.certain`), effects that happen in
every iteration and whose order can be seen from outside (input and output, volatile objects), and early
exits that depend on what iterations find.  Pointers that may overlap, callees that nobody knows, loops that
cannot be counted, and all that stands under a condition on data are no proofs: more facts might show the
opposite.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from itertools import product
from typing import Any

from pycparser import c_ast

from species.dependence.certainty.certain import Certainty, written_everywhere
from species.dependence.certainty.combining import combining, is_combined
from species.dependence.certainty.reached import Body
from species.dependence.exact.dependence_test import Dependence
from species.dependence.findings import Finding
from species.dependence.flow.scalars import FlowAnalysis
from species.dependence.judge import Judge
from species.dependence.judgement import Judgement
from species.dependence.serial_classes import followed
from species.loops.model import Call, FunctionModel, Loop
from species.sets.affine import Value
from species.sets.conditions import Condition, Unknown, atoms, leaves
from species.source.syntax.tree import walk
from species.symbols.symbols import Symbol

ORDERED = ("output", "input", "state")  # effects of calls
_HARMLESS = (*ORDERED, "allocation", "reading")  # effects that write to no object of the program
MOST = 64  # dependences of an object that are looked at
FIRST = 4  # reads and writes of a variable


class Proofs:
    """Of the loops of one function."""

    def __init__(self, model: FunctionModel, judge: Judge, flows: FlowAnalysis) -> None:
        self.model, self.judge, self.flows = model, judge, flows
        self._bodies: dict[int, Body] = {}
        self._combining: dict[int, dict[int, str]] = {}

    def proven(self, judgement: Judgement, finding: Finding) -> bool:
        """Does the finding show that iterations must run in order, whatever is not known?"""
        match finding.code:
            case "CV203":
                return self._of_memory(judgement, finding.symbol)
            case "CV201" | "CV207":
                return self._of_scalar(judgement, finding.symbol)
            case "CV301" | "CV302":
                return self._leaves(judgement.loop, finding.node)
            case "CV304":
                return self._body(judgement.loop.node).always(finding.node)
            case "CV305":
                return self._is_ordered(judgement.loop, finding)
            case "CV303":
                return isinstance(finding.node, c_ast.Goto) and self._leaves(judgement.loop, finding.node)
            case "CV307" | "CV308":
                return self._goes_on(judgement.loop)
        return False

    def _body(self, node: Any) -> Body:
        if id(node) not in self._bodies:
            self._bodies[id(node)] = Body(node)
        return self._bodies[id(node)]

    def _combinations(self, loop: Loop) -> dict[int, str]:
        if loop.number not in self._combining:
            self._combining[loop.number] = combining(loop.node)
        return self._combining[loop.number]

    # Dependences

    def _of_memory(self, judgement: Judgement, symbol: Symbol | None) -> bool:
        found = [d for d in judgement.dependences if d.source.symbol is symbol]
        return self._is_certain(judgement, symbol, found)

    def _of_scalar(self, judgement: Judgement, symbol: Symbol | None) -> bool:
        """Do all iterations read what the one before has left?"""
        loop = judgement.loop
        own = [r for r in self.judge.references(loop) if r.symbol is symbol and r.place.is_variable]
        reads = sorted((r for r in own if not r.write), key=lambda r: r.order)
        writes = [r for r in own if r.write]
        flow = self.flows.iteration(loop.node)
        if symbol is not None and flow.must is not None and symbol in flow.must and writes:
            writes = [*writes[:1], written_everywhere(loop, writes[-1])]
        pairs = product(writes[:FIRST], reads[:FIRST])
        return self._is_certain(judgement, symbol, [Dependence(w, r, 1) for w, r in pairs])

    def _is_certain(self, judgement: Judgement, symbol: Symbol | None, found: Sequence[Dependence]) -> bool:
        loop, combined = judgement.loop, self._combinations(judgement.loop)
        own = [r for r in self.judge.references(loop) if r.symbol is symbol]
        found = [d for d in found[:MOST] if not is_combined(d, combined, own)]
        if not found or symbol is None or self._may_be_written_elsewhere(loop):
            return False
        others = [
            b if a.symbol is symbol else a for a, b in judgement.overlaps if symbol in (a.symbol, b.symbol)
        ]
        strangers = {r.symbol for r in others} - {symbol}
        aliases = [r for r in self.judge.references(loop) if r.write and r.symbol in strangers]
        return Certainty(self.model, loop, own, aliases).any_certain(found)

    def _may_be_written_elsewhere(self, loop: Loop) -> bool:
        return any(call.effect not in _HARMLESS for call in self._calls(loop))

    def _calls(self, loop: Loop) -> Iterator[Call]:
        return (call for call in self.model.calls if loop.number in call.loops)

    # Control and effects

    def _is_ordered(self, loop: Loop, finding: Finding) -> bool:
        """Does the call do something in every iteration whose order can be seen from outside?"""
        nodes = [finding.node, *finding.related]
        calls = (c for c in self._calls(loop) if c.node is nodes[-1] or c.node is nodes[0])
        return any(c.effect in ORDERED and not c.inside and self._is_made(loop, c) for c in calls)

    def _is_made(self, loop: Loop, call: Call) -> bool:
        """In every iteration, as far as the inner loops around it make some?"""
        chain = call.inlining.chain if call.inlining else ()
        inside = [i for i in chain if i.call in self._body(loop.node)]
        start = chain.index(inside[0]) if inside else len(chain)
        if any(i.early for i in chain[start:]):
            return False
        bodies = [loop.node, *(i.body for i in chain[start:])]
        targets = [*(i.call for i in chain[start:]), call.node]
        return all(self._body(b).always(t) for b, t in zip(bodies, targets, strict=True))

    def _leaves(self, loop: Loop, jump: Any) -> bool:
        """Does it depend on what an iteration finds whether the ones after it are made?"""
        changing = self.judge.changing(loop)
        for guard in self._body(loop.node).guards(jump):
            named = {self.flows.symbol(n) for n in walk(guard.cond) if isinstance(n, c_ast.ID)}
            condition = self.model.guards.get(id(guard))
            if named & changing and condition is not None and _is_of_data(condition, loop):
                return True
        return False

    def _goes_on(self, loop: Loop) -> bool:
        """Of a loop that is not counted: does it depend on what an iteration finds whether there is another?

        That is, where it follows a pointer, or its condition reads fractions or memory that change.
        """
        if any(self._body(loop.node).always(step) for step in followed(loop.node)):
            return True
        changing = self.judge.changing(loop)
        parts = walk(loop.node.cond) if loop.node.cond is not None else ()
        return any(self._names_change(part, changing) for part in parts)

    def _names_change(self, part: Any, changing: Collection[Symbol | None]) -> bool:
        """Is a part of a condition a variable fraction that changes, or what a place that moves holds?"""
        if isinstance(part, c_ast.ID):
            symbol = self.flows.symbol(part)
            return symbol in changing and symbol is not None and symbol.ctype.kind == "float"
        is_memory = isinstance(part, c_ast.ArrayRef) or (isinstance(part, c_ast.UnaryOp) and part.op == "*")
        named = (self.flows.symbol(n) for n in walk(part) if isinstance(n, c_ast.ID))
        return is_memory and any(s in changing and s is not None and s.is_scalar for s in named)


def _is_of_data(condition: Condition, loop: Loop) -> bool:
    """Does it say more than numbers that can be told before the loop?"""
    unknown = any(isinstance(leaf, Unknown) for leaf in leaves(condition))
    return unknown or any(isinstance(a, Value) and loop.number in a.loops for a in atoms(condition))
