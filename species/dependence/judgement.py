"""What the judge finds out about a loop."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from species.dependence.data_checks import Claim, DataCheck
from species.dependence.exact.dependence_test import Dependence
from species.dependence.findings import Finding
from species.dependence.no_op_iterations import Idle
from species.dependence.privates import PrivateArray
from species.dependence.reductions import Combined
from species.loops.model import Loop, Reference
from species.sets.conditions import TRUE, Condition
from species.symbols.symbols import Symbol


@dataclass(frozen=True)
class Proviso:
    """Dependences of one object that are not there while `condition` holds; `finding` if it may not."""

    condition: Condition
    dependences: tuple[Dependence, ...]
    finding: Finding


@dataclass(frozen=True)
class ThreadCopy:
    """A variable with static storage of which every thread has its own (see `stages.thread_copies`).

    Threads combine what they have in the end, where there is an `operator`; else nobody needs what is left.
    Of a structure, `members` are combined, and nothing else of it is used: their names with dots, their
    operators and the types of their numbers.
    """

    symbol: Symbol
    operator: str = ""
    members: tuple[tuple[str, str, str], ...] = ()


@dataclass
class Judgement:
    """All that is found out about one loop.  `overlaps` are pairs of objects that must be disjoint."""

    loop: Loop
    findings: list[Finding] = field(default_factory=list)
    dependences: list[Dependence] = field(default_factory=list)
    reductions: list[Combined] = field(default_factory=list)
    private: list[Symbol] = field(default_factory=list)
    lastprivate: list[Symbol] = field(default_factory=list)
    conditional: list[Symbol] = field(default_factory=list)  # the last iteration that writes them counts
    arrays: list[PrivateArray] = field(default_factory=list)  # private to every iteration
    linear: list[Symbol] = field(default_factory=list)  # changed by `loop.steps[symbol]` in every iteration
    overlaps: list[tuple[Reference, Reference]] = field(default_factory=list)
    provisos: list[Proviso] = field(default_factory=list)
    idle: list[Idle] = field(default_factory=list)  # iterations that are to store nothing
    data_checks: list[DataCheck] = field(default_factory=list)  # on numbers in memory
    copies: list[ThreadCopy] = field(default_factory=list)  # of variables that are each thread's own
    vouched: bool = False  # a user says that it is parallel, whatever else was found

    @property
    def is_parallel(self) -> bool:
        return not self.findings

    @property
    def checks(self) -> tuple[Proviso | Idle | DataCheck, ...]:
        """What has to hold of values so that it is parallel, which generated code asks before the loop."""
        return (*self.provisos, *self.idle, *self.data_checks)

    @property
    def provided(self) -> tuple[Condition, ...]:
        """What holds where the loop is parallel."""
        return tuple(proviso.condition for proviso in self.provisos)

    def rest_on(
        self, condition: Condition, claims: Sequence[Claim], found: Sequence[Dependence], finding: Finding
    ) -> None:
        """Notes what has to hold so that the dependences `found` do not exist."""
        if condition != TRUE:
            self.provisos.append(Proviso(condition, tuple(found), finding))
        self.data_checks += [DataCheck(each, tuple(found), finding) for each in claims]

    def give_up(self) -> None:
        """The conditions cannot be tested, or are of no use: the dependences count."""
        for check in self.checks:
            self.dependences += check.dependences
            self.findings.append(check.finding)
        self.provisos, self.idle, self.data_checks = [], [], []
