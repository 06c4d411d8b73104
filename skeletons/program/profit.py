"""Which loops a program leaves as they are, as nothing else pays, and what it asks before it runs others."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from models.callgraph import called_in
from models.estimate import Program, loop_nodes
from models.launches import not_worth_launching
from models.profitability import Worth, decide
from skeletons.catalogue.descriptor import Target
from skeletons.catalogue.passes import THRESHOLD
from skeletons.kernel.context import Subject
from skeletons.program.host_loops import left_to_host
from skeletons.select.api import CompileOptions
from skeletons.select.launch_threshold import too_few
from species.facts import Scop
from species.facts.loops import LoopFacts, UnitFacts

if TYPE_CHECKING:
    from species.source import TranslationUnit

CYCLIC = ("naive", "inspector")  # modes in which nothing stays on a device


@dataclass
class Profit:
    """What is decided of a file's loops for a target; `left`: what an accelerator leaves, and why."""

    unit: TranslationUnit
    facts: UnitFacts
    target: Target
    options: CompileOptions
    left: Mapping[str, str] = field(default_factory=dict)
    copied: set[str] = field(default_factory=set)  # loops that threads share only with copies of arrays
    _untaken: set[str] = field(default_factory=set)  # loops that turned out to get no region
    _worths: Mapping[str, Worth] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self._decide()

    def leave(
        self, kernels: Sequence[LoopFacts], subject_of: Callable[[LoopFacts], Subject], *, resident: bool
    ) -> None:
        """Decide what an accelerator leaves of `kernels`; `resident`: data stays on it between them."""
        if THRESHOLD in self.options.without or not self.target.accelerator or self.options.comm in CYCLIC:
            return
        few = self._few(kernels, subject_of) if resident and self.options.comm == "static" else {}
        self.left = {**self._unlaunched(), **few}

    def why_left(self, loop: LoopFacts) -> str:
        """Why a loop stays as it is; empty: it need not.  None of the loops around it is replaced."""
        if THRESHOLD in self.options.without or (loop.kernel and loop.kernel.name in self.options.forced):
            return ""
        if not self.target.schedules:
            return self.left.get(loop.id, "")
        if loop.id not in self._worths:
            self._untaken.update(self._around(loop))
            self._decide()
        return self.worth(loop).why

    def _around(self, loop: LoopFacts) -> Iterator[str]:
        parents = {each.id: each.parent for each in self.facts.loops}
        around = parents.get(loop.id)
        while around is not None:
            yield around
            around = parents.get(around)

    def worth(self, loop: LoopFacts) -> Worth:
        """What is decided of a loop; it is taken for worthwhile where the user does not want to be asked."""
        worth = self._worths.get(loop.id, Worth(True))
        return replace(worth, region=True, asked="") if THRESHOLD in self.options.without else worth

    def leaves(self, scop: Scop) -> bool:
        """Are all loops left as they are that stand in a static control part, and in no other loop there?

        Those are not that compilers would interchange: what is made of the part has them in the best order.
        """
        inside = [f for f in self.facts.loops if f.spans and scop.span.holds(f.spans.whole)]
        names = {loop.id for loop in inside}
        outermost = [loop for loop in inside if loop.parent not in names]
        return bool(outermost) and all(
            self.why_left(each) and not self.worth(each).interchanged for each in outermost
        )

    def _decide(self) -> None:
        def takes(loop: LoopFacts) -> bool:
            return loop.openmp and loop.verdict.is_parallel and loop.id not in self._untaken

        self._worths = self._decided(takes)
        self.copied = self._copied(takes)
        if self.copied:
            self._worths = self._decided(lambda loop: takes(loop) or loop.id in self.copied)

    def _decided(self, takes: Callable[[LoopFacts], bool]) -> Mapping[str, Worth]:
        machine, measured = self.options.machine, self.options.measures
        return decide(self.unit, self.facts, machine, takes=takes, copies=True, measured=measured)

    def _copied(self, takes: Callable[[LoopFacts], bool]) -> set[str]:
        """The loops that threads share with copies of arrays: those inside get no region without copies."""
        able = [loop for loop in self.facts.loops if loop.is_combined_in_copies]
        if not able:
            return set()
        functions, worths = Program.of(self.unit.ast).functions, self._worths
        regions = [
            loop for loop in self.facts.loops if takes(loop) and worths.get(loop.id, Worth(False)).region
        ]
        return {
            loop.id
            for name in {each.function for each in able} & functions.keys()
            for node, loop in loop_nodes(self.unit, functions[name], self.facts.loops)
            if loop in able and loop.id not in self._untaken
            if not any(loop.id in self._around(one) for one in regions)
            if called_in(functions, name, node).isdisjoint(one.function for one in regions)
        }

    def _unlaunched(self) -> Mapping[str, str]:
        device = self.options.machine.device(self.target.name)
        return not_worth_launching(self.unit, self.facts, self.options.machine, device)

    def _few(
        self, kernels: Sequence[LoopFacts], subject_of: Callable[[LoopFacts], Subject]
    ) -> dict[str, str]:
        """The loops that the host makes for good: see `left_to_host`."""

        def few(subject: Subject) -> int:
            is_forced = subject.kernel.name in self.options.forced
            return 0 if is_forced else too_few(subject, self.options.machine)

        able = [k for k in kernels if k.kernel and not k.kernel.obstacles and k.kernel.loops[0].trips]
        found = left_to_host(self.facts, [subject_of(loop) for loop in able], few)
        said = "too few iterations ({} at most): the host is faster"
        return {name: said.format(most) for name, most in found.items()}
