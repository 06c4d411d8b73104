"""One run of a program that records what its kernels leave behind."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from cuvier.base.processes import Outcome, run
from cuvier.verification.devices import THREADS
from cuvier.verification.record import Record, read_record

# The sanitizer fills memory with guard.c's pattern: what was never written is the same in both programs.
# The size is an `int` there: a larger one fills nothing.
_ASAN = "detect_leaks=0:malloc_fill_byte=199:max_malloc_fill_size=2147483647"
SPARSE = {"CUVIER_WATCH_BUDGET": "65536", "CUVIER_WATCH_SAMPLES": "1"}  # record as little as makes sense


@dataclass(frozen=True)
class Trial:
    """What became of a program."""

    outcome: Outcome
    record: Record | None
    launches: Mapping[str, int]  # by kernel, on a device


@dataclass(frozen=True)
class Runner:
    """How programs are run."""

    arguments: tuple[str, ...]
    timeout: float
    sampling: tuple[tuple[str, str], ...] = ()  # of the watch library
    devices: tuple[tuple[str, str], ...] = ()  # settings: which ones a generated program has

    def run(self, program: Path, record: Path, environment: Mapping[str, str] | None = None) -> Trial:
        """Run a program, which leaves its record in a file."""
        counters = record.with_suffix(".counters")
        for path in (record, counters):
            path.unlink(missing_ok=True)
        told = {"CUVIER_WATCH_FILE": str(record), "CUVIER_COUNTERS": str(counters), "ASAN_OPTIONS": _ASAN}
        outcome = self._outcome(program, {**told, **dict(self.sampling), **(environment or {})})
        launches = json.loads(counters.read_text())["launches"] if counters.exists() else {}
        return Trial(outcome, read_record(record), launches)

    def without_recording(self, program: Path) -> Outcome:
        """The same program, which records nothing."""
        return self._outcome(program, {})

    def _outcome(self, program: Path, environment: Mapping[str, str]) -> Outcome:
        threads = {"OMP_NUM_THREADS": os.environ.get("OMP_NUM_THREADS", THREADS)}
        command: Sequence[str | Path] = [program, *self.arguments]
        return run(
            command, Path.cwd(), self.timeout, {**threads, **dict(self.devices), **environment}, stack=True
        )
