"""Jobs on a Ray cluster (https://docs.ray.io): machines that see the same files at the same paths.

Nothing else of Cuvier imports ray.
"""

from __future__ import annotations

import functools
import os
from collections import deque
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from cuvier.base.errors import UserError
from cuvier.batch.cache import Cache
from cuvier.batch.engines import ENDED, Limits, Processes
from cuvier.batch.job import Job
from cuvier.batch.perform import Outcome, failed

RETRIES = 3  # of a file whose worker was lost
_AHEAD = 2  # jobs per worker that are handed out at a time


@dataclass(frozen=True)
class Ray:
    """Every file is a task that needs one processor; Ray runs one anew if the worker or its machine is lost.

    Within a task, a child that can be killed does the work, as on one machine: limits hold there, too, and a
    crash is that of the child.  The cluster is that of RAY_ADDRESS, or a new one on this machine, with `jobs`
    processors.
    """

    jobs: int
    limits: Limits
    cache: Cache | None

    def run(self, jobs: Sequence[Job]) -> Iterator[tuple[int, Outcome]]:
        if not jobs:
            return
        ray = _ray()
        own = not ray.is_initialized()
        if own:
            _connect(ray, self.jobs)
        try:
            yield from self._run(ray, jobs)
        finally:
            if own:
                ray.shutdown()

    def _run(self, ray: Any, jobs: Sequence[Job]) -> Iterator[tuple[int, Outcome]]:
        task = ray.remote(num_cpus=1, max_retries=RETRIES, retry_exceptions=False)(_perform)
        waiting = deque(enumerate(jobs))
        running: dict[Any, int] = {}
        ahead = max(1, int(ray.cluster_resources().get("CPU", 1))) * _AHEAD
        while waiting or running:
            while waiting and len(running) < ahead:
                number, job = waiting.popleft()
                running[task.remote(job, self.limits, self.cache, os.getcwd())] = number
            (done, *_), _ = ray.wait(list(running), num_returns=1)
            number = running.pop(done)
            yield number, self._got(ray, done, jobs[number])

    def _got(self, ray: Any, done: Any, job: Job) -> Outcome:
        try:
            outcome = ray.get(done)
        except ray.exceptions.RayError as error:
            lines = str(error).strip().splitlines() or [type(error).__name__]
            return failed(
                job, ENDED, f"Ray lost the worker {RETRIES + 1} times: {lines[0]}; try --engine local"
            )
        assert isinstance(outcome, Outcome)
        return outcome


def _perform(job: Job, limits: Limits, cache: Cache | None, folder: str) -> Outcome:
    """Do a job, in a child of the worker, as if in `folder`."""
    os.chdir(folder)
    ((_, outcome),) = _child(limits, cache).run([job])
    return outcome


@functools.cache
def _child(limits: Limits, cache: Cache | None) -> Processes:
    """The child of this worker."""
    return Processes(1, limits, cache, stays=True)


def _ray() -> Any:
    try:
        import ray
    except ImportError as error:
        raise UserError("--engine ray needs Ray; install it: pip install 'cuvier[ray]'") from error
    return ray


def _connect(ray: Any, jobs: int) -> None:
    address = os.environ.get("RAY_ADDRESS")
    size = {} if address else {"num_cpus": jobs, "include_dashboard": False}
    try:
        ray.init(address=address, log_to_driver=False, logging_level="ERROR", **size)
    except (ConnectionError, RuntimeError, ValueError) as error:
        raise UserError(
            f"no connection to the Ray cluster '{address}': {error}; check RAY_ADDRESS"
        ) from error
