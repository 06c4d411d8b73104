"""Walks functions statement by statement and builds the loop model."""

from __future__ import annotations

from itertools import count
from typing import Any

from pycparser import c_ast

from species.loops import expressions as ex
from species.loops import updates
from species.loops.affine import Affine, constant
from species.loops.conditions import TRUE, Both, Compare, Condition, Either, Unknown, negated
from species.loops.counting import bound_of, start, step_of
from species.loops.environment import Environment, is_shared
from species.loops.evaluator import Evaluator
from species.loops.nest import FunctionModel, Loop, Obstacle, Place, Update
from species.loops.symbols import Symbol
from species.loops.types import CType

_FALLS = TRUE


class Walker(Evaluator):
    """`function` gives the model of one function.

    Statement methods return the condition under which control goes on to the next statement, given
    that the statement was reached; None if it never does.
    """

    _loop_numbers = count(1)

    def function(self, node: c_ast.FuncDef) -> FunctionModel:
        self.model = FunctionModel(node.decl.name, node)
        self.model.structured = node.decl.name not in self.resolution.labelled
        self.env = Environment()
        self._breakables: list[Any] = []
        for parameter in node.decl.type.args.params if node.decl.type.args else []:
            self.note_extents(self.symbol(parameter))
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
        handler = getattr(self, f"_do_{type(node).__name__}", None)
        if handler:
            return handler(node)  # type: ignore[no-any-return]
        return self._expression(node)

    def _expression(self, node: Any) -> Condition | None:
        self._tag(updates.candidate(node))
        self.evaluate(node)
        if isinstance(node, c_ast.FuncCall) and self.effects.of_call(node) == "exit":
            return None
        return _FALLS

    def _tag(self, candidate: updates.Candidate | None) -> None:
        """Marks the references of an update statement, unless its types forbid reordering."""
        if candidate is None or not self._reorders(candidate):
            return
        update = Update(candidate.operator, next(self._blocks))
        for target in candidate.targets:
            self.updates[id(target)] = update

    def _reorders(self, candidate: updates.Candidate) -> bool:
        """Is the order of the updates of no matter, given the types?

        `int s; s += 0.5` rounds at every step, and a `_Bool` is cut down to 0 or 1.
        """
        target = self.scanner.type_of(candidate.targets[0])
        if target.kind == "float":
            return candidate.call is None or self._is_extreme(candidate.call, target)
        if target.kind != "int" or (target.bits == 1 and candidate.operator in "+*^"):
            return False
        with self.quietly():
            before = self.env.copy()
            operands = [self.evaluate(o) for o in candidate.operands]
            self.env = before
        if any(o.ctype.kind != "int" for o in operands):
            return False
        return candidate.operator not in ("max", "min") or (
            candidate.call is None and all(ex.fits(o, target, self.facts) for o in operands)
        )

    def _is_extreme(self, call: c_ast.FuncCall, target: CType) -> bool:
        """Is it the function of math.h, for operands as wide as the target?"""
        library = self.effects.of_call(call) == "pure" and call.name.name not in self.resolution.functions
        return library and (target.bits == 32 or not call.name.name.endswith("f"))

    def _do_Compound(self, node: c_ast.Compound) -> Condition | None:
        outcome: Condition = TRUE
        depth = len(self.conditions)
        learnt: list[Condition] = []
        for item in node.block_items or []:
            after = self.statement(item)
            if after is None:
                self._unreachable_rest(node, item)
                return None
            if after != TRUE:
                self.conditions.append(after)
                learnt.append(after)
        del self.conditions[depth:]
        return Both((outcome, *learnt)) if learnt else TRUE

    def _unreachable_rest(self, node: c_ast.Compound, last: Any) -> None:
        """Code after a jump is reached through a label only: walk it, knowing nothing."""
        rest = node.block_items[node.block_items.index(last) + 1 :]
        if any(
            isinstance(n, c_ast.For | c_ast.While | c_ast.DoWhile | c_ast.Label)
            for r in rest
            for n in updates.walk(r)
        ):
            with self.assuming(Unknown("after a jump")):
                for item in rest:
                    self._forget_all()
                    self.statement(item)

    def _forget_all(self) -> None:
        self.env.forget_where(lambda key: True, self.loop_set)

    def _do_EmptyStatement(self, _: Any) -> Condition | None:
        return _FALLS

    def _do_Pragma(self, _: Any) -> Condition | None:
        return _FALLS

    def _do_Typedef(self, _: Any) -> Condition | None:
        return _FALLS

    def _do_DeclList(self, node: c_ast.DeclList) -> Condition | None:
        for declaration in node.decls:
            self.statement(declaration)
        return _FALLS

    def _do_Decl(self, node: c_ast.Decl) -> Condition | None:
        symbol = self.symbol(node)
        if symbol is None or symbol.ctype.kind == "function":
            return _FALLS
        self.note_extents(symbol)
        self._read_lengths(node.type)
        self.model.declared[symbol] = self.loop_numbers if symbol.storage == "local" else ()
        if symbol.storage == "static":
            return _FALLS  # initialised before the program starts
        if node.init is None:
            self.env.forget(symbol, self.loop_set)
            return _FALLS
        result = self.evaluate(node.init)
        if symbol.is_scalar:
            self.store(Place(symbol, ctype=symbol.ctype), result, node)
        else:
            self.record(Place(symbol, ctype=symbol.ctype, loose=True), True, node)
        return _FALLS

    def _do_If(self, node: c_ast.If) -> Condition | None:
        self._tag(updates.candidate(node))
        condition = self.condition(node.cond)
        before = self.env.copy()
        with self.branch(condition):
            then = self.statement(node.iftrue)
        after_then, self.env = self.env, before
        with self.branch(negated(condition)):
            other = self.statement(node.iffalse) if node.iffalse else _FALLS
        if then is None:
            return None if other is None else _both(negated(condition), other)
        if other is None:
            self.env = after_then
            return _both(condition, then)
        self.env.merge(after_then, self.loop_set)
        if then == TRUE and other == TRUE:
            return _FALLS
        return Either((_both(condition, then), _both(negated(condition), other)))

    def _do_Switch(self, node: c_ast.Switch) -> Condition | None:
        self.evaluate(node.cond)
        self._forget(self.scanner.modified(node.stmt))
        self._breakables.append(node)
        with self.branch(Unknown("inside a switch")):
            self.statement(node.stmt)
        self._breakables.pop()
        self._forget(self.scanner.modified(node.stmt))
        return Unknown("after a switch that jumps") if _jumps(node.stmt) else _FALLS

    def _do_Case(self, node: Any) -> Condition | None:
        self._forget(self.scanner.modified(*(self._breakables[-1:])))
        for item in node.stmts or []:
            if self.statement(item) is None:
                break
        return _FALLS

    _do_Default = _do_Case

    def _do_Label(self, node: c_ast.Label) -> Condition | None:
        self._forget_all()
        self.obstacle("CV303", f"label '{node.name}': control may enter in the middle", node)
        return self.statement(node.stmt)

    def _do_Goto(self, node: c_ast.Goto) -> Condition | None:
        self.obstacle("CV303", f"'goto {node.name}' may leave the loop", node)
        return None

    def _do_Return(self, node: c_ast.Return) -> Condition | None:
        self.evaluate(node.expr)
        self.obstacle("CV302", "'return' leaves the loop", node)
        return None

    def _do_Break(self, node: c_ast.Break) -> Condition | None:
        if self._breakables and isinstance(self._breakables[-1], Loop):
            self.obstacle("CV301", "'break' leaves the loop early", node, [self._breakables[-1]])
            self._breakables[-1].exact = False
        return None

    def _do_Continue(self, _: Any) -> Condition | None:
        return None

    # Loops

    def _forget(self, modified: Any) -> None:
        """The variables and places that the code may change are unknown now."""
        self.env.forget_where(modified.may_change, self.loop_set)
        for symbol in modified.symbols:
            self.env.forget(symbol, self.loop_set)

    def _enter(self, node: Any, kind: str) -> Loop:
        loop = Loop(
            next(self._loop_numbers), kind, node, self.loops[-1] if self.loops else None, self.model.name
        )
        loop.conditions = self.facts
        if loop.parent:
            loop.parent.children.append(loop)
        self.model.loops.append(loop)
        self._read_ahead(node)
        loop.entry = self.env.copy().values
        loop.visible = self.resolution.visible.get(id(node), {})
        header = self.scanner.modified(getattr(node, "init", None))
        loop.set_in_header = frozenset(
            k for k in loop.entry if isinstance(k, Symbol) and header.may_change(k)
        )
        self.loops.append(loop)
        self.block = (*self.block, next(self._blocks))
        return loop

    def _read_ahead(self, node: Any) -> None:
        """Gives names to the values that conditions inside will read, while they are still unchanged."""
        with self.quietly():
            for inner in updates.walk(node):
                if isinstance(inner, c_ast.For | c_ast.While | c_ast.If) and inner.cond is not None:
                    before = self.env.copy()
                    self.evaluate(inner.cond)
                    for key in self.env.values:
                        before.get(key)
                    self.env = before

    def _body(self, loop: Loop, conditions: list[Condition], node: Any) -> None:
        self._breakables.append(loop)
        with self.assuming(Compare(Affine.of(loop.counter)), *conditions):
            self.statement(node.stmt)
            if any(isinstance(n, c_ast.Continue) for n in updates.walk(node.stmt)):
                self._forget(self.scanner.modified(node.stmt))
            if isinstance(node, c_ast.For) and node.next is not None:
                self._tag(updates.candidate(node.next))
                self.evaluate(node.next)
        self._breakables.pop()

    def _leave(self, loop: Loop) -> Condition | None:
        self.loops.pop()
        self.block = self.block[:-1]
        self._forget(self.scanner.modified(loop.node))
        return Unknown("after a loop that may jump away") if _leaves_outer(loop) else _FALLS

    def _do_For(self, node: c_ast.For) -> Condition | None:
        if node.init is not None:
            self.statement(node.init)
        loop = self._enter(node, "for")
        modified = self.scanner.modified(node.stmt, node.next, node.cond)
        self._forget(modified)
        self._count(loop, node)
        if loop.iterator is not None:
            self.env.values[loop.iterator] = start(loop)
        depth = len(self.conditions)
        self.conditions.append(Compare(Affine.of(loop.counter)))
        condition = self.condition(node.cond) if node.cond is not None else TRUE
        facts = [c for c in self.conditions[depth + 1 :] if c != TRUE]
        del self.conditions[depth:]
        self._bound(loop, condition, node)
        self._body(loop, [*facts, loop.bound if loop.bound != TRUE else condition], node)
        return self._leave(loop)

    def _count(self, loop: Loop, node: c_ast.For) -> None:
        """Finds iterator, start and step, or notes why there are none."""
        step = step_of(node.next)
        symbol = self.symbol(step.variable) if step else None
        if step is None or symbol is None:
            return self._not_counted(loop, "it has no iterator with a constant step", node)
        lower = loop.entry.get(symbol) or Environment().get(symbol)
        amount = constant(1)
        if step.amount is not None and self.scanner.modified(step.amount).anything:
            return self._not_counted(loop, "its step has an effect", node)
        if step.amount is not None:
            with self.quietly():
                value = self.evaluate(step.amount).value
            amount = value if isinstance(value, Affine) else Affine()
        if not symbol.ctype.is_integer or not isinstance(lower, Affine):
            return self._not_counted(loop, f"its iterator '{symbol.name}' is no integer", node)
        if not amount.is_constant or amount.constant == 0:
            return self._not_counted(loop, f"its step of '{symbol.name}' is not a constant", node)
        if abs(amount.constant) > symbol.ctype.value_range[1]:
            return self._not_counted(loop, f"its step is too wide for the type of '{symbol.name}'", node)
        if self._changed_in_body(symbol, node):
            return self._not_counted(loop, f"its iterator '{symbol.name}' may change inside the loop", node)
        loop.iterator, loop.lower = symbol, lower
        loop.step = amount.constant * step.sign
        loop.declared_inside = isinstance(node.init, c_ast.DeclList) or symbol.scope is node
        return None

    def _changed_in_body(self, symbol: Symbol, node: c_ast.For) -> bool:
        modified = self.scanner.modified(node.stmt, node.cond)
        return symbol.ctype.volatile or modified.may_change(symbol) or (is_shared(symbol) and modified.calls)

    def _not_counted(self, loop: Loop, why: str, node: Any) -> None:
        loop.obstacles.append(Obstacle("CV307", f"not a counted loop: {why}", node))
        loop.exact, loop.why_inexact = False, why

    def _bound(self, loop: Loop, condition: Condition, node: c_ast.For) -> None:
        if loop.iterator is None:
            return
        if node.cond is None:
            self._not_counted(loop, "it has no condition", node)
            return
        if self.scanner.modified(node.cond).anything:
            self._not_counted(loop, "its condition has an effect", node)
            return
        bound = bound_of(loop, condition, node.cond)
        if isinstance(bound, str):
            self._not_counted(loop, bound, node)
        else:
            loop.bound = bound

    def _do_While(self, node: c_ast.While) -> Condition | None:
        loop = self._enter(node, "while")
        self._forget(self.scanner.modified(node))
        loop.exact = False
        with self.assuming():
            condition = self.condition(node.cond)
            self._body(loop, [condition], node)
        return self._leave(loop)

    def _do_DoWhile(self, node: c_ast.DoWhile) -> Condition | None:
        loop = self._enter(node, "do")
        self._forget(self.scanner.modified(node))
        loop.exact = False
        self._body(loop, [], node)
        with self.assuming():
            self._forget(self.scanner.modified(node))
            self.condition(node.cond)
        return self._leave(loop)


def _both(a: Condition, b: Condition) -> Condition:
    return a if b == TRUE else Both((a, b))


def _jumps(node: Any) -> bool:
    """Does the statement hold a jump that goes further than a `break` of its own?"""
    return any(isinstance(n, c_ast.Continue | c_ast.Return | c_ast.Goto) for n in updates.walk(node))


def _leaves_outer(loop: Loop) -> bool:
    return any(isinstance(n, c_ast.Return | c_ast.Goto) for n in updates.walk(loop.node))
