"""A race: contenders take turns, so that whatever else the machine does concerns all of them alike."""

from __future__ import annotations

import os
import re
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from statistics import median

from cuvier.base.processes import Outcome, run
from cuvier.bench.contenders import CUVIER, Contender, NotBuilt
from cuvier.machine.disturbance import Moment, disturbances, moment
from cuvier.verification.output import compare_output

LOOK = 0.5  # seconds, to see if others work


@dataclass(frozen=True)
class Rules:
    """How a race is run.

    The first run of each contender is not counted.  No round begins after `seconds`; a run that takes
    longer than `timeout` seconds is ended, and its contender is out.  `clock` finds the seconds in what a
    program prints, as its first group; without it, they are those of the whole process.
    """

    arguments: tuple[str, ...] = ()
    rounds: int = 5
    seconds: float = 60.0
    timeout: float = 60.0
    patience: float = 30.0  # seconds to wait until others have done
    threads: int | None = None
    clock: re.Pattern[bytes] | None = None

    @property
    def environment(self) -> dict[str, str]:
        """Threads stay on their cores, unless the user says otherwise."""
        bound = {"OMP_PROC_BIND": os.environ.get("OMP_PROC_BIND", "true")}
        return bound | ({"OMP_NUM_THREADS": str(self.threads)} if self.threads else {})


@dataclass(frozen=True)
class Entry:
    """What came of a contender: the seconds of its runs, or why there are none."""

    key: str
    title: str
    runs: tuple[float, ...] = ()
    why: str = ""
    wrong: str = ""  # what it prints instead of what the first contender does

    @property
    def seconds(self) -> float | None:
        """The median."""
        return median(self.runs) if self.runs and not self.why else None

    @property
    def spread(self) -> float:
        """The difference between the slowest and the fastest run, 1 being the median."""
        return (max(self.runs) - min(self.runs)) / median(self.runs)


@dataclass(frozen=True)
class Result:
    """A program's race; the first entry is what others are compared with."""

    file: str
    target: str
    entries: tuple[Entry, ...]
    disturbed: tuple[str, ...] = ()

    def speed(self, entry: Entry) -> float | None:
        """How many times as fast as the first: the median of the rounds."""
        first = self.entries[0].runs
        pairs = list(zip(first, entry.runs, strict=False))
        return median(a / max(b, 1e-9) for a, b in pairs) if pairs and not entry.why else None

    @property
    def ours(self) -> Entry:
        """Cuvier's program."""
        return next(entry for entry in self.entries if entry.key == CUVIER)

    @property
    def best(self) -> Entry | None:
        """The fastest of the others that print the same; None: there is none."""
        others = [e for e in self.entries if e.key != CUVIER and e.seconds is not None and not e.wrong]
        return min(others, key=lambda entry: entry.seconds or 0.0, default=None)

    @property
    def ratio(self) -> float | None:
        """Cuvier's speed against the best of the others: the median of the rounds."""
        best, ours = self.best, self.ours
        if best is None or ours.seconds is None or ours.wrong:
            return None
        return median(a / max(b, 1e-9) for a, b in zip(best.runs, ours.runs, strict=False))


Watch = Callable[[str], None]


def raced(
    file: str, target: str, contenders: Sequence[Contender], rules: Rules, folder: Path, watch: Watch
) -> Result:
    """Build all contenders, then let them run in turns; `watch` is told what is being done."""
    entries, programs = [], dict[str, Path]()
    for number, each in enumerate(contenders):
        watch(f"building {each.title}")
        own = folder / str(number)
        own.mkdir()
        try:
            programs[each.key], why = each.build(own), ""
        except NotBuilt as error:
            why = f"not built: {error}"
        entries.append(Entry(each.key, each.title, why=why))
    _wait_for_quiet(rules.patience, watch)
    before = _now()
    entries = _warmed(entries, programs, rules, watch)
    end = before.clock + rules.seconds
    for turn in range(rules.rounds):
        if turn and time.monotonic() > end:
            break
        watch(f"round {turn + 1} of {rules.rounds}")
        entries = [_run_again(entry, programs, rules) for entry in entries]
    noise = disturbances(before, _now(), len(os.sched_getaffinity(0)))
    return Result(file, target, tuple(entries), tuple(noise))


def _now() -> Moment:
    return moment(sorted(os.sched_getaffinity(0)))


def _wait_for_quiet(seconds: float, watch: Watch) -> None:
    """Until others no longer use the processors, but not for longer."""
    processors, end = len(os.sched_getaffinity(0)), time.monotonic() + seconds
    while time.monotonic() < end:
        before = _now()
        time.sleep(LOOK)
        if not disturbances(before, _now(), processors):
            return
        watch("waiting until the machine is idle")


def _warmed(entries: list[Entry], programs: dict[str, Path], rules: Rules, watch: Watch) -> list[Entry]:
    """After a first run of each, whose outputs are compared; those that fail are out."""
    found: list[Entry] = []
    expected: Outcome | None = None
    for entry in entries:
        watch(f"first run of {entry.title}")
        outcome = _run(programs[entry.key], rules) if entry.key in programs else None
        if outcome is not None and (outcome.timed_out or outcome.status < 0):
            entry = replace(entry, why=f"it {outcome.ending}")
        elif outcome is not None and rules.clock and _seconds(outcome, rules) is None:
            entry = replace(entry, why=f"nothing that it prints matches '{rules.clock.pattern.decode()}'")
        elif outcome is not None:
            expected = expected or outcome
            entry = replace(entry, wrong=_difference(expected, outcome, rules))
        found.append(entry)
    return found


def _run_again(entry: Entry, programs: dict[str, Path], rules: Rules) -> Entry:
    if entry.why:
        return entry
    outcome = _run(programs[entry.key], rules)
    seconds = _seconds(outcome, rules)
    if outcome.timed_out or outcome.status < 0 or seconds is None:
        return replace(entry, why=f"it {outcome.ending} in a later run")
    return replace(entry, runs=(*entry.runs, seconds))


def _run(program: Path, rules: Rules) -> Outcome:
    return run([program, *rules.arguments], Path.cwd(), rules.timeout, rules.environment, stack=True)


def _seconds(outcome: Outcome, rules: Rules) -> float | None:
    if rules.clock is None:
        return outcome.seconds
    found = rules.clock.search(outcome.stdout) or rules.clock.search(outcome.stderr)
    try:
        return float(found[1]) if found else None
    except ValueError:
        return None


def _difference(expected: Outcome, outcome: Outcome, rules: Rules) -> str:
    """What is printed instead of what; empty: the same, but for rounding."""
    if outcome.status != expected.status:
        return f"it {outcome.ending}, where the first one {expected.ending}"
    ours, theirs = (
        rules.clock.sub(b"", each.stdout) if rules.clock else each.stdout for each in (expected, outcome)
    )
    compared = compare_output(ours, theirs, exact=False)
    return "" if compared.ok else compared.message
