"""What a product is: two matrices, the loops that run through them, and how the result is scaled."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from skeletons.sums.cublas.linear import Element, Factors
from skeletons.sums.cublas.numbers import Scale

Triangle = Literal["", "low", "high"]  # the fast iterator is at most, or at least, the slow one


@dataclass(frozen=True)
class Matrix:
    """Elements that two iterators move, one of them along memory."""

    element: Element
    fast: str  # the iterator along memory
    width: Factors  # elements from one row to the next
    apart: Factors | None  # from one matrix of a batch to the next; None: it is the same one


@dataclass(frozen=True)
class Term:
    """`alpha * sum over depth of first(fast, depth) * second(slow, depth)`."""

    first: Matrix
    second: Matrix
    alpha: Scale


@dataclass(frozen=True)
class Product:
    """`output[slow][fast] = sum of terms + beta * output`; beta None: the old output does not matter.

    Of a triangle, there is one term, or two with the same matrices in exchanged roles.
    """

    fast: str
    slow: str
    batch: str  # "": there is none
    depth: str
    triangle: Triangle
    outer: str  # of a triangle, the loop that counts its rows
    terms: tuple[Term, ...]
    output: Matrix
    beta: Scale | None
