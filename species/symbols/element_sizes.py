"""Sizes of elements, as far as they are certain: has an element room for what is read as another type?"""

from __future__ import annotations

from typing import Any

from pycparser import c_ast

from species.symbols.effect_table import Effect, Touched, library
from species.symbols.enumerations import constant_value
from species.symbols.static_types import type_of
from species.symbols.symbols import Resolution
from species.symbols.types import BIT_FIELD, CType, TypeTable

_POINTER = 8  # bytes (LP64)


class ElementSize:
    """What a call says of the size of the elements that it works on; `nodes` are the factors of all bytes."""

    def __init__(self, node: Any, resolution: Resolution, types: TypeTable) -> None:
        self._types = types
        self._bytes = constant_value(node, {}) if isinstance(node, c_ast.Constant) else None
        self._ctype: CType | None = None
        if isinstance(node, c_ast.UnaryOp) and node.op == "sizeof":
            named = isinstance(node.expr, c_ast.Typename)
            found = types.resolve(node.expr) if named else type_of(node.expr, resolution.symbols, types)
            self._ctype = None if isinstance(node.expr, c_ast.Constant) else found  # a text is an array

    def fits(self, ctype: CType) -> bool:
        """Is a value of the type no larger than an element, for certain?"""
        if self._ctype is not None and _is_same_aggregate(ctype, self._ctype):
            return not self._types.has_open_end(ctype)
        room = self._bytes if self._bytes is not None else self._least(self._ctype)
        return ctype.kind in ("int", "float", "pointer") and self._least(ctype) <= room

    def _least(self, ctype: CType | None) -> int:
        """At least so many bytes has a value of the type; exactly so many, if it is a number or a pointer."""
        if ctype is None or ctype.text == BIT_FIELD:
            return 0
        match ctype.kind:
            case "int" | "float":
                return max(1, ctype.bits // 8)
            case "pointer":
                return _POINTER
            case "struct":
                return sum(map(self._least, self._types.members(ctype)))
            case "array":
                count = constant_value(ctype.extent, {}) if isinstance(ctype.extent, c_ast.Constant) else 0
                return (count or 0) * self._least(ctype.target)
        return 0


def element_size(effect: Effect, arguments: list[Any]) -> Any:
    """The argument of a call that is the size of one element; None: no argument is.

    It is written as a `sizeof`, or stands where C's library has it.
    """
    extents = [touched.extent for touched in effect.reads if isinstance(touched.extent, tuple)]
    factors = [arguments[p - 1] for extent in extents for p in extent if p <= len(arguments)]
    sizes = [f for f in factors if isinstance(f, c_ast.UnaryOp) and f.op == "sizeof"]
    if len(sizes) == 1:
        return sizes[0]
    return factors[-1] if factors and library().get(effect.name) is effect else None


def works_on_elements(effect: Effect) -> bool:
    """Does the function look at elements of a size that it is told?"""
    touched: list[Touched] = [*effect.reads, *effect.writes]
    return any(isinstance(each.extent, tuple) for each in touched)


def _is_same_aggregate(a: CType, b: CType) -> bool:
    if a.kind != b.kind or a.kind not in ("struct", "union") or a.target is None or b.target is None:
        return False
    return a.target.text == b.target.text
