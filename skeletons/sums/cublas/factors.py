"""The statement that sums, taken apart: products of one element of each side, and numbers."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from pycparser import c_ast

from skeletons.sums.cublas.numbers import Numbers, Scale
from skeletons.sums.tiled_reduction import Accumulation
from species.core.refusal import Refusal
from species.source.syntax.expressions import text_of


@dataclass(frozen=True)
class Pair:
    """The elements of both factors, and the number that they are multiplied with."""

    elements: tuple[Any, Any]
    scale: Scale


def pairs(found: Accumulation, numbers: Numbers) -> list[Pair]:
    """The products that each step adds to the target; Refusal where it adds something else."""
    return [_pair(node, negative, found, numbers) for node, negative in _added(found)]


def _added(found: Accumulation) -> Iterator[tuple[Any, bool]]:
    """The summands, and whether they are subtracted."""
    statement = found.statement
    if statement.op in ("+=", "-="):
        yield from _summands(statement.rvalue, statement.op == "-=")
        return
    parts = list(_summands(statement.rvalue, False)) if statement.op == "=" else []
    others = [(node, negative) for node, negative in parts if text_of(node) != found.target]
    if len(others) != len(parts) - 1 or (found.target, True) in _texts(parts):
        raise Refusal(f"`{text_of(statement)}` does not add to {found.target}")
    yield from others


def _texts(parts: list[tuple[Any, bool]]) -> list[tuple[str, bool]]:
    return [(text_of(node), negative) for node, negative in parts]


def _summands(node: Any, negative: bool) -> Iterator[tuple[Any, bool]]:
    if isinstance(node, c_ast.BinaryOp) and node.op in ("+", "-"):
        yield from _summands(node.left, negative)
        yield from _summands(node.right, negative != (node.op == "-"))
    else:
        yield node, negative


def _pair(node: Any, negative: bool, found: Accumulation, numbers: Numbers) -> Pair:
    elements, scale = [], Scale(negative=negative)
    if numbers.type_of(node) != found.element:
        raise Refusal(f"`{text_of(node)}` is {numbers.type_of(node)}, and the sum is {found.element}")
    for factor, is_negated in _factors(node, found.element, numbers):
        scale = scale.negated if is_negated else scale
        number = numbers.scale(factor)
        if number is not None:
            scale = scale.times(number)
        elif not isinstance(factor, c_ast.ArrayRef):
            raise Refusal(f"`{text_of(factor)}` is neither an element nor a number")
        else:
            elements.append(factor)
    if len(elements) != 2:
        raise Refusal(f"`{text_of(node)}` is no product of two elements")
    return Pair((elements[0], elements[1]), scale)


def _factors(node: Any, element: str, numbers: Numbers) -> Iterator[tuple[Any, bool]]:
    """The factors, and whether they are negated; what is computed in another type stays together."""
    match node:
        case c_ast.BinaryOp(op="*") if numbers.type_of(node) == element:
            yield from _factors(node.left, element, numbers)
            yield from _factors(node.right, element, numbers)
        case c_ast.UnaryOp(op="-") if numbers.type_of(node) == element:
            inner = list(_factors(node.expr, element, numbers))
            yield inner[0][0], not inner[0][1]
            yield from inner[1:]
        case c_ast.Cast() if numbers.type_of(node) == numbers.type_of(node.expr) == element:
            yield from _factors(node.expr, element, numbers)
        case _:
            yield node, False
