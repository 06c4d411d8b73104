"""A child that does one job after the other, and that may be killed at any time."""

from __future__ import annotations

import ctypes
import errno
import gc
import os
import resource
import signal
import sys
from dataclasses import dataclass
from multiprocessing.connection import Connection
from pathlib import Path

RETIRE = 400 * 2**20  # bytes in memory: then a fresh child goes on
_PR_SET_PDEATHSIG = 1


@dataclass(frozen=True)
class Failed:
    """Why a job gave nothing: `memory`: the limit; else a defect, in words."""

    memory: bool
    detail: str = ""


@dataclass(frozen=True)
class Reply:
    """What a worker says of a job: an Outcome, or Failed.  It goes home after it if it `retires`."""

    said: object
    retires: bool


def main() -> None:
    """`worker FD CACHE MEMORY`: jobs come in and replies go out through the connection with this number."""
    connection = Connection(int(sys.argv[1]))
    _die_with_parent()
    if memory := int(sys.argv[3]):
        resource.setrlimit(resource.RLIMIT_DATA, (memory, memory))
    gc.set_threshold(200_000, 20, 50)  # as in cuvier.cli
    from cuvier.batch.cache import Cache

    cache = Cache(Path(sys.argv[2])) if sys.argv[2] else None
    while True:
        try:
            job = connection.recv()
        except (EOFError, OSError):
            return
        reply = _reply(job, cache)
        connection.send(reply)
        if reply.retires:
            return


def _reply(job: object, cache: object) -> Reply:
    from cuvier.batch.cache import Cache
    from cuvier.batch.job import Job
    from cuvier.batch.perform import perform

    assert isinstance(job, Job) and isinstance(cache, Cache | None)
    said: object
    try:
        said = perform(job, cache)
    except Exception as error:
        if isinstance(error, MemoryError) or getattr(error, "errno", None) == errno.ENOMEM:
            return Reply(Failed(memory=True), retires=True)
        detail = " ".join(str(error).split()) or "no details"
        said = Failed(memory=False, detail=f"{type(error).__name__}: {detail}")
    gc.collect()
    gc.freeze()  # what is left serves later files; going through it after each would take longer than they
    return Reply(said, _in_memory() > RETIRE)


def _in_memory() -> int:
    """Bytes of this process that are in memory; 0 where the system does not say."""
    try:
        with open("/proc/self/statm", encoding="ascii") as stream:
            return int(stream.read().split()[1]) * os.sysconf("SC_PAGE_SIZE")
    except (OSError, ValueError):
        return 0


def _die_with_parent() -> None:
    """Linux ends this process when the parent is gone, even in the middle of a job."""
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)
