"""The loops and calls of a function, each with the loops around it, and how many iterations these make."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from pycparser import c_ast

from models.counting.nests import Bounds, average
from models.indirect.calls import IndirectCalls
from models.operations import operations
from models.sizes.amounts import SOME, Amounts
from models.sizes.headers import bounds_of, c_text, header_of, trip_count
from species.source.syntax.tree import variables

MOST = 1e30  # what any figure is cut at, so that none is infinite
LOOPS = (c_ast.For, c_ast.While, c_ast.DoWhile)


@dataclass(frozen=True)
class Loop:
    """A loop of the tree; its iterator is empty where it is not counted.

    A branch that few iterations take is one of less than one iteration.
    """

    node: c_ast.Node
    iterator: str
    trips: float


@dataclass(frozen=True)
class Call:
    """A call, by name or by a pointer, and the loops around it, outermost first."""

    callee: str
    around: tuple[Loop, ...]

    @property
    def times(self) -> float:
        """How often it is made in one call of the function that it stands in."""
        return executions(self.around)


def executions(around: tuple[Loop, ...]) -> float:
    """How often what stands in these loops is reached in one call of their function."""
    return min(MOST, math.prod(loop.trips for loop in around))


@dataclass
class FunctionLoops:
    """The loops and calls of one function; `amounts` says what its names stand for.

    `chains` has every loop, by the identity of its node, as the last of those around it.  `named` are the
    functions that are used in another way than being called.
    """

    function: c_ast.FuncDef
    amounts: Amounts
    pointers: IndirectCalls = field(default_factory=IndirectCalls)
    chains: dict[int, tuple[Loop, ...]] = field(default_factory=dict)
    calls: list[Call] = field(default_factory=list)
    named: set[str] = field(default_factory=set)
    _bounds: dict[int, Bounds] = field(default_factory=dict)  # of the loops that are linear, by their nodes

    def __post_init__(self) -> None:
        self.known = dict(self.amounts.values)  # before the scan gives iterators the values in their middle
        self._scan(self.function.body, ())

    def guesses(self, node: c_ast.Node, calls: Mapping[str, float]) -> dict[str, float]:
        """The sizes that only the run knows, on which a loop's work hangs, and what they are taken for.

        `calls` has functions' operations.  Empty where one execution of the loop hangs on none.
        """
        around, own = self._taken(node, calls)
        iterators = {each.iterator for each in self.chains[id(node)]}
        found = {n: v for n, v in (own | around).items() if n not in iterators}
        return (found or own) if own else {}

    def sizes(self, node: c_ast.Node, calls: Mapping[str, float]) -> dict[str, float]:
        """The same, with those that only say how often the loop is executed."""
        around, own = self._taken(node, calls)
        iterators = {each.iterator for each in self.chains[id(node)]}
        return {n: v for n, v in (own | around).items() if n not in iterators}

    def _taken(
        self, node: c_ast.Node, calls: Mapping[str, float]
    ) -> tuple[dict[str, float], dict[str, float]]:
        """The sizes that were guessed for the loops around a loop, and for itself."""
        known, taken = dict(self.known), dict[str, float]()
        for around in self.chains[id(node)][:-1]:
            if isinstance(around.node, c_ast.For) and around.iterator:
                counted = self.amounts.knowing(known)
                trip_count(around.node, counted)
                if counted.taken:
                    del known[around.iterator]  # its values are guesses
                    taken |= counted.taken
        own = self.amounts.knowing(known)
        operations(node, own, calls)
        return taken, own.taken

    def _scan(self, node: c_ast.Node, around: tuple[Loop, ...]) -> None:
        for _, child in node.children():
            chain = around
            match child:
                case c_ast.For():
                    self._count(child, around)
                    chain = (*around, _counted(child, self.amounts))
                case c_ast.While() | c_ast.DoWhile():
                    chain = (*around, Loop(child, "", SOME))
                case c_ast.FuncCall(name=c_ast.ID(name=callee)):
                    self.calls += [Call(each, around) for each in self.pointers.called(child) or (callee,)]
                    if child.args is not None:
                        self._scan(child.args, around)
                    continue
                case c_ast.FuncCall():
                    self.calls += [Call(each, around) for each in self.pointers.called(child)]
                case c_ast.StructRef():
                    self._scan(c_ast.ExprList([child.name]), around)  # a member's name is no function's
                    continue
                case c_ast.ID(name=name):
                    self.named.add(name)
                case c_ast.If(iftrue=branch) if (part := share(child.cond, around, self.amounts)) < 1:
                    rest = [each for _, each in child.children() if each is not branch]
                    self._scan(c_ast.ExprList(rest), around)
                    self._scan(c_ast.ExprList([branch]), (*around, Loop(child, "", part)))
                    continue
            if chain is not around:
                self.chains[id(child)] = chain
            self._scan(child, chain)

    def _count(self, node: c_ast.For, around: tuple[Loop, ...]) -> None:
        """Keep how many iterations a loop makes in the mean, if those around it, or its steps, change that.

        Loops around it that are not linear count once, and nothing is kept where bounds hang on them.
        """
        known = [found for loop in around if (found := self._bounds.get(id(loop.node))) is not None]
        changed = {loop.iterator for loop in around}
        own = bounds_of(node, self.amounts, changed)
        if own is None or not (own.low.names() | own.high.names()) <= {each.name for each in known}:
            return
        self._bounds[id(node)] = own
        if own.step > 1 or any(each.low.terms or each.high.terms for each in (*known, own)):
            trips = average(known, own)
            if trips is not None:
                self.amounts.trips[id(node)] = trips


def share(test: c_ast.Node, around: Sequence[Loop], amounts: Amounts) -> float:
    """In which part of the iterations a test holds: that of `t % 10 == 0` in a tenth, `t == last` in one of
    all; 1 where nothing tells.
    """
    match test:
        case c_ast.BinaryOp(op="&&", left=left, right=right):
            return min(share(left, around, amounts), share(right, around, amounts))
        case c_ast.BinaryOp(op="==", left=c_ast.BinaryOp(op="%", left=value, right=number)):
            pass
        case c_ast.UnaryOp(op="!", expr=c_ast.BinaryOp(op="%", left=value, right=number)):
            pass
        case c_ast.BinaryOp(op="==", left=c_ast.ID(name=name)):
            trips = (loop.trips for loop in around if loop.iterator == name)
            return 1 / max(1.0, next(trips, 1.0))
        case _:
            return 1.0
    moving = {loop.iterator for loop in around if loop.iterator}
    own = amounts.knowing(amounts.values)
    period = own.of(c_text(number))
    is_known = not own.taken and moving & {each.name for each in variables(value)}
    return 1 / max(1.0, period) if is_known else 1.0


def _counted(node: c_ast.For, amounts: Amounts) -> Loop:
    trips = trip_count(node, amounts)  # which also gives the iterator the value in the middle
    header = header_of(node)
    return Loop(node, header.iterator if header is not None else "", min(MOST, trips))
