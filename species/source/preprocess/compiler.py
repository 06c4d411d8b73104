"""Running a compiler, on texts that may be meant to keep it busy.

They include pipes, devices, or themselves.
"""

from __future__ import annotations

import os
import select
import shutil
import signal
import subprocess
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, suppress
from dataclasses import dataclass
from typing import IO

_MEMORY = 2 * 2**20  # kilobytes
_OUTPUT = 2**19  # blocks of 512 bytes
_ERRORS = 2**20  # bytes of messages that are looked at
# The limits are those of the child alone; where they are lower already, they stay.
_LIMITED = f'ulimit -Sd {_MEMORY} 2>/dev/null; ulimit -Sf {_OUTPUT} 2>/dev/null; exec "$@"'


@dataclass(frozen=True)
class Ran:
    """What a compiler said."""

    status: int
    output: bytes
    errors: bytes


def run_compiler(command: Sequence[str], data: bytes | None, seconds: float) -> Ran:
    """Run a compiler to its end, with `data` on stdin; nothing that it started is left.

    Raises TimeoutError where it does not end in time, and OSError and ValueError where it cannot start.
    """
    if shutil.which(command[0]) is None:
        raise FileNotFoundError(2, "No such file or directory", command[0])
    with ExitStack() as stack:
        given, output, errors = (stack.enter_context(tempfile.TemporaryFile()) for _ in range(3))
        given.write(data or b"")
        given.seek(0)
        process = subprocess.Popen(
            ["/bin/sh", "-c", _LIMITED, "sh", *command],
            stdin=given,
            stdout=output,
            stderr=errors,
            env={**os.environ, "LC_ALL": "C"},
        )
        try:
            _wait(process, seconds)
        finally:
            _end(process)
        return Ran(process.returncode, _read(output), _read(errors, _ERRORS))


def _wait(process: subprocess.Popen[bytes], seconds: float) -> None:
    """Until it ends, without asking again and again; raises TimeoutError."""
    try:
        descriptor = os.pidfd_open(process.pid)
    except (AttributeError, OSError):  # no Linux, or one before 5.3
        try:
            process.wait(seconds)
        except subprocess.TimeoutExpired:
            raise TimeoutError from None
        return
    try:
        waiting = select.poll()
        waiting.register(descriptor, select.POLLIN)
        if not waiting.poll(seconds * 1000):
            raise TimeoutError
        process.wait()
    finally:
        os.close(descriptor)


def _read(stream: IO[bytes], most: int = -1) -> bytes:
    stream.seek(0)
    return stream.read(most)


def _end(process: subprocess.Popen[bytes]) -> None:
    """Kill it, and what it has started, if it still runs."""
    if process.poll() is None:
        for each in [*_below(process.pid)]:
            with suppress(ProcessLookupError):
                os.kill(each, signal.SIGKILL)
        process.kill()
        process.wait()


def _below(parent: int) -> Iterator[int]:
    """The processes that one has started, as far as the system tells."""
    try:
        with open(f"/proc/{parent}/task/{parent}/children", encoding="ascii") as stream:
            children = [int(word) for word in stream.read().split()]
    except OSError:
        return
    for child in children:
        yield from _below(child)
        yield child
