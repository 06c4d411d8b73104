"""Whole nests in a better order: what the transformations make of a static control part."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace
from functools import partial
from itertools import takewhile
from math import prod
from pathlib import Path
from typing import TYPE_CHECKING

import islpy as isl

from skeletons.body.simd_sums import InnerSums
from skeletons.catalogue.descriptor import Skeleton
from skeletons.catalogue.passes import LIBRARY, THRESHOLD, WAVEFRONT
from skeletons.kernel.regions import flat_offset
from skeletons.kernel.spelling import user_words
from skeletons.schedule.core.effort import attempted
from skeletons.schedule.core.marks import Chunks, Mark, Sum, of_kind
from skeletons.schedule.core.model import ScopModel
from skeletons.schedule.core.passes import Settings
from skeletons.schedule.core.private_arrays import is_live, own_arrays
from skeletons.schedule.core.reductions import cell, keeps_sums
from skeletons.schedule.core.shapes import trips
from skeletons.schedule.core.short_sums import MOST
from skeletons.schedule.core.tree import Band, Sequence, Tree, bands, statements
from skeletons.schedule.emit.bounds import Bounds
from skeletons.schedule.emit.captured import pastes
from skeletons.schedule.emit.copies import COPIES
from skeletons.schedule.emit.lines import Lines, with_body
from skeletons.schedule.emit.openmp import Writer
from skeletons.schedule.emit.sizes import new_numbers
from skeletons.schedule.emit.structures import with_copies
from skeletons.schedule.pipelines.hosts import Transformed, ordered
from skeletons.schedule.products import Products
from skeletons.schedule.same_statement import read_the_same
from skeletons.schedule.transform import contract, gather, jam, permute, rightlooking, timetile
from skeletons.select.api import CompileOptions
from skeletons.sums.contraction import Code
from species.core.positions import LoopSpans, Span
from species.facts import Scop, ScopArray, ScopLoop, ScopStatement
from species.facts.loops import Kernel, KernelArray, KernelScalar, LoopFacts, Reduction, UnitFacts
from species.grammar.nodes import Range
from species.sets.isl_to_c import DEFINITIONS, Expressions
from species.source.text.code import begins_statement, block, identifier, line_indent, names_in, starts_line

if TYPE_CHECKING:
    from species.source import TranslationUnit

LONG_WINDED = frozenset({timetile.NAME, jam.NAME})  # transformations that may take many lines
MOST_LINES, GROWTH = 60, 8  # lines of new text: so many, and so many for each one that there was
OPENED = frozenset({contract.NAME, rightlooking.NAME, permute.NAME, gather.NAME, jam.NAME})  # with sums
_IN_PRODUCTS = "2 4 8 63 64"  # numbers in the templates
NESTS = Skeleton(
    name="nests",
    target="openmp",
    summary="transformed loop nests: distributed, interchanged, fused, strip-mined, tiled",
    species="* -> *",
    priority=100,
    requires={},
    transform="none",
    parameters=(),
    templates={},
    folder=Path(__file__).parent,
    path=Path(__file__),
)


@dataclass(frozen=True)
class Rescheduled:
    """The new text of the nests, and what they are: one loop, as it were, with one kernel."""

    scop: Scop
    text: str
    functions: str  # to stand before the function that holds the nests
    owner: LoopFacts
    skeleton: Skeleton
    steps: tuple[str, ...]  # names of transformations
    threads: bool
    sized: bool  # it is for the sizes that macros have now
    library: tuple[tuple[bool, str], ...] = ()  # of products: is it from a library, and its name or why not

    @property
    def rounds_otherwise(self) -> bool:
        """May floating-point sums have another order than in the nests as they were?"""
        combines = any(each.operator or each.sums for each in self.scop.statements())
        return "reduction(" in self.text or (
            combines and not {contract.NAME, gather.NAME}.isdisjoint(self.steps)
        )

    @property
    def why(self) -> tuple[tuple[str, bool, str], ...]:
        """See `Choice`."""
        plain = "one parallel region" if self.threads else "too little work between barriers for threads"
        said = tuple((LIBRARY, taken, text) for taken, text in self.library)
        return ((self.skeleton.name, True, ", ".join(self.steps) or plain), *said)


@dataclass(frozen=True)
class Scheduler:
    """Finds better orders for the nests of one file."""

    unit: TranslationUnit
    facts: UnitFacts
    options: CompileOptions
    products: Products
    sums: InnerSums

    def rescheduled(self, scop: Scop, number: int) -> Rescheduled | None:
        """The nests in the best order that the transformations find; None where that is the one they have.

        `number` makes the name of the kernel.
        """
        loops = (f for f in self.facts.loops if f.spans and f.spans.whole.start == scop.span.start)
        first = next(loops, None)
        if first is None or scop.position.file != self.unit.source.path or self._has_directives(scop):
            return None
        if {*DEFINITIONS, COPIES} & user_words(self.unit):
            return None  # the program has such names itself
        name = identifier(f"{Path(self.unit.source.path).stem}_n{number}")
        return self._accumulating(scop, first, name) or attempted(partial(self._found, scop, first, name))

    def _has_directives(self, scop: Scop) -> bool:
        return "#" in scop.span.of(self.unit.source.text)

    def _accumulating(self, scop: Scop, first: LoopFacts, name: str) -> Rescheduled | None:
        """The nests with sums in cells instead of variables, if that opens a way to another order."""
        if scop.alternative is None or self.options.strict_fp:
            return None
        found = attempted(partial(self._found, scop.alternative, first, name))
        if found is None or not OPENED & set(found.steps):
            return None
        return found if contract.NAME in found.steps or _has_long_sums(scop.alternative) else None

    def _found(self, scop: Scop, first: LoopFacts, name: str) -> Rescheduled | None:
        options = self.options
        model = ScopModel(scop, options.machine, options.wanted)
        left = options.without
        if WAVEFRONT not in options.wanted and self._has_copies(scop):
            left |= {WAVEFRONT}
        for without in (left, left | (LONG_WINDED - options.wanted)):
            reorder = not options.strict_fp
            made = ordered(
                model, Settings(self.products.recognise, read_the_same(self.unit), reorder, without)
            )
            if not _is_better(model, made) or self._loses_threads(made):
                return None
            limited = THRESHOLD not in options.without
            text, codes = text_of(self.unit, made, self.products, self.sums, threshold=limited)
            original = scop.span.of(self.unit.source.text)
            is_wanted = bool(LONG_WINDED & model.wanted.intersection(made.steps))
            if is_wanted or text.count("\n") <= MOST_LINES + GROWTH * original.count("\n"):
                break
        else:
            return None  # nobody would read that
        assert first.spans is not None
        owner = replace(
            first,
            spans=LoopSpans(scop.span, first.spans.header, first.spans.body),
            kernel=kernel_of(model, name, _dropped(model, made.tree)),
            reductions=tuple(_reordered(model, made, self.sums)),
        )
        threads = any(band.marks & {Mark.PARALLEL, Mark.PRODUCT} for band in bands(made.tree))
        functions = "\n".join(code.functions for code in codes)
        said = tuple((code.from_library, code.said) for code in codes if code.said)
        sized = _is_sized(model, made, text, functions, original) or self._relates(model)
        return Rescheduled(
            scop, text, functions, owner, NESTS, made.steps, threads, sized and text != original, said
        )

    def _has_copies(self, scop: Scop) -> bool:
        """Can threads share a loop with copies of arrays, and so wait for each other only once?"""
        spans = (f.spans.whole for f in self.facts.loops if f.spans and f.is_combined_in_copies)
        return not self.options.strict_fp and any(scop.span.holds(span) for span in spans)

    def _loses_threads(self, made: Transformed) -> bool:
        """Is there a loop that threads could share as it is, and of whose longest statements none is now in a
        loop that they share, or, in a serial loop, in one that is too short for them?
        """
        model = made.model
        tops = {node.spans.whole for node in model.scop.nodes if isinstance(node, ScopLoop)}
        copied = not self.options.strict_fp
        spans = [
            f.spans.whole
            for f in self.facts.loops
            if f.spans and ((f.openmp and f.verdict.is_parallel) or (copied and f.is_combined_in_copies))
        ]
        able = [span for span in spans if model.scop.span.holds(span)]
        outermost = [one for one in able if not any(o is not one and o.holds(one) for o in able)]
        shared = _statements_in(made.tree, Mark.PARALLEL, Mark.PRODUCT)
        kept = shared | _statements_in(made.tree, Mark.SHORT)
        lost = (
            _longest(model, s).isdisjoint(shared if s in tops else kept)
            for s in outermost
            if _longest(model, s)
        )
        return not model.wanted.intersection(made.steps) and any(lost)

    def _relates(self, model: ScopModel) -> bool:
        """Is one macro in subscripts, another elsewhere: may cells be apart for these sizes alone?"""
        source, macros = self.unit.source.text, self.unit.macros.names
        texts = (s.span.of(source) for s in model.statements.values())
        inside = {name for text in texts for name in names_in(text)} & macros
        return bool(inside) and len(macros.intersection(names_in(model.scop.span.of(source)))) > 1


def _statements_in(tree: Tree, *marks: Mark) -> set[str]:
    """The statements in loops with one of the marks."""
    return {name for band in bands(tree) if band.marks & {*marks} for name in statements(band)}


def _longest(model: ScopModel, span: Span) -> set[str]:
    """The statements in a loop that most loops are around."""
    depths = {n: len(s.iterators) + len(s.trips) for n, s in model.statements.items() if span.holds(s.span)}
    return {name for name, depth in depths.items() if depth == max(depths.values())}


def _is_sized(model: ScopModel, made: Transformed, text: str, functions: str, original: str) -> bool:
    """Can new text be for the sizes alone that macros have now?  In products only numbers tell."""
    if set(made.steps) - {contract.NAME} or any(s.guarded for s in model.statements.values()):
        return True
    return new_numbers(text, original) or new_numbers(functions, "", original, _IN_PRODUCTS)


def _has_long_sums(scop: Scop) -> bool:
    """Are all sums over many cells?  Short ones are better unrolled, with their variable in a register."""
    every = list(scop.statements())
    sums = (s for s in every if s.text is not None and s.operator is not None)
    return all(_length(s, every) > MOST for s in sums)


def _length(statement: ScopStatement, every: Iterable[ScopStatement]) -> int:
    """How many values are added to a cell before another statement sets it anew; loops of unknown length
    count as many.
    """
    domain, own = isl.Set(statement.domain), cell(statement)
    others = (
        s for s in every if s.operator is None and any(a.write and a.array == own.array for a in s.accesses)
    )
    first = max((_shared(statement, each) for each in others), default=0)
    places = range(first, len(statement.iterators))
    summed = [p for p in places if all(m is not None and not m[p] for m in own.moves)]
    return prod(MOST + 1 if (count := trips(domain, p)) is None else count for p in summed)


def _shared(one: ScopStatement, other: ScopStatement) -> int:
    """How many loops are around both, as far as names tell."""
    pairs = zip(one.iterators, other.iterators, strict=False)
    return len([*takewhile(lambda pair: pair[0] == pair[1], pairs)])


def _is_better(model: ScopModel, made: Transformed) -> bool:
    """Is there more to it than a directive before a loop, which needs no other text?"""
    loops = list(bands(made.tree))
    if any(Mark.SHORT in band.marks for band in loops) or model.wanted.intersection(made.steps):
        return True  # no directive is better there, or the user wants it
    if not made.steps and keeps_sums(model):
        return False
    if not any(band.marks & {Mark.PARALLEL, Mark.PRODUCT} for band in loops):
        return False
    marked = any(
        band.marks & {Mark.ACCUMULATE, Mark.UNROLLED}
        or of_kind(Chunks, band.marks)
        or _vectorises_sums(made.model, band)
        for band in loops
    )
    return bool(made.steps) or marked or any(_shares_inside(part) for part in _children(made.tree))


def _vectorises_sums(model: ScopModel, band: Band) -> bool:
    """Is it a loop for vectors around short loops, which no compiler takes for one?"""
    return Mark.SIMD in band.marks and any(model.statements[name].loops for name in statements(band))


def _children(tree: Tree) -> tuple[Tree, ...]:
    return tree.children if isinstance(tree, Sequence) else (tree,)


def _shares_inside(tree: Tree) -> bool:
    """Is a loop shared by threads inside of a serial one?"""
    return (
        isinstance(tree, Band)
        and Mark.PARALLEL not in tree.marks
        and any(Mark.PARALLEL in b.marks for b in bands(tree))
    )


def text_of(
    unit: TranslationUnit,
    made: Transformed,
    products: Products,
    sums: InnerSums,
    *,
    threshold: bool,
) -> tuple[str, list[Code]]:
    """The nests, and the products that they call."""
    model = made.model
    source, line = unit.source.text, model.scop.position.line
    if _is_as_before(made):
        return model.scop.span.of(source), []

    def macro(name: str) -> str:
        found = unit.macros.definition(name, line)
        return found.body if found is not None else ""

    taken = {*names_in(source), *unit.macros.names, *_behind(model.scop.span.of(source), macro)}
    bounds = Bounds(model, taken, model.scop.span.of(source), macro)
    codes: list[Code] = []

    def product(name: str) -> Lines:
        code = products.code(model, name, products.fresh(f"{identifier(model.scop.function)}_product"))
        codes.append(code)
        return code.call.rstrip("\n").split("\n")

    writer = Writer(model, source, sums.within, macro, bounds, product, threshold)
    lines = writer.lines(made.tree) or ["{ }"]  # there is no iteration at all
    if made.otherwise is not None:
        other = with_body("else", writer.lines(made.otherwise))
        lines = [*with_body(f"if ({made.condition})", lines), *other]
    if not pastes("\n".join(lines), macro):
        lines = with_copies(lines, model.scop.structures, bounds.fresh)
    if model.scop.conditions:
        original = block(model.scop.span.of(source), 4).split("\n")
        holds = " && ".join(f"({condition})" for condition in model.scop.conditions)
        lines = [*with_body(f"if ({holds})", lines), "else {", "    " + original[0], *original[1:], "}"]
    indent = line_indent(source, model.scop.span.start)
    first, *rest = lines
    text = "\n".join([first, *(indent + text if text else text for text in rest)])
    return text, codes


def in_place(source: str, span: Span, text: str) -> str:
    """The text of nests as it can stand at `span` of a file in place of what is there."""
    if source[span.end :].split("\n", 1)[0].strip():
        text += "\n"  # what follows does not belong to the last loop
    if not begins_statement(source, span.start):
        text = "{\n" + text + "\n}"
    if text.startswith("#") and not starts_line(source, span.start):
        text = "\n" + text
    return text


def _is_as_before(made: Transformed) -> bool:
    """Are the nests left as they are, without a directive?"""
    marks = {mark for band in bands(made.tree) for mark in band.marks}
    return not made.steps and not made.condition and marks <= {Mark.SHORT, Mark.SCALAR}


def _behind(text: str, macro: Callable[[str], str], depth: int = 0) -> set[str]:
    """The names that macros in a text stand for."""
    bodies = [body for name in names_in(text) if (body := macro(name))]
    found = {name for body in bodies for name in names_in(body)}
    return found | {n for body in bodies if depth < 20 for n in _behind(body, macro, depth + 1)}


def _dropped(model: ScopModel, tree: Tree) -> set[str]:
    """Arrays whose content is lost: threads have copies of them, and nobody needs it."""
    owners = [band for band in bands(tree) if own_arrays(band)]
    return {array for band in owners for array in own_arrays(band) if not is_live(model, band, array)}


def kernel_of(model: ScopModel, name: str, dropped: set[str]) -> Kernel:
    """What the nests do as a whole, so that it can be compared; what is `dropped` cannot be."""
    written = {a.array for s in model.statements.values() for a in s.accesses if a.write} - dropped
    arrays = [a for a in model.scop.arrays if a.name in written]
    return Kernel(
        name=name,
        loops=(),
        arrays=tuple(_array(a, _region(model, a)) for a in arrays if a.extents),
        scalars=tuple(KernelScalar(a.variable, a.element, "lastprivate") for a in arrays if not a.extents),
        functions=(),
        conditions=model.scop.conditions,
    )


def _region(model: ScopModel, array: ScopArray) -> tuple[Range, ...]:
    """The bounds of what is written of an array; empty where they are not known."""
    written = model.written(array.name)
    parameters = Expressions(dict(model.scop.parameters))
    build = isl.AstBuild.from_context(model.context)
    if written.is_empty() or any(
        not written.dim_is_bounded(isl.dim_type.set, d) for d in range(written.dim(isl.dim_type.set))
    ):
        return ()
    ends = [(written.dim_min(d), written.dim_max(d)) for d in range(written.dim(isl.dim_type.set))]
    texts = [[parameters.text(build.expr_from_pw_aff(end)) for end in pair] for pair in ends]
    return _in_array(array, tuple(Range(low, high) for low, high in texts))


def _in_array(array: ScopArray, region: tuple[Range, ...]) -> tuple[Range, ...]:
    """A region by rows as what it spans of a flattened array."""
    rows = [length for length in array.rows if length is not None]
    if not array.rows:
        return region
    if len(rows) < len(array.rows) or array.start is None:
        return ()
    before = "" if array.start == "0" else f"{array.start} + "
    low, high = (flat_offset(ends, rows) for ends in ([r.low for r in region], [r.high for r in region]))
    return (Range(before + low, before + high),)


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
    marked = any(band.marks & {Mark.ACCUMULATE, Mark.PRODUCT} or _has_sums(band) for band in bands(made.tree))
    if not marked and not model.scop.unnamed and not sums.changes(model.scop.span):
        return
    written = {a.array for s in model.statements.values() for a in s.accesses if a.write}
    for array in model.scop.arrays:
        if array.name in written:
            yield Reduction("+", array.variable)


def _has_sums(band: Band) -> bool:
    """Have threads copies of arrays that it adds to?"""
    return bool(of_kind(Sum, band.marks))
