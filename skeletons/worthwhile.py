"""Loops for `parallel for`, as far as they have enough work for threads by a machine's description."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from skeletons.catalogue import Library
from skeletons.declarations import Declarations
from skeletons.machine import Machine
from skeletons.openmp import enough, has_little
from skeletons.subject import Subject
from species.annotate.openmp import LITTLE
from species.facts import LoopFacts, UnitFacts

if TYPE_CHECKING:
    from species.source import TranslationUnit


def worthwhile(unit: TranslationUnit, facts: UnitFacts, machine: Machine) -> UnitFacts:
    """The facts, in which OpenMP's loops are those that pay.

    Where only the run knows how many iterations there are, they get one more condition.  A loop that is no
    kernel stays as it is: nobody has an estimate of it.  What stands in a loop that does not pay pays less.
    """
    target, declarations = Library.load().target("openmp"), Declarations.of(unit.ast)
    little: set[str] = set()

    def judged(loop: LoopFacts) -> LoopFacts:
        if not loop.openmp or loop.kernel is None or loop.kernel.obstacles:
            return loop
        subject = Subject(unit, declarations, loop, loop.kernel, target, ())
        if loop.parent in little or has_little(subject, machine):
            little.add(loop.id)
            return replace(loop, openmp_obstacle=LITTLE)
        asked = enough(subject, machine)
        return replace(loop, conditions=(*loop.conditions, asked)) if asked else loop

    return replace(facts, loops=tuple(map(judged, facts.loops)))
