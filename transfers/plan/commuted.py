"""Subscripts that are written the other way round: `i[a]` is `a[i]`."""

from __future__ import annotations

from pycparser import c_ast

from species.loops.walk import Names
from species.source.syntax.tree import code, walk
from species.symbols.static_types import type_of

_ADDRESSES = ("pointer", "array")


def put_right(names: Names, ast: c_ast.FileAST) -> None:
    """Puts arrays and pointers before their subscripts, in the tree itself; it means the same."""
    found = [node for item in code(ast) for node in walk(item) if isinstance(node, c_ast.ArrayRef)]
    for node in reversed(found):  # what is inside comes first
        first, second = (
            type_of(part, names.resolution.symbols, names.types).kind for part in (node.name, node.subscript)
        )
        if first not in _ADDRESSES and (second in _ADDRESSES or first in ("int", "float")):
            node.name, node.subscript = node.subscript, node.name
