"""Programs with two versions of each kernel: for a device, and for the host's cores, the loop with threads.

Which one runs is decided launch by launch (`runtime/cuvier_versions.h`), by what is predicted here and what
is measured there.  After Dollinger (thesis, Strasbourg 2015), chapter 4; predictions are those of the boat
hull model (`skeletons/cost`), as there are no measured tables.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING

from pycparser import c_ast

from models.callgraph import reaching
from models.estimate import Program, loop_nodes
from models.machine import Machine, core_seconds
from skeletons.catalogue.descriptor import Skeleton
from skeletons.catalogue.library import Library
from skeletons.catalogue.passes import DETERMINISTIC
from skeletons.cost.roofline import cost_of
from skeletons.cost.work import Work, amounts_for, work_of
from skeletons.kernel.context import Subject
from skeletons.program.host import reorders_floats
from skeletons.program.launch_work import launch_work
from skeletons.program.profit import Profit
from skeletons.schedule.schedules import Rescheduled
from skeletons.schedule.transform import contract
from skeletons.select.api import CompileOptions
from skeletons.select.clauses import clauses, construct
from species.annotate.openmp import parallel_for
from species.core.positions import Span
from species.facts.loops import LoopFacts, UnitFacts
from species.source.syntax.tree import walk
from species.source.text.edits import Edit

if TYPE_CHECKING:
    from species.source import TranslationUnit

THREADS, PLAIN = "openmp", "c"  # targets that a host version may be for


@dataclass(frozen=True)
class Versions:
    """Predicted seconds of a kernel's two versions, before the first iteration and for each, and of what a
    launch may have to wait for: the device's opening, and a byte that moves to it or from it.  `watts` are
    what host and device draw beyond idle while they run it.

    `work`: how many iterations a launch makes in all (C of type double); empty: those of the base loops.
    """

    host_start: float
    host_each: float
    device_start: float
    device_each: float
    opening: float
    copy: float
    watts: tuple[float, float]
    work: str = ""


class HostVersions:
    """The loops of a file as the host's cores run them, in a program for a device."""

    def __init__(
        self, unit: TranslationUnit, facts: UnitFacts, library: Library, options: CompileOptions
    ) -> None:
        self._unit, self._options, self._facts = unit, options, facts
        self._target = library.target(options.beside)
        self._profit = Profit(unit, facts, self._target, options)
        self._plain = next(s for s in library.skeletons(THREADS) if s.name == "default")
        launching = {loop.function for loop in facts.loops if loop.kernel is not None}
        self._functions = Program.of(unit.ast).functions
        self._launching = reaching(self._functions, launching)

    def of(self, subject: Subject, skeleton: Skeleton) -> Versions | None:
        """What a launch chooses from; None where the host is not to make the loop: a function that it calls
        may launch kernels, which threads cannot.
        """
        if self._launching.intersection(subject.kernel.functions):
            return None
        machine, work = self._options.machine, work_of(subject)
        device = machine.device(subject.target.name)
        seconds = cost_of(work, skeleton, subject.target, machine).seconds - device.launch
        start, host = self._host(subject, work, machine)
        if all(each.api != device.api for each in machine.devices):
            seconds = max(seconds, host)  # nobody knows it: no gain is predicted
        counted = launch_work(subject, self._facts.scops, amounts_for(subject).of)
        count = max(1.0, counted.estimate if counted is not None else work.iterations)
        copy = 0.0 if device.kind == "cpu" else 1 / device.copying
        launch = device.launch + device.latency
        each = max(0.0, seconds) / count
        text = counted.text if counted is not None else ""
        cores = machine.cores if self.directive(subject) else 1
        watts = machine.host_watts(cores), machine.device_watts(device)
        return Versions(start, host / count, launch, each, device.opening, copy, watts, text)

    def _host(self, subject: Subject, work: Work, machine: Machine) -> tuple[float, float]:
        """The seconds before the first iteration, and those of all, on the host."""
        if not self.directive(subject):
            return 0.0, core_seconds(work.operations, work.bytes, machine, double=work.double)
        seconds = cost_of(work, self._plain, self._target, machine).seconds
        return machine.region, seconds - machine.region

    def directive(self, subject: Subject) -> str:
        """The line that lets threads share the loop, with its end; empty where they cannot, or do not pay."""
        facts = subject.facts
        if self._options.beside != THREADS or subject.kernel.sharing_obstacle or not facts.openmp:
            return ""
        if (self._options.strict_fp or DETERMINISTIC in self._options.wanted) and reorders_floats(subject):
            return ""
        worth = self._profit.worth(facts)
        if self._profit.why_left(facts):
            return ""
        own = replace(subject, target=self._target)
        words = (construct(own, reorder=subject.reorder), *clauses(own, worth))
        return f"#pragma omp {' '.join(words)}\n"

    def pays(self, nest: Rescheduled) -> bool:
        """Is a nest in another order worth it?  Blocked products are for one thread, too."""
        return contract.NAME in nest.steps or not self._profit.leaves(nest.scop)

    @cached_property
    def _calling_by_pointers(self) -> frozenset[str]:
        """The loops that call what a pointer leads to."""
        found = set[str]()
        for name, function in self._functions.items():
            here = [loop for loop in self._facts.loops if loop.function == name]
            for node, loop in loop_nodes(self._unit, function, here):
                calls = (each for each in walk(node) if isinstance(each, c_ast.FuncCall))
                if not all(isinstance(call.name, c_ast.ID) for call in calls):
                    found.add(loop.id)
        return frozenset(found)

    def marks(self, edits: Sequence[Edit]) -> Iterator[Edit]:
        """The directives of loops that stay on the host, of a file with these `edits`.

        Threads have no account of what is on a device: only what stands around a loop asks for its data.
        """
        end = -1
        for loop in self._facts.loops:
            spans = loop.spans
            if spans is None or spans.whole.start < end or loop.position.file != self._unit.source.path:
                continue
            text = self._directive_alone(loop) if not any(_meet(e.span, spans.whole) for e in edits) else ""
            if text:  # on a line of its own, behind what asks for data
                end = spans.whole.end
                yield Edit(Span(spans.whole.start, spans.whole.start), f"\n{text}")

    def _directive_alone(self, loop: LoopFacts) -> str:
        """The directive of a loop that is no kernel; empty where it has none."""
        kernel = loop.kernel
        if self._options.beside != THREADS or kernel is None or kernel.sharing_obstacle:
            return ""
        if kernel.functions or loop.id in self._calling_by_pointers:
            return ""
        rounds = self._options.strict_fp or DETERMINISTIC in self._options.wanted
        if not loop.openmp or loop.users or (rounds and loop.rounded) or self._profit.why_left(loop):
            return ""
        worth = self._profit.worth(loop)
        text = parallel_for(replace(loop, asked=worth.asked), worth.joined)
        return f"{text}\n" if text else ""


def _meet(one: Span, whole: Span) -> bool:
    return one.start < whole.end and whole.start < one.end
