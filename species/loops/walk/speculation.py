"""Expressions that are evaluated only as a partial result wants: other threads have other partial results."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

from pycparser import c_ast

from species.loops.model import Place
from species.loops.modified import Modified
from species.loops.walk.repetition import REPEATABLE, Repetition
from species.sets.affine import Affine
from species.sets.conditions import Compare, Condition, negated
from species.sets.domains import implied
from species.source.syntax.tree import walk
from species.symbols import update_idioms as updates
from species.symbols.types import UNKNOWN

_CONDITIONAL = ("&&", "||", "max", "min", "argmax", "argmin")


class Speculation(Repetition):
    """Whether it matters how often expressions are evaluated, and when."""

    def is_repeatable(self, candidate: updates.Candidate) -> bool:
        """May the operands of an update be evaluated where the program does not, or only once?"""
        if candidate.operator not in _CONDITIONAL:
            return True
        if any(self._has_effect(o) for o in candidate.operands):
            return False
        sure = () if candidate.operator in ("&&", "||") else tuple(_always(candidate.operands[0]))
        if not candidate.guarded:
            return True
        with self.quietly():
            before = self.env.copy()
            self.conditions += self._in_range([*sure, *self._of_iteration()])
            found = all(self._follows_safely(o, candidate.operator, sure) for o in candidate.guarded)
            self.env = before
        return found

    def _of_iteration(self) -> Iterator[Any]:
        """The expressions that every iteration of the innermost loop evaluates, as long as nothing jumps."""
        body = self.loops[-1].node.stmt if self.loops else None
        for item in (body.block_items or []) if isinstance(body, c_ast.Compound) else ():
            if self.jumps.inside(item) or self.effects.may_not_return(item):
                return
            if isinstance(item, c_ast.Decl | c_ast.If):
                item = item.init if isinstance(item, c_ast.Decl) else item.cond
            if isinstance(item, c_ast.Assignment | c_ast.BinaryOp | c_ast.UnaryOp | c_ast.ArrayRef):
                yield from _always(item)

    def _in_range(self, nodes: Iterable[Any]) -> list[Condition]:
        """What accesses that are certain say of subscripts, which mean the same in the whole iteration."""
        found: list[Condition] = []
        changed = self.scanner.modified(self.loops[-1].node.stmt) if self.loops else Modified()
        for node in nodes:
            if not isinstance(node, c_ast.ArrayRef | c_ast.StructRef):
                continue
            symbols = [self.symbol(n) for n in walk(node) if isinstance(n, c_ast.ID)]
            place = self.place(node)
            scalars = [s for s in symbols if s is not None and place is not None and s is not place.symbol]
            if place is not None and not any(map(changed.may_change, scalars)):
                whole = place.ctype.kind in ("int", "float", "pointer")
                found += (c for c in self._limits(place) or () if whole)
        return found

    def _follows_safely(self, node: Any, operator: str, sure: tuple[Any, ...]) -> bool:
        """Is it safe?  What comes after it in a chain is evaluated only where it holds, or does not."""
        if not self._is_safe(node, sure):
            return False
        condition = self.condition(node)
        self.conditions.append(negated(condition) if operator == "||" else condition)
        return True

    def _is_safe(self, node: Any, sure: tuple[Any, ...]) -> bool:
        """Is there nothing in it that may trap?  The expressions `sure` have been evaluated before."""
        if any(updates.same(node, known) for known in sure):
            return True
        match node:
            case c_ast.Constant() | c_ast.ID() | c_ast.UnaryOp(op="sizeof"):
                return True
            case c_ast.Cast() | c_ast.UnaryOp(op="-" | "+" | "!" | "~"):
                return self._is_safe(node.expr, sure)
            case c_ast.ArrayRef() | c_ast.StructRef():
                return self._is_safe_place(node, sure)
            case c_ast.TernaryOp():
                branches = ((node.iftrue, False), (node.iffalse, True))
                return self._is_safe(node.cond, sure) and all(
                    self._is_safe_after(node.cond, b, otherwise, sure) for b, otherwise in branches
                )
            case c_ast.BinaryOp(op="&&" | "||"):
                after = self._is_safe_after(node.left, node.right, node.op == "||", sure)
                return self._is_safe(node.left, sure) and after
            case c_ast.BinaryOp():
                sides = self._is_safe(node.left, sure) and self._is_safe(node.right, sure)
                return sides and (node.op not in ("/", "%") or self._divides(node))
            case c_ast.FuncCall():
                return self._is_of_numbers(node) and all(self._is_safe(a, sure) for a in node.args.exprs)
        return False

    def _is_safe_after(self, test: Any, node: Any, otherwise: bool, sure: tuple[Any, ...]) -> bool:
        """Is it safe where the test holds, or `otherwise` where it does not?"""
        condition = self.condition(test)
        with self.assuming(negated(condition) if otherwise else condition):
            return self._is_safe(node, sure)

    def _divides(self, node: c_ast.BinaryOp) -> bool:
        """Is it a division of fractions, or by what is certainly greater than zero?"""
        left, right = self.evaluate(node.left), self.evaluate(node.right)
        if "float" in (left.ctype.kind, right.ctype.kind):
            return True
        value = right.value
        return isinstance(value, Affine) and (
            implied(Compare(value - 1), self.facts) or (value.is_constant and value.constant < -1)
        )

    def _is_of_numbers(self, node: c_ast.FuncCall) -> bool:
        """Does it call a function of math.h?"""
        effect = self.effects.of(node)
        fractions = effect.signature is not None and set(effect.signature) <= {"double", "float"}
        return fractions and effect.kind in REPEATABLE and self.effects.summaries.called(node) is None

    def _is_safe_place(self, node: Any, sure: tuple[Any, ...]) -> bool:
        """Is it a part of a declared object, at subscripts that are certainly in range?"""
        inner = node
        while isinstance(inner, c_ast.ArrayRef | c_ast.StructRef):
            if isinstance(inner, c_ast.ArrayRef) and not self._is_safe(inner.subscript, sure):
                return False
            inner = inner.name
        place = self.place(node) if isinstance(inner, c_ast.ID) else None
        limits = self._limits(place) if place is not None else None
        return limits is not None and all(implied(limit, self.facts) for limit in limits)

    def _limits(self, place: Place) -> list[Compare] | None:
        """What must hold for the place to be in a declared object; None: there is none, or it has no size."""
        symbol, ctype = place.symbol, place.symbol.ctype
        if place.base is not None or place.loose or symbol.storage in ("parameter", "memory"):
            return None
        if symbol.scope is None and symbol not in self.model.extents:
            self.note_extents(symbol)
        sizes, limits = list(self.model.extents.get(symbol, ())), []
        for step in place.path:
            if isinstance(step, str):
                ctype = self.types.member(ctype, step)
                sizes = []
                continue
            size = sizes.pop(0) if sizes else self.length(ctype.extent) if ctype.kind == "array" else None
            if not isinstance(size, Affine):
                return None
            limits += [Compare(step), Compare(size - step - 1)]
            ctype = ctype.target or UNKNOWN
        return limits


def _always(node: Any) -> Iterator[Any]:
    """The parts of an expression that are evaluated whenever it is."""
    yield node
    if isinstance(node, c_ast.TernaryOp):
        yield from _always(node.cond)
    elif isinstance(node, c_ast.BinaryOp) and node.op in ("&&", "||"):
        yield from _always(node.left)
    elif getattr(node, "op", None) not in ("sizeof", "&") or isinstance(node, c_ast.BinaryOp):
        for _, child in node.children():
            yield from _always(child)
