"""C types: how they are declared, and what lies in them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from pycparser import c_ast


class UnsupportedError(Exception):
    """The program cannot be instrumented."""


@dataclass(frozen=True)
class CType:
    """A type; `kind` is scalar, pointer, array, struct, function or void.

    `tag` is the scalar's letter in runtime.h, `size` the C text of an array's length.
    """

    kind: str
    name: str = ""
    tag: str = ""
    target: Any = None
    size: str = ""
    members: tuple[tuple[str, Any], ...] = ()
    restrict: bool = False

    def declare(self, what: str) -> str:
        """The declaration of `what`, which may be empty."""
        if self.kind == "pointer":
            inner = f"(*{what})" if self.target.kind in ("array", "function") else f"*{what}"
            return str(self.target.declare(inner))
        if self.kind == "array":
            return str(self.target.declare(f"{what}[{self.size}]"))
        if self.kind == "function":
            return str(self.target.declare(f"{what}()"))
        return f"{self.name} {what}"

    @property
    def leaf(self) -> CType:
        """The elements of an array of any number of dimensions."""
        return self.target.leaf if self.kind == "array" else self  # type: ignore[no-any-return]

    @property
    def decayed(self) -> CType:
        return CType("pointer", tag="p", target=self.target) if self.kind == "array" else self

    @property
    def is_constant_size(self) -> bool:
        if self.kind != "array":
            return True
        return self.size.isdigit() and bool(self.target.is_constant_size)


def scalar(name: str, tag: str) -> CType:
    return CType("scalar", name, tag)


INT, LONG, DOUBLE = scalar("int", "i"), scalar("long", "l"), scalar("double", "d")
SIZE = scalar("unsigned long", "L")
VOID = CType("void", "void")
_TAGS = {"char": "c", "short": "s", "int": "i", "long": "l"}


def pointer(target: CType, restrict: bool = False) -> CType:
    return CType("pointer", tag="p", target=target, restrict=restrict)


def named(names: list[str]) -> CType:
    """The type of `unsigned long int` and the like."""
    if "void" in names:
        return VOID
    if "_Bool" in names:
        return scalar("_Bool", "b")
    if "double" in names and "long" not in names:
        return DOUBLE
    if "float" in names:
        return scalar("float", "f")
    if any(n not in ("char", "short", "int", "long", "signed", "unsigned") for n in names):
        raise UnsupportedError(f"type {' '.join(names)}")
    size = next((n for n in ("char", "short", "long") if n in names), "int")
    if "unsigned" in names:
        return scalar(f"unsigned {size}", _TAGS[size].upper())
    return scalar(f"signed {size}", _TAGS[size])


def constant(node: Any, enumerators: dict[str, int]) -> int | None:
    """The value of a constant expression, None if it is none."""
    match node:
        case c_ast.Constant(type="int" | "long int" | "unsigned int" | "unsigned long int"):
            text = node.value.rstrip("uUlL")
            return int(text, 8) if text.startswith("0") and text.isdigit() and len(text) > 1 else int(text, 0)
        case c_ast.ID():
            return enumerators.get(node.name)
        case c_ast.UnaryOp(op="-"):
            value = constant(node.expr, enumerators)
            return None if value is None else -value
        case c_ast.BinaryOp(op="+" | "-" | "*" | "/" | "<<"):
            a, b = constant(node.left, enumerators), constant(node.right, enumerators)
            if a is None or b is None or (node.op == "/" and b == 0):
                return None
            quotient = a // b if b else 0
            return {"+": a + b, "-": a - b, "*": a * b, "/": quotient, "<<": a << max(b, 0)}[node.op]
        case c_ast.Cast():
            return constant(node.expr, enumerators)
    return None
