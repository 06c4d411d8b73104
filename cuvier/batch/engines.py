"""Who does the jobs: this process, children of it, or a cluster (cuvier.batch.ray_engine)."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections import deque
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from math import inf
from multiprocessing.connection import Connection, Pipe, wait
from pathlib import Path
from typing import Protocol

from cuvier.batch.cache import Cache
from cuvier.batch.job import Job
from cuvier.batch.perform import Outcome, failed, perform
from cuvier.batch.worker import Failed, Reply

ENDED = "CV010"
_ROOT = str(Path(__file__).parent.parent.parent)
_CHILD = f"import sys; sys.path.append({_ROOT!r}); from cuvier.batch.worker import main; main()"


@dataclass(frozen=True)
class Limits:
    """What one file may take: seconds by the clock, and bytes; 0 is no limit."""

    seconds: float = 0
    memory: int = 0


class Engine(Protocol):
    """Does jobs in any order."""

    def run(self, jobs: Sequence[Job]) -> Iterator[tuple[int, Outcome]]:
        """The outcome of every job, with its number, as soon as it is known."""
        ...


@dataclass(frozen=True)
class Here:
    """This process, one job after the other and without limits."""

    cache: Cache | None

    def run(self, jobs: Sequence[Job]) -> Iterator[tuple[int, Outcome]]:
        for number, job in enumerate(jobs):
            yield number, perform(job, self.cache)


@dataclass
class _Child:
    """A worker's process, our end of its pipe, and what it does: the job's number, and until when it may."""

    process: subprocess.Popen[bytes]
    connection: Connection
    scratch: str  # where it and its compilers have their temporary files: it cannot remove them when killed
    number: int | None = None
    until: float = inf
    fresh: bool = True  # has done no job before

    @property
    def is_late(self) -> bool:
        return self.until <= time.monotonic()

    def received(self) -> Reply | None:
        """What it says; None: it is gone."""
        try:
            reply = self.connection.recv()
        except (EOFError, OSError):
            return None
        return reply if isinstance(reply, Reply) else None

    def kill(self) -> None:
        """End it and all that it started."""
        with suppress(ProcessLookupError):
            os.killpg(self.process.pid, signal.SIGKILL)
        self.process.wait()
        self.connection.close()
        shutil.rmtree(self.scratch, ignore_errors=True)


@dataclass
class Processes:
    """Up to `jobs` children at a time.

    One that goes over a limit or crashes is killed, and another goes on.  What was lost in a child that had
    worked on other files before is done once more, in a fresh one: it may not be this file's doing.
    """

    jobs: int
    limits: Limits
    cache: Cache | None
    stays: bool = False  # children wait for the next run
    _children: list[_Child] = field(default_factory=list)
    _again: set[int] = field(default_factory=set)

    def run(self, jobs: Sequence[Job]) -> Iterator[tuple[int, Outcome]]:
        waiting = deque(enumerate(jobs))
        self._again.clear()
        try:
            while waiting or self._busy():
                self._employ(waiting)
                for child in self._heard():
                    number = child.number
                    if number is None:  # it is gone, and nothing with it
                        self._dismiss(child)
                        continue
                    outcome = self._outcome(child, jobs[number])
                    if outcome is None:
                        self._again.add(number)
                        waiting.appendleft((number, jobs[number]))
                    else:
                        yield number, outcome
        finally:
            for child in list(self._children) if not self.stays else self._busy():
                self._dismiss(child)

    def _busy(self) -> list[_Child]:
        return [child for child in self._children if child.number is not None]

    def _employ(self, waiting: deque[tuple[int, Job]]) -> None:
        """Give every idle child a job, and hire where there is more to do."""
        while waiting:
            number, job = waiting[0]
            child = next((c for c in self._children if c.number is None), None)
            if child is not None and number in self._again and not child.fresh:
                self._dismiss(child)
                child = None
            if child is None and len(self._children) >= self.jobs:
                return
            child = child or self._hired()
            try:
                child.connection.send(job)
            except OSError:  # it is gone
                self._dismiss(child)
                continue
            waiting.popleft()
            child.number, child.until = number, time.monotonic() + (self.limits.seconds or inf)

    def _hired(self) -> _Child:
        ours, theirs = Pipe()
        folder = str(self.cache.folder) if self.cache else ""
        arguments = [str(theirs.fileno()), folder, str(self.limits.memory)]
        scratch = tempfile.mkdtemp(prefix="cuvier-")
        process = subprocess.Popen(
            [sys.executable, "-P", "-c", _CHILD, *arguments],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=None if os.environ.get("CUVIER_DEBUG") == "1" else subprocess.DEVNULL,
            env={**os.environ, "TMPDIR": scratch},
            pass_fds=[theirs.fileno()],
            start_new_session=True,  # an interrupt at the keyboard is for us alone
        )
        theirs.close()
        self._children.append(_Child(process, ours, scratch))
        return self._children[-1]

    def _dismiss(self, child: _Child) -> None:
        child.kill()
        self._children.remove(child)

    def _heard(self) -> list[_Child]:
        """The children that have said something, are gone, or have taken too long."""
        patience = min(child.until for child in self._busy()) - time.monotonic()
        ready = wait([c.connection for c in self._children], None if patience == inf else max(0.0, patience))
        return [child for child in self._children if child.connection in ready or child.is_late]

    def _outcome(self, child: _Child, job: Job) -> Outcome | None:
        """What came of the job; None: it may be different in a fresh child."""
        late = child.is_late and not child.connection.poll()
        reply = None if late else child.received()
        was_fresh = child.fresh
        child.number, child.until, child.fresh = None, inf, False
        if reply is None or reply.retires:
            self._dismiss(child)
        if reply is not None and isinstance(reply.said, Outcome):
            return reply.said
        why = self._too_late() if late else self._why(reply)
        return failed(job, ENDED, why) if late or was_fresh else None

    def _too_late(self) -> str:
        limit = f"{self.limits.seconds:g} s"
        return f"the analysis did not end within {limit}; give it more with --time-limit SECONDS"

    def _why(self, reply: Reply | None) -> str:
        if reply is None or not isinstance(reply.said, Failed):
            return "the analysis crashed; a larger --memory-limit may help; if not, please report it"
        if reply.said.memory:
            size = f"{self.limits.memory / 2**20:.0f} MB"
            return f"the analysis needs more memory than {size}; give it more with --memory-limit SIZE"
        return f"internal error: {reply.said.detail}; please report this with the file"
