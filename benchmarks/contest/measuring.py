"""One program, all contenders: built, run in turns, and checked against the sequential original."""

from __future__ import annotations

import statistics
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

from .contenders import CONTENDERS, BuildError, Command, Contender, Unsuitable, Workshop
from .programs import Program, ProgramError
from .running import RunError, difference, execute

REFERENCE = CONTENDERS[0]  # gcc: what it prints is right
OK = "ok"


@dataclass
class Outcome:
    """What came of one contender; `status` is `ok` or says what failed, `note` why."""

    status: str = OK
    note: str = ""
    seconds: list[float] = field(default_factory=list)
    spent: float = 0.0

    @property
    def median(self) -> float | None:
        """None where there is no time of a right result."""
        return statistics.median(self.seconds) if self.status == OK and self.seconds else None

    def fail(self, status: str, note: object) -> None:
        self.status, self.note = status, str(note)[:300]


@dataclass(frozen=True)
class Effort:
    """How long to measure: so many rounds of so many runs, at most about so many seconds per contender."""

    rounds: int
    repeat: int
    seconds: float


@dataclass
class Measurement:
    """All that was found out about one program; a contender that takes no part has no outcome."""

    program: Program
    outcomes: dict[str, Outcome]
    limit: float | None = None

    def best_peer(self) -> tuple[str, float] | None:
        """The fastest peer with a right result, and its time."""
        others = {c.key for c in CONTENDERS if not c.peer}
        peers = [key for key in self.outcomes if key not in others]
        times = {key: t for key in peers if (t := self.outcomes[key].median) is not None}
        return min(times.items(), key=lambda item: item[1]) if times else None

    def ratio(self, key: str) -> float | None:
        """How many times as fast as the best peer."""
        best, outcome = self.best_peer(), self.outcomes.get(key)
        if best is None or outcome is None or outcome.median is None:
            return None
        return best[1] / max(outcome.median, 1e-9)

    def times_as_long(self, key: str, other: str) -> float | None:
        """How many times as long as another contender."""
        times = [self.outcomes[k].median if k in self.outcomes else None for k in (key, other)]
        return times[0] / max(times[1], 1e-9) if times[0] is not None and times[1] is not None else None

    def share(self, key: str) -> float | None:
        """The share of the machine's limit."""
        outcome = self.outcomes.get(key)
        if self.limit is None or outcome is None or outcome.median is None:
            return None
        return self.limit / max(outcome.median, 1e-9)


def measure(
    program: Program,
    contenders: list[Contender],
    shop: Workshop,
    effort: Effort,
    folder: Path,
    step: Callable[[str], None],
) -> Measurement:
    """Build and time a program; `step` is told what happens."""
    built, outcomes = _built(program, contenders, shop, folder, step)
    try:
        expected = _expected(program, built, shop, folder)
    except (BuildError, ProgramError, RunError) as error:
        for outcome in outcomes.values():
            outcome.fail("no reference", error)
        return Measurement(program, outcomes)
    for turn in range(effort.rounds):
        for key, command in built.items():
            step(f"{program.name}: {key}, round {turn + 1} of {effort.rounds}")
            _take_turn(command, outcomes[key], expected, program, shop, effort)
    return Measurement(program, outcomes)


def _built(
    program: Program, contenders: list[Contender], shop: Workshop, folder: Path, step: Callable[[str], None]
) -> tuple[dict[str, Command], dict[str, Outcome]]:
    built: dict[str, Command] = {}
    outcomes: dict[str, Outcome] = {}
    for contender in contenders:
        step(f"{program.name}: build {contender.key}")
        try:
            built[contender.key] = contender.build(shop, program, _own_folder(folder, contender))
        except Unsuitable:
            continue
        except (BuildError, ProgramError) as error:
            outcomes.setdefault(contender.key, Outcome()).fail("does not build", error)
        outcomes.setdefault(contender.key, Outcome())
    return built, outcomes


def _own_folder(folder: Path, contender: Contender) -> Path:
    own = folder / contender.key
    own.mkdir(parents=True, exist_ok=True)
    return own


def _expected(program: Program, built: dict[str, Command], shop: Workshop, folder: Path) -> str:
    """What the sequential original prints."""
    key = REFERENCE.key
    command = built.get(key) or REFERENCE.build(shop, program, _own_folder(folder, REFERENCE))
    return execute(command, 0, 0.0, shop.threads).outputs[0]


def _take_turn(
    command: Command, outcome: Outcome, expected: str, program: Program, shop: Workshop, effort: Effort
) -> None:
    if outcome.status != OK or outcome.spent >= effort.seconds:
        return
    try:
        runs = execute(command, effort.repeat, effort.seconds / effort.rounds, shop.threads)
    except RunError as error:
        outcome.fail("does not run", error)
        return
    outcome.seconds += runs.measured
    outcome.spent += sum(runs.seconds)
    for output in runs.outputs:
        wrong = difference(expected, output, program.tolerance)
        if wrong:
            outcome.fail("wrong result", wrong)
