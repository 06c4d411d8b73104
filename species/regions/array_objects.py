"""Arrays that a loop names as the objects that they are: in a kernel, their names are those of pointers."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from typing import Any

from pycparser import c_ast

from species.source.syntax.tree import walk
from species.symbols.symbols import Symbol

_UNDECAYED = ("sizeof", "_Alignof", "&")


def array_obstacles(
    loop: Any, symbols: Mapping[int, Symbol], touched: Collection[Symbol]
) -> Iterator[tuple[str, Any]]:
    """Why a kernel cannot name, or have, arrays as a loop does, and where that does so.

    The kernel gets those that are `touched`.
    """
    parts = list(walk(loop))
    inside = {id(part) for part in parts}
    arrays = {id(part): s for part in parts if (s := _array(part, symbols)) and id(s.node) not in inside}
    for part in parts:
        whole = arrays.get(id(part.expr)) if _is_undecayed(part) else None
        if whole is not None:
            yield f"'{whole.name}' is named as a whole, by '{part.op}'", part
        elif id(part) in arrays and arrays[id(part)] not in touched:
            yield f"the value of '{part.name}' is an address", part
        elif isinstance(part, c_ast.ArrayDecl) and any(id(n) in symbols for n in walk(part.dim or part)):
            yield "the length of an array is a variable", part


def _is_undecayed(node: Any) -> bool:
    return isinstance(node, c_ast.UnaryOp) and node.op in _UNDECAYED


def _array(node: Any, symbols: Mapping[int, Symbol]) -> Symbol | None:
    """The declared array that a name means."""
    symbol = symbols.get(id(node)) if isinstance(node, c_ast.ID) else None
    found = symbol is not None and symbol.ctype.kind == "array" and symbol.storage != "parameter"
    return symbol if found else None
