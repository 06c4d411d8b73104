"""Functions that compare two elements for qsort and bsearch: do they look at nothing else?

A comparator gets pointers to two elements of an array, and nothing keeps it from reading their neighbours.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from pycparser import c_ast

from species.symbols.symbols import Resolution, Symbol
from species.symbols.types import UNKNOWN, CType, TypeTable

_COMPARISONS = ("==", "!=", "<", ">", "<=", ">=", "&&", "||")


def stays_in_elements(
    resolution: Resolution, types: TypeTable, name: str, fits: Callable[[CType], bool]
) -> bool:
    """Is a function of the file, where it follows pointers, at their very targets always?

    Then it neither does arithmetic with them nor takes them from somewhere else.  `fits` says of a type
    whether an element has room for it.
    """
    return _Element(resolution, types, fits).stays(resolution.functions[name].body)


class _Element:
    """Looks at the uses of pointers in one function."""

    def __init__(self, resolution: Resolution, types: TypeTable, fits: Callable[[CType], bool]) -> None:
        self._symbols, self._types, self._fits = resolution.symbols, types, fits

    def stays(self, node: Any) -> bool:
        match node:
            case c_ast.ID():
                return not self._is_pointer(self._symbols.get(id(node)))
            case c_ast.UnaryOp(op="*"):
                return self._is_followed(node.expr)
            case c_ast.StructRef(type="->"):
                return self._is_followed(node.name)
            case c_ast.StructRef():
                return self.stays(node.name)
            case c_ast.ArrayRef() if getattr(node.subscript, "value", "") == "0" and self._is_kept(node.name):
                return self._is_followed(node.name)
            case c_ast.Decl():
                return self.stays(node.type) and self._is_harmless(node.init)
            case c_ast.FuncCall():
                return all(map(self._is_harmless, node.args.exprs if node.args else ()))
            case c_ast.BinaryOp() if node.op in _COMPARISONS:
                return self._is_harmless(node.left) and self._is_harmless(node.right)
        return all(self.stays(child) for _, child in node.children())

    def _is_harmless(self, node: Any) -> bool:
        return node is None or self._is_kept(node) or self.stays(node)

    def _is_followed(self, node: Any) -> bool:
        """Is it a pointer as it was given, to what fits in an element?"""
        if isinstance(node, c_ast.Cast):
            target = self._types.resolve(node.to_type).target
        else:
            symbol = self._symbols.get(id(node))
            target = symbol.ctype.target if symbol is not None else None
        return self._is_kept(node) and self._fits(target or UNKNOWN)

    def _is_kept(self, node: Any) -> bool:
        """Is it a pointer as it was given, or a variable that is a copy of one?"""
        while isinstance(node, c_ast.Cast):
            node = node.expr
        symbol = self._symbols.get(id(node)) if isinstance(node, c_ast.ID) else None
        if symbol is None or not self._is_pointer(symbol):
            return False
        return not (symbol.writes or symbol.address_taken or symbol.outlives_function)

    def _is_pointer(self, symbol: Symbol | None) -> bool:
        if symbol is None or symbol.storage == "function":
            return False
        array = symbol.ctype.kind == "array" and symbol.storage == "parameter"
        return array or symbol.ctype.kind in ("pointer", "unknown")
