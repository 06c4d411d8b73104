"""Inner loops whose text stays, marked for vectors: sums, for which no compiler may use them by itself, and
loops around others that are as long in all iterations, which compilers do not see in a region.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from models.short_loops import short_loops
from species.annotate import openmp
from species.core.positions import Span
from species.facts.loops import Kernel, LoopFacts, Reduction, UnitFacts
from species.source.syntax.declarations import Declarations
from species.source.text.code import line_indent, starts_line
from species.source.text.edits import Edit, apply_edits

if TYPE_CHECKING:
    from species.source import TranslationUnit

ANY_ORDER = "CUVIER_ANY_ORDER"  # before a sum in a kernel: the compiler may use vectors
ROUNDED_ONCE = "FP_CONTRACT ON"  # in a kernel: products and sums are multiply-adds
BY_LIBRARY = "cuvier_blas_check("  # in a launch function: a library adds up
BY_TENSOR_CORES = "cuvier_multiply_add("  # in a kernel: tensor cores do
FOR_TWO_CELLS = "and added to two cells"  # in a kernel: what is added is summed up first
BY_TEAMS = "threads of a team"  # in a kernel: each adds up a part
ROUNDED_OTHERWISE = (BY_TEAMS, FOR_TWO_CELLS, ANY_ORDER, ROUNDED_ONCE, BY_LIBRARY, BY_TENSOR_CORES)
_NAME = re.compile(r"[A-Za-z_]\w*")
FEW = 8  # values: their sum is better unrolled
FLOATS = ("float", "double")  # the sums of integers become vectors without being told to


def with_sums(loop: LoopFacts, kernel: Kernel) -> LoopFacts:
    """The loop, of which all that the kernel writes may depend on a sum that is computed in another order."""
    written = [array.name for array in kernel.arrays if array.writes is not None]
    written += [table.name for table in kernel.tables if table.writes]
    written += [s.name for s in kernel.scalars if s.role == "lastprivate"]
    return replace(loop, reductions=(*loop.reductions, *(Reduction("+", name) for name in written)))


def simd_flags(host: str) -> tuple[str, ...]:
    """What makes a compiler follow the `simd` directives of a file, where it is not told `-fopenmp`."""
    return ("-fopenmp-simd",) if "#pragma omp simd" in host else ()


class InnerSums:
    """The text of a file, with `omp simd` before innermost loops that add up numbers with a point, and before
    loops that are vectors across their iterations (`LoopFacts.across`).
    """

    def __init__(
        self, unit: TranslationUnit, facts: UnitFacts, *, reorder: bool, alone: bool = False
    ) -> None:
        """Without `reorder`, no sums are marked; with `alone`, also loops that have none around them, and
        those that begin where a text does.
        """
        self.reorder, self._alone = reorder, alone
        self._short = short_loops(unit, facts) if reorder else frozenset()
        self._text, self._file = unit.source.text, unit.source.path
        self._declarations = Declarations.of(unit.ast)
        self._sums = tuple(self._found(facts)) if reorder else ()
        across = (loop for loop in facts.loops if loop.parent is not None and self._is_across(loop))
        self._edits = (*self._sums, *map(self._edit, across))

    def changes(self, span: Span) -> bool:
        """Is a sum within `span` computed in another order than in the source?"""
        starts = range(span.start if self._alone else span.start + 1, span.end)
        return any(edit.span.start in starts for edit in self._sums)

    def within(self, span: Span, joined: frozenset[int] = frozenset(), replaced: Sequence[Edit] = ()) -> str:
        """What stands at `span`; loops at offsets in `joined` are not marked, nor one that begins there (but
        see `alone`).

        `replaced` are edits of whole loops within `span`, which are marked neither.
        """
        starts = range(span.start if self._alone else span.start + 1, span.end)
        inner = [e for e in self._edits if e.span.start in starts and e.span.start not in joined]
        inner = [e for e in inner if not any(o.span.start <= e.span.start < o.span.end for o in replaced)]
        edits = sorted((*inner, *replaced), key=lambda edit: edit.span)
        moved = [Edit(_moved(e.span, -span.start), e.replacement) for e in edits]
        return apply_edits(span.of(self._text), moved)

    def _found(self, facts: UnitFacts) -> Iterator[Edit]:
        parents = {loop.parent for loop in facts.loops}
        for loop in facts.loops:
            if loop.id not in parents and (self._alone or loop.parent is not None) and self._is_sum(loop):
                yield self._edit(loop)

    def _is_across(self, loop: LoopFacts) -> bool:
        """Is it a loop for vectors, around others?"""
        is_here = loop.spans is not None and loop.position.file == self._file and not loop.users
        return loop.across > 1 and is_here and loop.openmp and not has_clauses(loop)

    def _is_sum(self, loop: LoopFacts) -> bool:
        if (
            loop.id in self._short
            or not loop.openmp
            or loop.spans is None
            or loop.position.file != self._file
            or loop.kernel is None
        ):
            return False
        if has_clauses(loop) or _follows_pointers(loop.kernel):
            return False
        types = {scalar.name: self._declarations.canonical(scalar.ctype) for scalar in loop.kernel.scalars}
        return bool(loop.reductions) and all(
            types.get(reduction.variable) in FLOATS and not reduction.with_it for reduction in loop.reductions
        )

    def _edit(self, loop: LoopFacts) -> Edit:
        assert loop.spans is not None
        start = loop.spans.whole.start
        others = tuple(name for name in loop.private if name not in loop.base_loops)
        shared = replace(loop, private=others, copied=())
        directive = " ".join(["#pragma omp simd", *openmp.clauses(shared, 1)])
        before = "" if starts_line(self._text, start) else "\n"
        return Edit(Span(start, start), f"{before}{directive}\n{line_indent(self._text, start)}")


def has_clauses(loop: LoopFacts) -> bool:
    """Does it need clauses that `omp simd` has not, or which keep a value where it makes no iteration?"""
    lacking = loop.firstprivate or loop.conditions or loop.linear
    return bool(lacking or loop.lastprivate or loop.lastprivate_conditional)


def _follows_pointers(kernel: Kernel) -> bool:
    """Does it read `p->cells[i]` or `rows[r][i]`, of which gcc reads the pointer in every iteration?

    Told to use vectors, gcc 12 finds none there, and makes the loop twice as slow as it was.
    """
    pointers = {array.name for array in kernel.arrays if array.pointer and not array.is_rows}
    owners = (_NAME.match(array.name) for array in kernel.arrays if array.is_rows)
    return any(found is not None and found[0] in pointers for found in owners)


def _moved(span: Span, distance: int) -> Span:
    return Span(span.start + distance, span.end + distance)
