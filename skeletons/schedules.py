"""Whole nests in a better order: what the transformations make of a static control part."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

import islpy as isl

from skeletons.ctext import block, identifier, line_indent, names_in
from skeletons.emit.bounds import Bounds
from skeletons.emit.expressions import Expressions
from skeletons.emit.lines import Lines, with_body
from skeletons.emit.openmp import Writer
from skeletons.model import CompileOptions, Skeleton
from skeletons.products import Products
from skeletons.transform import jam, timetile
from skeletons.transform.model import ScopModel
from skeletons.transform.pipeline import Transformed, transformed
from skeletons.transform.tree import Band, Sequence, Tree, bands
from skeletons.vectors import InnerSums
from species.facts import Kernel, KernelArray, KernelScalar, LoopFacts, Reduction, UnitFacts
from species.grammar.nodes import Range
from species.positions import LoopSpans
from species.scops import Scop, ScopArray

if TYPE_CHECKING:
    from species.source import TranslationUnit

LONG_WINDED = frozenset({timetile.NAME, jam.NAME})  # transformations that may take many lines
MOST_LINES, GROWTH = 60, 8  # lines of new text: so many, and so many for each one that there was
EFFORT = 50_000_000  # isl's operations for one static control part
NESTS = Skeleton(
    name="nests",
    target="openmp",
    summary="whole nests in another order: loops distributed, interchanged, fused, cut into strips",
    species="* -> *",
    priority=100,
    requires={},
    transform="none",
    parameters=(),
    templates={},
    folder=Path(__file__).parent,
    path=Path(__file__),
)


@contextmanager
def limited_effort() -> Iterator[None]:
    """Within the block, isl raises an error after some million operations (seconds)."""
    context = isl.DEFAULT_CONTEXT
    context.reset_operations()
    context.set_max_operations(EFFORT)
    try:
        yield
    finally:
        context.set_max_operations(0)


@dataclass(frozen=True)
class Rescheduled:
    """The new text of the nests, and what they are: one loop, as it were, with one kernel."""

    text: str
    functions: str  # to stand before the function that holds the nests
    owner: LoopFacts
    skeleton: Skeleton
    why: tuple[tuple[str, bool, str], ...]


def rescheduled(
    unit: TranslationUnit,
    scop: Scop,
    facts: UnitFacts,
    options: CompileOptions,
    number: int,
    products: Products,
    sums: InnerSums,
) -> Rescheduled | None:
    """The nests in the best order that the transformations find; None where that is the one they have.

    `number` makes the name of the kernel.
    """
    first = next((f for f in facts.loops if f.spans and f.spans.whole.start == scop.span.start), None)
    if (
        first is None
        or first.spans is None
        or scop.position.file != unit.source.path
        or _has_directives(unit, scop)
    ):
        return None
    try:
        with limited_effort():
            return _rescheduled(unit, scop, first, options, number, products, sums)
    except isl.Error:  # it takes too long
        return None


def _rescheduled(
    unit: TranslationUnit,
    scop: Scop,
    first: LoopFacts,
    options: CompileOptions,
    number: int,
    products: Products,
    sums: InnerSums,
) -> Rescheduled | None:
    model = ScopModel(scop)
    for without in (options.without, options.without | LONG_WINDED):
        made = transformed(model, without, products.recognise, reorder=not options.strict_fp)
        if not any(band.marks & {"parallel", "product"} for band in bands(made.tree)) or not _is_better(made):
            return None
        text, functions = _text(unit, model, made, products, sums)
        if text.count("\n") <= MOST_LINES + GROWTH * scop.span.of(unit.source.text).count("\n"):
            break
    else:
        return None  # nobody would read that
    name = identifier(f"{Path(unit.source.path).stem}_n{number}")
    assert first.spans is not None
    owner = replace(
        first,
        spans=LoopSpans(scop.span, first.spans.header, first.spans.body),
        kernel=_kernel(model, name),
        reductions=tuple(_reordered(model, made, sums)),
    )
    steps = ", ".join(made.steps) or "one parallel region"
    return Rescheduled(text, functions, owner, NESTS, ((NESTS.name, True, steps),))


def _has_directives(unit: TranslationUnit, scop: Scop) -> bool:
    return "#" in scop.span.of(unit.source.text)


def _is_better(made: Transformed) -> bool:
    """Is there more to it than a directive before a loop, which needs no other text?"""
    sums = any("accumulate" in band.marks for band in bands(made.tree))
    return bool(made.steps) or sums or any(_shares_inside(part) for part in _children(made.tree))


def _children(tree: Tree) -> tuple[Tree, ...]:
    return tree.children if isinstance(tree, Sequence) else (tree,)


def _shares_inside(tree: Tree) -> bool:
    """Is a loop shared by threads inside of a serial one?"""
    return (
        isinstance(tree, Band)
        and "parallel" not in tree.marks
        and any("parallel" in b.marks for b in bands(tree))
    )


def _text(
    unit: TranslationUnit, model: ScopModel, made: Transformed, products: Products, sums: InnerSums
) -> tuple[str, str]:
    """The nests, and the functions that they call."""
    source, line = unit.source.text, model.scop.position.line

    def macro(name: str) -> str:
        found = unit.macros.definition(name, line)
        return found.body if found is not None else ""

    bounds = Bounds(model, set(names_in(source)), macro)
    functions: list[str] = []

    def product(name: str) -> Lines:
        code = products.code(model, name, products.fresh(f"{identifier(model.scop.function)}_product"))
        functions.append(code.functions)
        return code.call.rstrip("\n").split("\n")

    writer = Writer(model, source, sums.within, macro, bounds, product)
    lines = writer.lines(made.tree)
    if made.otherwise is not None:
        other = with_body("else", writer.lines(made.otherwise))
        lines = [*with_body(f"if ({made.condition})", lines), *other]
    if model.scop.conditions:
        original = block(model.scop.span.of(source), 4).split("\n")
        holds = " && ".join(f"({condition})" for condition in model.scop.conditions)
        lines = [*with_body(f"if ({holds})", lines), "else {", "    " + original[0], *original[1:], "}"]
    indent = line_indent(source, model.scop.span.start)
    first, *rest = lines
    text = "\n".join([first, *(indent + text if text else text for text in rest)])
    return text, "\n".join(functions)


def _kernel(model: ScopModel, name: str) -> Kernel:
    """What the nests do as a whole, so that it can be compared."""
    written = {a.array for s in model.statements.values() for a in s.accesses if a.write}
    arrays = [a for a in model.scop.arrays if a.name in written]
    return Kernel(
        name=name,
        loops=(),
        arrays=tuple(_array(a, _region(model, a.name)) for a in arrays if a.extents),
        scalars=tuple(KernelScalar(a.variable, a.element, "lastprivate") for a in arrays if not a.extents),
        functions=(),
        conditions=model.scop.conditions,
    )


def _region(model: ScopModel, array: str) -> tuple[Range, ...]:
    """The bounds of what is written of an array; empty where they are not known."""
    written = model.written(array)
    parameters = Expressions(dict(model.scop.parameters))
    build = isl.AstBuild.from_context(model.context)
    if written.is_empty() or any(
        not written.dim_is_bounded(isl.dim_type.set, d) for d in range(written.dim(isl.dim_type.set))
    ):
        return ()
    ends = [(written.dim_min(d), written.dim_max(d)) for d in range(written.dim(isl.dim_type.set))]
    texts = ((parameters.text(build.expr_from_pw_aff(end)) for end in pair) for pair in ends)
    return tuple(Range(low, high) for low, high in texts)


def _array(array: ScopArray, written: tuple[Range, ...]) -> KernelArray:
    return KernelArray(
        name=array.variable,
        element=array.element,
        extent=array.extents,
        pointer=array.pointer,
        storage=array.storage,
        reads=None,
        writes=written,
        covered=False,
    )


def _reordered(model: ScopModel, made: Transformed, sums: InnerSums) -> Iterator[Reduction]:
    """If sums are computed in another order, all that is written: one may depend on the other."""
    marked = any(band.marks & {"accumulate", "product"} or _has_sums(band) for band in bands(made.tree))
    if not marked and not sums.changes(model.scop.span):
        return
    written = {a.array for s in model.statements.values() for a in s.accesses if a.write}
    for array in model.scop.arrays:
        if array.name in written:
            yield Reduction("+", array.variable)


def _has_sums(band: Band) -> bool:
    """Have threads copies of arrays that it adds to?"""
    return any(mark.startswith("sum ") for mark in band.marks)
