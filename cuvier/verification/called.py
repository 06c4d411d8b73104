"""The functions that kernels call, directly or not: how often, and in which order, is nobody's affair."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from skeletons.vectors import with_sums
from species.analysis import names_of
from species.facts import LoopFacts
from species.source import TranslationUnit


class Called:
    """The functions of a file that kernels call."""

    def __init__(self, unit: TranslationUnit) -> None:
        names = names_of(unit)
        self._functions, self._summaries = names.resolution.functions, names.effects.summaries

    def by(self, loop: LoopFacts) -> set[str]:
        """Those that the kernel of a loop calls; none where it is no kernel."""
        named = (name for name in loop.kernel.functions if name in self._functions) if loop.kernel else ()
        return {each for name in named for each in self._summaries.reach(name)}

    def by_any(self, loops: Iterable[LoopFacts]) -> set[str]:
        """Those that any of the kernels calls."""
        return {name for loop in loops for name in self.by(loop)}

    def with_sums(self, loops: Sequence[LoopFacts]) -> tuple[LoopFacts, ...]:
        """The loops; where one calls functions with reordered sums, all that it writes depends on these."""
        adding = {loop.function for loop in loops if any(r.operator in ("+", "*") for r in loop.reductions)}
        return tuple(
            with_sums(loop, loop.kernel) if loop.kernel and adding & self.by(loop) else loop for loop in loops
        )
