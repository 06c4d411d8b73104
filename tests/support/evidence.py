"""Evidence that tests make up."""

from __future__ import annotations

from dataclasses import dataclass

from cuvier.base.processes import Outcome
from cuvier.verification.record import Record
from cuvier.verification.trial import Trial


@dataclass(frozen=True)
class MadeUp:
    """Whatever a test says; `cuvier.verification.evidence` says what it stands for."""

    accelerator: bool = False
    hosted: bool = True
    threads_add: bool = False
    functions: tuple[Trial, ...] = ()
    sums: tuple[Trial, ...] = ()
    exaggerated: Trial | None = None
    again: Trial | None = None
    filled: Trial | None = None
    rebuilt: tuple[Trial, ...] = ()
    strict: bool = False


NO_EVIDENCE = MadeUp()


def printed(text: str, status: int = 0) -> Trial:
    """A run that printed a text."""
    return Trial(Outcome(status, text.encode(), b""), None, {})


def left(record: Record) -> Trial:
    """A run that left a record."""
    return Trial(Outcome(0, b"", b""), record, {})
