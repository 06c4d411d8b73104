"""What parameters and variables stand for, as far as calls and initialisers in a file tell."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping

from pycparser import c_ast

from skeletons.amounts import Amounts
from skeletons.declarations import nodes
from skeletons.operations import c_text

Values = Mapping[str, float]  # by the name of a parameter
ROUNDS = 3  # constants come through so many functions that call each other


def known_values(ast: c_ast.FileAST, assumed: float) -> dict[str, Values]:
    """By function: what the names in it that hold a constant hold; parameters the largest of all calls."""
    functions = [node for node in ast.ext if isinstance(node, c_ast.FuncDef)]
    changed = {name for function in functions for name in _changed(function)}
    common = _initialised([node for node in ast.ext if isinstance(node, c_ast.Decl)], changed, {}, assumed)
    found: dict[str, Values] = {}
    for _ in range(ROUNDS):
        arguments = _arguments(functions, assumed, found)
        found = {
            function.decl.name: _inside(function, common | arguments.get(function.decl.name, {}), assumed)
            for function in functions
        }
    return found


def _inside(function: c_ast.FuncDef, outer: dict[str, float], assumed: float) -> Values:
    own = [node for node in nodes(function.body) if isinstance(node, c_ast.Decl)]
    return outer | _initialised(own, set(_changed(function)), outer, assumed)


def _initialised(
    declarations: list[c_ast.Decl], changed: set[str], known: Values, assumed: float
) -> dict[str, float]:
    """The variables that keep the constant that they are declared with."""
    found: dict[str, float] = {}
    for node in declarations:
        if node.init is not None and node.name and node.name not in changed:
            value = _constant(node.init, {**known, **found}, assumed)
            if value is not None:
                found[node.name] = value
    return found


def _changed(function: c_ast.FuncDef) -> Iterator[str]:
    """The names that a function assigns to, or takes the address of."""
    for node in nodes(function.body):
        target = None
        if isinstance(node, c_ast.Assignment):
            target = node.lvalue
        elif isinstance(node, c_ast.UnaryOp) and node.op in ("++", "--", "p++", "p--", "&"):
            target = node.expr
        if isinstance(target, c_ast.ID):
            yield target.name


def _arguments(
    functions: list[c_ast.FuncDef], assumed: float, known: dict[str, Values]
) -> dict[str, dict[str, float]]:
    names = {function.decl.name: _parameters(function) for function in functions}
    found: dict[str, dict[str, float]] = defaultdict(dict)
    for function in functions:
        here = known.get(function.decl.name, {})
        for node in nodes(function.body):
            if isinstance(node, c_ast.FuncCall) and isinstance(node.name, c_ast.ID) and node.args is not None:
                callee = found[node.name.name]
                for name, value in zip(names.get(node.name.name, ()), node.args.exprs, strict=False):
                    amount = _constant(value, here, assumed)
                    if amount is not None:
                        callee[name] = max(callee.get(name, amount), amount)
    return dict(found)


def _parameters(function: c_ast.FuncDef) -> list[str]:
    parameters = getattr(function.decl.type, "args", None)
    return [getattr(each, "name", None) or "" for each in parameters.params] if parameters else []


def _constant(node: c_ast.Node, known: Values, assumed: float) -> float | None:
    """The value of a number, or of an expression over numbers and what is known."""
    if not isinstance(node, c_ast.Constant | c_ast.ID | c_ast.BinaryOp | c_ast.UnaryOp | c_ast.Cast):
        return None
    if any(isinstance(each, c_ast.FuncCall | c_ast.ArrayRef | c_ast.StructRef) for each in nodes(node)):
        return None
    amounts = Amounts(lambda _: None, assumed, dict(known))
    value = amounts.of(c_text(node))
    return None if amounts.taken else value
