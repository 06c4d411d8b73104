"""Copies of arrays of numbers by `memcpy`, which move no pointers: as if the numbers were assigned."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from pycparser import c_ast

from species.symbols.enumerations import constant_value
from species.symbols.types import CHAR, CType, TypeTable, scalar_bytes


class NumberCopies:
    """Asks of a call's arguments; `type_of` gives the types of expressions."""

    def __init__(self, types: TypeTable, type_of: Callable[[Any], CType]) -> None:
        self._types, self._type_of = types, type_of

    def holds(self, arrays: Sequence[Any], size: Any) -> bool:
        """Is each of `arrays` one of numbers, of one type, that has at least `size` bytes?

        Characters may be parts of anything.
        """
        wanted, types = self._value(size), [self._type_of(each) for each in arrays]
        elements = [each.element for each in types]
        if wanted is None or any(each.kind != "array" for each in types):
            return False
        if any(not e.is_number or e.bits == CHAR.bits or e.bits != elements[0].bits for e in elements):
            return False
        return all((self._bytes(each) or 0) >= wanted for each in types)

    def _value(self, node: Any) -> int | None:
        """The value of a number of bytes, such as `sizeof a` and `4 * sizeof(double)`."""
        if isinstance(node, c_ast.UnaryOp) and node.op == "sizeof":
            named = isinstance(node.expr, c_ast.Typename)
            return self._bytes(self._types.resolve(node.expr) if named else self._type_of(node.expr))
        if isinstance(node, c_ast.BinaryOp) and node.op == "*":
            left, right = self._value(node.left), self._value(node.right)
            return left * right if left is not None and right is not None else None
        return constant_value(node, self._types.certain_constants())

    def _bytes(self, ctype: CType) -> int | None:
        if ctype.kind != "array" or ctype.target is None:
            return scalar_bytes(ctype)
        length = constant_value(ctype.extent, self._types.certain_constants())
        one = self._bytes(ctype.target)
        return length * one if length is not None and one is not None else None
