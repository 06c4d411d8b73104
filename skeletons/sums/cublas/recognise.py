"""Is an accumulation a product of two matrices, which lie in memory as a library of products wants them?"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from itertools import product as choices
from typing import Any

from pycparser import c_ast

from skeletons.kernel.context import Subject
from skeletons.sums.cublas.factors import Pair, pairs
from skeletons.sums.cublas.linear import Element
from skeletons.sums.cublas.model import Matrix, Product, Term, Triangle
from skeletons.sums.cublas.numbers import Numbers, Scale
from skeletons.sums.cublas.scaling import Scaling, scaling
from skeletons.sums.tiled_reduction import Accumulation
from species.core.refusal import Refusal
from species.facts.loops import KernelLoop
from species.source.syntax.expressions import FLOATS, NotPlain, array_of, names, parse_statement, text_of
from species.source.text.code import rename


def recognise(subject: Subject, found: Accumulation, inner: Mapping[str, tuple[str, ...]]) -> Product:
    """The product; Refusal says what the library does not compute.

    `inner` has the extents of the dimensions behind the first, by array.
    """
    reason = "it is no product"
    for row, column in choices(reversed(found.rows), reversed(found.columns)):
        rest = [name for name in (*found.rows, *found.columns, *found.batch) if name not in (row, column)]
        try:
            return _Recogniser(subject, found, inner, row, column, *rest).product()
        except (NotPlain, Refusal) as obstacle:
            reason = str(obstacle)
    raise Refusal(reason)


@dataclass
class _Recogniser:
    subject: Subject
    found: Accumulation
    inner: Mapping[str, tuple[str, ...]]
    row: str
    column: str
    batch: str = ""  # the third base loop

    def product(self) -> Product:
        self._check()
        numbers = Numbers(self.subject, self.found)
        around = scaling(self.subject, self.found, numbers)
        found = pairs(self.found, numbers)
        output = self._output(around)
        fast = output.fast
        slow = next(name for name in (self.row, self.column) if name != fast)
        triangle, outer = self._triangle(fast)
        terms = tuple(self._term(pair, fast, slow, around) for pair in found)
        if triangle:
            self._check_symmetry(terms)
        return Product(fast, slow, self.batch, self._depth, triangle, outer, terms, output, around.beta)

    def _check(self) -> None:
        found = self.found
        if found.element not in FLOATS:
            raise Refusal(f"its numbers are {found.element}")
        if len(found.depth) != 1:
            raise Refusal("it sums over several loops")
        if found.depth[0].step != 1:
            raise Refusal(f"the step of {found.depth[0].iterator} is {found.depth[0].step}")
        for loop in self.subject.kernel.loops:
            if loop.step != 1 or not self._bound(loop):
                raise Refusal(f"the loop over {loop.iterator} does not simply count up to a bound")

    def _bound(self, loop: KernelLoop) -> tuple[str, str] | None:
        """The relation and what stands behind it; None: the condition is of another form."""
        match parse_statement(loop.condition):
            case c_ast.BinaryOp(op="<" | "<=" as relation, left=c_ast.ID(name=name), right=bound):
                return (relation, text_of(bound)) if name == loop.iterator else None
        return None

    @property
    def _depth(self) -> str:
        return self.found.depth[0].iterator

    @property
    def _moving(self) -> frozenset[str]:
        return frozenset({*self.subject.iterators, self._depth})

    def _output(self, around: Scaling) -> Matrix:
        writes = [array.name for array in self.subject.kernel.arrays if array.writes is not None]
        if writes != [array_of(around.cell)]:
            raise Refusal(f"{', '.join(writes)} are written")
        if self.batch and self.batch not in names(around.cell):
            raise Refusal(f"{self.batch} does not move {text_of(around.cell)}")
        return self._matrix(around.cell, (self.row, self.column))

    def _term(self, pair: Pair, fast: str, slow: str, around: Scaling) -> Term:
        one, other = pair.elements
        if fast not in names(one):
            one, other = other, one
        first = self._matrix(one, (fast, self._depth))
        second = self._matrix(other, (slow, self._depth))
        return Term(first, second, around.alpha.times(pair.scale))

    def _matrix(self, node: Any, pair: tuple[str, str]) -> Matrix:
        """The matrix of the elements that a pair of iterators runs through."""
        name = array_of(node)
        if self.found.types.get(name) != self.found.element or name not in self.inner:
            raise Refusal(f"the elements of {name} are no {self.found.element}")
        element = Element(node, self.inner[name])
        strides = element.strides(self._moving)
        apart = strides.pop(self.batch, None)
        if set(strides) != set(pair):
            raise Refusal(f"`{element.text}` is no element of a matrix over {' and '.join(pair)}")
        along = [one for one, factors in strides.items() if not factors]
        if len(along) != 1:
            overlap = f"the rows of {name} may overlap"
            raise Refusal(overlap if along else f"`{element.text}` takes no neighbours in memory")
        (width,) = (factors for one, factors in strides.items() if one != along[0])
        return Matrix(element, along[0], width, apart)

    def _triangle(self, fast: str) -> tuple[Triangle, str]:
        """The part of the output that is computed, and the loop that counts its rows; "": all of it."""
        if not self.found.is_ragged:
            return "", ""
        if len(self.subject.kernel.loops) != 2:
            raise Refusal("there are several triangles")
        one, other = self.subject.kernel.loops
        for inner, outer in ((one, other), (other, one)):
            until = self._bound(inner)
            is_low = until in (("<=", outer.iterator), ("<", f"{outer.iterator} + 1"))
            if inner.lower == outer.lower and is_low:
                return "low" if inner.iterator == fast else "high", outer.iterator
            if inner.lower == outer.iterator and until == self._bound(outer):
                return "high" if inner.iterator == fast else "low", outer.iterator
        raise Refusal("the part of the output that is computed is no triangle with its diagonal")

    def _check_symmetry(self, terms: tuple[Term, ...]) -> None:
        """Refusal unless a matrix is multiplied with itself, or two with each other, in both orders."""
        alike = [self._as_rows(matrix) for term in terms for matrix in (term.first, term.second)]
        if len(terms) == 1 and alike[0] == alike[1]:
            return
        is_pair = len(terms) == 2 and alike[0] == alike[3] and alike[1] == alike[2]
        if is_pair and _alike(terms[0].alpha, terms[1].alpha) and self._lie_alike(terms[0]):
            return
        raise Refusal("only a triangle of the output is computed, and not of a symmetric product")

    def _lie_alike(self, term: Term) -> bool:
        return (term.first.fast == self._depth) == (term.second.fast == self._depth)

    def _as_rows(self, matrix: Matrix) -> str:
        """The element with one name for both iterators of the output."""
        return text_of(parse_statement(rename(matrix.element.text, {self.column: self.row})))


def _alike(one: Scale, other: Scale) -> bool:
    return (sorted(one.factors), one.negative) == (sorted(other.factors), other.negative)
