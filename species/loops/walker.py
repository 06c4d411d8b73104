"""Walks functions statement by statement and builds the loop model."""

from __future__ import annotations

from typing import Any

from pycparser import c_ast

from species import budget
from species.effects import Effects
from species.loops import updates
from species.loops.affine import constant
from species.loops.conditions import Condition
from species.loops.control import FALLS
from species.loops.environment import Environment
from species.loops.inlining import Inliner
from species.loops.modified import Scanner
from species.loops.nest import FunctionModel, Place
from species.loops.reordering import Reordering
from species.loops.rows import RowTables
from species.loops.symbols import Resolution
from species.loops.types import TypeTable

LOOPS = c_ast.For | c_ast.While | c_ast.DoWhile


class Walker(Reordering):
    """`function` gives the model of one function.

    Statement methods return the condition under which control goes on to the next statement, given
    that the statement was reached; None if it never does.
    """

    def __init__(self, scanner: Scanner, resolution: Resolution, types: TypeTable, effects: Effects) -> None:
        super().__init__(scanner, resolution, types, effects)
        self._row_tables = RowTables(resolution, types, effects)

    def function(self, node: c_ast.FuncDef) -> FunctionModel:
        self.model = FunctionModel(node.decl.name, node)
        self.env = Environment(origins=self.model.origins)
        self.tables = self._row_tables.of(node)
        self.inliner = Inliner(self.resolution, self.types, self.effects)
        self.model.inlined = self.inliner.inlined
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
        handler = getattr(self, f"_do_{type(node).__name__}", self._expression)
        if self.loops or not isinstance(node, LOOPS):
            return handler(node)
        with budget.spending(id(node)):
            return handler(node)

    def _expression(self, node: Any) -> Condition | None:
        for update in updates.candidates(node, self.resolution.functions):
            self._tag(update)
        self.evaluate(node)
        if isinstance(node, c_ast.FuncCall) and self.effects.of_call(node) == "exit":
            return None
        return FALLS

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
        if node.init is None:
            self.env.forget(symbol, self.loop_set)
            return FALLS
        result = self.evaluate(node.init)
        if symbol.is_scalar:
            self.store(Place(symbol, ctype=symbol.ctype), result, node)
        else:
            self.record(Place(symbol, ctype=symbol.ctype, loose=True), True, node)
        return FALLS
