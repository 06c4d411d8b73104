"""Data flow of scalar variables, read off the syntax tree: who reads an older value, who needs the last.

`Flow` summarises a piece of code.  Paths that jump away are over-approximated, so that "exposed" may
be said too often and "must write" too rarely, never the other way round.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any

from pycparser import c_ast

from species.loops.environment import is_shared
from species.loops.symbols import Resolution, Symbol
from species.loops.updates import walk

Written = frozenset[Symbol] | None  # None: control never gets there


@dataclass(frozen=True)
class Flow:
    """Of a piece of code: reads that may see an older value, variables written on every path that
    falls through, and those written on every path that leaves by break or continue."""

    exposed: dict[Symbol, Any] = field(default_factory=dict)
    must: Written = frozenset()
    at_jumps: Written = None


NOTHING = Flow()


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
    jumps = None if b.at_jumps is None else a.must | b.at_jumps
    return Flow(exposed, must, _meet(a.at_jumps, jumps))


def _either(a: Flow, b: Flow) -> Flow:
    return Flow({**b.exposed, **a.exposed}, _meet(a.must, b.must), _meet(a.at_jumps, b.at_jumps))


class FlowAnalysis:
    """Flows of the nodes of one function; results are kept."""

    def __init__(self, resolution: Resolution, function: c_ast.FuncDef, structured: bool) -> None:
        self._symbols = resolution.symbols
        self._function = function
        self._structured = structured
        self._known: dict[int, Flow] = {}
        self._parents: dict[int, Any] = {}
        self._link(function)

    def _link(self, node: Any) -> None:
        for _, child in node.children():
            self._parents[id(child)] = node
            self._link(child)

    def iteration(self, loop: Any) -> Flow:
        """One iteration of a loop; `must` is what every iteration writes, however it ends."""
        flow = _then(self.of(loop.cond), self._repeated(loop.stmt, getattr(loop, "next", None)))
        return Flow(flow.exposed, _meet(flow.must, flow.at_jumps))

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
        rest = self._sequence(items[_index(items, node) + 1 :])
        if symbol in rest.exposed:
            return True
        if isinstance(self._parents[id(parent)], c_ast.Switch):
            return None  # the other cases need not follow: a `break` goes past them
        certain = rest.must is not None and symbol in rest.must
        escapes = rest.at_jumps is not None and symbol not in rest.at_jumps
        return False if certain and not escapes else None

    def _repeated(self, body: Any, after: Any) -> Flow:
        """The flow of a loop's body and of what follows it in every iteration, after `continue` too."""
        flow = self.of(body)
        return _then(Flow(flow.exposed, _meet(flow.must, flow.at_jumps)), self.of(after))

    # Summaries

    def of(self, node: Any) -> Flow:
        if node is None:
            return NOTHING
        if id(node) not in self._known:
            handler = getattr(self, f"_of_{type(node).__name__}", self._of_children)
            self._known[id(node)] = handler(node)
        return self._known[id(node)]

    def _sequence(self, nodes: Iterable[Any]) -> Flow:
        result = NOTHING
        for node in nodes:
            result = _then(result, self.of(node))
        return result

    def _of_children(self, node: Any) -> Flow:
        return self._sequence(child for _, child in node.children())

    def _of_ID(self, node: c_ast.ID) -> Flow:
        symbol = self._symbols.get(id(node))
        return Flow({symbol: node}) if symbol and symbol.ctype.kind != "function" else NOTHING

    def _written(self, node: Any) -> Flow:
        symbol = self._symbols.get(id(node))
        return Flow({}, frozenset((symbol,))) if symbol else NOTHING

    def _of_Decl(self, node: c_ast.Decl) -> Flow:
        sizes = self._of_children(node.type)
        if node.init is None:
            return sizes
        return _then(_then(sizes, self.of(node.init)), self._written(node))

    def _of_Assignment(self, node: c_ast.Assignment) -> Flow:
        if isinstance(node.lvalue, c_ast.ID):
            before = NOTHING if node.op == "=" else self.of(node.lvalue)
            return _then(_then(before, self.of(node.rvalue)), self._written(node.lvalue))
        return _then(self._of_target(node.lvalue, node.op != "="), self.of(node.rvalue))

    def _of_target(self, node: Any, read: bool) -> Flow:
        """An lvalue that is no plain variable: what is read to find the place."""
        if isinstance(node, c_ast.StructRef) and node.type == "." and not read:
            return NOTHING if isinstance(node.name, c_ast.ID) else self._of_target(node.name, read)
        return self._of_children(node)

    def _of_UnaryOp(self, node: c_ast.UnaryOp) -> Flow:
        if node.op == "sizeof":  # a type may name the length of an array
            return self.of(node.expr) if isinstance(node.expr, c_ast.Typename) else NOTHING
        if node.op in ("++", "--", "p++", "p--") and isinstance(node.expr, c_ast.ID):
            return _then(self.of(node.expr), self._written(node.expr))
        return self.of(node.expr)

    def _of_StructRef(self, node: c_ast.StructRef) -> Flow:
        return self.of(node.name)

    def _of_FuncCall(self, node: c_ast.FuncCall) -> Flow:
        return self.of(node.args)

    def _of_BinaryOp(self, node: c_ast.BinaryOp) -> Flow:
        left, right = self.of(node.left), self.of(node.right)
        if node.op in ("&&", "||"):
            return _then(left, _either(right, NOTHING))
        return _then(
            Flow({**right.exposed, **left.exposed}),
            Flow({}, (left.must or frozenset()) | (right.must or frozenset())),
        )

    def _of_TernaryOp(self, node: c_ast.TernaryOp) -> Flow:
        return _then(self.of(node.cond), _either(self.of(node.iftrue), self.of(node.iffalse)))

    def _of_If(self, node: c_ast.If) -> Flow:
        return _then(self.of(node.cond), _either(self.of(node.iftrue), self.of(node.iffalse)))

    def _of_For(self, node: c_ast.For) -> Flow:
        head = self._sequence((node.init, node.cond))
        return self._loop(head, self._repeated(node.stmt, node.next))

    def _of_While(self, node: c_ast.While) -> Flow:
        return self._loop(self.of(node.cond), self.of(node.stmt))

    def _of_DoWhile(self, node: c_ast.DoWhile) -> Flow:
        return self._loop(NOTHING, self._repeated(node.stmt, node.cond))

    def _loop(self, head: Flow, body: Flow) -> Flow:
        return _then(head, Flow(body.exposed))

    def _of_Switch(self, node: c_ast.Switch) -> Flow:
        exposed = dict(self.of(node.stmt).exposed)
        for part in walk(node.stmt):  # control may enter at every case
            if isinstance(part, c_ast.Case | c_ast.Default):
                exposed.update(self.of(part).exposed)
        continues = any(isinstance(n, c_ast.Continue) for n in walk(node.stmt))
        return _then(self.of(node.cond), Flow(exposed, frozenset(), frozenset() if continues else None))

    def _of_Break(self, _: Any) -> Flow:
        return Flow({}, None, frozenset())

    _of_Continue = _of_Break

    def _of_Return(self, node: c_ast.Return) -> Flow:
        return Flow(self.of(node.expr).exposed, None)

    def _of_Goto(self, _: Any) -> Flow:
        return Flow({}, None, frozenset())

    def _of_Label(self, node: c_ast.Label) -> Flow:
        return Flow(self.of(node.stmt).exposed, frozenset(), frozenset())


def _index(items: list[Any], node: Any) -> int:
    return next(i for i, item in enumerate(items) if item is node)
