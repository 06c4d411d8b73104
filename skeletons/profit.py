"""Which loops a program leaves as they are, as nothing else pays, and what it asks before it runs others."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import TYPE_CHECKING

from models.launches import not_worth_launching
from models.worth import Worth, decide
from skeletons.left_to_host import left_to_host
from skeletons.model import CompileOptions, Target
from skeletons.subject import Subject
from skeletons.too_few import too_few
from skeletons.transform.pipeline import THRESHOLD
from species.facts import LoopFacts, UnitFacts
from species.scops import Scop

if TYPE_CHECKING:
    from species.source import TranslationUnit

CYCLIC = ("naive", "inspector")  # modes in which nothing stays on a device


@dataclass
class Profit:
    """What is decided of a file's loops for a target; `left` are those that stay as they are, and why."""

    unit: TranslationUnit
    facts: UnitFacts
    target: Target
    options: CompileOptions
    left: Mapping[str, str] = field(default_factory=dict)

    def leave(
        self, kernels: Sequence[LoopFacts], subject_of: Callable[[LoopFacts], Subject], *, resident: bool
    ) -> None:
        """Decide what is left of `kernels`; `resident`: data stays on a device between them."""
        if THRESHOLD in self.options.without:
            return
        forced = {k.id for k in kernels if k.kernel and k.kernel.name in self.options.forced}
        if self.target.schedules:
            self.left = {n: worth.why for n, worth in self._worths.items() if worth.why and n not in forced}
        elif self.target.accelerator and self.options.comm not in CYCLIC:
            few = self._few(kernels, subject_of) if resident and self.options.comm == "static" else {}
            self.left = {n: why for n, why in self._unlaunched().items() if n not in forced} | few

    def worth(self, loop: LoopFacts) -> Worth:
        """What is decided of a loop; it is taken for worthwhile where the user does not want to be asked."""
        worth = self._worths.get(loop.id, Worth(True))
        return replace(worth, region=True, asked="") if THRESHOLD in self.options.without else worth

    def leaves(self, scop: Scop) -> bool:
        """Are all loops left as they are that stand in a static control part, and in no other loop there?"""
        inside = [f for f in self.facts.loops if f.spans and scop.span.holds(f.spans.whole)]
        names = {loop.id for loop in inside}
        outermost = [loop.id for loop in inside if loop.parent not in names]
        return bool(outermost) and all(name in self.left for name in outermost)

    @cached_property
    def _worths(self) -> Mapping[str, Worth]:
        return decide(self.unit, self.facts, self.options.machine)

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
        said = "so few iterations ({} at most) are sooner made by the host"
        return {name: said.format(most) for name, most in found.items()}
