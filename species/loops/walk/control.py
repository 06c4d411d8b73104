"""Walks branches and jumps: `if`, `switch`, `break`, `continue`, `goto` and labels."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from itertools import takewhile
from typing import Any

from pycparser import c_ast

from species.loops import expressions as ex
from species.loops.environment import Environment
from species.loops.expressions import Evaluated
from species.loops.jumps import Jumps, only_to
from species.loops.model import Inlining, Loop, Pointer
from species.loops.walk.evaluator import Evaluator
from species.sets.affine import Affine
from species.sets.conditions import FALSE, TRUE, Both, Condition, Either, Unknown, compare, negated
from species.source.syntax.tree import walk
from species.symbols import update_idioms as updates

FALLS = TRUE


@dataclass
class Frame:
    """A loop or a `switch` (None) around the current point; what is known where it is left or repeated."""

    loop: Loop | None
    breaks: list[Environment] = field(default_factory=list)
    continues: list[Environment] = field(default_factory=list)


class Control(Evaluator):
    """Statement methods return the condition under which control goes on to the next statement, given
    that the statement was reached; None if it never does.
    """

    breakables: list[Frame]
    jumps: Jumps
    pending: dict[int, list[Environment]]  # id of a label -> what is known at the `goto`s passed so far

    @abstractmethod
    def statement(self, node: Any) -> Condition | None:
        """Walks one statement."""

    @abstractmethod
    def _tag(self, candidate: updates.Candidate | None) -> None:
        """Marks the references of an update statement."""

    def begin(self, function: c_ast.FuncDef, labelled: bool) -> None:
        """Forgets the jumps of the function before."""
        self.jumps = Jumps.of(function)
        self.breakables, self.pending = [], {}
        self.model.structured = not labelled or self.jumps.are_tame()

    def state(self) -> dict[str, Any]:
        """All that changes while code is walked, the model aside."""
        kept = {k: v.copy() if isinstance(v, list | dict | Environment) else v for k, v in vars(self).items()}
        pending = vars(self).get("pending", {})
        kept["pending"] = {label: list(states) for label, states in pending.items()}
        return kept

    def restore(self, state: dict[str, Any]) -> None:
        """As if nothing had been walked since then."""
        vars(self).clear()
        vars(self).update(state)

    @contextmanager
    def jumping_in(self, inlining: Inlining) -> Iterator[None]:
        before = self.jumps, self.breakables, self.pending
        self.jumps, self.breakables, self.pending = Jumps.of(inlining), [], {}
        yield
        self.jumps, self.breakables, self.pending = before

    def _forget_all(self) -> None:
        self.env.forget_where(lambda key: True, self.loop_set)

    def rejoin(self, states: Sequence[Environment]) -> None:
        """Control comes from all of these states."""
        if states:
            self.env = states[0].copy()
            for other in states[1:]:
                self.env.merge(other, self.loop_set)

    # Sequences

    def _do_Compound(self, node: c_ast.Compound) -> Condition | None:
        return self._sequence(node.block_items or [])

    def _sequence(self, items: Sequence[Any]) -> Condition | None:
        depth, block = len(self.conditions), self.block
        learnt: list[Condition] = []
        reached, lost = True, False
        for position, item in enumerate(items):
            if isinstance(item, c_ast.Label) and self.jumps.is_tame(item) and id(item) in self.pending:
                del self.conditions[depth:]
                self.block = block
                learnt = self._land(item, items[:position], reached and not lost)
                reached = True
            if not reached:
                lost = lost or _is_entered(item)
                if lost:
                    self._lost(item)
                continue
            after = self.statement(item)
            reached = after is not None
            if after is not None and after != TRUE:
                self.conditions.append(after)
                learnt.append(after)
            if self._skips(item):
                self.enter_block()  # a `goto` may have gone past what follows
        del self.conditions[depth:]
        self.block = block
        if not reached:
            return None
        return Both((TRUE, *learnt)) if learnt else TRUE

    def _lost(self, item: Any) -> None:
        """Code after a jump is reached through a label or a case only: walk it, knowing nothing."""
        with self.assuming(Unknown("after a jump")):
            self._forget_all()
            self.statement(item)

    def _land(self, label: c_ast.Label, passed: Iterable[Any], falls: bool) -> list[Condition]:
        """Control reaches a label by jumps and, if it `falls`, from above; gives what is known of when."""
        states = self.pending.pop(id(label))
        self.rejoin([*states, self.env] if falls else states)
        if all(only_to(label, self.jumps.inside(item)) for item in passed):
            return []
        unknown = Unknown(f"after the label '{label.name}'")
        self.conditions.append(unknown)
        return [unknown]

    def _skips(self, item: Any) -> bool:
        """Does the statement jump over what follows, to code that is executed in the same iteration?"""
        loop = next((f.loop for f in reversed(self.breakables) if f.loop), None)
        goes_on = loop is not None and (loop.kind == "do" or getattr(loop.node, "next", None) is not None)
        kinds = (c_ast.Goto, c_ast.Continue) if goes_on else c_ast.Goto
        return any(isinstance(jump, kinds) for jump in self.jumps.inside(item))

    # Branches

    def _do_If(self, node: c_ast.If) -> Condition | None:
        self._tag(updates.candidate(node, self.resolution.functions))
        condition = self.model.guards[id(node)] = self.condition(node.cond)
        holds = {TRUE: True, FALSE: False}.get(condition)
        self.model.taken[id(node)] = holds if self.model.taken.get(id(node), holds) is holds else None
        if self.inlining is not None and holds is not None:  # (the function's own code is reported)
            taken, other = (node.iftrue, node.iffalse) if holds else (node.iffalse, node.iftrue)
            if other is None or not _has_label(other):
                return self.statement(taken) if taken is not None else FALLS
        before = self.env.copy()
        with self.branch(condition):
            then = self.statement(node.iftrue)
        after_then, self.env = self.env, before
        with self.branch(negated(condition)):
            other = self.statement(node.iffalse) if node.iffalse else FALLS
        if then is None:
            return None if other is None else both(negated(condition), other)
        if other is None:
            self.env = after_then
            return both(condition, then)
        for key, new, mine, theirs in self.env.merge(after_then, self.loop_set):
            self.note_limited(condition, new, mine, theirs)
            if isinstance(mine, Pointer) and isinstance(theirs, Pointer):
                cases = ((condition,), theirs), ((negated(condition),), mine)
                self.env.values[key] = self.either(theirs, mine, cases) or new
        if then == TRUE and other == TRUE:
            return FALLS
        return Either((both(condition, then), both(negated(condition), other)))

    def _do_Switch(self, node: c_ast.Switch) -> Condition | None:
        scrutinee = self.evaluate(node.cond)
        cases = getattr(node.stmt, "block_items", None) or []
        frame = Frame(None)
        self.breakables.append(frame)
        if all(isinstance(c, c_ast.Case | c_ast.Default) for c in cases) and _cases(node.stmt) == len(cases):
            self._cases(scrutinee, cases, frame)
        else:
            self._entered_anywhere(node)
        self.breakables.pop()
        jumps = (c_ast.Continue, c_ast.Return, c_ast.Goto)
        jumped = any(isinstance(j, jumps) for j in self.jumps.inside(node.stmt))
        return Unknown("after a switch that jumps") if jumped else FALLS

    def _cases(self, scrutinee: Evaluated, cases: Sequence[Any], frame: Frame) -> None:
        """Cases one after the other, each entered by its value or by falling through from the one above."""
        before = self.env.copy()
        matches = self._matches(scrutinee, cases)
        falls: Condition | None = None  # when the case above runs into the next one
        for case, match in zip(cases, matches, strict=True):
            entered = match if falls is None else Either((match, falls))
            if falls is None:
                self.env = before.copy()
            else:
                self.env.merge(before, self.loop_set)
            with self.branch(entered):
                after = self._sequence(case.stmts or [])
            falls = None if after is None else both(entered, after)
        states = [*frame.breaks, self.env] if falls is not None else frame.breaks
        default = any(isinstance(c, c_ast.Default) for c in cases)
        self.rejoin(states if default and states else [*states, before])

    def _matches(self, scrutinee: Evaluated, cases: Sequence[Any]) -> list[Condition]:
        """The conditions under which the `switch` goes to each of its cases."""
        known = [self._match(scrutinee, c) for c in cases if isinstance(c, c_ast.Case)]
        others = Both(tuple(negated(k) for k in known))
        remaining = iter(known)
        return [others if isinstance(c, c_ast.Default) else next(remaining) for c in cases]

    def _match(self, scrutinee: Evaluated, case: c_ast.Case) -> Condition:
        label = self.evaluate(case.expr)
        if not (isinstance(scrutinee.value, Affine) and scrutinee.ctype.is_integer):
            return Unknown("a case of data")
        if not (isinstance(label.value, Affine) and label.value.is_constant):
            return Unknown("a case without a known value")
        ctype = ex.promoted(scrutinee.ctype)
        low, high = ctype.value_range
        if not low <= label.value.constant <= high:
            return Unknown("a case beyond the range of the type")
        return compare(ex.convert(scrutinee.value, scrutinee.ctype, ctype, self.facts), "==", label.value)

    def _entered_anywhere(self, node: c_ast.Switch) -> None:
        """Cases inside of other statements: nothing is known."""
        self._forget(self.scanner.modified(node.stmt))
        with self.branch(Unknown("inside a switch")):
            self.statement(node.stmt)
        self._forget(self.scanner.modified(node.stmt))

    def _do_Case(self, node: Any) -> Condition | None:
        """A case of a `switch` of which nothing is known: what stands before it may have been executed."""
        self._forget_all()
        around = takewhile(lambda frame: frame.loop is not None, reversed(self.breakables))
        entered = [frame.loop for frame in around if frame.loop is not None]
        if entered:
            self.obstacle("CV303", "a 'case': control may enter in the middle", node, entered)
        with self.branch(Unknown("inside a switch")):
            self._sequence(node.stmts or [])
        self._forget_all()
        return FALLS

    _do_Default = _do_Case

    # Jumps

    def _do_Label(self, node: c_ast.Label) -> Condition | None:
        if not self.jumps.is_tame(node):
            self._forget_all()
            self.obstacle("CV303", f"label '{node.name}': control may enter in the middle", node)
        return self.statement(node.stmt)

    def _do_Goto(self, node: c_ast.Goto) -> Condition | None:
        label = self.jumps.target(node)
        left = [loop for loop in self.loops if label is None or not self.jumps.holds(loop.node, label)]
        self.obstacle("CV303", f"'goto {node.name}' may leave the loop", node, left)
        if label is not None:
            self.pending.setdefault(id(label), []).append(self.env.copy())
        return None

    def _do_Return(self, node: c_ast.Return) -> Condition | None:
        result = self.evaluate(node.expr)
        if self.inlining is not None:
            self.give_back(node, result)
        else:
            self.obstacle("CV302", "'return' leaves the loop", node)
        return None

    def _do_Break(self, node: c_ast.Break) -> Condition | None:
        if self.breakables:
            frame = self.breakables[-1]
            frame.breaks.append(self.env.copy())
            if frame.loop is not None:
                self.obstacle("CV301", "'break' leaves the loop early", node, [frame.loop])
                frame.loop.exact = False
        return None

    def _do_Continue(self, _: Any) -> Condition | None:
        loop = next((frame for frame in reversed(self.breakables) if frame.loop), None)
        if loop is not None:
            loop.continues.append(self.env.copy())
        return None


def both(a: Condition, b: Condition) -> Condition:
    return a if b == TRUE else Both((a, b))


def _is_entered(item: Any) -> bool:
    """May control get into code after a jump, or is there a loop that a report must not forget?"""
    return any(isinstance(n, c_ast.For | c_ast.While | c_ast.DoWhile) for n in walk(item)) or _has_label(item)


def _has_label(item: Any) -> bool:
    return any(isinstance(n, c_ast.Label | c_ast.Case | c_ast.Default) for n in walk(item))


def _cases(node: Any) -> int:
    """How many cases of a `switch` stand in its body, also inside of other statements."""
    if isinstance(node, c_ast.Switch):
        return 0
    own = isinstance(node, c_ast.Case | c_ast.Default)
    return own + sum(_cases(child) for child in node)
