"""The original and its variants take turns; what is slower is measured again before it is called so."""

from __future__ import annotations

import re
import statistics
import subprocess
from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path
from time import perf_counter

from .running import RunError, difference, environment, large_stack
from .variants import Built

PATIENCE = 10.0  # seconds for a run; one that does not end then counts as one of so many seconds
HOPELESS = 0.5  # of the original's speed: no need to measure that more than twice
DESPERATE = 0.1  # nor that more than once
CHECKED = (1, 3)  # threads of the runs at a small size
_SECONDS = re.compile(r"\d+\.\d+")
TOLERANCE = 1e-6  # relative, of what is printed


@dataclass(frozen=True)
class Entry:
    """A variant at a number of threads."""

    way: str
    threads: int


@dataclass
class Timing:
    """What was found out about one subject; `wrong` says what was printed instead of what."""

    built: Built
    original: list[float] = field(default_factory=list)
    pairs: dict[Entry, list[tuple[float, float]]] = field(default_factory=dict)
    wrong: dict[str, str] = field(default_factory=dict)

    @property
    def seconds(self) -> float:
        return statistics.median(self.original) if self.original else 0.0

    def ratio(self, entry: Entry) -> float | None:
        """The variant's speed, 1 being the original's, as the median of the rounds."""
        way = self.built.variants.get(entry.way)
        if way is None or entry.way in self.wrong:
            return None
        if way.unchanged:
            return 1.0
        pairs = self.pairs[entry]
        return statistics.median(a / max(b, 1e-9) for a, b in pairs) if pairs else None


@dataclass(frozen=True)
class Effort:
    """How many rounds (none: outputs are compared only), and how many more for what is below the bar."""

    rounds: int = 5
    more: int = 10
    least: float = 0.95
    threads: tuple[int, ...] = (2, 1)


class Late(RunError):
    """A program was ended: it is slow, and what it would print is not known."""


def execute(executable: Path, words: Iterable[str], threads: int = 1) -> tuple[str, float]:
    """What a program prints, and the seconds that it names last on stderr, or else takes.

    Late where it does not end, else RunError.
    """
    began = perf_counter()
    try:
        done = subprocess.run(
            [str(executable), *words],
            capture_output=True,
            text=True,
            timeout=PATIENCE,
            env=environment(threads),
            preexec_fn=large_stack,
            check=False,
        )
    except subprocess.TimeoutExpired as error:
        raise Late(f"takes more than {PATIENCE:.0f} s") from error
    if done.returncode:
        raise RunError(f"ends with status {done.returncode}")
    last = done.stderr.split()[-1:]
    named = bool(last) and _SECONDS.fullmatch(last[0]) is not None
    return done.stdout, float(last[0]) if named else perf_counter() - began


def measure(built: Built, effort: Effort) -> Timing:
    """Compare the outputs, then the times."""
    timing = Timing(built)
    changed = [way for way, variant in built.variants.items() if not variant.unchanged]
    _compare_small(timing, changed)
    entries = [Entry(way, n) for way in changed for n in effort.threads]
    timing.pairs = {entry: [] for entry in entries}
    for turn in range(effort.rounds + effort.more if effort.rounds else 0):
        late = turn >= effort.rounds
        taking = [e for e in entries if _goes_on(timing, e, effort.least if late else None)]
        if taking or not turn:
            _round(timing, taking)
    return timing


def _goes_on(timing: Timing, entry: Entry, least: float | None) -> bool:
    """After the rounds that all take part in, what is below the bar goes on, until it is above."""
    if entry.way in timing.wrong:
        return False
    pairs = timing.pairs[entry]
    ratio = timing.ratio(entry)
    if ratio is not None and ratio < (HOPELESS if len(pairs) > 1 else DESPERATE):
        return False
    return least is None or (ratio is not None and ratio < least)


def _round(timing: Timing, entries: list[Entry]) -> None:
    """The original, then each of the entries; each pair is of one round."""
    subject = timing.built.subject
    expected, seconds = execute(timing.built.original, subject.words)
    timing.original.append(seconds)
    for entry in entries:
        if entry.way not in timing.wrong:
            _take_part(timing, entry, expected, seconds)


def _take_part(timing: Timing, entry: Entry, expected: str, seconds: float) -> None:
    executable = timing.built.variants[entry.way].executable
    wrong = None
    try:
        output, other = execute(executable, timing.built.subject.words, entry.threads)
        wrong = difference(expected, output, TOLERANCE)
    except Late:
        other = PATIENCE
    except RunError as error:
        other, wrong = PATIENCE, str(error)
    timing.pairs[entry].append((seconds, other))
    if wrong:
        timing.wrong[entry.way] = wrong


def _compare_small(timing: Timing, ways: list[str]) -> None:
    """Another size, which divides nothing, with numbers of threads that differ."""
    words = timing.built.subject.small
    if words is None:
        return
    expected = execute(timing.built.original, words)[0]
    for way in ways:
        for threads in CHECKED:
            wrong = _wrong_at(timing.built.variants[way].executable, words, threads, expected)
            if wrong:
                where = f"at {' '.join(words)}, {threads} thread{'s' * (threads > 1)}"
                timing.wrong.setdefault(way, f"{wrong} ({where})")


def _wrong_at(executable: Path, words: Iterable[str], threads: int, expected: str) -> str | None:
    try:
        return difference(expected, execute(executable, words, threads)[0], TOLERANCE)
    except Late:
        return None  # slow; that is measured at another size
    except RunError as error:
        return str(error)
