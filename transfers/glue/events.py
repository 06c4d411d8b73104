"""What happens to arrays as a program runs, in order: launches, and what host code touches between them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

from pycparser import c_ast

from models.sizes.amounts import UNKNOWN
from species.core.positions import Span
from species.source.syntax.tree import walk
from species.symbols.enumerations import constant_value
from species.symbols.symbols import Symbol
from transfers.glue.accesses import Access, Arrays, changed
from transfers.plan.functions import LOOPS, Function
from transfers.plan.program import HostProgram

MOST = 4000  # events


@dataclass(frozen=True, eq=False)
class Repeat:
    """A loop around events; it makes about so many iterations, and changes variables."""

    trips: float
    changed: frozenset[Symbol]


@dataclass(frozen=True, eq=False)
class Event:
    """A launch, or a piece of host code, which is a statement by itself or not.

    `around` are the loops around it, outermost first, those of calling functions included; `root` is the
    function that begins and ends with nothing on the device.
    """

    node: Any
    root: str
    accesses: frozenset[Access]
    around: tuple[Repeat, ...]
    is_launch: bool = False
    is_statement: bool = False

    @property
    def times(self) -> float:
        """How often it happens, about."""
        total = 1.0
        for loop in self.around:
            total *= loop.trips
        return total

    def meets(self, other: Event) -> bool:
        """Does a loop repeat both?"""
        return any(loop in other.around for loop in self.around)


class Events:
    """Those of a program whose kernels stand in the stretches `kernels` of the file.

    Functions that leave data on the device count where they are called.
    """

    def __init__(self, program: HostProgram, arrays: Arrays, kernels: Sequence[Span]) -> None:
        self._program, self._arrays, self._kernels = program, arrays, kernels
        self._active: list[str] = []
        self.listed: list[Event] = []
        self.complete = True
        for name, function in program.functions.items():
            if not function.is_closed and not self._is_inlined(name):
                self._function(function, ())

    def _function(self, function: Function, around: tuple[Repeat, ...]) -> None:
        if function.name in self._active or len(self.listed) > MOST:
            self.complete = False
            return
        self._active.append(function.name)
        self._statement(function.node.body, around)
        self._active.pop()

    @property
    def _current(self) -> Function:
        return self._program.functions[self._active[-1]]

    def _is_inlined(self, name: str | None) -> bool:
        return self._program.leaves(name) and not self._program.functions[str(name)].is_closed

    def _statement(self, node: Any, around: tuple[Repeat, ...]) -> None:
        if node is None:
            return  # no `else`
        if self._is_launch(node):
            self._add(node, self._of_kernel(node), around, is_launch=True)
            return
        inner = isinstance(node, c_ast.Case | c_ast.Default | c_ast.Label) or _is_plain_block(node)
        if not inner and not self._has_launch(node):
            self._host(node, around, is_statement=True)
            return
        match node:
            case c_ast.If() | c_ast.Switch():
                self._host(node.cond, around)
                for part in (node.iftrue, node.iffalse) if isinstance(node, c_ast.If) else (node.stmt,):
                    self._statement(part, around)
            case c_ast.For() | c_ast.While() | c_ast.DoWhile():
                self._loop(node, around)
            case c_ast.Label():
                self._statement(node.stmt, around)
            case c_ast.Compound() | c_ast.Case() | c_ast.Default():
                parts = node.block_items if isinstance(node, c_ast.Compound) else node.stmts
                for part in parts or []:
                    self._statement(part, around)
            case _:
                self._calls(node, around)

    def _loop(self, node: Any, around: tuple[Repeat, ...]) -> None:
        if isinstance(node, c_ast.For):
            self._host(node.init, around)
        count = trips(node)
        loop = Repeat(UNKNOWN if count is None else count, changed(node, self._program.names))
        self._host(node.cond, (*around, loop))
        self._statement(node.stmt, (*around, loop))

    def _calls(self, node: Any, around: tuple[Repeat, ...]) -> None:
        """A statement with calls of functions that launch kernels."""
        self._host(node, around)
        for part in walk(node):
            name = self._program.called(part) if isinstance(part, c_ast.FuncCall) else None
            if name is not None and self._is_inlined(name):
                self._function(self._program.functions[name], around)

    def _host(self, node: Any, around: tuple[Repeat, ...], *, is_statement: bool = False) -> None:
        accesses = self._arrays.of(node) | frozenset(self._of_callees(node)) if node is not None else ()
        if accesses:
            self._add(node, accesses, around, is_statement=is_statement)

    def _of_callees(self, node: Any) -> Iterator[Access]:
        """What functions touch on the host that launch nothing, as a whole."""
        summaries = self._program.names.effects.summaries
        calls = (part for part in walk(node) if isinstance(part, c_ast.FuncCall))
        called = {n for c in calls if (n := summaries.called(c)) is not None}
        for name in sorted(frozenset().union(*map(summaries.reach, called))):
            if name in self._program.functions and not self._is_inlined(name):
                for access in self._arrays.of(self._program.functions[name].node.body):
                    yield replace(access, names=None, place="")

    def _add(
        self,
        node: Any,
        accesses: frozenset[Access],
        around: tuple[Repeat, ...],
        *,
        is_launch: bool = False,
        is_statement: bool = False,
    ) -> None:
        self.listed.append(Event(node, self._active[0], accesses, around, is_launch, is_statement))

    # Launches

    def _is_launch(self, node: Any) -> bool:
        facts = self._current.kernels.get(id(node)) if isinstance(node, LOOPS) else None
        whole = facts.spans.whole if facts is not None and facts.spans is not None else None
        return whole is not None and any(span.holds(whole) for span in self._kernels)

    def _has_launch(self, node: Any) -> bool:
        return any(self._is_launch(part) or self._is_inlined_call(part) for part in walk(node))

    def _is_inlined_call(self, node: Any) -> bool:
        return isinstance(node, c_ast.FuncCall) and self._is_inlined(self._program.called(node))

    def _of_kernel(self, node: Any) -> frozenset[Access]:
        facts = self._current.kernels[id(node)]
        kernel = facts.kernel or facts.scheme
        assert kernel is not None
        used = {array.name: array for array in kernel.arrays}
        symbols = self._program.names.resolution.symbols
        found = set()
        for part in walk(node):
            symbol = symbols.get(id(part)) if isinstance(part, c_ast.ID) else None
            array = used.get(symbol.name) if symbol is not None else None
            if symbol is not None and array is not None:
                kinds = [
                    writes
                    for writes, region in ((False, array.reads), (True, array.writes))
                    if region is not None
                ]
                found |= {Access(self._arrays.one(symbol), writes, 0.0) for writes in kinds}
        return frozenset(found)


def _is_plain_block(node: Any) -> bool:
    """Is it a block whose statements have no variables of their own in common?"""
    items = (node.block_items or []) if isinstance(node, c_ast.Compound) else None
    return items is not None and not any(isinstance(item, c_ast.Decl | c_ast.Typedef) for item in items)


def trips(loop: Any) -> float | None:
    """How many iterations a loop makes, where its header has nothing but numbers."""
    if not isinstance(loop, c_ast.For) or not isinstance(loop.cond, c_ast.BinaryOp):
        return None
    match loop.init:
        case c_ast.DeclList(decls=[c_ast.Decl(name=name, init=first)]) if first is not None:
            pass
        case c_ast.Assignment(op="=", lvalue=c_ast.ID(name=name), rvalue=first):
            pass
        case _:
            return None
    low, high, step = constant_value(first, {}), constant_value(loop.cond.right, {}), _step(loop.next)
    if getattr(loop.cond.left, "name", None) != name or low is None or high is None or not step:
        return None
    return max(0.0, (high - low + {"<=": 1, ">=": -1}.get(loop.cond.op, 0)) / step)


def _step(node: Any) -> int | None:
    match node:
        case c_ast.UnaryOp(op="++" | "p++"):
            return 1
        case c_ast.UnaryOp(op="--" | "p--"):
            return -1
        case c_ast.Assignment(op="+=" | "-=" as sign, rvalue=value):
            amount = constant_value(value, {})
            return amount if sign == "+=" or amount is None else -amount
    return None
