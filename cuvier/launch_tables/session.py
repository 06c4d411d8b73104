"""Measures a program with versions: every version of every kernel, for the user's arguments.

Dollinger's profiler (seed 000, section 4.4.3.4) makes up arrays and sizes for each kernel.  Here the program
itself is run, by each version in turn, so that kernels get data that makes sense to them; and an argument may
be varied, by as many values as it takes.
"""

from __future__ import annotations

import time
from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace

from cuvier.launch_tables import transfer_curves
from cuvier.launch_tables.store import Launches, Measured, Run, load, save
from cuvier.launch_tables.versioned_program import ProgramFailed, VersionedProgram, thread_counts
from models.prediction.fitting import refined
from models.prediction.tables import Size

TIMES = 2  # that a run is made
TRANSFERS_SHARE = 0.2  # of the budget


@dataclass(frozen=True)
class Vary:
    """The argument at `place` (from 1) takes values from `low` to `high`, both included."""

    place: int
    low: int
    high: int

    def arguments(self, others: Sequence[str], value: int) -> list[str]:
        """With this value of the argument; those before it that are not given are empty."""
        listed = [*others, *([""] * (self.place - len(others)))]
        listed[self.place - 1] = str(value)
        return listed


class Session:
    """One use of `cuvier profile`; `told` hears of every step, `warned` of what cannot be measured."""

    def __init__(
        self,
        program: VersionedProgram,
        processor: str,
        limits: tuple[float, float],
        told: Callable[[float, str], None],
        warned: Callable[[str], None],
    ) -> None:
        self._program, self._told, self._warned = program, told, warned
        self._budget, self._timeout = limits
        self._start, self._has_device, self._is_warm = time.monotonic(), True, False
        known = load(program)
        fresh = Measured(processor, hashes=program.hashes)
        same = known is not None and known.processor == processor
        self.measured = known.for_program(program.hashes) if known is not None and same else fresh

    def profile(self, arguments: Sequence[str], vary: Vary | None) -> Measured:
        """Measure, and write the tables after every run; ProgramFailed where it fails on the host."""
        if vary is None:
            self._all_versions(arguments)
        else:

            def rates(value: int) -> list[float] | None:
                return self._rates(vary.arguments(arguments, value))

            refined(rates, vary.low, vary.high)
        if self._has_device and not self.measured.to_device:
            self._say("transfers")
            curves = transfer_curves.measured(self._program, max(1.0, self._budget * TRANSFERS_SHARE))
            self._keep(replace(self.measured, to_device=curves[0], to_host=curves[1]))
        return self.measured

    def _rates(self, arguments: Sequence[str]) -> list[float] | None:
        """Seconds of an iteration of each version of each kernel; None when time is up."""
        if self._passed > self._budget and self.measured.runs:
            return None
        self._all_versions(arguments)
        rates = dict[tuple[str, int], float]()
        for threads in (0, *self._threads):
            run = self.measured.run_of(arguments, threads)
            for each in run.launches if run is not None else ():
                rates[each.kernel, threads] = each.fastest / each.work if each.work else 0.0
        return [rates[key] for key in sorted(rates)]

    @property
    def _threads(self) -> list[int]:
        return thread_counts() if self._program.has_threads else [1]

    @property
    def _passed(self) -> float:
        return time.monotonic() - self._start

    def _all_versions(self, arguments: Sequence[str]) -> None:
        for threads in self._threads:
            self._run(arguments, threads)
        if self._has_device:
            try:
                self._run(arguments, 0)
            except ProgramFailed as failed:
                self._has_device = False
                self._warned(f"no tables of the device: {failed}")

    def _run(self, arguments: Sequence[str], threads: int) -> None:
        if self.measured.run_of(arguments, threads) is not None:
            return
        where = f"{threads} threads" if threads else "the device"
        self._say(f"{' '.join(arguments)} on {where}".strip())
        most = max(self._threads)
        policy, version = ("cpu", "host") if threads else ("gpu", "device")
        if threads == 0 and not self._is_warm:  # which compiles the kernels
            self._program.run(arguments, policy, most, self._timeout)
            self._is_warm = True
        runs = [self._program.run(arguments, policy, threads or most, self._timeout) for _ in range(TIMES)]
        launches = [each for found in runs for each in _launches(found["points"], version)]
        run = Run(tuple(arguments), threads, tuple(_joined(launches)))
        device = runs[0]["device"] or self.measured.device
        if device != self.measured.device and self.measured.device:  # what was measured was another one
            left = tuple(each for each in self.measured.runs if each.threads)
            self.measured = replace(self.measured, runs=left, to_device=(), to_host=())
        self._keep(replace(self.measured.with_run(run, time.strftime("%Y-%m-%d %H:%M")), device=device))

    def _keep(self, measured: Measured) -> None:
        self.measured = measured
        save(self._program, measured)

    def _say(self, step: str) -> None:
        self._told(self._passed, step)


def _joined(launches: Sequence[Launches]) -> Iterator[Launches]:
    """Those of one size together."""
    same: dict[tuple[str, Size], list[Launches]] = defaultdict(list)
    for each in launches:
        same[each.kernel, each.size].append(each)
    for of in same.values():
        count, seconds = sum(each.count for each in of), sum(each.seconds for each in of)
        fastest = min(each.fastest for each in of)
        yield replace(of[0], count=count, seconds=seconds, fastest=fastest)


def _launches(points: Sequence[dict[str, object]], version: str) -> Iterator[Launches]:
    """Those that ran where they were meant to."""
    return (found for each in points if (found := Launches(**each)).version == version)  # type: ignore[arg-type]
