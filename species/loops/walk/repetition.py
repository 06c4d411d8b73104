"""Walks loops, and finds what every iteration changes in the same way."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from typing import Any

from pycparser import c_ast

from species.core.effort import TooLong
from species.loops import induction
from species.loops.counting import start
from species.loops.environment import Environment
from species.loops.induction import Changes
from species.loops.model import Loop, Multiplied
from species.loops.walk import packing_indices
from species.loops.walk import selected_indices as selected
from species.loops.walk.control import FALLS, Frame
from species.loops.walk.entry_reads import EntryReads
from species.loops.wrapping import stays
from species.sets.affine import Affine, Value
from species.sets.conditions import TRUE, Compare, Condition, Unknown
from species.sets.domains import implied
from species.source.syntax.tree import walk
from species.symbols import update_idioms as updates
from species.symbols.symbols import Symbol

REPEATABLE = ("pure", "errno", "reading")
MAX_TRIALS = 3  # within each other: the number of walks would double with every level of a nest


class Repetition(EntryReads):
    """The statements `for`, `while` and `do`."""

    _trials = 0
    _subscripts_of: tuple[Any, frozenset[Symbol]] = (None, frozenset())

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
        loop.multiplied = tuple(self._multiplied(loop))
        positive = [Compare(each.value - 1) for each in loop.multiplied if _stays_positive(each)]
        why = self._count(loop)
        changes = self._changes(loop)
        if loop.iterator is None:
            self._choose(loop, changes)
        changes, why = self._accepted(loop, changes, why)
        loop.steps = {s: c.amount for s, c in changes.items() if s is not loop.iterator}
        if loop.iterator is None:
            self._not_counted(loop, why)
        tracked, self.tracked = self.tracked, self.tracked | frozenset(loop.steps) | _pointer(loop)
        packed = packing_indices.candidates(loop.node, self.symbol, self._subscripts())
        with self.assuming(Compare(Affine.of(loop.counter)), *positive):
            self._begin(loop, changes)
            self._learn_selected(loop)
            self._learn_packed(loop, packed)
            self._repeat(loop, changes)
        self.tracked = tracked
        end = self._leave(loop, changes)
        self._learn_packed(loop, packed, is_over=True)
        return end

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
        loop.ends_early = self.jumps.may_end_early(node) or self.effects.may_not_return(node)
        if not self.quiet:
            if loop.parent:
                loop.parent.children.append(loop)
            self.model.loops.append(loop)
        self.read_ahead(node)
        loop.entry = self.env.copy().values
        loop.visible = self.resolution.visible.get(id(node), {})
        header = self.scanner.modified(getattr(node, "init", None))
        loop.set_in_header = frozenset(k for k in loop.entry if header.may_change(k))
        starts = _starts(node)
        loop.starts_with_effect = any(map(self._has_effect, starts))
        loop.starts_from_fraction = any(map(self._reads_fraction, starts))
        self.loops.append(loop)
        self.enter_block()
        return loop

    def _has_effect(self, node: Any) -> bool:
        """Does evaluating an expression do more than give a value?"""
        calls = [self.effects.of(n) for n in walk(node) if isinstance(n, c_ast.FuncCall)]
        tame = all(e.kind in REPEATABLE and not e.writes and e.calls is None for e in calls)
        return not tame or self.scanner.modified(node).anything

    def _reads_fraction(self, node: Any) -> bool:
        """May an expression read a floating-point number, or a part of what is no number?"""
        for part in walk(node):
            if isinstance(part, c_ast.FuncCall) and not self.effects.of(part).is_plain:
                return True
            is_place = isinstance(part, c_ast.ID | c_ast.ArrayRef | c_ast.StructRef)
            kind = self.scanner.type_of(part).kind if is_place or getattr(part, "op", "") == "*" else ""
            if kind == "float":
                return True
        return False

    def _begin(self, loop: Loop, changes: Changes) -> None:
        """The variables as they are at the start of an iteration."""
        for symbol, value in induction.values(loop, changes, Affine.of(loop.counter)).items():
            self.env.values[symbol] = value

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
        with self.assuming(*conditions), self._without_maxima():
            self.breakables.append(frame)
            after = self.statement(node.stmt)
            self.breakables.pop()
            self.rejoin([*frame.continues, *([self.env] if after is not None else [])])
            if getattr(node, "next", None) is not None:
                self._tag(updates.candidate(node.next, self.resolution.functions))
                self.evaluate(node.next)
            return self.condition(node.cond) if loop.kind == "do" else TRUE

    @contextmanager
    def _without_maxima(self) -> Iterator[None]:
        """Within the block, `max(0, n)` is n where the facts say so; behind it, they need not hold."""
        maxima = {key: value for key, value in self.env.values.items() if induction.has_maximum(value)}
        plain = {key: induction.resolved_known(value, self.facts) for key, value in maxima.items()}
        self.env.values.update(plain)
        yield
        for key, value in plain.items():
            if self.env.values.get(key) == value:
                self.env.values[key] = maxima[key]

    def _leave(self, loop: Loop, changes: Changes) -> Condition | None:
        self.loops.pop()
        self.block = self.block[:-1]
        values = self._last_values(loop, changes)
        self._forget(self.scanner.modified(loop.node))
        self.env.values.update(values)
        self._learn_selected(loop)
        return Unknown("after a loop that may jump away") if self._leaves_outer(loop) else FALLS

    def _leaves_outer(self, loop: Loop) -> bool:
        return any(isinstance(j, c_ast.Return | c_ast.Goto) for j in self.jumps.inside(loop.node))

    # Induction

    def _changes(self, loop: Loop) -> Changes:
        """What an iteration does to variables: it is walked once, quietly, knowing nothing of them."""
        wanted = induction.candidates(loop.node, self.scanner, self.resolution.symbols) - {loop.iterator}
        most = MAX_TRIALS if len(self.loops) < 2 * MAX_TRIALS else 1
        watched = selected.candidates(loop.node, self.symbol, self._subscripts())
        idle = loop.strided or not (wanted or watched)
        if idle or self._trials >= most or not self.effort.tries:
            return {}
        before = self.state()
        try:
            with self.effort.trial(), self._watching(loop, watched):
                return self._found_changes(loop, wanted)
        except TooLong:
            if self.effort.is_over:
                raise
            self.restore(before)
            return {}

    def _subscripts(self) -> frozenset[Symbol]:
        """The variables that stand in subscripts of the function, of which it matters where they lie."""
        body = self.inlining.body if self.inlining is not None else self.model.node
        if body is not self._subscripts_of[0]:
            self._subscripts_of = body, selected.in_subscripts(body, self.symbol)
        return self._subscripts_of[1]

    @contextmanager
    def _watching(self, loop: Loop, places: Mapping[Symbol, Iterable[Any]]) -> Iterator[None]:
        """Within the block, what the loop assigns to some variables is noted."""
        before, self.watched = self.watched, {symbol: [] for symbol in places}
        try:
            yield
            found = {s: tuple(each) for s, each in self.watched.items()}
            complete = {s: each for s, each in found.items() if selected.is_complete(places[s], each)}
            self.selected[loop.number] = complete
        finally:
            self.watched = before

    def _learn_selected(self, loop: Loop) -> None:
        """Enters what is known of variables that some iterations assign, in an iteration or after all."""
        for symbol, assigned in self.selected.get(loop.number, {}).items():
            first = induction.first_value(loop, symbol)
            fact = selected.known_of(self.env.get(symbol), first, assigned, loop.number)
            if fact is not None:
                self._learn(fact)

    def _learn_packed(self, loop: Loop, packed: Mapping[Symbol, int], *, is_over: bool = False) -> None:
        """Enters what is known of variables that some iterations count up, in an iteration or after all."""
        if loop.strided:
            return
        for symbol, added in packed.items():
            value, first = self.env.get(symbol), induction.first_value(loop, symbol)
            if is_over:
                bound = () if loop.assumed else (loop.bound,)
                inside = (*self.facts, Compare(Affine.of(loop.counter)), *bound)
                fact = packing_indices.behind(value, first, added, loop, inside)
            else:
                fact = packing_indices.within(value, first, added, loop)
            if fact is not None:
                self._learn(fact)

    def _found_changes(self, loop: Loop, wanted: frozenset[Symbol]) -> Changes:
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

    def _accepted(self, loop: Loop, changes: Changes, why: str) -> tuple[Changes, str]:
        """Without what may wrap around, or move another way, as far as the loop's end does not exclude it.

        `why` says why there is no iterator; the result has it for a loop that loses its own.
        """
        while True:
            unsure = self._why_unsure(loop, changes)
            if unsure:
                loop.iterator, loop.stride, why = None, None, why or unsure
                changes = self._changes(loop)
            lost = self._wrapping(loop, changes)
            if not lost and not unsure:
                return changes, why
            changes = {s: c for s, c in changes.items() if s not in lost}

    def _why_unsure(self, loop: Loop, changes: Changes) -> str:
        """Why the iterator may have other values than a counter gives it; empty: it has those."""
        symbol = loop.iterator
        if symbol is None or (symbol in changes and changes[symbol].exact):
            return ""
        if loop.stride is not None and implied(Compare(loop.stride - 1), self.facts):
            return ""
        if loop.stride is None and not symbol.ctype.wraps_around:
            return ""
        if loop.stride is not None and loop.ends_early:
            return f"its step of '{symbol.name}' may lead away from the bound"
        condition, found = self._trial_bound(loop, changes)
        if not isinstance(found, str):
            return ""
        known = () if loop.kind == "do" or condition is None else (condition,)
        return found if loop.strided or not stays(loop, (*self.facts, *known)) else ""

    def _wrapping(self, loop: Loop, changes: Changes) -> list[Symbol]:
        """The variables that may wrap around, the iterator aside.

        Each is in range where an iteration is, as far as the others say, or after one where it was before.
        """
        unsure = [s for s, c in changes.items() if not c.exact and s is not loop.iterator]
        if not unsure:
            return []
        others = {s: c for s, c in changes.items() if s not in unsure}
        count = Affine.of(loop.counter)
        here, after = (induction.values(loop, changes, n) for n in (count, count + 1))
        known, all_known = self._assumed_facts(loop, others), self._assumed_facts(loop, changes)
        return [
            s
            for s in unsure
            if not induction.in_range(here[s], s.ctype, known)
            and not induction.in_range(after[s], s.ctype, all_known)
        ]

    def _assumed_facts(self, loop: Loop, changes: Changes) -> tuple[Condition, ...]:
        """What holds in an iteration if the variables move as `changes` says."""
        condition, found = self._trial_bound(loop, changes)
        if isinstance(found, str) or loop.assumed:
            found = TRUE if loop.kind == "do" or condition is None else condition
        return (*self.facts, Compare(Affine.of(loop.counter)), found)

    def _trial_bound(self, loop: Loop, changes: Changes) -> tuple[Condition | None, Condition | str]:
        """Condition and bound, or why there is none, if the variables move as `changes` says."""
        loop.steps = {s: c.amount for s, c in changes.items() if s is not loop.iterator}
        with self.assuming(Compare(Affine.of(loop.counter))):
            condition = self._last_condition(loop, changes)
            if loop.iterator is None:
                return condition, "it has no iterator"
            return condition, self._decided(loop, condition)

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


def _starts(node: Any) -> list[Any]:
    """What the header of a `for` computes before the first iteration."""
    init = getattr(node, "init", None)
    declared = init.decls if isinstance(init, c_ast.DeclList) else []
    values = [d.init for d in declared] or [getattr(init, "rvalue", init)]
    return [value for value in values if value is not None]


def _pointer(loop: Loop) -> frozenset[Symbol]:
    """The iterator, if it is a pointer."""
    found = loop.iterator
    return frozenset((found,)) if found is not None and found.ctype.kind == "pointer" else frozenset()


def _stays_positive(multiplied: Multiplied) -> bool:
    """Is it so in all iterations?  (Signed products do not overflow.)"""
    atoms = [*multiplied.value.atoms()]
    signed = all(isinstance(atom, Value) and not atom.ctype.unsigned for atom in atoms)
    return multiplied.rises and signed and len(atoms) == 1
