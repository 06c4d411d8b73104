"""What parameters and variables stand for, as far as calls and initialisers in a file tell."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass

from pycparser import c_ast

from models.sizes.amounts import Amounts
from models.sizes.headers import c_text
from species.source.syntax.tree import walk

Values = Mapping[str, float]  # by the name of a parameter
ROUNDS = 3  # constants come through so many functions that call each other


@dataclass(frozen=True)
class _Function:
    """Of a function: its declarations, its calls of names, and the names that it assigns, or whose address
    it takes.
    """

    name: str
    parameters: list[str]
    declared: list[c_ast.Decl]
    calls: list[c_ast.FuncCall]
    changed: set[str]

    @staticmethod
    def of(node: c_ast.FuncDef) -> _Function:
        found = _Function(node.decl.name, _parameters(node), [], [], set())
        for part in walk(node.body):
            if isinstance(part, c_ast.Decl):
                found.declared.append(part)
            elif isinstance(part, c_ast.FuncCall):
                if isinstance(part.name, c_ast.ID) and part.args is not None:
                    found.calls.append(part)
            elif isinstance(part, c_ast.Assignment | c_ast.UnaryOp):
                target = changed_by(part)
                if isinstance(target, c_ast.ID):
                    found.changed.add(target.name)
        return found


def changed_by(node: c_ast.Node) -> c_ast.Node | None:
    """What an expression assigns to, or takes the address of."""
    if isinstance(node, c_ast.Assignment):
        return node.lvalue
    return node.expr if node.op in ("++", "--", "p++", "p--", "&") else None


def known_values(ast: c_ast.FileAST, assumed: float) -> dict[str, Values]:
    """By function: what the names in it that hold a constant hold; parameters the largest of all calls."""
    functions = [_Function.of(node) for node in ast.ext if isinstance(node, c_ast.FuncDef)]
    changed = {name for function in functions for name in function.changed}
    common = enumerated(ast, assumed)
    declared = [node for node in ast.ext if isinstance(node, c_ast.Decl)]
    common |= _initialised(declared, changed, common, assumed)
    found: dict[str, Values] = {}
    for _ in range(ROUNDS):
        arguments = _arguments(functions, assumed, found)
        before, found = (
            found,
            {f.name: _inside(f, common | arguments.get(f.name, {}), assumed) for f in functions},
        )
        if found == before:
            break
    return found


def enumerated(ast: c_ast.FileAST, assumed: float) -> dict[str, float]:
    """The values of the enumerators that are declared anywhere in the file."""
    found: dict[str, float] = {}
    for node in walk(ast):
        if isinstance(node, c_ast.EnumeratorList):
            following = 0.0
            for each in node.enumerators:
                value = following if each.value is None else _constant(each.value, found, assumed)
                if value is not None:
                    found[each.name] = value
                following = (value or 0.0) + 1
    return found


def _inside(function: _Function, outer: dict[str, float], assumed: float) -> Values:
    return outer | _initialised(function.declared, function.changed, outer, assumed)


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


def _arguments(
    functions: list[_Function], assumed: float, known: dict[str, Values]
) -> dict[str, dict[str, float]]:
    """The largest of what all calls pass for a parameter; nothing where one passes what is not known."""
    names = {function.name: function.parameters for function in functions}
    found: dict[str, dict[str, float | None]] = defaultdict(dict)
    for function in functions:
        here = known.get(function.name, {})
        for node in function.calls:
            callee = found[node.name.name]
            for name, value in zip(names.get(node.name.name, ()), node.args.exprs, strict=False):
                amount, before = _constant(value, here, assumed), callee.get(name, 0.0)
                callee[name] = None if amount is None or before is None else max(before, amount)
    return {
        name: {each: amount for each, amount in values.items() if amount is not None}
        for name, values in found.items()
    }


def _parameters(function: c_ast.FuncDef) -> list[str]:
    parameters = getattr(function.decl.type, "args", None)
    return [getattr(each, "name", None) or "" for each in parameters.params] if parameters else []


def _constant(node: c_ast.Node, known: Values, assumed: float) -> float | None:
    """The value of a number, or of an expression over numbers and what is known."""
    if not isinstance(node, c_ast.Constant | c_ast.ID | c_ast.BinaryOp | c_ast.UnaryOp | c_ast.Cast):
        return None
    if any(isinstance(each, c_ast.FuncCall | c_ast.ArrayRef | c_ast.StructRef) for each in walk(node)):
        return None
    amounts = Amounts(lambda _: None, assumed, dict(known))
    value = amounts.of(c_text(node))
    return None if amounts.taken else value
