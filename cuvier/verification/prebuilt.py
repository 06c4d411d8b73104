"""Object files that are the same for all programs: a process compiles them once."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory

from cuvier.base.processes import Outcome, run

OBJECT = "prebuilt.o"  # what the command writes


def build(command: Sequence[str], output: Path, timeout: float) -> Outcome:
    """Puts what `command` writes to `OBJECT`, in a folder of its own, at `output`."""
    outcome, made = _built(tuple(command), timeout)
    if made is not None:
        output.write_bytes(made)
    return outcome


@cache
def _built(command: tuple[str, ...], timeout: float) -> tuple[Outcome, bytes | None]:
    with TemporaryDirectory(prefix="cuvier-verify-") as folder:
        outcome = run(command, Path(folder), timeout)
        made = Path(folder) / OBJECT
        return outcome, made.read_bytes() if outcome.status == 0 and made.exists() else None
