"""Runs child processes: with a time limit, with nothing on stdin, and killed as a group."""

from __future__ import annotations

import os
import resource
import signal
import subprocess
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True)
class Outcome:
    """How a process ended; a negative status is the signal that killed it."""

    status: int
    stdout: bytes
    stderr: bytes
    timed_out: bool = False
    seconds: float = 0.0

    @property
    def ending(self) -> str:
        """The status in words."""
        if self.timed_out:
            return "ran out of time"
        if self.status < 0:
            return f"was killed by {_signal_name(-self.status)}"
        return f"ended with exit status {self.status}"

    @property
    def complaint(self) -> str:
        """The first lines that it wrote to stderr, as one line."""
        lines = [line.strip() for line in self.stderr.decode(errors="replace").splitlines() if line.strip()]
        return "; ".join(lines[:3])


def run(
    command: Sequence[str | Path],
    directory: Path,
    timeout: float,
    environment: Mapping[str, str] | None = None,
    *,
    stack: bool = False,
) -> Outcome:
    """Run a command to its end; `environment` is added to ours.  Raises OSError where it cannot start.

    With `stack`, its stack may be as large as this machine lets it be.
    """
    start = time.monotonic()
    process = subprocess.Popen(
        [str(word) for word in command],
        cwd=directory,
        env={**os.environ, **(environment or {})},
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        start_new_session=True,
        preexec_fn=_largest_stack if stack else None,
    )
    try:
        stdout, stderr = process.communicate(timeout=timeout)
        return Outcome(process.returncode, stdout, stderr, seconds=time.monotonic() - start)
    except subprocess.TimeoutExpired:
        _kill_group(process)
        stdout, stderr = process.communicate()
        return Outcome(process.returncode, stdout, stderr, timed_out=True, seconds=time.monotonic() - start)
    except BaseException:
        _kill_group(process)
        raise


def _largest_stack() -> None:
    """Raise the limit of the stack, up to 256 MiB: recording needs more than the program itself."""
    soft, hard = resource.getrlimit(resource.RLIMIT_STACK)
    most = 1 << 28 if hard == resource.RLIM_INFINITY else hard
    if soft != resource.RLIM_INFINITY and soft < most:
        resource.setrlimit(resource.RLIMIT_STACK, (most, hard))


def _kill_group(process: subprocess.Popen[bytes]) -> None:
    try:
        os.killpg(process.pid, signal.SIGKILL)
    except ProcessLookupError:
        process.kill()


def _signal_name(number: int) -> str:
    try:
        return signal.Signals(number).name
    except ValueError:
        return f"signal {number}"
