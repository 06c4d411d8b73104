"""How many operations the body of a loop makes, as its syntax tree shows."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from types import MappingProxyType

from pycparser import c_ast

from models.indirect.accesses import is_scattered, scattered
from models.indirect.calls import pointer_name
from models.sizes.amounts import SOME, Amounts
from models.sizes.headers import trip_count

_COUNTED = frozenset(("+", "-", "*", "/", "%", "&", "|", "^", "<<", ">>"))
_CALL = 10.0  # operations of a function of the mathematical library
_WAITING = 3.0  # an update of an element that data chooses: the load waits for the last store there
# What compilers make an instruction or two of: with f and l behind them, for the other types.
_INSTRUCTIONS = {
    **dict.fromkeys(("creal", "cimag"), 0.0),
    **dict.fromkeys(("fabs", "fmin", "fmax", "conj", "copysign", "floor", "ceil", "trunc", "rint"), 1.0),
    "fma": 2.0,
}
_CHEAP = {f"{name}{end}": cost for name, cost in _INSTRUCTIONS.items() for end in ("", "f", "l")}
_CHEAP |= dict.fromkeys(("abs", "labs", "llabs", "isnan", "isinf", "isfinite", "signbit"), 1.0)
_NO_CALLS: Mapping[str, float] = MappingProxyType({})


def operations(
    node: c_ast.Node | None, amounts: Amounts, calls: Mapping[str, float] = _NO_CALLS, *, loops: bool = True
) -> float:
    """The operations of one execution, subscripts (but for calls in them) and loop headers left out; all
    branches are counted, an element that data chooses as one, and one for each iteration that does nothing
    else, such as to compare.

    `calls` are those of functions that the caller knows.  Without `loops`, those of inner loops do not count.
    """
    match node:
        case None:
            return 0.0
        case c_ast.ArrayRef():
            called = sum(operations(each, amounts, calls, loops=loops) for each in _outermost_calls(node))
            return float(scattered(node, amounts.chosen)) + called
        case c_ast.For() | c_ast.While() | c_ast.DoWhile() if not loops:
            return 0.0
        case c_ast.For():
            return trip_count(node, amounts) * max(1.0, operations(node.stmt, amounts, calls))
        case c_ast.While() | c_ast.DoWhile():
            return SOME * sum(operations(part, amounts, calls) for part in (node.cond, node.stmt))
        case c_ast.FuncCall():
            name = pointer_name(node.name)
            own = calls.get(name, _CHEAP.get(name, _CALL))
            return own + operations(node.args, amounts, calls, loops=loops)
    counted = 1.0 if _is_counted(node) else 0.0
    counted += _WAITING if _waits(node, amounts.chosen) else 0.0
    return counted + sum(operations(child, amounts, calls, loops=loops) for _, child in node.children())


def _outermost_calls(node: c_ast.Node) -> Iterator[c_ast.FuncCall]:
    """The calls in an expression, but for those in the arguments of others."""
    if isinstance(node, c_ast.FuncCall):
        yield node
        return
    for _, child in node.children():
        yield from _outermost_calls(child)


def depth(node: c_ast.Node | None) -> int:
    """How deep loops are nested in a statement."""
    if node is None:
        return 0
    inside = max((depth(child) for _, child in node.children()), default=0)
    return inside + isinstance(node, c_ast.For | c_ast.While | c_ast.DoWhile)


def _is_counted(node: c_ast.Node) -> bool:
    match node:
        case c_ast.BinaryOp():
            return node.op in _COUNTED
        case c_ast.Assignment():
            return bool(node.op != "=")
        case c_ast.UnaryOp():
            return node.op in ("++", "p++", "--", "p--")
    return False


def _waits(node: c_ast.Node, chosen: frozenset[str]) -> bool:
    match node:
        case c_ast.Assignment() if node.op != "=":
            return is_scattered(node.lvalue, chosen)
        case c_ast.UnaryOp(op="++" | "p++" | "--" | "p--"):
            return is_scattered(node.expr, chosen)
    return False
