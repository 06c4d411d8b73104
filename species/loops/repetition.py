"""Walks loops: counts their iterations and finds what every iteration changes in the same way."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from typing import Any

from pycparser import c_ast

from species.loops import induction, updates
from species.loops.affine import Affine, Value, constant
from species.loops.conditions import TRUE, Compare, Condition, Unknown, with_values
from species.loops.control import FALLS, Control, Frame
from species.loops.counting import again_bound, bound_of, inequality, start, step_of, wraps
from species.loops.environment import Environment, Key, Known, is_shared
from species.loops.induction import Change
from species.loops.modified import Modified
from species.loops.nest import Loop, Obstacle, Pointer
from species.loops.symbols import Symbol

MAX_TRIALS = 3  # within each other: the number of walks would double with every level of a nest

Changes = Mapping[Symbol, Change]


class Repetition(Control):
    """The statements `for`, `while` and `do`."""

    _trials = 0

    def _do_For(self, node: c_ast.For) -> Condition | None:
        if node.init is not None:
            self.statement(node.init)
        return self._loop(node, "for")

    def _do_While(self, node: c_ast.While) -> Condition | None:
        return self._loop(node, "while")

    def _do_DoWhile(self, node: c_ast.DoWhile) -> Condition | None:
        return self._loop(node, "do")

    def _loop(self, node: Any, kind: str) -> Condition | None:
        loop = self._enter(node, kind)
        modified = self.scanner.modified(node.stmt, node.cond, getattr(node, "next", None))
        self._forget(modified)
        loop.kept = self._kept(loop, modified)
        why = self._count(loop)
        changes = self._changes(loop)
        if loop.iterator is None:
            self._choose(loop, changes)
        changes = self._accepted(loop, changes)
        loop.steps = {s: c.amount for s, c in changes.items() if s is not loop.iterator}
        if loop.iterator is None:
            self._not_counted(loop, why)
        tracked, self.tracked = self.tracked, self.tracked | frozenset(loop.steps) | _pointer(loop)
        with self.assuming(Compare(Affine.of(loop.counter))):
            self._begin(loop, changes)
            self._repeat(loop, changes)
        self.tracked = tracked
        return self._leave(loop, changes)

    def _repeat(self, loop: Loop, changes: Changes) -> None:
        """The walk that counts: condition and body, with what is known of an iteration."""
        if loop.kind == "do":
            self._bound(loop, self._last_condition(loop, changes))
            self._iterate(loop, [loop.bound])
            return
        depth, before = len(self.conditions), self.env.copy()
        condition = TRUE if loop.node.cond is None else self.condition(loop.node.cond)
        facts = [c for c in self.conditions[depth:] if c != TRUE]
        del self.conditions[depth:]
        self._bound(loop, condition)
        is_plain = loop.bound != TRUE and not loop.assumed
        conditions = [*facts, loop.bound if is_plain else condition]
        self._has_held(loop.node.cond, before, conditions)
        self._iterate(loop, conditions)

    # Parts of a loop

    def _enter(self, node: Any, kind: str) -> Loop:
        loop = Loop(
            next(self._loop_numbers), kind, node, self.loops[-1] if self.loops else None, self.model.name
        )
        loop.conditions, loop.inlined = self.facts, self.inlining is not None
        if not self.quiet:
            if loop.parent:
                loop.parent.children.append(loop)
            self.model.loops.append(loop)
        self._read_ahead(node)
        loop.entry = self.env.copy().values
        loop.visible = self.resolution.visible.get(id(node), {})
        header = self.scanner.modified(getattr(node, "init", None))
        loop.set_in_header = frozenset(k for k in loop.entry if header.may_change(k))
        self.loops.append(loop)
        self.enter_block()
        return loop

    def _read_ahead(self, node: Any) -> None:
        """Gives names to the values that conditions and addresses inside will read, while still unchanged."""
        with self.quietly():
            for inner in updates.walk(node):
                is_choice = isinstance(inner, c_ast.For | c_ast.While | c_ast.If)
                wanted = inner.cond if is_choice else inner if self._is_shared_value(inner) else None
                if wanted is None:
                    continue
                before = self.env.copy() if self.scanner.modified(wanted).anything else None
                self.evaluate(wanted)
                if before is not None:
                    for key in self.env.values:
                        before.get(key)
                    self.env = before

    def _is_shared_value(self, node: Any) -> bool:
        """An integer or pointer in memory, or a variable that others may change."""
        if isinstance(node, c_ast.ID):
            symbol = self.symbol(node)
            return symbol is not None and is_shared(symbol) and symbol.is_scalar
        if not isinstance(node, c_ast.StructRef | c_ast.ArrayRef):
            return False
        return self.scanner.type_of(node).kind in ("int", "pointer")

    def _begin(self, loop: Loop, changes: Changes) -> None:
        """The variables as they are at the start of an iteration."""
        for symbol, value in self._values(loop, changes, Affine.of(loop.counter)).items():
            self.env.values[symbol] = value

    def _values(self, loop: Loop, changes: Changes, count: Affine) -> dict[Key, Known]:
        """Iterator and induction variables after `count` iterations."""
        found: dict[Key, Known] = {
            s: induction.moved(_entry(loop, s), c.amount, count) for s, c in changes.items()
        }
        if loop.iterator is not None and loop.iterator not in found:
            found[loop.iterator] = loop.lower + count.scaled(loop.step)
        return found

    def _has_held(self, node: Any, before: Environment, conditions: list[Condition]) -> None:
        """What a condition changes is known better once it has held."""
        if node is not None and self.scanner.modified(node).anything:
            self.env = before
            with self.quietly(), self.assuming(*conditions):
                self.condition(node)

    def _iterate(self, loop: Loop, conditions: Iterable[Condition]) -> Condition:
        """The body and what follows it in every iteration, also after `continue`.

        The result is the condition of a `do` for another iteration.
        """
        node, frame = loop.node, Frame(loop)
        with self.assuming(*conditions):
            self._resolve_maxima()
            self.breakables.append(frame)
            after = self.statement(node.stmt)
            self.breakables.pop()
            self.rejoin([*frame.continues, *([self.env] if after is not None else [])])
            if getattr(node, "next", None) is not None:
                self._tag(updates.candidate(node.next, self.resolution.functions))
                self.evaluate(node.next)
            return self.condition(node.cond) if loop.kind == "do" else TRUE

    def _resolve_maxima(self) -> None:
        for key, value in self.env.values.items():
            if induction.has_maximum(value):
                self.env.values[key] = induction.resolved_known(value, self.facts)

    def _leave(self, loop: Loop, changes: Changes) -> Condition | None:
        self.loops.pop()
        self.block = self.block[:-1]
        values = self._last_values(loop, changes)
        self._forget(self.scanner.modified(loop.node))
        self.env.values.update(values)
        return Unknown("after a loop that may jump away") if self._leaves_outer(loop) else FALLS

    def _leaves_outer(self, loop: Loop) -> bool:
        return any(isinstance(j, c_ast.Return | c_ast.Goto) for j in self.jumps.inside(loop.node))

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
        values = self._values(loop, changes, trips)
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

    # Counting

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
        if step.amount is not None:
            with self.quietly():
                value = self.evaluate(step.amount).value
            amount = value if isinstance(value, Affine) else Affine()
        if not symbol.ctype.is_integer or not isinstance(lower, Affine):
            return f"its iterator '{symbol.name}' is no integer"
        if self._is_strided(loop, symbol, amount):
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

    def _is_strided(self, loop: Loop, symbol: Symbol, amount: Affine) -> bool:
        """`i += s`: the iterator moves towards the bound, or the loop would not end; always by the same."""
        fixed = not amount.is_constant and loop.number not in amount.loops
        signed = not symbol.ctype.unsigned and symbol.ctype.bits >= 32
        return fixed and signed and not self._changed_in_body(symbol, loop.node)

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

    def _choose(self, loop: Loop, changes: Changes) -> None:
        """The iterator of a loop that does not name one in its header: what moves in its condition."""
        node = loop.node
        names = {self.symbol(n) for n in updates.walk(node.cond)} if node.cond is not None else set()
        found = [s for s, c in changes.items() if s in names and c.amount.is_constant and c.amount.constant]
        for symbol in sorted(found, key=lambda s: (not s.ctype.is_integer, s.name)):
            entry = _entry(loop, symbol)
            lower = entry.offset if isinstance(entry, Pointer) else entry
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
        found = self._find_bound(loop, condition)
        if isinstance(found, str) and condition is not None and loop.kept and loop.kind == "for":
            found = self._assumed(loop, condition, found)
        if isinstance(found, str):
            self._not_counted(loop, found)
        else:
            loop.bound = found

    def _kept(self, loop: Loop, modified: Modified) -> dict[Value, Affine]:
        """New values of integers that only a write through some pointer may change, with the old ones."""
        found = {}
        for key, old in loop.entry.items():
            new = self.env.values.get(key)
            if not isinstance(new, Affine) or not isinstance(old, Affine) or new == old:
                continue
            ((atom, _),) = new.terms or ((None, 0),)
            if isinstance(atom, Value) and modified.only_by_alias(key):
                found[atom] = old
        return found

    def _assumed(self, loop: Loop, condition: Condition, why: str) -> Condition | str:
        """The bound if nothing that the loop writes is what its condition reads.

        The judge compares these references like all others, so the loop is parallel on that condition only.
        What inner loops and the code after the loop rely on must not follow from it.
        """
        signed = loop.iterator is not None and not loop.iterator.ctype.unsigned
        if loop.steps or not signed or (loop.iterator and loop.iterator.ctype.bits < 32):
            return why
        found = self._find_bound(loop, with_values(condition, loop.kept))
        if not isinstance(found, str):
            loop.assumed, loop.exact, loop.why_inexact = (
                True,
                False,
                "its bound may change with what it writes",
            )
        return found

    def _find_bound(self, loop: Loop, condition: Condition | None) -> Condition | str:
        """The condition as a bound on the counter, or why it is none."""
        node = loop.node
        if node.cond is None or condition is None:
            return "it has no condition"
        modified = self.scanner.modified(node.cond)
        if modified.memory or modified.calls or modified.symbols - {loop.iterator, *loop.steps}:
            return "its condition has an effect"
        loop.meets_bound = inequality(condition) is not None
        found = bound_of(loop, condition, self.facts)
        if loop.kind == "do" and not isinstance(found, str):
            found = again_bound(loop, found, self.facts)
        if isinstance(found, str):
            return found
        return wraps(loop, found, self.facts) or found

    # Induction

    def _changes(self, loop: Loop) -> Changes:
        """What an iteration does to variables: it is walked once, quietly, knowing nothing of them."""
        wanted = induction.candidates(loop.node, self.scanner, self.resolution.symbols) - {loop.iterator}
        most = MAX_TRIALS if len(self.loops) < 2 * MAX_TRIALS else 1
        if loop.strided or not wanted or self._trials >= most:
            return {}
        starts = {s: self.env.get(s) for s in wanted}
        with self._trial(wanted):
            if loop.iterator is not None:
                self.env.values[loop.iterator] = start(loop)
            with self.assuming(Compare(Affine.of(loop.counter))):
                self._execute(loop)
            ends = {s: self.env.get(s) for s in wanted}
        found = {s: induction.change(s, starts[s], ends[s], loop) for s in wanted}
        return {s: c for s, c in sorted(found.items(), key=lambda f: f[0].name) if c is not None}

    def _execute(self, loop: Loop) -> None:
        """One iteration, the condition where it belongs."""
        before, node = self.env.copy(), loop.node.cond
        conditions = [] if loop.kind == "do" or node is None else [self.condition(node)]
        if conditions:
            self._has_held(node, before, conditions)
        self._iterate(loop, conditions)

    def _accepted(self, loop: Loop, changes: Changes) -> Changes:
        """Without the variables that may wrap around, as far as the bound of the loop excludes it."""
        while not all(c.exact for c in changes.values()):
            facts = (*self.facts, Compare(Affine.of(loop.counter)), self._assumed_bound(loop, changes))
            values = self._values(loop, changes, Affine.of(loop.counter))
            lost = [
                s
                for s, c in changes.items()
                if not c.exact and not induction.in_range(values[s], s.ctype, facts)
            ]
            if not lost:
                break
            changes = {s: c for s, c in changes.items() if s not in lost}
            if loop.iterator in lost:
                loop.iterator = None
        return changes

    def _assumed_bound(self, loop: Loop, changes: Changes) -> Condition:
        """The bound if the variables move as `changes` says, which is then to be proved with it."""
        if loop.iterator is None:
            return TRUE
        loop.steps = {s: c.amount for s, c in changes.items() if s is not loop.iterator}
        with self.assuming(Compare(Affine.of(loop.counter))):
            condition = self._last_condition(loop, changes)
            found = self._find_bound(loop, condition)
        return TRUE if isinstance(found, str) else found

    def _last_condition(self, loop: Loop, changes: Changes) -> Condition | None:
        """The condition for an iteration, or for the next one of a `do`, in terms of the counter."""
        if loop.node.cond is None:
            return None
        with self._trial(frozenset(changes)):
            self._begin(loop, changes)
            return self._iterate(loop, []) if loop.kind == "do" else self.condition(loop.node.cond)

    @contextmanager
    def _trial(self, moving: frozenset[Symbol]) -> Iterator[None]:
        """Within the block nothing is recorded, and what is learnt there is forgotten after it."""
        before = self.env, self.tracked, self.pending, self.block
        obstacles = [(loop, len(loop.obstacles)) for loop in self.loops]
        self.env, self.tracked, self.pending = self.env.copy(), self.tracked | moving, {}
        self._trials += 1
        with self.quietly():
            yield
        self._trials -= 1
        self.env, self.tracked, self.pending, self.block = before
        for loop, number in obstacles:
            del loop.obstacles[number:]


def _entry(loop: Loop, symbol: Symbol) -> Known:
    """The variable's value before the first iteration."""
    return loop.entry[symbol] if symbol in loop.entry else Environment().get(symbol)


def _pointer(loop: Loop) -> frozenset[Symbol]:
    """The iterator, if it is a pointer."""
    found = loop.iterator
    return frozenset((found,)) if found is not None and found.ctype.kind == "pointer" else frozenset()
