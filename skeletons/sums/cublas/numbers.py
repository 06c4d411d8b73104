"""Numbers that a product is multiplied with: they are the same in all iterations, and C converts them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

from pycparser import c_ast

from skeletons.kernel.context import Subject
from skeletons.sums.tiled_reduction import Accumulation
from skeletons.sums.tiled_reduction.names import is_one_value
from species.core.refusal import Refusal
from species.source.syntax.expressions import (
    FLOATS,
    NotPlain,
    check_plain,
    names,
    parse_statement,
    text_of,
    type_of,
)
from species.source.text.code import parenthesised


@dataclass(frozen=True)
class Scale:
    """A product of numbers, as C texts; none: 1."""

    factors: tuple[str, ...] = ()
    negative: bool = False

    @property
    def negated(self) -> Scale:
        return replace(self, negative=not self.negative)

    def times(self, other: Scale) -> Scale:
        return Scale((*self.factors, *other.factors), self.negative != other.negative)

    def text(self, element: str, device: Callable[[str], str]) -> str:
        """The product as an expression of the type `element`."""
        several = len(self.factors) > 1
        texts = [device(factor) for factor in self.factors]
        texts = [f"({element}){parenthesised(text)}" for text in texts] if several else texts
        whole = " * ".join(texts) or "1"
        return f"-{parenthesised(whole)}" if self.negative else whole


class Numbers:
    """Tells the numbers among the expressions of a kernel that adds up elements of one type."""

    def __init__(self, subject: Subject, found: Accumulation) -> None:
        self._subject, self._found = subject, found
        inputs = {s.name for s in subject.kernel.scalars if s.role == "in"}
        self._fixed = (inputs | subject.declarations.enumerators) - subject.redeclared
        own = {s.name for s in subject.kernel.scalars if s.role == "private"}
        self._moving = {*subject.arrays, *subject.iterators, *subject.redeclared, *own}

    def scale(self, node: Any) -> Scale | None:
        """The number; None where the expression is none, Refusal where it is wider than the elements."""
        if not all(name in self._fixed or self._is_macro(name) for name in names(node)):
            return None
        try:
            check_plain(node)
            ctype = self.type_of(node)
        except NotPlain:
            return None
        if ctype in FLOATS[FLOATS.index(self._found.element) + 1 :]:
            raise Refusal(f"`{text_of(node)}` is {ctype}, and its elements are {self._found.element}")
        return Scale((text_of(node),))

    def type_of(self, node: Any) -> str:
        """The type in which C computes an expression; NotPlain where it is not known."""
        macros = {name for name in names(node) if name not in self._found.types and self._is_macro(name)}
        bodies = {name: parse_statement(str(self._subject.macro_body(name))) for name in macros}
        types = {name: type_of(body, self._found.types) for name, body in bodies.items()}
        return type_of(node, {**self._found.types, **types})

    def _is_macro(self, name: str) -> bool:
        """Is it a macro for one value, which does not change?"""
        body = self._subject.macro_body(name)
        hidden = self._subject.macro_names(name)
        return body is not None and is_one_value(body) and not hidden & self._moving


def is_zero(node: Any) -> bool:
    """Is it the constant 0?"""
    is_number = isinstance(node, c_ast.Constant) and node.type in ("int", "float", "double")
    return is_number and node.value.rstrip("fF") in ("0", "0.", "0.0", ".0")
