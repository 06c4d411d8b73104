"""Which loops are marked, and with which words."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

from species.annotate.layout import Layout
from species.annotate.openmp import parallel_for
from species.core.positions import Span
from species.facts.loops import LoopFacts, UnitFacts
from species.grammar import EndKernelPragma, KernelPragma, print_pragma

Style = Literal["species", "comment", "openmp"]

_PRAGMA = re.compile(r"#\s*pragma\b")
_OPENMP = re.compile(r"#\s*pragma\s+(?:omp|acc)\b")
_HINT = re.compile(r"#\s*pragma\s+(?:GCC\s+(?:ivdep|unroll|novector)|clang\s+loop|(?:no)?unroll|ivdep)\b")
_SPECIES = re.compile(r"#\s*pragma\s+species\s+kernel\b")


@dataclass(frozen=True)
class AnnotateOptions:
    """`nested` also marks the parallel loops inside marked ones.

    It has no effect on style "openmp": a `parallel for` inside another starts threads with nothing to do.
    `strict_fp` has one on that style alone: no sum of floating-point numbers is computed in another order.
    """

    style: Style = "species"
    nested: bool = False
    strict_fp: bool = False


@dataclass(frozen=True)
class Mark:
    """The words before a loop and, unless None, those after it."""

    loop: Span
    before: str
    after: str | None


def marks(
    layout: Layout, facts: UnitFacts, spans: dict[str, Span], options: AnnotateOptions
) -> Iterator[Mark]:
    """The marks of a file, outer loops first.  `spans` has the loops of this file by id."""
    inwards = options.nested and options.style != "openmp"
    closed: set[str] = set()  # loops that are marked, by us or by hand, and all inside them
    for loop in facts.loops:
        span = spans.get(loop.id)
        covered = loop.parent in closed and not inwards
        by_hand = span is not None and _marked_by_hand(layout, span, options.style)
        mark = None if span is None or covered or by_hand else _mark(layout, loop, span, options)
        if covered or by_hand or mark is not None:
            closed.add(loop.id)
        if mark is not None:
            yield mark


def _marked_by_hand(layout: Layout, span: Span, style: Style) -> bool:
    """A user's own pragma speaks for the loop; a hint to the compiler binds to it and lets none between."""
    own = (_OPENMP, _HINT) if style == "openmp" else (_SPECIES,)
    return any(pattern.match(line) for line in layout.directives_before(span) for pattern in own)


def _mark(layout: Layout, loop: LoopFacts, span: Span, options: AnnotateOptions) -> Mark | None:
    if not loop.verdict.is_parallel:
        return None
    if options.style == "openmp":
        return None if options.strict_fp and loop.rounded else _openmp(layout, loop, span)
    if (
        loop.species is None
        or loop.spans is None
        or (options.style == "species" and layout.precedes_keyword(span))
    ):
        return None  # parsers of C take a pragma for a statement, and find the `else` without its `if`
    kernel = KernelPragma(loop.species, approximate=not loop.exact, conditions=loop.conditions)
    pragmas = kernel, EndKernelPragma(_kernel_name(loop))
    before, after = (print_pragma(pragma) for pragma in pragmas)
    if options.style == "species":
        return Mark(span, before, after)
    return Mark(span, before.removeprefix("#pragma species "), after.removeprefix("#pragma species "))


def _openmp(layout: Layout, loop: LoopFacts, span: Span) -> Mark | None:
    if not loop.openmp or loop.users or loop.unprofitable:
        return None
    inside = layout.directives_inside(span)
    if any(_OPENMP.match(line) for line in inside):
        return None  # a work-sharing construct of the user's must not end up inside ours
    perfect = not any(_PRAGMA.match(line) for line in inside)  # to the compiler, a pragma comes between loops
    pragma = parallel_for(loop, loop.collapse if perfect else 1)
    return None if pragma is None else Mark(span, pragma, None)


def _kernel_name(loop: LoopFacts) -> str:
    """The kernel's name, or one that no other loop of the file has: `main__2_1` for the loop main/2.1."""
    return loop.kernel.name if loop.kernel else loop.id.replace("/", "__").replace(".", "_")
