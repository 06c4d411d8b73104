"""What a verification run found: plain values, printed by `report.py` and as JSON."""

from __future__ import annotations

from dataclasses import dataclass, field

from species.positions import Position


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
    exact: bool  # compared bit by bit; False: within the tolerance for reordered reductions
    differing: int = 0
    first: Difference | None = None
    note: str = ""  # what differs besides, or why nothing was compared
    ok: bool = True


@dataclass(frozen=True)
class OutputResult:
    """Standard output and the exit status of the two programs."""

    ok: bool
    exact: bool
    message: str  # the first difference; for equal outputs, their size


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
        """True when everything that was compared is equal and no guard was touched."""
        return self.output.ok and not self.findings and all(item.ok for item in self.items)
