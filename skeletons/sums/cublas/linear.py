"""Subscripts as sums of iterators: how far apart in memory the elements of neighbouring iterations are."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from pycparser import c_ast

from species.core.refusal import Refusal
from species.source.syntax.expressions import array_of, names, subscripts, text_of
from species.source.text.code import parenthesised, rename

Factors = tuple[str, ...]  # C texts that are multiplied; (): one


@dataclass(frozen=True)
class Element:
    """An element of an array: its node, and the extents of the dimensions behind the first."""

    node: Any
    inner: Sequence[str]

    @property
    def array(self) -> str:
        return array_of(self.node)

    @property
    def text(self) -> str:
        return text_of(self.node)

    def strides(self, iterators: frozenset[str]) -> dict[str, Factors]:
        """How many elements the next value of each iterator is away; Refusal where that is not one number."""
        found: dict[str, Factors] = {}
        for place, part in enumerate(subscripts(self.node)):
            for name, factors in coefficients(part, iterators).items():
                if name in found:
                    raise Refusal(f"`{self.text}` moves with {name} in two dimensions")
                found[name] = (*factors, *self.inner[place:])
        return found

    def first(self, starts: Mapping[str, str]) -> str:
        """Where the element of the first iteration lies, counted from the array's begin; "0": there.

        `starts` are the iterators' first values, `long` unless they are "0".
        """
        place = ""
        for number, part in enumerate(subscripts(self.node)):
            text = _at(part, starts)
            if place:
                place = f"{parenthesised(place)} * {parenthesised(self.inner[number - 1])}"
            if text != "0":
                place = f"{place} + {parenthesised(text)}" if place else f"(long){parenthesised(text)}"
        return place or "0"


def product_of(factors: Factors) -> str:
    """The product as C text, computed as a `long`."""
    if not factors:
        return "1"
    texts = [parenthesised(factor) for factor in factors]
    return factors[0] if len(texts) == 1 else "(long)" + " * ".join(texts)


def coefficients(node: Any, iterators: frozenset[str]) -> dict[str, Factors]:
    """The factors of the iterators in a subscript; Refusal where it is no sum of such."""
    if not names(node) & iterators:
        return {}
    match node:
        case c_ast.ID(name=name):
            return {name: ()}
        case c_ast.BinaryOp(op="+", left=left, right=right):
            one, other = coefficients(left, iterators), coefficients(right, iterators)
            if not set(one) & set(other):
                return {**one, **other}
        case c_ast.BinaryOp(op="-", left=left, right=right) if not names(right) & iterators:
            return coefficients(left, iterators)
        case c_ast.BinaryOp(op="*", left=left, right=right):
            for inner, factor in ((left, right), (right, left)):
                if not names(factor) & iterators:
                    found = coefficients(inner, iterators)
                    return {name: (text_of(factor), *factors) for name, factors in found.items()}
    raise Refusal(f"`{text_of(node)}` is no sum of iterators")


def _at(node: Any, starts: Mapping[str, str]) -> str:
    """The subscript in the first iteration."""
    used = names(node) & set(starts)
    if all(starts[name] == "0" for name in used) and not _has_rest(node, starts):
        return "0"
    return rename(text_of(node), {name: parenthesised(starts[name]) for name in used})


def _has_rest(node: Any, starts: Mapping[str, str]) -> bool:
    """Is there a summand without any iterator?"""
    if not names(node) & set(starts):
        return not (isinstance(node, c_ast.Constant) and node.value == "0")
    if isinstance(node, c_ast.BinaryOp) and node.op in ("+", "-"):
        return _has_rest(node.left, starts) or _has_rest(node.right, starts)
    if isinstance(node, c_ast.BinaryOp):
        return any(_has_rest(side, starts) for side in (node.left, node.right) if names(side) & set(starts))
    return False
