"""Which loops threads share, and which are around others."""

from __future__ import annotations

from models.profitability import profitable
from skeletons import CompileOptions
from skeletons.catalogue.passes import THRESHOLD
from species.facts.loops import LoopFacts, UnitFacts
from species.source import TranslationUnit


def shared_by_threads(unit: TranslationUnit, facts: UnitFacts, options: CompileOptions) -> set[str]:
    """The loops, by their ids, that threads can share, and that are worth it on the machine."""
    limited = THRESHOLD not in options.without
    known = profitable(unit, facts, options.machine, copies=True) if limited else facts
    return {loop.id for loop in known.loops if _is_shared(loop, strict_fp=options.strict_fp)}


def _is_shared(loop: LoopFacts, *, strict_fp: bool) -> bool:
    if not loop.verdict.is_parallel or loop.unprofitable or (strict_fp and loop.rounded):
        return False
    return loop.openmp or (loop.kernel is not None and not loop.kernel.sharing_obstacle)


def loops_around(loop: LoopFacts, facts: UnitFacts) -> list[LoopFacts]:
    """The loops that a loop is in."""
    return [other for other in facts.loops if loop.id.startswith(f"{other.id}.")]
