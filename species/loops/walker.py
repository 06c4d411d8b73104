"""Walks functions statement by statement and builds the loop model."""

from __future__ import annotations

from typing import Any

from pycparser import c_ast

from species import budget
from species.loops import expressions as ex
from species.loops import updates
from species.loops.affine import constant
from species.loops.conditions import Condition
from species.loops.control import FALLS
from species.loops.environment import Environment
from species.loops.inlining import Inliner
from species.loops.nest import FunctionModel, Place, Update
from species.loops.repetition import Repetition
from species.loops.rows import row_tables
from species.loops.types import CType

LOOPS = c_ast.For | c_ast.While | c_ast.DoWhile


class Walker(Repetition):
    """`function` gives the model of one function.

    Statement methods return the condition under which control goes on to the next statement, given
    that the statement was reached; None if it never does.
    """

    def function(self, node: c_ast.FuncDef) -> FunctionModel:
        self.model = FunctionModel(node.decl.name, node)
        self.env = Environment()
        self.tables = row_tables(node, self.resolution.symbols)
        self.inliner = Inliner(self.resolution, self.types, self.effects)
        self.model.inlined = self.inliner.inlined
        self.begin(node, node.decl.name in self.resolution.labelled)
        for parameter in node.decl.type.args.params if node.decl.type.args else []:
            symbol = self.symbol(parameter)
            self.note_extents(symbol)
            if symbol is not None and symbol.value is not None:
                self.env.values[symbol] = constant(symbol.value)
        self.statement(node.body)
        for reference in self.model.references:
            if reference.symbol.scope is None and reference.symbol not in self.model.extents:
                self.note_extents(reference.symbol)
        return self.model

    def _read_lengths(self, declarator: Any) -> None:
        while isinstance(declarator, c_ast.ArrayDecl | c_ast.PtrDecl):
            if isinstance(declarator, c_ast.ArrayDecl):
                self.evaluate(declarator.dim)
            declarator = declarator.type

    # Statements

    def statement(self, node: Any) -> Condition | None:
        handler = getattr(self, f"_do_{type(node).__name__}", self._expression)
        if self.loops or not isinstance(node, LOOPS):
            return handler(node)
        with budget.spending(id(node)):
            return handler(node)

    def _expression(self, node: Any) -> Condition | None:
        self._tag(updates.candidate(node, self.resolution.functions))
        self.evaluate(node)
        if isinstance(node, c_ast.FuncCall) and self.effects.of_call(node) == "exit":
            return None
        return FALLS

    def _tag(self, candidate: updates.Candidate | None) -> None:
        """Marks the references of an update statement, unless its types forbid reordering."""
        if candidate is None or not self._reorders(candidate):
            return
        variables = 1 + len(candidate.with_it)
        fixed = tuple(s for s in map(self.symbol, candidate.fixed) if s is not None)
        update = Update(candidate.operator, next(self._blocks), variables, candidate.keeps, fixed)
        for target in (*candidate.targets, *candidate.with_it):
            self.updates[id(target)] = update

    def _reorders(self, candidate: updates.Candidate) -> bool:
        """Is the order of the updates of no matter, given the types?

        `int s; s += 0.5` rounds at every step, and a `_Bool` is cut down to 0 or 1.
        """
        target = self.scanner.type_of(candidate.targets[0])
        own = self.resolution.functions.get(candidate.call.name.name) if candidate.call else None
        if own is not None:  # what is compared, and given back, is converted to the target's type before
            named = [own.decl.type.type, *(p.type for p in own.decl.type.args.params)]
            return all(self.types.resolve(t) == target for t in named)
        if candidate.keeps and not candidate.with_it:
            return target.kind == "int"  # `if (a[i] > a[k]) k = i;` compares elements, not the target
        if target.kind == "float" and candidate.keeps:
            return self._compares_exactly(candidate.operands[0], target)
        if target.kind == "float":
            return candidate.call is None or self._is_extreme(candidate.call, target)
        if target.kind != "int" or (target.bits == 1 and candidate.operator in "+*^"):
            return False
        with self.quietly():
            before = self.env.copy()
            compared = candidate.operands[:1] if candidate.keeps else candidate.operands
            operands = [self.evaluate(o) for o in compared]
            self.env = before
        if any(o.ctype.kind != "int" for o in operands):
            return False
        return candidate.operator.removeprefix("arg") not in ("max", "min") or (
            candidate.call is None and all(self._compares_in_order(o, target) for o in operands)
        )

    def _compares_in_order(self, operand: ex.Evaluated, target: CType) -> bool:
        """Is the operand a value of the target's type, and compared with it as such?  (-1 > 1u in C.)"""
        as_signed = target.unsigned or not ex.common_type(target, operand.ctype).unsigned
        return as_signed and ex.fits(operand, target, self.facts)

    def _compares_exactly(self, operand: Any, target: CType) -> bool:
        """Does the target take over the operand without rounding?  (Else the place depends on the order.)"""
        with self.quietly():
            before = self.env.copy()
            ctype = self.evaluate(operand).ctype
            self.env = before
        if ctype.kind == "int":
            return ctype.bits <= 32 and target.bits == 64
        return ctype.kind == "float" and 0 < ctype.bits <= target.bits

    def _is_extreme(self, call: c_ast.FuncCall, target: CType) -> bool:
        """Is it the function of math.h, for operands as wide as the target?"""
        library = self.effects.of_call(call) in ("pure", "errno")
        return library and (target.bits == 32 or not call.name.name.endswith("f"))

    def _do_EmptyStatement(self, _: Any) -> Condition | None:
        return FALLS

    def _do_Pragma(self, _: Any) -> Condition | None:
        return FALLS

    def _do_Typedef(self, _: Any) -> Condition | None:
        return FALLS

    def _do_DeclList(self, node: c_ast.DeclList) -> Condition | None:
        for declaration in node.decls:
            self.statement(declaration)
        return FALLS

    def _do_Decl(self, node: c_ast.Decl) -> Condition | None:
        symbol = self.symbol(node)
        if symbol is None or symbol.ctype.kind == "function":
            return FALLS
        self.note_extents(symbol)
        self._read_lengths(node.type)
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
