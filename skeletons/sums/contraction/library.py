"""Products as calls of CBLAS: which of its functions computes the same, and with which arguments.

Matrices are in row-major order.  `A[i][k]` as the side of the rows i is a matrix as it is, `A[k][i]` a
transposed one.  Loops of a group beyond the last stand around the call.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from pycparser import c_ast

from skeletons.sums.contraction.model import BandLoop, Contraction, Operand, Product, names_of
from species.core.refusal import Refusal
from species.source.syntax.expressions import (
    FLOATS,
    NotPlain,
    array_of,
    names,
    parse_statement,
    subscripts,
    text_of,
)
from species.source.text.code import parenthesised, rename

MOST = (1 << 31) - 1  # what an `int` of the library holds
HEADER = "cblas.h"

Fits = Callable[[str], bool]  # does the value of an expression fit an int?


@dataclass(frozen=True)
class Layout:
    """How the rows of an array lie: the extents behind its first, and whether it is one piece of memory."""

    extents: tuple[str | None, ...]
    contiguous: bool


@dataclass(frozen=True)
class Matrix:
    """The first element's address, the distance of rows, and whether it is read by columns."""

    first: str
    width: str
    transposed: bool

    @property
    def flag(self) -> str:
        return "CblasTrans" if self.transposed else "CblasNoTrans"


@dataclass(frozen=True)
class LibraryCalls:
    """What the template prints: the size of the matrices, and the calls one after the other."""

    name: str
    size: tuple[str, str, str]  # rows, columns, depth
    loops: tuple[BandLoop, ...]  # around the calls
    calls: tuple[str, ...]


@dataclass
class LibraryWriter:
    """Writes the calls for a contraction; `sizes` are the names of its three sizes in the function.

    `layouts` has all arrays by name, `macros` are names that may stand for several words; the caller has
    proved that the iterators are never negative.
    """

    contraction: Contraction
    layouts: Mapping[str, Layout]
    fits: Fits
    sizes: tuple[str, str, str]
    macros: frozenset[str] = frozenset()
    moving: dict[str, BandLoop] = field(init=False)

    def __post_init__(self) -> None:
        loops = (self._row, self._column, self._step)
        self.moving = {loop.iterator: loop for loop in loops}
        ragged = self.contraction.ragged
        if ragged is not None:  # the triangle is stored in a square
            outer, inner = ragged.outer, ragged.inner
            self.moving[inner.iterator] = replace(inner, lower=outer.lower, upper=outer.upper)

    @property
    def _row(self) -> BandLoop:
        return self.contraction.rows[-1]

    @property
    def _column(self) -> BandLoop:
        return self.contraction.columns[-1]

    @property
    def _step(self) -> BandLoop:
        return self.contraction.depth[-1]

    def calls(self) -> LibraryCalls:
        """The calls; Refusal says why the library does not compute this."""
        source = self.contraction
        if source.element not in FLOATS:
            raise Refusal(f"its numbers are {source.element}")
        output = self._matrix(parse_statement(source.output), self._row, self._column)
        if output.transposed:
            raise Refusal(f"neighbouring columns of {source.output} do not lie side by side")
        triangle = self._triangle()
        calls = [self._product(p, output) for p in source.products] if triangle is None else []
        if triangle is not None:
            calls = [self._symmetric(triangle, output)]
        others = (*source.rows[:-1], *source.columns[:-1], *source.depth[:-1])
        function = calls[0].split("(")[0]
        return LibraryCalls(function, self._counts(), others, tuple(calls))

    def _counts(self) -> tuple[str, str, str]:
        """How many rows, columns and steps there are; in a triangle as many rows as columns."""
        ragged = self.contraction.ragged
        row, column = (ragged.outer, ragged.outer) if ragged else (self._row, self._column)
        rows, columns, depth = (self._count(loop) for loop in (row, column, self._step))
        return rows, columns, depth

    def _count(self, loop: BandLoop) -> str:
        return loop.upper if loop.lower == "0" else f"{self._whole(loop.upper)} - {self._whole(loop.lower)}"

    def _whole(self, text: str) -> str:
        """A text that nothing beside it takes apart."""
        return f"({text})" if text in self.macros else parenthesised(text)

    def _function(self, name: str) -> str:
        return f"cblas_{'s' if self.contraction.element == 'float' else 'd'}{name}"

    def _product(self, product: Product, output: Matrix) -> str:
        left, right = self._sides(product)
        flags = [left.flag, right.flag, *self.sizes, _factor(product, self.moving)]
        return _call(self._function("gemm"), flags, left, right, output)

    def _sides(self, product: Product) -> tuple[Matrix, Matrix]:
        rows, columns = (_element(side, self.moving) for side in (product.rows, product.columns))
        return self._matrix(rows, self._row, self._step), self._matrix(columns, self._step, self._column)

    def _symmetric(self, triangle: str, output: Matrix) -> str:
        """A product with its own transpose, or the sum of two that are each other's."""
        products = self.contraction.products
        alike = [self._as_rows(side) for p in products for side in (p.rows, p.columns)]
        factors = {_factor(product, self.moving) for product in products}
        left, right = self._sides(products[0])
        flags = [f"Cblas{triangle}", left.flag, self.sizes[0], self.sizes[2], min(factors)]
        if len(products) == 1 and alike[0] == alike[1]:
            return _call(self._function("syrk"), flags, left, output)
        is_pair = len(products) == 2 and alike[0] == alike[3] and alike[1] == alike[2] and len(factors) == 1
        if is_pair and left.transposed != right.transposed:
            return _call(self._function("syr2k"), flags, left, right, output)
        raise Refusal("only a triangle of the output is computed, and not of a symmetric product")

    def _as_rows(self, side: Operand) -> str:
        """The element that a side reads, as a row would."""
        return rename(text_of(_element(side, self.moving)), {self._column.iterator: self._row.iterator})

    def _triangle(self) -> str | None:
        """Which triangle of the output is computed; None: all of it."""
        ragged = self.contraction.ragged
        if ragged is None:
            return None
        if ragged.kind != "triangle":
            raise Refusal("a factor is a triangle")
        outer, inner = ragged.outer, ragged.inner
        low = (inner.lower, _plain(inner.upper)) == (outer.lower, f"{outer.iterator} + 1")
        high = (inner.lower, inner.upper) == (outer.iterator, outer.upper)
        if not low and not high:
            raise Refusal("the part of the output that is computed is no triangle with its diagonal")
        return "Lower" if low == (outer == self._row) else "Upper"

    def _matrix(self, element: Any, row: BandLoop, column: BandLoop) -> Matrix:
        """The matrix of the elements that `row` and `column` run through."""
        pair = {row.iterator, column.iterator}
        if not isinstance(element, c_ast.ArrayRef):
            raise Refusal(f"`{text_of(element)}` is no element of an array")
        layout = self.layouts.get(array_of(element))
        parts = [_linear(part, frozenset(self.moving)) for part in subscripts(element)]
        if layout is None or not layout.contiguous or len(layout.extents) != len(parts):
            raise Refusal(f"{array_of(element)} is no matrix in one piece of memory")
        found = {name for part in parts for name in part}
        if found != pair or sum(map(len, parts)) != 2:
            raise Refusal(f"`{text_of(element)}` is no element of a matrix")
        fast = next((name for name, factor in parts[-1].items() if factor == "1"), None)
        if fast is None:
            raise Refusal(f"`{text_of(element)}` takes no neighbours in memory")
        slow = (pair - {fast}).pop()
        width = self._width(element, parts, slow, self.moving[fast], layout)
        return Matrix(self._first(element, parts), width, transposed=fast == row.iterator)

    def _width(
        self, element: Any, parts: list[dict[str, str]], slow: str, fast: BandLoop, layout: Layout
    ) -> str:
        """The distance between two values of the slow iterator."""
        place = next(k for k, part in enumerate(parts) if slow in part)
        factor = parts[place][slow]
        if place < len(parts) - 1:
            if factor != "1" or not self._fit(layout.extents[place + 1 :]):
                raise Refusal(f"the rows of {array_of(element)} may be longer than an int can tell")
            name = array_of(element)
            return f"sizeof {name}{'[0]' * (place + 1)} / sizeof {name}{'[0]' * len(parts)}"
        if _plain(factor) != _plain(fast.upper) and not _holds(factor, fast):
            raise Refusal(f"the rows of {array_of(element)} may overlap")
        if not self.fits(factor):
            raise Refusal(f"the rows of {array_of(element)} may be longer than an int can tell")
        return factor

    def _fit(self, extents: tuple[str | None, ...]) -> bool:
        product = 1
        for extent in extents:
            if extent is not None and extent.isdigit():
                product *= int(extent)
            elif len(extents) > 1 or extent is None or not self.fits(extent):
                return False
        return product <= MOST

    def _first(self, element: Any, parts: list[dict[str, str]]) -> str:
        """The address of the element in the first row and column."""
        starts = {name: self.moving[name].lower for part in parts for name in part}
        is_first = set(starts.values()) == {"0"} and not _has_rest(subscripts(element)[0], starts)
        if len(parts) == 1 and is_first:
            return array_of(element)
        values = {name: self._whole(start) for name, start in starts.items()}
        return f"&{rename(text_of(element), values)}"


def _call(function: str, flags: list[str], *matrices: Matrix) -> str:
    """A call with a line for every matrix; the output, the last one, is added to."""
    *inputs, output = (f"{matrix.first}, {matrix.width}" for matrix in matrices)
    return ",\n    ".join([f"{function}(CblasRowMajor, {', '.join(flags)}", *inputs, f"1, {output});"])


def _linear(node: Any, moving: frozenset[str]) -> dict[str, str]:
    """The factors of iterators in a subscript; Refusal where it is no sum of such."""
    if not names(node) & moving:
        return {}
    match node:
        case c_ast.ID(name=name):
            return {name: "1"}
        case c_ast.Cast(expr=inner):
            return _linear(inner, moving)
        case c_ast.BinaryOp(op="+", left=left, right=right):
            one, other = _linear(left, moving), _linear(right, moving)
            if not set(one) & set(other):
                return {**one, **other}
        case c_ast.BinaryOp(op="-", left=left, right=right) if not names(right) & moving:
            return _linear(left, moving)
        case c_ast.BinaryOp(op="*", left=left, right=right):
            for inner, factor in ((left, right), (right, left)):
                if not names(factor) & moving and list(_linear(inner, moving).values()) == ["1"]:
                    return dict.fromkeys(_linear(inner, moving), text_of(factor))
    raise Refusal(f"`{text_of(node)}` is no sum of iterators")


def _has_rest(node: Any, moving: Mapping[str, str]) -> bool:
    """Has a subscript a summand without any iterator?"""
    if isinstance(node, c_ast.BinaryOp) and node.op in ("+", "-"):
        return _has_rest(node.left, moving) or _has_rest(node.right, moving)
    if isinstance(node, c_ast.BinaryOp):
        return any(_has_rest(side, moving) for side in (node.left, node.right) if names(side) & set(moving))
    return not names(node) & set(moving)


def _element(side: Operand, moving: Mapping[str, BandLoop]) -> Any:
    """The one factor of a side that the product's loops move."""
    found = [factor for factor in side.factors if set(names_of([factor])) & set(moving)]
    if len(found) != 1:
        raise Refusal(f"`{' * '.join(side.factors)}` is no single element")
    try:
        return parse_statement(found[0])
    except NotPlain as obstacle:
        raise Refusal(str(obstacle)) from None


def _factor(product: Product, moving: Mapping[str, BandLoop]) -> str:
    """What the product is multiplied with."""
    factors = (*product.rows.factors, *product.columns.factors)
    constant = [factor for factor in factors if not set(names_of([factor])) & set(moving)]
    if len(constant) > 1:
        raise Refusal("it is multiplied with several factors")
    sign = "-" if product.negative else ""
    return sign + (parenthesised(constant[0]) if sign and constant else "".join(constant) or "1")


def _holds(factor: str, fast: BandLoop) -> bool:
    """Are rows of that length long enough, by numbers?"""
    return factor.isdigit() and fast.upper.isdigit() and int(fast.upper) <= int(factor)


def _plain(text: str) -> str:
    """An expression without parentheses around names and spaces."""
    return " ".join(text.replace("(", " ").replace(")", " ").split()) if text.count("(") < 2 else text
