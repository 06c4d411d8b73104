"""Functions that can be parsed, but of which a tree says something else than the compiler understands.

They are left out, as if they could not be parsed: what evaluates nothing although it looks as if it did, what
is evaluated although it stands in a type, and jumps out of expressions.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from typing import Any

from pycparser import c_ast

from species.source.parse.recovery import Loss, Parsed

_UNEVALUATED = frozenset(
    (
        *("__builtin_constant_p", "__builtin_object_size", "__builtin_dynamic_object_size"),
        *("__builtin_choose_expr", "__builtin_classify_type", "__builtin_has_attribute"),
        *("__builtin_types_compatible_p", "__builtin_assume", "__assume"),
    )
)
HOLDING_BLOCKS = (  # in these, a block is a statement
    *(c_ast.FuncDef, c_ast.Compound, c_ast.If, c_ast.For, c_ast.While, c_ast.DoWhile, c_ast.Switch),
    *(c_ast.Label, c_ast.Case, c_ast.Default),
)
_LOOPS = (c_ast.For, c_ast.While, c_ast.DoWhile)
_CHANGES = ("++", "--", "p++", "p--")


def without_refused(parsed: Parsed, is_user_line: Callable[[int], bool], wraps_around: bool) -> Parsed:
    """The file with prototypes in place of functions that are not understood.

    No function is, if an option makes signed numbers wrap around.
    """
    items: list[Any] = []
    losses: list[Loss] = []
    for item in parsed.ast.ext:
        user = item.coord is None or is_user_line(item.coord.line)
        why = _why(item, wraps_around and user) if isinstance(item, c_ast.FuncDef) else None
        items.append(item if why is None else _prototype(item))
        if why is not None:
            losses.append(_loss(item, why, user))
    return replace(parsed, ast=c_ast.FileAST(items), losses=(*parsed.losses, *losses)) if losses else parsed


def _prototype(function: c_ast.FuncDef) -> c_ast.Decl:
    """The function's declaration; one of the old kind says nothing of its parameters."""
    declaration = function.decl
    if function.param_decls:
        declaration.type.args = None
    return declaration


def _loss(function: c_ast.FuncDef, why: str, user: bool) -> Loss:
    name, place = function.decl.name, function.decl.coord
    line, column = (place.line, place.column or 1) if place else (1, 1)
    return Loss(line, column, why, f"the body of function '{name}'", user, frozenset((name,)), refused=True)


def _why(function: c_ast.FuncDef, wraps_around: bool) -> str | None:
    """Why the function is left out; None: it is not."""
    if wraps_around:
        return "an option makes signed numbers wrap around"
    if any(map(_acts, (function.decl.type, *(function.param_decls or ())))):
        return "the declaration of a parameter has side effects"
    return next(filter(None, (_why_not(node, parent) for node, parent in _with_parents(function))), None)


def _why_not(node: Any, parent: Any) -> str | None:
    match node:
        case c_ast.UnaryOp(op="_Alignof") | c_ast.GenericSelection() if _acts(node):
            return "an operand that is not evaluated has side effects"
        case c_ast.FuncCall(name=c_ast.ID()) if node.name.name in _UNEVALUATED and _acts(node.args):
            return "an operand that is not evaluated has side effects"
        case c_ast.Struct() | c_ast.Union() | c_ast.Enum() | c_ast.FuncDecl() if _acts(node):
            return "a type has side effects"
        case c_ast.Compound() if not isinstance(parent, HOLDING_BLOCKS) and _is_left(node):
            return "a statement expression is left by a jump"
    return None


def _acts(node: Any) -> bool:
    """May evaluating the code do something, besides giving a value?"""
    return any(_is_action(n) for n, _ in _with_parents(node))


def _is_action(node: Any) -> bool:
    if isinstance(node, c_ast.UnaryOp):
        return node.op in _CHANGES
    if isinstance(node, c_ast.FuncCall):
        return getattr(node.name, "name", None) not in _UNEVALUATED
    return isinstance(node, c_ast.Assignment | c_ast.Compound)


def _with_parents(node: Any) -> Iterator[tuple[Any, Any]]:
    """All nodes of a tree, each with the one that it is a part of."""
    pending = [(node, None)]
    while pending:
        current, parent = pending.pop()
        if current is not None:
            yield current, parent
            pending += [(child, current) for child in current]


def _is_left(block: c_ast.Compound) -> bool:
    """Does a jump leave the block?  (A `return` leaves the function as well.)"""
    labels = {n.name for n, _ in _with_parents(block) if isinstance(n, c_ast.Label)}
    gotos = (n for n, _ in _with_parents(block) if isinstance(n, c_ast.Goto))
    return any(goto.name not in labels for goto in gotos) or breaks([block], (c_ast.Break, c_ast.Continue))


def breaks(nodes: Iterable[Any], kinds: tuple[type, ...]) -> bool:
    """Is there a jump of these kinds that belongs to a loop or a `switch` around the nodes?"""
    for node in nodes:
        if isinstance(node, kinds):
            return True
        inner = () if isinstance(node, _LOOPS) else kinds
        inner = (c_ast.Continue,) if isinstance(node, c_ast.Switch) and inner else inner
        if inner and breaks(node, inner):
            return True
    return False
