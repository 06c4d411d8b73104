"""Types, constants and functions that a function declares for itself, and that kernels lack."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

from pycparser import c_ast

from species.source.syntax.tree import walk
from species.symbols.symbols import Symbol


def local_names(body: Any) -> dict[int, frozenset[str]]:
    """What a function's body declares: for each such node, by its id, the names that mean nothing outside."""
    found = ((id(node), frozenset(_declared(node))) for node in walk(body))
    return {number: names for number, names in found if names}


def needed_local_name(local: dict[int, frozenset[str]], loop: Any, symbols: Iterable[Symbol]) -> str | None:
    """What a loop, or the type of a variable in it, names and its function declares outside of the loop; as
    messages name it.
    """
    if not local:
        return None
    parts = list(walk(loop))
    inside = {id(part) for part in parts}
    names = frozenset[str]().union(*(names for number, names in local.items() if number not in inside))
    nodes = (symbol.node for symbol in symbols if symbol.node is not None)
    declared = (getattr(node, "type", None) or node for node in nodes if id(node) not in inside)
    types = (part for node in declared for part in walk(node))
    return next((_shown(name) for part in (*parts, *types) for name in _named(part) if name in names), None)


def _declared(node: Any) -> Iterator[str]:
    match node:
        case c_ast.Typedef():
            yield node.name
        case c_ast.Struct() | c_ast.Union() if node.decls is not None:
            yield _tag(node)
        case c_ast.Enum() if node.values is not None:
            yield _tag(node)
            yield from (each.name for each in node.values.enumerators)
        case c_ast.Decl(type=c_ast.FuncDecl()):
            yield node.name


def _named(node: Any) -> Iterator[str]:
    match node:
        case c_ast.ID():
            yield node.name
        case c_ast.IdentifierType():
            yield from node.names
        case c_ast.Struct() | c_ast.Union() | c_ast.Enum():
            yield _tag(node)


def _tag(node: Any) -> str:
    """`struct s`; one without a name has that of its place."""
    return f"{type(node).__name__.lower()} {node.name or id(node)}"


def _shown(name: str) -> str:
    kind, _, tag = name.partition(" ")
    return f"'{kind}' without a name" if tag.isdigit() else f"'{name}'"
