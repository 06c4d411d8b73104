"""Data flow of scalar variables, read off the syntax tree: who reads an older value, who needs the last.

`Flow` summarises a piece of code.  Paths that jump away are over-approximated, so that "exposed" may
be said too often and "must write" too rarely, never the other way round.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from pycparser import c_ast

from species.dependence.copies import pointee, sees_copy
from species.effects import Effects, arguments_of, touched_arguments
from species.loops.environment import is_shared
from species.loops.inlining import returned
from species.loops.jumps import Jumps
from species.loops.nest import Inlining, Reference
from species.loops.symbols import Resolution, Symbol
from species.loops.updates import is_evaluated
from species.source.tree import walk
from species.summaries import names_pointer

Written = frozenset[Symbol] | None  # None: control never gets there


@dataclass(frozen=True)
class Flow:
    """Of a piece of code: reads that may see an older value, variables written on every path that
    falls through, and those written on every path that leaves by `break`, by `continue`, or for a label."""

    exposed: dict[Symbol, Any] = field(default_factory=dict)
    must: Written = frozenset()
    leaving: Mapping[str, frozenset[Symbol]] = field(default_factory=dict)

    @property
    def at_jumps(self) -> Written:
        """What is written on every path that jumps away; None: none does."""
        result: Written = None
        for written in self.leaving.values():
            result = _meet(result, written)
        return result

    @property
    def for_labels(self) -> dict[str, frozenset[Symbol]]:
        return {way: written for way, written in self.leaving.items() if way not in _WAYS}


NOTHING = Flow()
_WAYS = ("break", "continue")


def _meet(a: Written, b: Written) -> Written:
    if a is None:
        return b
    return a if b is None else a & b


def _then(a: Flow, b: Flow) -> Flow:
    """The flow of a followed by b."""
    if a.must is None:
        return a
    exposed = {**{s: n for s, n in b.exposed.items() if s not in a.must}, **a.exposed}
    must = None if b.must is None else a.must | b.must
    return Flow(exposed, must, _all_ways(a.leaving, {way: a.must | w for way, w in b.leaving.items()}))


def _all_ways(
    a: Mapping[str, frozenset[Symbol]], b: Mapping[str, frozenset[Symbol]]
) -> dict[str, frozenset[Symbol]]:
    return {**a, **{way: written & a.get(way, written) for way, written in b.items()}}


def _in_sequence(flows: Iterable[Flow]) -> Flow:
    result = NOTHING
    for flow in flows:
        result = _then(result, flow)
    return result


def _in_any_order(flows: Sequence[Flow]) -> Flow:
    """What one of them writes, another one may have read before."""
    exposed = {symbol: node for flow in reversed(flows) for symbol, node in flow.exposed.items()}
    must = frozenset[Symbol]().union(*(flow.must or () for flow in flows))
    leaving: dict[str, frozenset[Symbol]] = {}
    for flow in flows:
        leaving = _all_ways(leaving, flow.leaving)
    return Flow(exposed, must, leaving)


def _either(a: Flow, b: Flow) -> Flow:
    return Flow({**b.exposed, **a.exposed}, _meet(a.must, b.must), _all_ways(a.leaving, b.leaving))


class FlowAnalysis:
    """Flows of the nodes of one function; results are kept.

    The flow of a call that is `inlined` is that of the copy of the callee's body.
    """

    def __init__(
        self,
        resolution: Resolution,
        function: c_ast.FuncDef,
        structured: bool,
        inlined: Mapping[int, Inlining],
        effects: Effects,
        running: frozenset[int] = frozenset(),
    ) -> None:
        """`running` has the ids of loops that make an iteration whenever they are reached."""
        self._symbols, self._running = resolution.symbols, running
        self._inlined, self.effects = inlined, effects
        self._pointees: dict[Symbol, Symbol] = {}  # parameters of callees that are the address of a variable
        self._function, self._jumps = function, Jumps.of(function)
        self._structured = structured
        self._known: dict[int, Flow] = {}
        self._rests: dict[int, dict[int, Flow]] = {}  # by parent and item
        self._parents: dict[int, Any] = {}
        self._link(function)

    def _link(self, node: Any) -> None:
        for child in node:
            self._parents[id(child)] = node
            self._link(child)

    def symbol(self, node: Any) -> Symbol | None:
        """The variable that an identifier means."""
        return self._symbols.get(id(node))

    def iteration(self, loop: Any) -> Flow:
        """One iteration of a loop; `must` is what every iteration writes, however it ends."""
        if isinstance(loop, c_ast.DoWhile):
            flow = self._repeated(loop.stmt, loop.cond)
        else:
            flow = _then(self.of(loop.cond), self._repeated(loop.stmt, getattr(loop, "next", None)))
        return Flow(flow.exposed, _meet(flow.must, flow.at_jumps))

    def sees_copy(self, reference: Reference) -> bool:
        """Would the reference use a private copy of its variable?"""
        return sees_copy(reference, self._symbols)

    def live_after(self, loop: Any, symbol: Symbol) -> bool:
        """May the value that a variable has when the loop ends be read later?"""
        if is_shared(symbol) or not self._structured:
            return True
        node = loop
        while node is not self._function:
            parent = self._parents[id(node)]
            answer = self._live_in(parent, node, symbol)
            if answer is not None:
                return answer
            node = parent
        return False

    def _live_in(self, parent: Any, node: Any, symbol: Symbol) -> bool | None:
        """The answer that `parent`'s code after its child `node` gives; None: look further out."""
        if isinstance(parent, c_ast.For | c_ast.While | c_ast.DoWhile):
            again = self.iteration(parent)
            rest = self._sequence((getattr(parent, "next", None), parent.cond))
            return True if symbol in again.exposed or symbol in rest.exposed else None
        items = parent.block_items if isinstance(parent, c_ast.Compound) else getattr(parent, "stmts", None)
        if not items:
            return None
        rest = self._rest(parent, items, node)
        if symbol in rest.exposed:
            return True
        if isinstance(self._parents[id(parent)], c_ast.Switch):
            return None  # the other cases need not follow: a `break` goes past them
        certain = rest.must is not None and symbol in rest.must
        escapes = rest.at_jumps is not None and symbol not in rest.at_jumps
        return False if certain and not escapes else None

    def _rest(self, parent: Any, items: list[Any], node: Any) -> Flow:
        """The flow of what follows `node` among the items of its parent."""
        known = self._rests.get(id(parent))
        if known is None:
            labelled = any(isinstance(item, c_ast.Label) for item in items)
            known = self._rests[id(parent)] = {} if labelled else self._rests_of(items)
        if id(node) in known:
            return known[id(node)]
        here = _index(items, node)
        return self._sequence(items[here + 1 :], before=items[:here])

    def _rests_of(self, items: list[Any]) -> dict[int, Flow]:
        """The flow of what follows each item, by its id, from the last one backwards."""
        found, rest = {}, NOTHING
        for item in reversed(items):
            found[id(item)] = rest
            rest = _then(self.of(item), rest)
        return found

    def _repeated(self, body: Any, after: Any) -> Flow:
        """The flow of a loop's body and of what follows it in every iteration, after `continue` too."""
        flow = self.of(body)
        written = _meet(flow.must, flow.at_jumps)
        return _then(Flow(flow.exposed, written, dict.fromkeys(flow.for_labels, frozenset())), self.of(after))

    # Summaries

    def of(self, node: Any) -> Flow:
        if node is None:
            return NOTHING
        if id(node) not in self._known:
            handler = getattr(self, f"_of_{type(node).__name__}", self._of_children)
            self._known[id(node)] = handler(node)
        return self._known[id(node)]

    def _sequence(self, nodes: Iterable[Any], before: Iterable[Any] = ()) -> Flow:
        """One node after the other; what stands `before` them is not executed, nor are the jumps in it."""
        result, passed = NOTHING, list(before)
        for node in nodes:
            if isinstance(node, c_ast.Label):
                result, after = self._landed(result, node, passed), node.stmt
            else:
                after = node
            result = _then(result, self.of(after))
            passed.append(node)
        return result

    def _landed(self, before: Flow, label: c_ast.Label, passed: list[Any]) -> Flow:
        """The flow up to a label, by falling and by jumping to it from the statements that were passed."""
        jumps = {id(jump) for node in passed for jump in self._jumps.inside(node)}
        all_seen = all(id(goto) in jumps for goto in self._jumps.sources(label))
        leaving = {way: written for way, written in before.leaving.items() if way != _way_to(label.name)}
        if not self._jumps.is_tame(label) or not all_seen:
            return Flow(before.exposed, frozenset(), leaving)
        return Flow(before.exposed, _meet(before.must, before.leaving.get(_way_to(label.name))), leaving)

    def _of_children(self, node: Any) -> Flow:
        return self._sequence(node)

    def _unordered(self, nodes: Iterable[Any]) -> Flow:
        """Expressions of which C does not say which comes first: arguments, operands, initialisers."""
        return _in_any_order([self.of(node) for node in nodes])

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
        if node.init is None:
            return sizes
        return _then(_then(sizes, self.of(node.init)), self._written(node))

    def _of_Assignment(self, node: c_ast.Assignment) -> Flow:
        if isinstance(node.lvalue, c_ast.ID) or self._variable(node.lvalue):
            before = NOTHING if node.op == "=" else self.of(node.lvalue)
            return _then(_then(before, self.of(node.rvalue)), self._written(node.lvalue))
        return _in_any_order([self._of_target(node.lvalue, node.op != "="), self.of(node.rvalue)])

    def _of_target(self, node: Any, read: bool) -> Flow:
        """An lvalue that is no plain variable: what is read to find the place."""
        if isinstance(node, c_ast.StructRef) and node.type == "." and not read:
            return NOTHING if isinstance(node.name, c_ast.ID) else self._of_target(node.name, read)
        return self._unordered(node)

    def _of_UnaryOp(self, node: c_ast.UnaryOp) -> Flow:
        if node.op == "sizeof":  # a type may name the length of an array
            if isinstance(node.expr, c_ast.Typename):
                return self.of(node.expr)
            return _either(self.of(node.expr), NOTHING) if is_evaluated(node.expr) else NOTHING
        named = isinstance(node.expr, c_ast.ID) or self._variable(node.expr)
        if node.op in ("++", "--", "p++", "p--") and named:
            return _then(self.of(node.expr), self._written(node.expr))
        return self.of(node.expr)

    def _of_StructRef(self, node: c_ast.StructRef) -> Flow:
        return self.of(node.name)

    def _of_FuncCall(self, node: c_ast.FuncCall) -> Flow:
        inlining = self._inlined.get(id(node))
        if inlining is not None:
            return self._of_callee(inlining)
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
        return _then(flow, _in_sequence(self._written(arguments[k].expr) for k in sorted(set_only)))

    def _of_callee(self, inlining: Inlining) -> Flow:
        """The arguments, then the body; it may write what it writes on all paths to its end only."""
        others = []
        for parameter, argument in zip(inlining.parameters, inlining.arguments, strict=True):
            found = pointee(argument, inlining.caller, self._symbols)
            if found is None or parameter.writes or parameter.address_taken:
                others.append(argument)
            else:
                self._pointees[parameter] = found[0]
        flow = _then(self._unordered(others), self._of_body(inlining))
        return Flow(flow.exposed, frozenset() if inlining.early or flow.must is None else flow.must)

    def _of_body(self, inlining: Inlining) -> Flow:
        items = inlining.body.block_items or []
        last = returned(inlining)
        if last is None:
            return self._sequence(items)
        return _then(self._sequence(items[:-1]), self.of(last.expr))

    def _of_BinaryOp(self, node: c_ast.BinaryOp) -> Flow:
        left, right = self.of(node.left), self.of(node.right)
        if node.op in ("&&", "||"):
            return _then(left, _either(right, NOTHING))
        return _in_any_order([left, right])

    def _of_TernaryOp(self, node: c_ast.TernaryOp) -> Flow:
        return _then(self.of(node.cond), _either(self.of(node.iftrue), self.of(node.iffalse)))

    def _of_If(self, node: c_ast.If) -> Flow:
        return _then(self.of(node.cond), _either(self.of(node.iftrue), self.of(node.iffalse)))

    def _of_For(self, node: c_ast.For) -> Flow:
        head = self._sequence((node.init, node.cond))
        return self._loop(head, self._repeated(node.stmt, node.next), id(node) in self._running)

    def _of_While(self, node: c_ast.While) -> Flow:
        return self._loop(self.of(node.cond), self.of(node.stmt), id(node) in self._running)

    def _of_DoWhile(self, node: c_ast.DoWhile) -> Flow:
        return self._loop(NOTHING, self._repeated(node.stmt, node.cond), True)

    def _loop(self, head: Flow, body: Flow, runs: bool) -> Flow:
        """If it surely `runs`, the first iteration writes what every one does, however it ends."""
        written = _meet(body.must, body.at_jumps) if runs else None
        return _then(
            head, Flow(body.exposed, written or frozenset(), dict.fromkeys(body.for_labels, frozenset()))
        )

    def _of_Switch(self, node: c_ast.Switch) -> Flow:
        return _then(self.of(node.cond), self._of_cases(node) or self._of_any_case(node))

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
            below = _then(self._sequence(item.stmts or []), below)
            entered = below if entered is None else _either(entered, below)
        assert entered is not None
        leaving = {way: written for way, written in entered.leaving.items() if way != "break"}
        return Flow(entered.exposed, _meet(entered.must, entered.leaving.get("break")), leaving)

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
        return Flow(self.of(node.expr).exposed, None)

    def _of_Goto(self, node: c_ast.Goto) -> Flow:
        return Flow({}, None, {_way_to(node.name): frozenset()})

    def _of_Label(self, node: c_ast.Label) -> Flow:
        """A label inside of another statement, which control may enter anyhow."""
        return Flow(self.of(node.stmt).exposed, frozenset(), {_way_to(node.name): frozenset()})


def _way_to(label: str) -> str:
    return f"goto {label}"


def _index(items: list[Any], node: Any) -> int:
    return next(i for i, item in enumerate(items) if item is node)
