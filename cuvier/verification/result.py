"""What a verification run found: plain values, printed by `report.py` and as JSON."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import StrEnum

from species.core.positions import Position


class Cause(StrEnum):
    """Why something is different; all but the last are no faults of the generated program."""

    SUMS = "order of sums"
    FUNCTIONS = "mathematical functions of the device"
    UNWRITTEN = "never written memory"
    ITSELF = "a program that differs from itself"
    COMPILER = "the C compiler's optimisation"
    ERROR = "error"


@dataclass(frozen=True)
class Difference:
    """The first element that differs, with both values as text."""

    index: tuple[int, ...]  # empty for a scalar
    original: str
    generated: str


@dataclass(frozen=True)
class Item:
    """One variable after one kernel; `kernel` is None for the state at the end of the program."""

    kernel: str | None
    name: str
    position: Position | None  # of the kernel's loop
    executions: int
    elements: int
    compared: int = 0  # of the executions, those that were recorded
    differing: int = 0  # elements that differ, explained or not
    first: Difference | None = None  # the first of those that are not explained
    causes: tuple[Cause, ...] = ()  # of what is different, the gravest last
    tolerance: float | None = None  # the largest difference that was allowed, where rounding explains some
    note: str = ""  # what differs besides, or why nothing was compared
    ok: bool = True

    @property
    def exact(self) -> bool:
        """Is it equal bit by bit?"""
        return not self.causes


@dataclass(frozen=True)
class OutputResult:
    """Standard output and the exit status of the two programs."""

    ok: bool
    message: str  # the first difference; for equal outputs, their size
    causes: tuple[Cause, ...] = ()

    @property
    def exact(self) -> bool:
        """Is it equal byte by byte?"""
        return not self.causes


@dataclass(frozen=True)
class VerificationResult:
    """The outcome for one file and one target."""

    file: str
    target: str
    device: str  # what the generated program ran on
    kernels: tuple[str, ...]  # those that were replaced
    items: tuple[Item, ...]
    output: OutputResult
    findings: tuple[str, ...] = ()  # guards that were overwritten, reports of the sanitizers, crashes
    notes: tuple[str, ...] = field(default=())  # such as "compiled by nvcc: yes"
    unlaunched: tuple[str, ...] = ()  # of the kernels, those whose loops ran, and never on the device

    @property
    def ok(self) -> bool:
        """True when all that is different is explained, and no guard was touched."""
        return self.output.ok and not self.findings and all(item.ok for item in self.items)

    @property
    def causes(self) -> tuple[Cause, ...]:
        """The causes of all that is different."""
        found = [cause for item in self.items for cause in item.causes]
        return tuple(dict.fromkeys([*found, *self.output.causes]))
