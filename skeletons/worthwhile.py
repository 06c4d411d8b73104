"""Loops for `parallel for`, as far as they have enough work for threads by a machine's description."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace
from typing import TYPE_CHECKING

from pycparser import c_ast

from models.machine import Machine
from skeletons.catalogue import Library
from skeletons.ctext import words_in
from skeletons.openmp import enough, has_little
from skeletons.subject import Subject
from species.analysis import names_of
from species.annotate.openmp import LITTLE
from species.declarations import Declarations
from species.facts import Kernel, KernelLoop, LoopFacts, UnitFacts
from species.source.tree import walk

if TYPE_CHECKING:
    from species.source import TranslationUnit

_PLAIN = r"\w+(?:(?:\.|->)\w+)*"  # a name, a number or a member
_LOOPS = (c_ast.For, c_ast.While, c_ast.DoWhile)


def worthwhile(unit: TranslationUnit, facts: UnitFacts, machine: Machine) -> UnitFacts:
    """The facts, in which OpenMP's loops are those that pay.

    Where only the run knows how many iterations there are, they get one more condition.  A loop that calls
    what has loops stays as it is, unless it is a kernel: nobody has an estimate of it.  What stands in a loop
    that does not pay pays less.
    """
    target, declarations = Library.load().target("openmp"), Declarations.of(unit.ast)
    little, long = set[str](), _with_loops(unit)

    def judged(loop: LoopFacts) -> LoopFacts:
        if not loop.openmp or loop.kernel is None:
            return loop
        kernel = replace(loop.kernel, loops=tuple(_counted(loop.kernel)))
        subject = Subject(unit, declarations, loop, kernel, target, ())
        if loop.kernel.obstacles and long & words_in(subject.span.of(subject.text)):
            return loop
        if loop.parent in little or has_little(subject, machine):
            little.add(loop.id)
            return replace(loop, openmp_obstacle=LITTLE)
        asked = enough(subject, machine)
        return replace(loop, conditions=(*loop.conditions, asked)) if asked else loop

    return replace(facts, loops=tuple(map(judged, facts.loops)))


def _counted(kernel: Kernel) -> Iterator[KernelLoop]:
    """The loops with the iterations that their headers say, such as `v->size`, where that is no name."""
    iterators = {loop.iterator for loop in kernel.loops}
    for loop in kernel.loops:
        lower = loop.lower.strip()
        header = re.fullmatch(rf"\s*{re.escape(loop.iterator)}\s*<\s*({_PLAIN})\s*", loop.condition)
        plain = header and loop.step == 1 and re.fullmatch(_PLAIN, lower)
        if loop.trips is None and header and plain and not iterators & words_in(header[1] + " " + lower):
            loop = replace(loop, trips=header[1] if lower == "0" else f"(double){header[1]}-{lower}")
        yield loop


def _with_loops(unit: TranslationUnit) -> frozenset[str]:
    """The functions of which a call may take any time: with loops, or with calls of such functions."""
    names = names_of(unit)
    functions, reach = names.resolution.functions, names.effects.summaries.reach
    own = {name for name, each in functions.items() if any(isinstance(n, _LOOPS) for n in walk(each.body))}
    return frozenset(name for name in functions if reach(name) & own)
