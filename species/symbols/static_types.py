"""The static types of expressions."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from pycparser import c_ast

from species.symbols.types import CHAR, INT, LONG, UNKNOWN, CType, TypeTable

if TYPE_CHECKING:
    from species.symbols.symbols import Symbol

_COMPARING = ("==", "!=", "<", ">", "<=", ">=", "&&", "||")


def type_of(node: Any, symbols: Mapping[int, Symbol], types: TypeTable) -> CType:
    """The static type of an expression; unknown for what is unusual.

    Of integers that are computed, that one is right as to being one: promotions are not made.
    """
    return _Typing(symbols, types).of(node)


class _Typing:
    def __init__(self, symbols: Mapping[int, Symbol], types: TypeTable) -> None:
        self._symbols, self._types = symbols, types

    def of(self, node: Any) -> CType:
        match node:
            case c_ast.ID():
                symbol = self._symbols.get(id(node))
                return symbol.ctype if symbol is not None else UNKNOWN
            case c_ast.Constant():
                return CType("pointer", "char *", target=CHAR) if node.type == "string" else INT
            case c_ast.Cast():
                return self._types.resolve(node.to_type)
            case c_ast.CompoundLiteral():
                return self._types.resolve(node.type)
            case c_ast.FuncCall():
                called = self.of(node.name)
                called = called.target or UNKNOWN if called.kind == "pointer" else called
                return called.target or UNKNOWN if called.kind == "function" else UNKNOWN
            case c_ast.Assignment():
                return self.of(node.lvalue)
            case c_ast.TernaryOp():
                return self._wider(node.iftrue, node.iffalse)
            case c_ast.ExprList():
                return self.of(node.exprs[-1])
            case c_ast.BinaryOp():
                return self._of_binary(node)
            case c_ast.UnaryOp():
                return self._of_unary(node)
            case c_ast.ArrayRef():
                array = self.of(node.name)
                return (self.of(node.subscript) if array.is_integer else array).target or UNKNOWN
            case c_ast.StructRef():
                owner = self.of(node.name)
                owner = owner.target or UNKNOWN if node.type == "->" else owner
                return self._types.member(owner, node.field.name)
        return UNKNOWN

    def _of_unary(self, node: c_ast.UnaryOp) -> CType:
        if node.op in ("sizeof", "_Alignof", "!"):
            return INT
        inner = self.of(node.expr)
        if node.op == "&":
            return CType("pointer", f"{inner.text} *", target=inner)
        return inner.target or UNKNOWN if node.op == "*" else inner

    def _of_binary(self, node: c_ast.BinaryOp) -> CType:
        if node.op in _COMPARING:
            return INT
        if node.op not in ("+", "-"):
            return self._wider(node.left, node.right)
        sides = [self.of(n) for n in (node.left, node.right)]
        pointers = [s for s in sides if s.kind in ("pointer", "array")]
        if len(pointers) == 2:
            return LONG  # pointers have a distance
        return pointers[0].decayed if pointers else next((s for s in sides if not s.is_integer), sides[0])

    def _wider(self, a: Any, b: Any) -> CType:
        first, second = self.of(a), self.of(b)
        return second if first.is_integer or first.kind == "void" else first
