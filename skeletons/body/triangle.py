"""Triangular iteration spaces without half-empty grids: the triangle is folded into a rectangle.

Where every row has `d` iterations more than the one before, the first and the last row together are as
long as the second and the last but one, and so on.  Such a pair is one row of the grid: what does not belong
to one of the two belongs to the other.  That is exact for all sizes, and takes no square root, which not
every device has in double precision.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from pycparser import c_ast

from skeletons.kernel.context import Subject
from skeletons.kernel.views import FoldView, LoopView
from species.core.refusal import Refusal
from species.facts.loops import KernelLoop
from species.source.syntax.expressions import (
    NotPlain,
    canonical,
    check_plain,
    coefficient,
    names,
    parse_statement,
    text_of,
    type_of,
)
from species.source.text.code import parenthesised, substitute

_MIRRORED = {"<": ">", "<=": ">=", ">": "<", ">=": "<="}
_SIGNED = ("int", "long", "long long")


@dataclass(frozen=True)
class Triangle:
    """The rows: the first has `length` iterations (C text of type long), each other one `growth` more."""

    length: str
    growth: int


def triangle_of(subject: Subject) -> Triangle:
    """The rows of two base loops, where the inner one's bounds move with the outer one; Refusal otherwise."""
    if len(subject.spread) != 2 or len(subject.kernel.loops) != 2:
        raise Refusal("it takes two base loops, of which the inner one's bounds depend on the outer one")
    outer, inner = subject.spread
    try:
        return _triangle(subject, outer, inner)
    except NotPlain as reason:
        raise Refusal(str(reason)) from None


def _triangle(subject: Subject, outer: KernelLoop, inner: KernelLoop) -> Triangle:
    if abs(inner.step) != 1:
        raise NotPlain(f"the step of {inner.iterator} is {inner.step}")
    types = _types(subject)
    relation, bound = _bound(subject, inner)
    lower = parse_statement(inner.lower)
    if (relation[0] == "<") != (inner.step > 0):
        raise NotPlain(f"{inner.iterator} moves away from its bound")
    ends = (bound, lower) if inner.step > 0 else (lower, bound)
    moves = [_moves(subject, end, inner, outer, types) for end in ends]
    growth = (moves[0] - moves[1]) * outer.step
    if growth == 0:
        raise NotPlain(f"all rows have as many iterations over {inner.iterator}")
    first = {outer.iterator: _first_value(outer, types)}
    upper, under = (f"(long){parenthesised(substitute(text_of(end), first))}" for end in ends)
    length = f"{upper} - {under}" + (" + 1" if relation.endswith("=") else "")
    return Triangle(length, growth)


def _first_value(outer: KernelLoop, types: dict[str, str]) -> str:
    """Of the outer iterator, in its type."""
    lower = parse_statement(outer.lower)
    check_plain(lower)
    known = {name: types.get(name, "void") for name in names(lower)}
    if types[outer.iterator] == "int" and set(known.values()) <= {"int"} and type_of(lower, known) == "int":
        return outer.lower
    return f"({outer.ctype}){parenthesised(outer.lower)}"


def _moves(subject: Subject, end: Any, inner: KernelLoop, outer: KernelLoop, types: dict[str, str]) -> int:
    """By how much an end of the rows moves with the outer iterator."""
    check_plain(end)
    if inner.iterator in names(end) or any(isinstance(part, c_ast.ArrayRef) for part in _parts(end)):
        raise NotPlain(f"the bound `{text_of(end)}` is not one of plain variables")
    if subject.macro_names(text_of(end)) & subject.iterators:
        raise NotPlain(f"a macro in `{text_of(end)}` uses an iterator")
    if type_of(end, types) not in _SIGNED:
        raise NotPlain(f"the bound `{text_of(end)}` is no signed number")
    found = coefficient(end, outer.iterator)
    if found is None:
        raise NotPlain(f"`{text_of(end)}` does not move evenly with {outer.iterator}")
    return found


def _parts(node: Any) -> list[Any]:
    return [node, *(part for _, child in node.children() for part in _parts(child))]


def _bound(subject: Subject, loop: KernelLoop) -> tuple[str, Any]:
    """The condition as relation and bound: of `j < n` both, of `n > j` the same."""
    tree = parse_statement(loop.condition)
    if isinstance(tree, c_ast.BinaryOp) and tree.op in _MIRRORED:
        if isinstance(tree.left, c_ast.ID) and tree.left.name == loop.iterator:
            return tree.op, tree.right
        if isinstance(tree.right, c_ast.ID) and tree.right.name == loop.iterator:
            return _MIRRORED[tree.op], tree.left
    raise NotPlain(f"the condition `{loop.condition}` does not compare {loop.iterator} with a bound")


def _types(subject: Subject) -> dict[str, str]:
    """The types of iterators, parameters and constants."""
    found = {loop.iterator: canonical(loop.ctype) for loop in subject.kernel.loops}
    if any(ctype not in _SIGNED for ctype in found.values()):
        raise NotPlain("an iterator is no signed number")
    for scalar in subject.scalars("in"):
        if scalar.name not in subject.redeclared:
            found[scalar.name] = subject.declarations.canonical(scalar.ctype) or "void"
    for loop in subject.kernel.loops:
        for name in names(parse_statement(loop.lower)) | names(parse_statement(loop.condition)):
            body = subject.macro_body(name)
            if body is not None and body.strip().isdecimal() and len(body.strip()) < 10:
                found[name] = "int"
            elif body is not None:
                found.pop(name, None)
    return found


def fold_view(
    triangle: Triangle,
    loops: tuple[LoopView, ...],
    fresh: Callable[[str], str],
    device: Callable[[str], str],
) -> FoldView:
    """What the templates see."""
    outer, inner = loops
    rows = outer.iterator
    return FoldView(
        outer=outer,
        inner=inner,
        length=fresh(f"{rows}_length"),
        first=fresh(f"{rows}_first_length"),
        length_value=device(triangle.length),
        growth=triangle.growth,
        skipped=fresh(f"{rows}_skipped"),
        rows=fresh(f"{rows}_rows"),
        width=fresh(f"{rows}_width"),
        pair=fresh("pair"),
        place=fresh("place"),
        own=fresh("own_length"),
        is_own=fresh("is_own"),
    )
