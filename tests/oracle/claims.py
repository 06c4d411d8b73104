"""What the analyser claims of a loop, compiled in the scope in which the loop stands."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from pycparser import c_ast, c_parser

from species.facts import LoopFacts
from tests.oracle.expressions import Closure
from tests.oracle.memory import DisagreementError, Machine, Object, Type, UndefinedError
from tests.oracle.statements import Compiler, iterator_name

Cells = set[tuple[Object, int]]
BIG = 10**40


@lru_cache(maxsize=5000)
def parse(text: str) -> Any:
    """The syntax tree of an expression."""
    try:
        return c_parser.CParser().parse(f"int claim = ({text});").ext[0].init
    except c_parser.ParseError as error:
        raise DisagreementError(f"'{text}' is no expression: {error}") from None


@dataclass
class Box:
    """`name[low:high]..`, evaluated where the loop begins; `ranges` is None for all of the object."""

    name: str
    place: Closure  # of the first cell
    ctype: Type  # of the variable
    ranges: list[tuple[Closure, Closure]] | None
    compiler: Compiler

    def cells(self, m: Machine, f: Any) -> Cells:
        target, base = self.place(m, f)
        if target is None:
            return set()
        if self.ranges is None:
            return {(target, k) for k in range(len(target.cells))}
        offsets, ctype = [base], self.ctype
        for low, high in self.ranges:
            if ctype.target is None:
                ctype, width = ctype, 1
            else:
                ctype = ctype.target
                width = self.compiler.cells(ctype, m, f)
            most = len(target.cells) // width + 1  # anything beyond is outside of the object anyway
            bounds = range(max(low(m, f), -most), min(high(m, f), most) + 1)
            offsets = [o + k * width for o in offsets for k in bounds]
        rest = range(self.compiler.cells(ctype, m, f))
        return {(target, o + k) for o in offsets for k in rest}


class Claims:
    """The facts of one loop with all their texts compiled."""

    def __init__(self, compiler: Compiler, node: c_ast.For, facts: LoopFacts) -> None:
        self.compiler, self.node, self.facts = compiler, node, facts
        self.chain = [node, *_chain(node, facts.base_loops[1:])]
        self.parallel = facts.verdict.is_parallel
        self.private = [self._object(n) for n in facts.private]
        self.iterator = iterator_name(node)
        others = [n for n in facts.lastprivate if n != self.iterator]
        self.lastprivate = [self._object(n) for n in others]
        self.keeps_iterator = self.iterator in facts.lastprivate
        self.conditions = [compiler.truth(parse(c)) for c in facts.conditions]
        self.reductions = [(r.operator, self._reduced(r.variable)) for r in facts.reductions]
        self._regions()
        self._domains()

    def _object(self, name: str) -> Closure:
        try:
            return self.compiler.variable(name)[0]
        except UndefinedError:
            raise DisagreementError(f"'{name}' is not visible at the loop") from None

    def expression(self, text: str) -> Closure:
        try:
            return self.compiler.rvalue(parse(text))[0]
        except UndefinedError as error:
            raise DisagreementError(f"'{text}': {error}") from None

    def _reduced(self, text: str) -> Box:
        if text.endswith("[:]"):
            return self.box(re.split(r"\.|->", text[:-3])[0], None)
        if ":" in text and ("." in text or ">" in text):
            return self.box(re.split(r"[.\[-]", text)[0], None)
        if ":" not in text:
            place, ctype = self.compiler.lvalue(parse(text))
            return Box(text, place, ctype, [], self.compiler)
        name, *sections = re.split(r"\[", text.replace("]", ""))
        parts = [s.split(":") for s in sections]
        ranges = [(self.expression(a), self.expression(f"({a})+({n})-1")) for a, n in parts]
        return self.box(name, ranges)

    def box(self, name: str, ranges: list[tuple[Closure, Closure]] | None) -> Box:
        """A part of what a variable names: its array, or the array that it points to."""
        self._object(name)
        place, ctype = self.compiler.lvalue(parse(name))
        if ctype.kind != "pointer":
            return Box(name, place, ctype, ranges, self.compiler)

        def pointee(m: Machine, f: Any) -> Any:
            value = m.load(*place(m, f))
            return value.target, value.index

        return Box(name, pointee, ctype, ranges, self.compiler)

    def region(self, name: str, ranges: Any) -> Box | None:
        if ranges is None:
            return None
        bounds = [(self.expression(r.low), self.expression(r.high)) for r in ranges]
        return self.box(name, bounds or None)

    def _regions(self) -> None:
        kernel = self.facts.kernel
        self.usable = kernel is not None and not kernel.obstacles
        self.arrays = []
        self.trips: list[tuple[Any, Closure | None]] = []
        if kernel is None:
            return
        for loop, node in zip(kernel.loops, self.chain, strict=False):
            self.trips.append((node, self.expression(loop.trips) if loop.trips else None))
        if self.usable:
            for array in kernel.arrays:
                reads, writes = (self.region(array.name, r) for r in (array.reads, array.writes))
                self.arrays.append((array, reads, writes))

    def _domains(self) -> None:
        self.domains: list[tuple[Any, Box]] = []
        for c in self.facts.characterisations:
            simple = "." not in c.name and ">" not in c.name and self.compiler.lookup(c.name)
            if simple:
                ranges = [(self.expression(r.low), self.expression(r.high)) for r in c.domain]
                self.domains.append((c, self.box(c.name, ranges)))


def _chain(node: Any, names: tuple[str, ...]) -> list[Any]:
    """The loops of these iterators in the perfect nest below a loop."""
    found: list[Any] = []
    wanted = list(names)
    while wanted:
        node = _only(node.stmt)
        if not isinstance(node, c_ast.For):
            break
        if iterator_name(node) == wanted[0]:
            found.append(node)
            wanted.pop(0)
    return found


def _only(node: Any) -> Any:
    while isinstance(node, c_ast.Compound):
        items = [i for i in node.block_items or [] if not isinstance(i, c_ast.EmptyStatement | c_ast.Pragma)]
        if len(items) != 1:
            return None
        node = items[0]
    return node
