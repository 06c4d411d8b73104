"""Parts of sums as a device's texts: code, loops that are summed over, expressions with parts replaced."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from pycparser import c_ast

from skeletons.kernel.views import ScalarView
from skeletons.sums.tiled_reduction.model import DepthLoop
from skeletons.sums.tiled_reduction.views import DepthView
from species.source.text.code import code_tokens, names_in, parenthesised


@dataclass(frozen=True)
class Device:
    """How the device says things."""

    fresh: Callable[[str], str]  # a name that is not used yet
    text: Callable[[str], str]  # C text in the device's language
    ctype: Callable[[str], str]


def code(text: str, device: Device) -> str:
    """The text for the device; nothing where there are only comments."""
    return device.text(text) if code_tokens(text) else ""


def used(privates: list[ScalarView], text: str, more: str) -> tuple[ScalarView, ...]:
    """The variables of an iteration that `text` uses."""
    named = {*names_in(text), more}
    return tuple(scalar for scalar in privates if scalar.name in named)


def depth_of(loop: DepthLoop, several: bool, device: Device) -> DepthView:
    """The view of a loop; with `several` of them, its number of iterations is not below 0."""
    counter = device.fresh(f"{loop.iterator}_t")
    size = abs(loop.step)
    cast = "(long)" if not loop.ctype.startswith("unsigned") else f"(long)({device.ctype(loop.ctype)})"
    ends = [cast + parenthesised(device.text(text)) for text in (loop.lower, loop.bound)]
    first, last = ends if loop.step > 0 else reversed(ends)
    span = last if first == "(long)0" else f"{last} - {first}"
    more = size - 1 + loop.relation.endswith("=")
    trips = f"{span} + {more}" if more else span
    trips = f"({trips}) / {size}" if size > 1 else trips
    lower = parenthesised(device.text(loop.lower))
    moved = counter if size == 1 else f"{counter} * {size}"
    return DepthView(
        iterator=device.text(loop.iterator),
        ctype=device.ctype(loop.ctype),
        counter=counter,
        trips=device.fresh(f"{loop.iterator}_trips"),
        trips_value=f"({trips}) > 0 ? {trips} : 0" if several else trips,
        start=moved
        if loop.lower == "0" and loop.step > 0
        else f"{lower} {'+' if loop.step > 0 else '-'} {moved}",
    )


def replaced(node: Any, names: Mapping[int, str]) -> Any:
    """The expression with variables in the place of some of its parts, by id."""
    if id(node) in names:
        return c_ast.ID(names[id(node)])
    match node:
        case c_ast.BinaryOp():
            return c_ast.BinaryOp(node.op, replaced(node.left, names), replaced(node.right, names))
        case c_ast.UnaryOp():
            return c_ast.UnaryOp(node.op, replaced(node.expr, names))
        case c_ast.Cast():
            return c_ast.Cast(node.to_type, replaced(node.expr, names))
        case c_ast.Assignment():
            return c_ast.Assignment(node.op, replaced(node.lvalue, names), replaced(node.rvalue, names))
    return node
