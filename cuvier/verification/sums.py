"""The loops that add up, within kernels whose sums are computed in another order.

Only these round otherwise when the reach of rounding is measured: what else a kernel computes has
to be equal.
"""

from __future__ import annotations

from collections.abc import Sequence

from cuvier.verification.called import Called
from cuvier.verification.calls import SUMS
from species.facts.loops import LoopFacts


class Adding:
    """Of one file: `kernels` are the loops whose kernels reorder sums."""

    def __init__(self, loops: Sequence[LoopFacts], kernels: Sequence[LoopFacts], called: Called) -> None:
        sums = [loop for loop in loops if any(r.operator in ("+", "*") for r in loop.reductions)]
        inner = [
            loop for loop in sums if not any(_within(other, loop) for other in sums if other is not loop)
        ]
        self._by_kernel: dict[str, list[LoopFacts]] = {}
        for kernel in (each for each in kernels if each.kernel):
            functions = called.by(kernel)
            found = [each for each in inner if _within(each, kernel) or each.function in functions]
            self._by_kernel[kernel.kernel.name if kernel.kernel else ""] = found
        loops = [loop for found in self._by_kernel.values() for loop in found]
        self.loops = tuple(loop for k, loop in enumerate(loops) if loop not in loops[:k])

    def entry(self, kernel: str, why: int) -> str:
        """The call before a kernel, of which `rounds` says why it rounds; maybe empty."""
        if self._by_kernel.get(kernel):
            why &= ~SUMS
        return f"cuvier_watch_enter({why});" if why else ""


def _within(loop: LoopFacts, outer: LoopFacts) -> bool:
    if loop.spans is None or outer.spans is None or loop.position.file != outer.position.file:
        return False
    inside, around = loop.spans.whole, outer.spans.whole
    return around.start <= inside.start and inside.end <= around.end
