"""Counts the iterations of loops: iterator, start, step and bound, and what is known after the last one."""

from __future__ import annotations

from collections.abc import Iterator

from pycparser import c_ast

from species.loops import induction
from species.loops.counting import again_bound, bound_of, inequality
from species.loops.environment import Environment, Key, Known, is_shared
from species.loops.induction import Changes
from species.loops.model import Loop, Multiplied, Obstacle, Pointer
from species.loops.walk.control import Control
from species.loops.wrapping import looking_ahead, stays, through_zero, wraps
from species.sets.affine import Affine, constant
from species.sets.conditions import TRUE, Compare, Condition, rewritten
from species.sets.domains import implied
from species.source.syntax.tree import walk
from species.symbols.steps import multiple_of, step_of
from species.symbols.symbols import Symbol
from species.symbols.types import CType


class Iterations(Control):
    """What the header and the condition of a loop say of its iterations."""

    def _count(self, loop: Loop) -> str:
        """Finds iterator, start and step in the header of a `for`; else says why there are none."""
        node = loop.node
        step = step_of(getattr(node, "next", None))
        symbol = self.symbol(step.variable) if step else None
        if step is None or symbol is None:
            words = "in its header" if loop.kind == "for" else "in its condition"
            return f"no variable {words} moves by the same constant in every iteration"
        lower = loop.entry.get(symbol) or Environment().get(symbol)
        amount = constant(1)
        if step.amount is not None and self.scanner.modified(step.amount).anything:
            return "its step has an effect"
        rises = is_own = False
        if step.amount is not None:
            with self.quietly():
                value, ctype, _ = self.evaluate(step.amount)
            amount = value if isinstance(value, Affine) else Affine()
            natural = implied(Compare(amount), self.facts)
            rises = step.sign > 0 and (ctype.unsigned or natural)
            is_own = _adds_as(symbol.ctype, ctype, natural)
        if not symbol.ctype.is_integer or not isinstance(lower, Affine):
            return f"its iterator '{symbol.name}' is no integer"
        if is_own and self._is_strided(loop, symbol, amount, rises):
            self._iterates(loop, symbol, lower, step.sign)
            loop.stride, loop.exact, loop.why_inexact = amount, False, "its step is not a constant"
            return ""
        if not amount.is_constant or amount.constant == 0:
            return f"its step of '{symbol.name}' is not a constant"
        if abs(amount.constant) > symbol.ctype.value_range[1]:
            return f"its step is too wide for the type of '{symbol.name}'"
        if self._changed_in_body(symbol, node):
            return f"its iterator '{symbol.name}' may change inside the loop"
        self._iterates(loop, symbol, lower, amount.constant * step.sign)
        return ""

    def _is_strided(self, loop: Loop, symbol: Symbol, amount: Affine, rises: bool) -> bool:
        """`i += s`: the iterator moves always by the same, and towards the bound, as `_is_sure` finds out.

        Unsigned ones of 64 bits that rise stay below the end of their range, where no bound is that large.
        """
        fixed = not amount.is_constant and loop.number not in amount.loops
        bits, unsigned = symbol.ctype.bits, symbol.ctype.unsigned
        moves_on = (rises and bits >= 64) if unsigned else bits >= 32
        return fixed and moves_on and not self._changed_in_body(symbol, loop.node)

    def _iterates(self, loop: Loop, symbol: Symbol, lower: Affine, step: int) -> None:
        node = loop.node
        loop.iterator, loop.lower, loop.step = symbol, lower, step
        declares = isinstance(getattr(node, "init", None), c_ast.DeclList)
        loop.declared_inside = declares or symbol.scope is node
        written = step_of(getattr(node, "next", None))
        named = written is not None and self.symbol(written.variable) is symbol
        loop.steps_in_header = named and not self._changed_in_body(symbol, node)

    def _changed_in_body(self, symbol: Symbol, node: c_ast.For) -> bool:
        modified = self.scanner.modified(node.stmt, node.cond)
        return symbol.ctype.volatile or modified.may_change(symbol) or (is_shared(symbol) and modified.calls)

    def _multiplied(self, loop: Loop) -> Iterator[Multiplied]:
        """What the header multiplies, or divides, by powers of two, and nothing else changes."""
        node = getattr(loop.node, "next", None)
        parts = node.exprs if isinstance(node, c_ast.ExprList) else [node]
        for part, each in ((part, each) for part in parts if (each := multiple_of(part)) is not None):
            symbol = self.symbol(each.variable)
            if symbol is None or not symbol.ctype.is_integer or symbol.ctype.bits < 32:
                continue
            others = self.scanner.modified(*(other for other in parts if other is not part))
            if others.may_change(symbol):
                continue
            start, value = loop.entry.get(symbol), self.env.get(symbol)
            if not isinstance(start, Affine) or not isinstance(value, Affine):
                continue
            is_power = start.is_constant and start.constant > 0 and start.constant & (start.constant - 1) == 0
            if not self._changed_in_body(symbol, loop.node) and (is_power or not each.rises):
                yield Multiplied(value, start, each.rises)

    def _choose(self, loop: Loop, changes: Changes) -> None:
        """The iterator of a loop that does not name one in its header: what moves in its condition."""
        node = loop.node
        names = {self.symbol(n) for n in walk(node.cond)} if node.cond is not None else set()
        found = [s for s, c in changes.items() if s in names and c.amount.is_constant and c.amount.constant]
        for symbol in sorted(found, key=lambda s: (not s.ctype.is_integer, s.name)):
            first = induction.first_value(loop, symbol)
            lower = first.offset if isinstance(first, Pointer) else first
            if isinstance(lower, Affine):
                return self._iterates(loop, symbol, lower, changes[symbol].amount.constant)
        return None

    def _not_counted(self, loop: Loop, why: str) -> None:
        loop.exact, loop.why_inexact = False, why
        if loop.kind == "for":
            loop.obstacles.append(Obstacle("CV307", f"not a counted loop: {why}", loop.node))
        else:
            loop.obstacles.append(Obstacle("CV308", f"a '{loop.kind}' loop is not counted: {why}", loop.node))

    def _bound(self, loop: Loop, condition: Condition | None) -> None:
        if loop.iterator is None:
            return
        found = self._decided(loop, condition)
        if isinstance(found, str):
            self._not_counted(loop, found)
        else:
            loop.bound = found

    def _decided(self, loop: Loop, condition: Condition | None) -> Condition | str:
        """The condition as a bound, if need be on an assumption, or why it is none."""
        found = self._find_bound(loop, condition)
        if isinstance(found, str) and condition is not None and loop.kind == "for":
            return self._assumed(loop, condition, found)
        return found

    def _assumed(self, loop: Loop, condition: Condition, why: str) -> Condition | str:
        """The bound if nothing that the loop writes is what its condition reads.

        The judge compares these references like all others, so the loop is parallel on that condition only.
        What inner loops and the code after the loop rely on must not follow from it.
        """
        if loop.steps or loop.iterator is None or loop.iterator.ctype.bits < 32:
            return why
        if loop.iterator.ctype.unsigned and not stays(loop, (*self.facts, condition)):
            return why
        before = rewritten(condition, lambda e: self.model.origins.before(e, loop.number))
        found = self._find_bound(loop, before)
        if not isinstance(found, str):
            loop.assumed, loop.exact = True, False
            loop.why_inexact = "its bound may change with what it writes"
        return found

    def _find_bound(self, loop: Loop, condition: Condition | None) -> Condition | str:
        """The condition as a bound on the counter, or why it is none."""
        node = loop.node
        if node.cond is None or condition is None:
            return "it has no condition"
        modified = self.scanner.modified(node.cond)
        if modified.memory or modified.calls or modified.symbols - {loop.iterator, *loop.steps}:
            return "its condition has an effect"
        alone = self._ends_alone(loop)
        through = through_zero(loop, condition, self.facts, alone) if loop.kind == "for" else None
        if through is not None:
            loop.lower, bound = through
            loop.through_zero = True
            return bound
        loop.meets_bound = alone and inequality(condition) is not None
        condition = looking_ahead(loop, condition, self.facts, alone)
        found = bound_of(loop, condition, self.facts, alone)
        if loop.kind == "do" and not isinstance(found, str):
            found = again_bound(loop, found, self.facts)
        if isinstance(found, str):
            return found
        return wraps(loop, condition, found, self.facts, alone and self._keeps_order(loop)) or found

    def _keeps_order(self, loop: Loop) -> bool:
        """Is a signed iterator compared as one?  As an unsigned number it would end the loop below zero."""
        if loop.iterator is None or loop.iterator.ctype.unsigned or not loop.iterator.ctype.wraps_around:
            return True
        sides = (
            (loop.node.cond.left, loop.node.cond.right) if isinstance(loop.node.cond, c_ast.BinaryOp) else ()
        )
        with self.quietly():
            before = self.env.copy()
            types = [self.evaluate(side).ctype for side in sides]
            self.env = before
        return bool(types) and all(t.is_integer and (not t.unsigned or t.bits < 32) for t in types)

    def _ends_alone(self, loop: Loop) -> bool:
        """Does the loop end where its condition says so of what it counts, and nowhere else?"""
        node = loop.node
        if loop.ends_early:
            return False
        names = {self.symbol(n) for n in walk(node.cond) if isinstance(n, c_ast.ID)}
        modified = self.scanner.modified(node.stmt, node.cond, getattr(node, "next", None))
        moved = {s for s in names if s is not None and modified.may_change(s)}
        calls = (n for n in walk(node.cond) if isinstance(n, c_ast.FuncCall))
        if not all(self.effects.of(c).is_plain for c in calls):
            return False
        exact = not any(s.ctype.wraps_around for s in moved)
        return moved <= {loop.iterator} or (exact and moved <= {loop.iterator, *loop.steps})

    # After the last iteration

    def _last_values(self, loop: Loop, changes: Changes) -> dict[Key, Known]:
        """What is known after the loop of the variables that it moves."""
        moving = set(changes) | ({loop.iterator} if loop.iterator else set())
        if loop.strided or loop.assumed or loop.bound == TRUE or not moving - self._inner(loop):
            return {}
        if self.jumps.may_end_early(loop.node):
            return {}
        trips = induction.trips(loop, self.facts)
        if trips is None:
            return {}
        return {s: v for s, v in self._after(loop, changes, trips).items() if self._is_kept(loop, s, v)}

    def _inner(self, loop: Loop) -> set[Symbol]:
        """Variables that are gone after the loop."""
        return {loop.iterator} if loop.iterator and loop.declared_inside else set()

    def _after(self, loop: Loop, changes: Changes, trips: Affine) -> dict[Key, Known]:
        values = induction.values(loop, changes, trips)
        if loop.kind == "do" or not self.scanner.modified(loop.node.cond).anything:
            return values
        before = self.env
        self.env = before.copy()
        self._forget(self.scanner.modified(loop.node))
        self.env.values.update(values)
        with self.quietly():
            self.condition(loop.node.cond)  # it is evaluated once more, and does not hold
        values = {s: self.env.values[s] for s in values}
        self.env = before
        return values

    def _is_kept(self, loop: Loop, symbol: Key, value: Known) -> bool:
        """Is the value after the loop certain, and one that others can work with?"""
        if isinstance(value, Pointer):  # what is reached from here on is named by the variable as it is now
            return value.place.symbol is not symbol or symbol in self.tracked
        if symbol is loop.iterator and induction.has_maximum(value):
            return False
        signed = not symbol.ctype.unsigned and symbol.ctype.bits >= 32
        return signed or induction.in_range(value, symbol.ctype, self.facts)


def _adds_as(iterator: CType, amount: CType, natural: bool) -> bool:
    """Is the sum made in the iterator's type, or one that loses nothing on the way back?

    A wide stride, or an unsigned one of an `int`, may be another number modulo the iterator's range.
    """
    if amount.bits < iterator.bits:
        return not iterator.unsigned or amount.unsigned or natural
    return amount.bits == iterator.bits and (
        amount.unsigned == iterator.unsigned or (iterator.unsigned and natural)
    )
