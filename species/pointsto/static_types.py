"""The static types of expressions, as far as points-to analysis needs them."""

from __future__ import annotations

from typing import Any

from pycparser import c_ast

from species.loops.symbols import Symbol
from species.loops.types import CHAR, INT, UNKNOWN, CType
from species.pointsto.instructions import Code
from species.pointsto.variables import Variables

_COMPARING = ("==", "!=", "<", ">", "<=", ">=", "&&", "||")


class StaticTypes:
    """The types in one function."""

    def __init__(self, name: str, variables: Variables) -> None:
        self.code = Code(name)
        self.variables = variables
        self._symbols, self._types = variables.resolution.symbols, variables.types

    def type_of(self, node: Any) -> CType:
        """The static type of an expression; unknown for what is unusual."""
        match node:
            case c_ast.ID():
                return self._type_of_name(self._symbols.get(id(node)))
            case c_ast.Constant():
                return CType("pointer", "char *", target=CHAR) if node.type == "string" else INT
            case c_ast.Cast():
                return self._types.resolve(node.to_type)
            case c_ast.CompoundLiteral():
                return self._types.resolve(node.type)
            case c_ast.FuncCall():
                called = self.type_of(node.name)
                called = called.target or UNKNOWN if called.kind == "pointer" else called
                return called.target or UNKNOWN if called.kind == "function" else UNKNOWN
            case c_ast.Assignment():
                return self.type_of(node.lvalue)
            case c_ast.TernaryOp():
                return self._wider(node.iftrue, node.iffalse)
            case c_ast.ExprList():
                return self.type_of(node.exprs[-1])
            case c_ast.BinaryOp(op="+" | "-"):
                return self._sum(node)
            case c_ast.BinaryOp():
                return INT if node.op in _COMPARING else self._wider(node.left, node.right)
            case c_ast.UnaryOp():
                return self._type_of_unary(node)
            case c_ast.ArrayRef() if self.type_of(node.name).is_integer:
                return self.type_of(node.subscript).target or UNKNOWN
            case c_ast.ArrayRef():
                return self.type_of(node.name).target or UNKNOWN
            case c_ast.StructRef():
                owner = self.type_of(node.name)
                return self._types.member(
                    owner.target or UNKNOWN if node.type == "->" else owner, node.field.name
                )
        return UNKNOWN

    def _type_of_name(self, symbol: Symbol | None) -> CType:
        if symbol is None or symbol.storage != "parameter":
            return symbol.ctype if symbol is not None else UNKNOWN
        if symbol.ctype.kind == "function":
            return CType("pointer", symbol.ctype.text, target=symbol.ctype)
        return symbol.ctype.decayed

    def _type_of_unary(self, node: c_ast.UnaryOp) -> CType:
        if node.op in ("sizeof", "_Alignof", "!"):
            return INT
        inner = self.type_of(node.expr)
        if node.op == "&":
            return CType("pointer", f"{inner.text} *", target=inner)
        return inner.target or UNKNOWN if node.op == "*" else inner

    def _wider(self, a: Any, b: Any) -> CType:
        first, second = self.type_of(a), self.type_of(b)
        return second if first.is_integer or first.kind == "void" else first

    def _sum(self, node: c_ast.BinaryOp) -> CType:
        sides = [self.type_of(n) for n in (node.left, node.right)]
        pointers = [s for s in sides if s.kind in ("pointer", "array")]
        if len(pointers) == 2:
            return INT
        return pointers[0].decayed if pointers else next((s for s in sides if not s.is_integer), sides[0])
