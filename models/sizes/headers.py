"""What the header of a `for` loop says: its iterator, its ends, and how many iterations it makes."""

from __future__ import annotations

import math
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass

from pycparser import c_ast, c_generator

from models.counting.linear import Linear
from models.counting.nests import Bounds
from models.sizes.amounts import SOME, Amounts
from species.source.syntax.tree import variables, walk

FEW = 16  # parts that are taken to be long
_ASSUMED = (1000.0, 777.0)  # for what is not known: what comes out the same for both does not hang on it
_MIRRORED = {"<": ">", ">": "<", "<=": ">=", ">=": "<=", "!=": "!="}


@dataclass(frozen=True)
class Header:
    """A loop that counts: `iterator` starts as `first` (None: as what it is before) and goes on while
    `tested`, mostly the iterator itself, is `test` (an operator) `end`.
    """

    iterator: str
    first: c_ast.Node | None
    tested: c_ast.Node
    test: str
    end: c_ast.Node
    next: c_ast.Node | None


def header_of(loop: c_ast.Node) -> Header | None:
    """The header of a `for` that compares one variable; None for other loops."""
    if not isinstance(loop, c_ast.For):
        return None
    condition = loop.cond
    while isinstance(condition, c_ast.BinaryOp) and condition.op == "&&":
        condition = condition.left  # `i < n && !found`
    if not isinstance(condition, c_ast.BinaryOp) or condition.op not in _MIRRORED:
        return None
    moved = _moved(loop.next)
    for side, other, test in (
        (condition.left, condition.right, condition.op),
        (condition.right, condition.left, _MIRRORED[condition.op]),
    ):
        match side:
            case c_ast.ID(name=name) if moved in (name, None):
                return Header(name, _first(loop.init, name), side, test, other, loop.next)
            case c_ast.UnaryOp(op="p--" | "p++", expr=c_ast.ID(name=name) as counted) if moved is None:
                return Header(name, _first(loop.init, name), counted, test, other, side)
            case c_ast.BinaryOp() if moved is not None and moved in _names(side) - _names(other):
                return Header(moved, _first(loop.init, moved), side, test, other, loop.next)
    return None


def _names(node: c_ast.Node) -> set[str]:
    return {each.name for each in variables(node)}


def trip_count(loop: c_ast.For, amounts: Amounts) -> float:
    """The iterations of a loop; its iterator gets the value in the middle.

    Where elements of arrays or calls are the ends, as of rows of sparse matrices, it makes `SOME`; those of a
    few parts, as of the colours of a mesh, are as long as other sizes.
    """
    header = header_of(loop)
    if header is None:
        return SOME
    own = amounts.knowing(amounts.values)
    trips = _trip_count(loop, header, own)
    amounts.taken.update(own.taken)
    if own.taken:
        amounts.counted.pop(header.iterator, None)
    else:
        amounts.counted[header.iterator] = trips
    return trips


def fixed_trips(loop: c_ast.Node, values: Mapping[str, float]) -> float | None:
    """How many iterations a loop makes that counts up one by one, if the `values` of some names make that a
    number, whatever others hold.
    """
    header = header_of(loop)
    if header is None or header.first is None or not isinstance(header.tested, c_ast.ID):
        return None
    if header.test not in ("<", "<=") or not isinstance(header.next, c_ast.UnaryOp):
        return None
    found = set()
    for assumed in _ASSUMED:
        amounts = Amounts(lambda _: None, assumed, dict(values))
        found.add(amounts.of(c_text(header.end)) - amounts.of(c_text(header.first)))
    return found.pop() + (header.test == "<=") if len(found) == 1 else None


def _trip_count(loop: c_ast.For, header: Header, amounts: Amounts) -> float:
    first = 0.0 if header.first is None else amounts.of(c_text(header.first))
    end = amounts.of(c_text(header.end))
    amounts.values[header.iterator] = _middle(header, first, end)
    if id(loop) in amounts.trips:
        return amounts.trips[id(loop)]
    block = _block(header, amounts)
    if block:
        return block
    ends = [node for node in (header.first, header.tested, header.end) if node is not None]
    if any(_has(node, c_ast.ArrayRef, c_ast.FuncCall) for node in ends):
        return amounts.assumed if _are_of_few(ends, amounts) else SOME
    if any(isinstance(each, c_ast.UnaryOp) and each.op == "sizeof" for node in ends for each in walk(node)):
        return amounts.assumed
    if not isinstance(header.tested, c_ast.ID):  # `y + margin < height`
        end -= _value(header, first, amounts) - first
    trips = _trips(header, first, end, amounts)
    if trips == 1 and first == end and _are_unknown(header, amounts):
        return amounts.assumed  # `i <= last` of two sizes that are taken for the same
    if trips <= 0 and any(_has(node, c_ast.ID) for node in ends):
        # a difference of sizes that are taken for the same, or of one that is known and a larger guess
        return end if 0 < end < amounts.assumed else amounts.assumed
    return max(0.0, trips)


def _block(header: Header, amounts: Amounts) -> float:
    """The iterations of a loop over a block of another one's (loop blocking); 0: it is none."""
    match header.first, header.end:
        case c_ast.ID(name=first), c_ast.ID(name=end):
            start, length = amounts.blocks.get(end, ("", 0.0))
            return length if start == first and header.test == "<" else 0.0
    return 0.0


def _are_unknown(header: Header, amounts: Amounts) -> bool:
    """Has each end a name of its own whose value is not known?"""
    if header.first is None:
        return False
    first, end = (_names(each) & amounts.taken.keys() for each in (header.first, header.end))
    return bool(first - end) and bool(end - first)


def _are_of_few(ends: Iterable[c_ast.Node], amounts: Amounts) -> bool:
    """Are the ends elements that a loop of a few iterations, known to be so few, goes through?"""
    subscripts = (each.subscript for node in ends for each in walk(node) if isinstance(each, c_ast.ArrayRef))
    names = {name for subscript in subscripts for name in _names(subscript)}
    return any(1 < amounts.counted[name] <= FEW for name in names & amounts.counted.keys())


def bounds_of(loop: c_ast.Node, amounts: Amounts, iterators: Collection[str]) -> Bounds | None:
    """What a loop counts between, over the `iterators` of loops around it; None where that is not linear."""
    header = header_of(loop)
    step = _step(header.next, amounts) if header is not None else 0.0
    if header is None or header.first is None or not step or step != int(step):
        return None
    first, end = (_linear(each, amounts, iterators) for each in (header.first, header.end))
    if first is None or end is None or not isinstance(header.tested, c_ast.ID) or header.test == "!=":
        return None
    if (header.test in ("<", "<=")) != (step > 0):
        return None
    if step < 0:  # as many as the other way
        first, end = first.times(-1), end.times(-1)
    return Bounds(header.iterator, first, end if "=" in header.test else end.plus(-1), abs(int(step)))


def _linear(node: c_ast.Node, amounts: Amounts, iterators: Collection[str]) -> Linear | None:
    """A sum of numbers and of iterators with numbers before them."""
    if not any(each.name in iterators for each in variables(node)):
        value = amounts.of(c_text(node))
        return Linear((), int(value)) if value == int(value) and not _is_read(node) else None
    match node:
        case c_ast.ID(name=name):
            return Linear.name(name)
        case c_ast.Cast(expr=inner):
            return _linear(inner, amounts, iterators)
        case c_ast.BinaryOp(op="+" | "-" | "*" as operator, left=left, right=right):
            one, other = (_linear(each, amounts, iterators) for each in (left, right))
            if one is None or other is None:
                return None
            if operator != "*":
                return one + other if operator == "+" else one - other
            number, rest = (one, other) if not one.terms else (other, one)
            return rest.times(number.constant) if not number.terms else None
    return None


def _is_read(node: c_ast.Node) -> bool:
    return _has(node, c_ast.ArrayRef, c_ast.FuncCall)


def _middle(header: Header, first: float, end: float) -> float:
    """A value of the iterator, half of the iterations before the last."""
    if _is_geometric(header):
        return math.sqrt(max(1.0, abs(first)) * max(1.0, abs(end)))
    return (first + end) / 2


def _is_geometric(header: Header) -> bool:
    return isinstance(header.next, c_ast.Assignment) and header.next.op in ("*=", "/=", "<<=", ">>=")


def _value(header: Header, iterator: float, amounts: Amounts) -> float:
    """What is tested, for a value of the iterator."""
    known = amounts.knowing(amounts.values | {header.iterator: iterator}, amounts.taken)
    return known.of(c_text(header.tested))


def _trips(header: Header, first: float, end: float, amounts: Amounts) -> float:
    if _is_geometric(header):
        return math.log2(max(2.0, abs(end), abs(first)))
    step = _step(header.next, amounts)
    return (end - first) / step + (header.test in ("<=", ">=")) if step else SOME


def _has(node: c_ast.Node, *kinds: type[c_ast.Node]) -> bool:
    return any(isinstance(each, kinds) for each in walk(node))


def _first(node: c_ast.Node | None, name: str) -> c_ast.Node | None:
    """What a header starts a variable with."""
    for each in walk(node) if node is not None else ():
        match each:
            case c_ast.Decl(name=declared, init=value) if declared == name and value is not None:
                return value
            case c_ast.Assignment(op="=", lvalue=c_ast.ID(name=assigned), rvalue=value) if assigned == name:
                return value
    return None


def _moved(node: c_ast.Node | None) -> str | None:
    """The one variable that the last part of a header changes."""
    match node:
        case c_ast.UnaryOp(expr=c_ast.ID(name=name)) | c_ast.Assignment(lvalue=c_ast.ID(name=name)):
            return str(name)
        case c_ast.ExprList(exprs=[first, *_]):
            return _moved(first)
    return None


def _step(node: c_ast.Node | None, amounts: Amounts) -> float:
    match node:
        case c_ast.UnaryOp(op="++" | "p++"):
            return 1.0
        case c_ast.UnaryOp(op="--" | "p--"):
            return -1.0
        case c_ast.Assignment(op="+=", rvalue=value):
            return amounts.of(c_text(value))
        case c_ast.Assignment(op="-=", rvalue=value):
            return -amounts.of(c_text(value))
        case c_ast.ExprList(exprs=[first, *_]):
            return _step(first, amounts)
        case c_ast.Assignment(op="=", lvalue=c_ast.ID(name=name), rvalue=value):
            return _step_of_sum(name, value, amounts)
    return 0.0


def _step_of_sum(name: str, value: c_ast.Node, amounts: Amounts) -> float:
    """Of `i = i + 2`."""
    match value:
        case c_ast.BinaryOp(op="+" | "-" as sign, left=c_ast.ID(name=left), right=right) if left == name:
            return amounts.of(c_text(right)) * (1 if sign == "+" else -1)
        case c_ast.BinaryOp(op="+", left=left, right=c_ast.ID(name=right)) if right == name:
            return amounts.of(c_text(left))
    return 0.0


def c_text(node: c_ast.Node) -> str:
    """An expression as C."""
    return str(c_generator.CGenerator().visit(node))
