"""A product as a call of cuBLAS.

The library sees matrices by columns: what lies along memory is a column for it.  So the matrix that the
output's fast iterator moves is its first one, `N` where that iterator is the fast one there, too.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from skeletons.kernel.array_views import ArrayView
from skeletons.kernel.context import Subject
from skeletons.kernel.views import LoopView
from skeletons.sums.cublas.linear import product_of
from skeletons.sums.cublas.model import Matrix, Product
from skeletons.sums.cublas.numbers import Scale
from skeletons.sums.cublas.recognise import recognise
from skeletons.sums.cublas.views import ProductView
from skeletons.sums.tiled_reduction import Accumulation, Device
from skeletons.sums.tiled_reduction.model import DepthLoop
from species.source.text.code import parenthesised

Matrices = tuple[str, ...]  # the arguments that describe a matrix
Lines = tuple[tuple[str, ...], ...]


def called(
    subject: Subject,
    found: Accumulation,
    loops: Sequence[LoopView],
    arrays: Sequence[ArrayView],
    device: Device,
) -> ProductView:
    """The call that computes the accumulation; `loops` and `arrays` are the kernel's."""
    views = {array.name: array for array in arrays}
    inner = {n: v.inner or tuple(name for name, _ in v.strides) for n, v in views.items()}
    product = recognise(subject, found, inner)
    pairs = list(zip(subject.spread, loops, strict=True))
    counts = {own.iterator: view.trips for own, view in pairs}
    starts = {own.iterator: _long(own.lower, view.ctype) for own, view in pairs}
    starts[product.depth] = _long(found.depth[0].lower, found.depth[0].ctype)
    if product.triangle:
        counts |= dict.fromkeys((product.fast, product.slow), counts[product.outer])
        starts |= dict.fromkeys((product.fast, product.slow), starts[product.outer])
    return _Writer(product, found.element, views, counts, starts, device).call(found.depth[0])


@dataclass
class _Writer:
    product: Product
    element: str
    views: Mapping[str, ArrayView]
    counts: dict[str, str]  # names of how many iterations the base loops make
    starts: Mapping[str, str]
    device: Device
    sizes: dict[str, str] = field(default_factory=dict)  # variables with their values
    factors: dict[str, str] = field(default_factory=dict)
    conditions: list[str] = field(default_factory=list)
    tests: list[str] = field(default_factory=list)  # those that factors have to pass
    known: dict[tuple[str, str], str] = field(default_factory=dict)  # variables by role and value

    def call(self, depth: DepthLoop) -> ProductView:
        product = self.product
        steps = self.device.text(_steps(depth))
        self.counts[product.depth] = self._size(f"{product.depth}_steps", steps)
        loops = (name for name in (product.slow, product.fast, product.depth, product.batch) if name)
        self.conditions += [f"cuvier_blas_counts({self.counts[name]})" for name in loops]
        output = self._matrix(product.output)
        calls = tuple(self._symmetric(output) if product.triangle else self._general(output))
        conditions = tuple(dict.fromkeys([*self.conditions, *self.tests]))
        sizes, factors = tuple(self.sizes.items()), tuple(self.factors.items())
        return ProductView(self._function, self.element, sizes, factors, conditions, calls)

    @property
    def _function(self) -> str:
        product = self.product
        kind = "gemmStridedBatched" if product.batch else "gemm"
        if product.triangle:
            kind = "syr2k" if len(product.terms) > 1 else "syrk"
        return f"cublas{'S' if self.element == 'float' else 'D'}{kind}"

    def _general(self, output: Matrices) -> Iterator[Lines]:
        """The calls; all but the first add to what there is."""
        product = self.product
        counts = tuple(f"(int){self.counts[n]}" for n in (product.fast, product.slow, product.depth))
        batch = (f"(int){self.counts[product.batch]}",) if product.batch else ()
        beta = self._factor("beta", product.beta)
        for term in product.terms:
            first, second = self._matrix(term.first), self._matrix(term.second)
            flags = (_flag(term.first.fast != product.fast), _flag(term.second.fast != product.depth))
            alpha = self._factor("alpha", term.alpha)
            yield ((*flags, *counts), (f"&{alpha}", *first, *second), (f"&{beta}", *output, *batch))
            beta = self._factor("one", Scale()) if term is not product.terms[-1] else beta

    def _symmetric(self, output: Matrices) -> Iterator[Lines]:
        product, term = self.product, self.product.terms[0]
        part = "UPPER" if product.triangle == "low" else "LOWER"
        flags = (f"CUBLAS_FILL_MODE_{part}", _flag(term.first.fast == product.depth))
        counts = tuple(f"(int){self.counts[n]}" for n in (product.fast, product.depth))
        inputs = [term.first, term.second] if len(product.terms) > 1 else [term.first]
        texts = [text for matrix in inputs for text in self._matrix(matrix)]
        alpha, beta = self._factor("alpha", term.alpha), self._factor("beta", product.beta)
        yield ((*flags, *counts), (f"&{alpha}", *texts), (f"&{beta}", *output))

    def _matrix(self, matrix: Matrix) -> Matrices:
        """Where it begins, how far its rows are apart, and in a batch the matrices."""
        name = matrix.element.array
        width = self._size(f"{name}_width", self.device.text(product_of(matrix.width)))
        self.conditions.append(f"cuvier_blas_rows({self.counts[matrix.fast]}, {width})")
        texts = (self._begin(matrix), f"(int){width}")
        if not self.product.batch:
            return texts
        return (*texts, "0" if matrix.apart is None else self.device.text(product_of(matrix.apart)))

    def _begin(self, matrix: Matrix) -> str:
        view = self.views[matrix.element.array]
        place = self.device.text(matrix.element.first(self.starts))
        place = f"{place} - {view.first}" if view.shifted else place
        return view.cells if place == "0" else f"{view.cells} + ({place})"

    def _size(self, name: str, value: str) -> str:
        return self._variable(self.sizes, name, value)

    def _factor(self, name: str, scale: Scale | None) -> str:
        """A variable with the factor; the library does not look at what it multiplies with 0."""
        text = scale.text(self.element, self.device.text) if scale is not None else "0"
        fresh = self._variable(self.factors, name, text)
        self.tests += [f"{fresh} != 0"] if scale is not None and scale.factors else []
        return fresh

    def _variable(self, variables: dict[str, str], name: str, value: str) -> str:
        if (name, value) not in self.known:
            fresh = self.known[name, value] = self.device.fresh(name)
            variables[fresh] = value
        return self.known[name, value]


def _steps(loop: DepthLoop) -> str:
    """How often a loop with steps of one is made, below 1 where it is not, as a `long`."""
    end = _long(loop.bound, loop.ctype) + (" + 1" if loop.relation == "<=" else "")
    return end if loop.lower == "0" else f"{end} - {_long(loop.lower, loop.ctype)}"


def _long(text: str, ctype: str) -> str:
    """What an iterator of a type is compared with, or starts from, as a `long`; "0" stays."""
    cast = f"(long)({ctype})" if ctype.startswith("unsigned") else "(long)"
    return text if text == "0" else f"{cast}{parenthesised(text)}"


def _flag(transposed: bool) -> str:
    return f"CUBLAS_OP_{'T' if transposed else 'N'}"
