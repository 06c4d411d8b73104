"""Walks functions statement by statement and builds the loop model."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from pycparser import c_ast

from species.core.budget import DEFAULT_SECONDS
from species.core.effort import Effort, TooLong
from species.loops.environment import Environment
from species.loops.inlining import Inliner
from species.loops.model import FunctionModel, Loop, Place
from species.loops.rows import RowTables
from species.loops.scanner import Scanner
from species.loops.walk.control import FALLS
from species.loops.walk.reordering import Reordering
from species.sets.affine import constant
from species.sets.conditions import Condition, Unknown
from species.symbols import update_idioms as updates
from species.symbols.effects import Effects
from species.symbols.symbols import Resolution
from species.symbols.types import TypeTable

LOOPS = c_ast.For | c_ast.While | c_ast.DoWhile


class Walker(Reordering):
    """`function` gives the model of one function.  Nests may take `seconds`, see `species.core.effort`; one
    that takes longer is left unread, and so are all if the function does.

    Statement methods return the condition under which control goes on to the next statement, given
    that the statement was reached; None if it never does.
    """

    def __init__(
        self,
        scanner: Scanner,
        resolution: Resolution,
        types: TypeTable,
        effects: Effects,
        seconds: float = DEFAULT_SECONDS,
    ) -> None:
        super().__init__(scanner, resolution, types, effects)
        self._seconds = seconds
        self._row_tables = RowTables(resolution, types, effects)

    def function(self, node: c_ast.FuncDef) -> FunctionModel:
        before = self.state()
        try:
            return self._function(node)
        except TooLong:
            self.restore(before)
            self.model = FunctionModel(node.decl.name, node)
            self._list_loops(node.body, None)
            return self.model

    def _function(self, node: c_ast.FuncDef) -> FunctionModel:
        self.model = FunctionModel(node.decl.name, node)
        self.effort = Effort(self._seconds)
        self.env = Environment(origins=self.model.origins, effort=self.effort)
        self.tables = self._row_tables.of(node)
        self.inliner = Inliner(self.resolution, self.types, self.effects)
        self.model.inlined, self.model.callees = self.inliner.inlined, self.resolution.known
        self.model.led = self.inliner.led
        self.begin(node, node.decl.name in self.resolution.labelled)
        for parameter in node.decl.type.args.params if node.decl.type.args else []:
            symbol = self.symbol(parameter)
            if isinstance(parameter, c_ast.Decl):
                self.read_lengths(parameter.type)
            self.note_extents(symbol)
            if symbol is not None and symbol.value is not None:
                self.env.values[symbol] = constant(symbol.value)
        self.statement(node.body)
        for reference in self.model.references:
            if reference.symbol.scope is None and reference.symbol not in self.model.extents:
                self.note_extents(reference.symbol)
        return self.model

    # Statements

    def statement(self, node: Any) -> Condition | None:
        self.effort.take(1)
        handler = getattr(self, f"_do_{type(node).__name__}", self._expression)
        return handler(node) if self.loops or not isinstance(node, LOOPS) else self._nest(node, handler)

    def _expression(self, node: Any) -> Condition | None:
        for update in updates.candidates(node, self.resolution.functions):
            self._tag(update)
        self.evaluate(node)
        if isinstance(node, c_ast.FuncCall) and self.effects.of_call(node) == "exit":
            return None
        return FALLS

    # Too much work

    def _nest(self, node: Any, handler: Callable[[Any], Condition | None]) -> Condition | None:
        """Walks an outermost loop, unless that takes too long."""
        before, model = self.state(), self.model
        lists: tuple[list[Any], ...] = (model.loops, model.references, model.calls)
        lengths = [len(each) for each in lists]
        try:
            with self.effort.nest():
                return handler(node)
        except TooLong:
            if self.effort.is_over:
                raise
            self.restore(before)
            for each, length in zip(lists, lengths, strict=True):
                del each[length:]
            return self._pass_over(node)

    def _pass_over(self, node: Any) -> Condition | None:
        """A nest that is not read may do whatever its statements do, in any order."""
        if not self.quiet:
            self._list_loops(node, None)
        self._forget_all()
        for symbol in self.scanner.modified(node).symbols:
            self.env.forget(symbol, self.loop_set)
        jumps = self.jumps.inside(node)
        for jump in jumps:
            label = self.jumps.target(jump) if isinstance(jump, c_ast.Goto) else None
            if label is not None and not self.jumps.holds(node, label):
                self.pending.setdefault(id(label), []).append(self.env.copy())
        leaves = any(isinstance(jump, c_ast.Return | c_ast.Goto) for jump in jumps)
        return Unknown("after a loop that may jump away") if leaves else FALLS

    def _list_loops(self, node: Any, parent: Loop | None) -> None:
        """The loops in a statement, of which nothing is known."""
        if isinstance(node, LOOPS):
            kind = {c_ast.For: "for", c_ast.While: "while", c_ast.DoWhile: "do"}[type(node)]
            loop = Loop(next(self._loop_numbers), kind, node, parent, self.model.name, unread=True)
            loop.visible = self.resolution.visible.get(id(node), {})
            if parent is not None:
                parent.children.append(loop)
            self.model.loops.append(loop)
            parent = loop
        for child in node:
            self._list_loops(child, parent)

    # The statements themselves

    def _do_EmptyStatement(self, _: Any) -> Condition | None:
        return FALLS

    def _do_Pragma(self, _: Any) -> Condition | None:
        return FALLS

    def _do_Typedef(self, node: c_ast.Typedef) -> Condition | None:
        self.read_lengths(node.type)
        return FALLS

    def _do_DeclList(self, node: c_ast.DeclList) -> Condition | None:
        for declaration in node.decls:
            self.statement(declaration)
        return FALLS

    def _do_Decl(self, node: c_ast.Decl) -> Condition | None:
        symbol = self.symbol(node)
        if symbol is None or symbol.ctype.kind == "function":
            return FALLS
        self.read_lengths(node.type)
        self.note_extents(symbol)
        self.model.declared[symbol] = self.loop_numbers if symbol.storage == "local" else ()
        if symbol.storage == "static":
            return FALLS  # initialised before the program starts
        if not symbol.is_scalar:  # a new one each time, also in a function that a loop calls
            self.renew(symbol)
        if node.init is None:
            self.env.forget(symbol, self.loop_set)
            return FALLS
        in_braces = isinstance(node.init, c_ast.InitList) and symbol.ctype.kind == "struct"
        result = self.aggregate(node.init, symbol.ctype) if in_braces else self.evaluate(node.init)
        if symbol.is_scalar:
            self.store(Place(symbol, ctype=symbol.ctype), result, node)
        else:
            self.record(Place(symbol, ctype=symbol.ctype, loose=True), True, node)
            self.note_members(Place(symbol, ctype=symbol.ctype), result)
        return FALLS
