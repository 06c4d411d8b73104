"""Flows of the code of one function, read off the syntax tree.

Paths that jump away are over-approximated, so that "exposed" may be said too often and "must write" too
rarely, never the other way round.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import reduce
from typing import Any

from pycparser import c_ast

from species.dependence.flow.flows import (
    NOTHING,
    Flow,
    all_ways,
    either,
    in_any_order,
    in_sequence,
    meet,
    then,
)
from species.dependence.flow.outcomes import Branches, Outcome, common, returned_on, way_of
from species.dependence.flow.private_copies import pointee
from species.loops.jumps import Jumps
from species.loops.model import FunctionModel, Inlining
from species.source.syntax.tree import walk
from species.symbols.effects import Effects, arguments_of, points_nowhere, touched_arguments
from species.symbols.enumerations import constant_value
from species.symbols.summaries import names_pointer
from species.symbols.symbols import Resolution, Symbol
from species.symbols.types import INT, CType
from species.symbols.update_idioms import is_evaluated


class CodeFlow:
    """Flows of the nodes of one function; results are kept.

    The flow of a call that is inlined is that of the copy of the callee's body.
    """

    def __init__(
        self,
        resolution: Resolution,
        model: FunctionModel,
        effects: Effects,
        running: frozenset[int] = frozenset(),
    ) -> None:
        """`running` has the ids of loops that make an iteration whenever they are reached."""
        self._symbols, self._running = resolution.symbols, running
        self.functions = resolution.functions
        self._inlined, self._taken, self.effects = model.inlined, model.taken, effects
        self._pointees: dict[Symbol, Symbol] = {}  # parameters of callees that are the address of a variable
        bodies = (walk(inlining.body) for inlining in model.inlined.values())
        self._left = {id(n) for body in bodies for n in body if isinstance(n, c_ast.Return)}  # by callees
        self._outcomes: dict[int, list[Outcome]] = {}  # of calls
        self._branches = Branches(self._must, self._outcomes_of, self._constant)
        self._model, self._jumps = model, Jumps.of(model.node)
        self._known: dict[int, Flow] = {}

    def symbol(self, node: Any) -> Symbol | None:
        """The variable that an identifier means."""
        return self._symbols.get(id(node))

    def _repeated(self, body: Any, after: Any, condition: Any = None) -> Flow:
        """The flow of a loop's body, where its condition holds, and of what follows it in every iteration,
        after `continue` too.
        """
        flow = then(self._where(condition, True), self.of(body))
        written = meet(flow.must, flow.at_jumps)
        return then(Flow(flow.exposed, written, flow.beyond), self.of(after))

    # Summaries

    def of(self, node: Any) -> Flow:
        if node is None:
            return NOTHING
        if id(node) not in self._known:
            handler = getattr(self, f"_of_{type(node).__name__}", self._of_children)
            self._known[id(node)] = handler(node)
        return self._known[id(node)]

    def sequence(self, nodes: Iterable[Any], before: Iterable[Any] = ()) -> Flow:
        """One node after the other; what stands `before` them is not executed, nor are the jumps in it."""
        result, passed = NOTHING, list(before)
        held: tuple[Symbol, list[Outcome]] | None = None
        for node in nodes:
            if isinstance(node, c_ast.Label):
                result, after = self._landed(result, node, passed), node.stmt
            else:
                after = node
            if held is not None and isinstance(after, c_ast.If):
                result = then(result, self._asked(after, held))
            else:
                result = then(result, self.of(after))
            passed.append(node)
            held = self._set_by(node)
        return result

    def _asked(self, node: c_ast.If, held: tuple[Symbol, list[Outcome]]) -> Flow:
        """The flow of an `if` behind the statement that has set a variable: not that of the `if` alone."""
        symbol, found = held

        def outcomes(part: Any) -> list[Outcome] | None:
            return found if self._symbols.get(id(part)) is symbol else self._outcomes_of(part)

        return self._branching(node, Branches(self._must, outcomes, self._constant))

    def _set_by(self, node: Any) -> tuple[Symbol, list[Outcome]] | None:
        """The variable that a statement sets to what a call gives, and its outcomes."""
        is_set = isinstance(node, c_ast.Assignment) and node.op == "="
        target, value = (node.lvalue, node.rvalue) if is_set else (node, getattr(node, "init", None))
        symbol = self._symbols.get(id(target)) if value is not None else None
        found = self._outcomes_of(value) if symbol is not None and symbol.ctype.is_integer else None
        return (symbol, list(_held_in(symbol.ctype, found))) if symbol is not None and found else None

    # Conditions

    def _where(self, condition: Any, holds: bool) -> Flow:
        """What is known to be written where a condition has been evaluated and holds, or does not."""
        return Flow({}, self._branches.written(condition, holds)) if condition is not None else NOTHING

    def _must(self, node: Any) -> frozenset[Symbol]:
        return self.of(node).must or frozenset()

    def _outcomes_of(self, node: Any) -> list[Outcome] | None:
        """What an expression writes by its value, where it is the result of a call."""
        if isinstance(node, c_ast.Assignment) and node.op == "=":
            return self._outcomes_of(node.rvalue)
        if id(node) in self._inlined:
            self.of(node)
        return self._outcomes.get(id(node))

    def _constant(self, node: Any) -> int | None:
        named = (self._symbols.get(id(n)) for n in walk(node) if isinstance(n, c_ast.ID))
        if any(symbol is not None and symbol.storage != "enumerator" for symbol in named):
            return None
        unsigned = (n for n in walk(node) if isinstance(n, c_ast.Constant) and "u" in n.value.lower())
        value = constant_value(node, self.effects.constants) if not any(unsigned) else None
        return value if value is not None and abs(value) <= INT.value_range[1] else None

    def _landed(self, before: Flow, label: c_ast.Label, passed: list[Any]) -> Flow:
        """The flow up to a label, by falling and by jumping to it from the statements that were passed."""
        jumps = {id(jump) for node in passed for jump in self._jumps.inside(node)}
        all_seen = all(id(goto) in jumps for goto in self._jumps.sources(label))
        leaving = {way: written for way, written in before.leaving.items() if way != _way_to(label.name)}
        if not self._jumps.is_tame(label) or not all_seen:
            return Flow(before.exposed, frozenset(), leaving)
        return Flow(before.exposed, meet(before.must, before.leaving.get(_way_to(label.name))), leaving)

    def _of_children(self, node: Any) -> Flow:
        return self.sequence(node)

    def _unordered(self, nodes: Iterable[Any]) -> Flow:
        """Expressions of which C does not say which comes first: arguments, operands, initialisers."""
        return in_any_order([self.of(node) for node in nodes])

    def _of_ArrayRef(self, node: c_ast.ArrayRef) -> Flow:
        return self._unordered((node.name, node.subscript))

    def _of_InitList(self, node: c_ast.InitList) -> Flow:
        return self._unordered(node)

    def _of_ID(self, node: c_ast.ID) -> Flow:
        symbol = self._symbols.get(id(node))
        symbol = self._pointees.get(symbol, symbol) if symbol else None  # who has the pointer may read
        return Flow({symbol: node}) if symbol and symbol.ctype.kind != "function" else NOTHING

    def _variable(self, node: Any) -> Symbol | None:
        """The variable that an lvalue is as a whole: a name, or `*p` of a parameter that is its address."""
        if isinstance(node, c_ast.UnaryOp) and node.op == "*":
            pointer = self._symbols.get(id(node.expr))
            return self._pointees.get(pointer) if pointer else None
        return self._symbols.get(id(node))

    def _written(self, node: Any) -> Flow:
        symbol = self._variable(node)
        return Flow({}, frozenset((symbol,))) if symbol else NOTHING

    def _of_Decl(self, node: c_ast.Decl) -> Flow:
        sizes = self._of_children(node.type)
        if node.init is None or "static" in (
            node.storage or ()
        ):  # has its first value since the program began
            return sizes
        return then(then(sizes, self.of(node.init)), self._written(node))

    def _of_Assignment(self, node: c_ast.Assignment) -> Flow:
        if isinstance(node.lvalue, c_ast.ID) or self._variable(node.lvalue):
            before = NOTHING if node.op == "=" else self.of(node.lvalue)
            return then(then(before, self.of(node.rvalue)), self._written(node.lvalue))
        return in_any_order([self._of_target(node.lvalue, node.op != "="), self.of(node.rvalue)])

    def _of_target(self, node: Any, read: bool) -> Flow:
        """An lvalue that is no plain variable: what is read to find the place."""
        if isinstance(node, c_ast.StructRef) and node.type == "." and not read:
            return NOTHING if isinstance(node.name, c_ast.ID) else self._of_target(node.name, read)
        return self._unordered(node)

    def _of_UnaryOp(self, node: c_ast.UnaryOp) -> Flow:
        if node.op == "sizeof":  # a type may name the length of an array
            if isinstance(node.expr, c_ast.Typename):
                return self.of(node.expr)
            return either(self.of(node.expr), NOTHING) if is_evaluated(node.expr) else NOTHING
        named = isinstance(node.expr, c_ast.ID) or self._variable(node.expr)
        if node.op in ("++", "--", "p++", "p--") and named:
            return then(self.of(node.expr), self._written(node.expr))
        return self.of(node.expr)

    def _of_StructRef(self, node: c_ast.StructRef) -> Flow:
        return self.of(node.name)

    def _of_FuncCall(self, node: c_ast.FuncCall) -> Flow:
        inlining = self._inlined.get(id(node))
        if inlining is not None:
            return self._of_callee(inlining)
        targets = self._model.led.get(id(node), ())
        if any(id(each) in self._inlined for each in targets):
            return then(self.of(node.name), reduce(either, map(self.of, targets)))
        arguments = arguments_of(node)
        effect = self.effects.of(node)
        set_only = {
            position
            for touched in effect.writes
            if touched.extent == "one" and touched.certain and not effect.reads
            for position in touched_arguments(touched, len(arguments))
            if pointee(arguments[position], None, self._symbols)
        }
        evaluated = [a for k, a in enumerate(arguments) if k not in set_only]
        pointer = [node.name] if names_pointer(node, self._symbols) else []
        flow = self._unordered([*pointer, *evaluated])
        return then(flow, in_sequence(self._written(arguments[k].expr) for k in sorted(set_only)))

    def _of_callee(self, inlining: Inlining) -> Flow:
        """The arguments, then the body; it may write what it writes on all paths to its end only."""
        others = []
        for parameter, argument in zip(inlining.parameters, inlining.arguments, strict=True):
            found = pointee(argument, inlining.caller, self._symbols)
            if found is None or parameter.writes or parameter.address_taken:
                others.append(argument)
            else:
                self._pointees[parameter] = found[0]
        flow = then(self._unordered(others), self.sequence(inlining.body.block_items or []))
        outcomes = list(returned_on(flow.leaving))
        outcomes += [Outcome(None, flow.must)] if flow.must is not None else []
        self._outcomes[id(inlining.call)] = list(_held_in(inlining.result, outcomes))
        return Flow(flow.exposed, common(outcome.written for outcome in outcomes))

    def _of_BinaryOp(self, node: c_ast.BinaryOp) -> Flow:
        if node.op in ("&&", "||"):
            left, right = self._condition(node.left), self._condition(node.right)
            return then(left, either(then(self._where(node.left, node.op == "&&"), right), NOTHING))
        return in_any_order([self.of(node.left), self.of(node.right)])

    def _condition(self, node: Any) -> Flow:
        """The flow of a condition: asking whether there is a variable to write to does not read it."""
        match node:
            case c_ast.ID() if self._symbols.get(id(node)) in self._pointees:
                return NOTHING
            case c_ast.UnaryOp(op="!"):
                return self._condition(node.expr)
            case c_ast.BinaryOp(op="==" | "!=") if points_nowhere(node.right):
                return self._condition(node.left)
        return self.of(node)

    def _of_TernaryOp(self, node: c_ast.TernaryOp) -> Flow:
        return self._of_If(node)

    def _of_If(self, node: c_ast.If | c_ast.TernaryOp) -> Flow:
        return self._branching(node, self._branches)

    def _branching(self, node: c_ast.If | c_ast.TernaryOp, known: Branches) -> Flow:
        ways = ((True, node.iftrue), (False, node.iffalse))
        whens = (Flow({}, known.written(node.cond, holds)) for holds, _ in ways)
        taken, other = (then(when, self.of(part)) for when, (_, part) in zip(whens, ways, strict=True))
        holds = self._taken.get(id(node))
        flow = either(taken, other) if holds is None else taken if holds else other
        return then(self._condition(node.cond), flow)

    def _of_For(self, node: c_ast.For) -> Flow:
        head = self.sequence((node.init, node.cond))
        return self._loop(head, self._repeated(node.stmt, node.next, node.cond), id(node) in self._running)

    def _of_While(self, node: c_ast.While) -> Flow:
        body = then(self._where(node.cond, True), self.of(node.stmt))
        return self._loop(self.of(node.cond), body, id(node) in self._running)

    def _of_DoWhile(self, node: c_ast.DoWhile) -> Flow:
        return self._loop(NOTHING, self._repeated(node.stmt, node.cond), True)

    def _loop(self, head: Flow, body: Flow, runs: bool) -> Flow:
        """If it surely `runs`, the first iteration writes what every one does, however it ends."""
        written = meet(body.must, body.at_jumps) if runs else None
        return then(head, Flow(body.exposed, written or frozenset(), body.beyond))

    def _of_Switch(self, node: c_ast.Switch) -> Flow:
        return then(self.of(node.cond), self._of_cases(node) or self._of_any_case(node))

    def _of_cases(self, node: c_ast.Switch) -> Flow | None:
        """Every case with those that it runs into; None where cases stand inside of other statements."""
        items = getattr(node.stmt, "block_items", None) or []
        kinds = (c_ast.Case, c_ast.Default)
        inside = (part for item in items for part in item.stmts or [])
        nested = (n for part in inside for n in walk(part) if isinstance(n, kinds))
        if not items or not all(isinstance(i, kinds) for i in items) or any(nested):
            return None
        entered = Flow() if not any(isinstance(i, c_ast.Default) for i in items) else None
        below = NOTHING
        for item in reversed(items):
            below = then(self.sequence(item.stmts or []), below)
            entered = below if entered is None else either(entered, below)
        assert entered is not None
        leaving = {way: written for way, written in entered.leaving.items() if way != "break"}
        return Flow(entered.exposed, meet(entered.must, entered.leaving.get("break")), leaving)

    def _of_any_case(self, node: c_ast.Switch) -> Flow:
        """Control may enter at every case."""
        exposed = dict(self.of(node.stmt).exposed)
        leaving: dict[str, frozenset[Symbol]] = dict.fromkeys(self.of(node.stmt).leaving, frozenset())
        for part in walk(node.stmt):
            if isinstance(part, c_ast.Case | c_ast.Default):
                exposed.update(self.of(part).exposed)
            elif isinstance(part, c_ast.Continue | c_ast.Goto):
                leaving[_way_to(part.name) if isinstance(part, c_ast.Goto) else "continue"] = frozenset()
        leaving.pop("break", None)
        return Flow(exposed, frozenset(), leaving)

    def _of_Break(self, _: Any) -> Flow:
        return Flow({}, None, {"break": frozenset()})

    def _of_Continue(self, _: Any) -> Flow:
        return Flow({}, None, {"continue": frozenset()})

    def _of_Return(self, node: c_ast.Return) -> Flow:
        flow = self.of(node.expr)
        if id(node) not in self._left:
            return Flow(flow.exposed, None)
        ways: dict[str, frozenset[Symbol]] = {}
        for outcome in self._outcomes_of(node.expr) or [Outcome(self._value(node.expr), frozenset())]:
            written = outcome.written | (flow.must or frozenset())
            ways = all_ways(ways, {way_of(outcome.value): written})
        return Flow(flow.exposed, None, ways)

    def _value(self, node: Any) -> int | None:
        return self._constant(node) if node is not None else None

    def _of_Goto(self, node: c_ast.Goto) -> Flow:
        return Flow({}, None, {_way_to(node.name): frozenset()})

    def _of_Label(self, node: c_ast.Label) -> Flow:
        """A label inside of another statement, which control may enter anyhow."""
        return Flow(self.of(node.stmt).exposed, frozenset(), {_way_to(node.name): frozenset()})


def _held_in(ctype: CType, outcomes: Iterable[Outcome]) -> Iterator[Outcome]:
    """Outcomes as a type holds them: values that it does not hold become others."""
    low, high = ctype.certain_range if ctype.is_integer else (0, -1)
    for each in outcomes:
        fits = each.value is not None and low <= each.value <= high
        yield each if fits else Outcome(None, each.written)


def _way_to(label: str) -> str:
    return f"goto {label}"
