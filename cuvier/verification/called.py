"""The functions that kernels call, directly or not: how often, and in which order, is nobody's affair."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace

from pycparser import c_ast

from skeletons.body.simd_sums import with_sums
from species.analysis.analyse import names_of
from species.core.positions import Span
from species.facts.loops import LoopFacts
from species.source import TranslationUnit


class Called:
    """The functions of a file that kernels call."""

    def __init__(self, unit: TranslationUnit) -> None:
        names = names_of(unit)
        self._unit, self._summaries = unit, names.effects.summaries
        self._functions = names.resolution.functions

    def by(self, loop: LoopFacts) -> set[str]:
        """Those that the kernel of a loop calls; none where it is not a kernel."""
        return {each for name in self._named(loop) for each in self._summaries.reach(name)}

    def _named(self, loop: LoopFacts) -> Iterator[str]:
        """Those of the file that are called where the kernel stands."""
        return (name for name in self._all(loop) if name in self._functions)

    def _all(self, loop: LoopFacts) -> Iterator[str]:
        """All that are called where the kernel stands, which may have been made of several nests."""
        if loop.kernel is None or loop.spans is None:
            return
        source = self._unit.sources[loop.position.file]
        for call in self._unit.all_of(c_ast.FuncCall):
            place, name = self._unit.position(call.coord), getattr(call.name, "name", None)
            inside = Span(offset := source.offset(place.line, place.column), offset + 1)
            if name is not None and place.file == source.path and loop.spans.whole.holds(inside):
                yield name

    def by_any(self, loops: Iterable[LoopFacts]) -> set[str]:
        """Those that any of the kernels calls."""
        return {name for loop in loops for name in self.by(loop)}

    def with_functions(self, loops: Sequence[LoopFacts]) -> tuple[LoopFacts, ...]:
        """The loops, whose kernels know all functions that they call; those of rewritten nests do not."""
        return tuple(
            replace(loop, kernel=replace(loop.kernel, functions=tuple(dict.fromkeys(self._all(loop)))))
            if loop.kernel
            else loop
            for loop in loops
        )

    def with_sums(self, loops: Sequence[LoopFacts]) -> tuple[LoopFacts, ...]:
        """The loops; where one calls functions with reordered sums, all that it writes depends on these."""
        adding = {loop.function for loop in loops if any(r.operator in ("+", "*") for r in loop.reductions)}
        return tuple(
            with_sums(loop, loop.kernel) if loop.kernel and adding & self.by(loop) else loop for loop in loops
        )
