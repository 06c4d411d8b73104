"""Which base loops run over rows and which over columns, and what the values are that each side shares."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import product as choices
from typing import Any

from pycparser import c_ast

from skeletons.sums.tiled_reduction.model import Side, Staged
from species.source.syntax.expressions import (
    NotPlain,
    array_of,
    elements,
    names,
    steps_by_one,
    subscripts,
    text_of,
    type_of,
)


@dataclass(frozen=True)
class Sides:
    """The iterators of the base loops in three groups."""

    rows: frozenset[str]
    columns: frozenset[str]
    batch: frozenset[str]

    def of(self, used: frozenset[str]) -> Side | None:
        """The side that a value belongs to which depends on these base loops; None: on both."""
        if not used & self.columns:
            return "rows"
        return None if used & self.rows else "columns"


def sides_of(statement: Any, base: Sequence[str], depth: frozenset[str]) -> Sides:
    """The groups with the fewest batch loops, columns along the target's memory; NotPlain if there are none.

    Each value that the statement reads depends on one side only (and on batch loops), and each side has
    an element that it reads at every step of the depth.
    """
    leaves = list(_leaves(statement.rvalue, text_of(statement.lvalue), frozenset(base) | depth))
    walked = [leaf for leaf in leaves if names(leaf) & depth and isinstance(leaf, c_ast.ArrayRef)]
    fast = [one for one in base if steps_by_one(statement.lvalue, one)] or [base[-1]]
    found = [
        sides
        for kinds in choices(range(3), repeat=len(base))
        if (sides := _sides(base, kinds)).rows
        and sides.columns
        and all(sides.of(names(leaf) & frozenset(base)) for leaf in leaves)
        and all(any(names(leaf) & group for leaf in walked) for group in (sides.rows, sides.columns))
    ]
    if not found:
        raise NotPlain("no value is shared by the iterations of one loop, and no other by those of another")
    return min(found, key=lambda s: (len(s.batch), not s.columns & set(fast), len(s.columns)))


def _sides(base: Sequence[str], kinds: Sequence[int]) -> Sides:
    groups = [frozenset(o for o, kind in zip(base, kinds, strict=True) if kind == k) for k in range(3)]
    return Sides(*groups)


def _leaves(node: Any, target: str, iterators: frozenset[str]) -> Iterator[Any]:
    """The elements and iterators that an expression reads, the target left out."""
    if isinstance(node, c_ast.ArrayRef):
        if text_of(node) != target:
            yield node
    elif isinstance(node, c_ast.ID):
        if node.name in iterators:
            yield node
    else:
        for _, child in node.children():
            yield from _leaves(child, target, iterators)


@dataclass
class Stager:
    """Finds the largest parts of an expression that one side shares."""

    sides: Sides
    target: str
    base: frozenset[str]
    depth: tuple[str, ...]  # innermost last
    types: Mapping[str, str]

    def stage(self, rvalue: Any) -> tuple[tuple[Staged, ...], dict[int, int]]:
        """The values, each once, and which node is which of them; the target is number -1."""
        values: list[Staged] = []
        places: dict[int, int] = {}
        for node in self._parts(rvalue):
            if text_of(node) == self.target:
                places[id(node)] = -1
                continue
            value = self._value(node)
            if value not in values:
                values.append(value)
            places[id(node)] = values.index(value)
        return tuple(values), places

    def side_of(self, node: Any) -> Side | None:
        """The side that alone decides over the value; None if there is more to it, or less."""
        iterators = self.base | set(self.depth)
        if self._has_target(node) or not any(True for _ in _leaves(node, self.target, iterators)):
            return None
        return self.sides.of(names(node) & self.base)

    def _has_target(self, node: Any) -> bool:
        if isinstance(node, c_ast.ArrayRef | c_ast.ID):
            return text_of(node) == self.target
        return any(self._has_target(child) for _, child in node.children())

    def _parts(self, node: Any) -> Iterator[Any]:
        if self.side_of(node) or (
            isinstance(node, c_ast.ArrayRef | c_ast.ID) and text_of(node) == self.target
        ):
            yield node
            return
        if isinstance(node, c_ast.TernaryOp):
            raise NotPlain("a condition decides what is computed")
        for _, child in node.children():
            yield from self._parts(child)

    def _value(self, node: Any) -> Staged:
        side = self.side_of(node)
        assert side is not None
        own = self.sides.rows if side == "rows" else self.sides.columns
        read = list(elements(node))
        beside = any(steps_by_one(element, one) for element in read for one in own)
        along = any(steps_by_one(element, self.depth[-1]) for element in read)
        arrays = tuple(
            (array_of(element), tuple(text_of(s) for s in subscripts(element))) for element in read
        )
        return Staged(text_of(node), type_of(node, self.types), side, along and not beside, arrays)


def vanishes(node: Any, side: Side, stager: Stager) -> bool:
    """Is the expression zero where the values of `side` are?  The target is left aside."""
    if stager.side_of(node):
        return stager.side_of(node) == side
    match node:
        case c_ast.BinaryOp(op="*"):
            return vanishes(node.left, side, stager) or vanishes(node.right, side, stager)
        case c_ast.BinaryOp(op="+" | "-"):
            return vanishes(node.left, side, stager) and vanishes(node.right, side, stager)
        case c_ast.UnaryOp() | c_ast.Cast():
            return vanishes(node.expr, side, stager)
    return text_of(node) == stager.target
