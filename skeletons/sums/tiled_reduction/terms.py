"""The update of an accumulation as products of a row's and a column's value, which tensor cores add up."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from pycparser import c_ast

from skeletons.sums.tiled_reduction.model import Accumulation

TARGET = -1  # in `Accumulation.places`


@dataclass(frozen=True)
class Product:
    """`row * column`, numbers of staged values, added or taken away."""

    row: int
    column: int
    negative: bool


def products(found: Accumulation) -> tuple[Product, ...]:
    """The products of the accumulation's element type that are added to the target; empty: others are."""
    statement, types = found.statement, {value.ctype for value in found.staged}
    if statement.op not in ("=", "+=", "-=") or types != {found.element}:
        return ()
    terms = _terms(statement.rvalue, statement.op == "-=", found.places)
    targets = 1 if statement.op == "=" else 0
    own = [negative for node, negative in terms if found.places.get(id(node)) == TARGET]
    read = [_product(node, negative, found) for node, negative in terms if id(node) not in found.places]
    if own != [False] * targets or len(read) + targets != len(terms):
        return ()
    made = tuple(product for product in read if product is not None)
    return made if len(made) == len(read) else ()


def _terms(node: Any, negative: bool, places: Mapping[int, int]) -> list[tuple[Any, bool]]:
    """The signed parts of a sum."""
    if id(node) not in places and isinstance(node, c_ast.BinaryOp) and node.op in ("+", "-"):
        right = negative != (node.op == "-")
        return _terms(node.left, negative, places) + _terms(node.right, right, places)
    if id(node) not in places and isinstance(node, c_ast.UnaryOp) and node.op in ("+", "-"):
        return _terms(node.expr, negative != (node.op == "-"), places)
    return [(node, negative)]


def _product(node: Any, negative: bool, found: Accumulation) -> Product | None:
    if not isinstance(node, c_ast.BinaryOp) or node.op != "*":
        return None
    factors = [found.places.get(id(part), TARGET) for part in (node.left, node.right)]
    if TARGET in factors:
        return None
    factors.sort(key=lambda place: found.staged[place].side != "rows")
    row, column = factors
    sides = found.staged[row].side, found.staged[column].side
    return Product(row, column, negative) if sides == ("rows", "columns") else None
