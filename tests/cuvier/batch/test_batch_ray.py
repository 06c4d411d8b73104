"""--engine ray: the results are those of one machine, also where a worker is killed."""

from __future__ import annotations

import os
import signal
from pathlib import Path

import pytest

from cuvier.batch.engines import Limits
from cuvier.batch.job import Job
from cuvier.batch.progress import Progress
from cuvier.batch.ray_engine import Ray
from cuvier.batch.run import Run
from tests.support.batch_trees import jobs_for, make, run, said

pytest.importorskip("ray", reason="needs the extra `ray`")
FILES = [f"f{number}" for number in range(8)]


def workers() -> list[int]:
    """Processes of Ray below this one that do a job."""
    found = []
    for status in Path("/proc").glob("[0-9]*/cmdline"):
        try:
            busy = status.read_bytes().startswith(b"ray::_perform")
        except OSError:
            continue
        if busy and os.getpid() in ancestors(int(status.parent.name)):
            found.append(int(status.parent.name))
    return found


def ancestors(pid: int) -> list[int]:
    found = []
    while pid > 1:
        try:
            text = Path(f"/proc/{pid}/stat").read_text()
        except OSError:
            return found
        pid = int(text.rpartition(")")[2].split()[1])
        found.append(pid)
    return found


@pytest.mark.skipif(not Path("/proc/self/stat").exists(), reason="needs /proc")
def test_a_killed_worker_loses_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("RAY_ADDRESS", raising=False)
    jobs = jobs_for(make(tmp_path, *FILES))
    killed: list[int] = []

    class Killing(Progress):
        def finished(self, job: Job) -> None:
            if not killed:
                killed.extend(workers()[:1])
                for pid in killed:
                    os.kill(pid, signal.SIGKILL)

    found = list(Run(Ray(2, Limits(60, 0), None), watch=Killing(0)).results(jobs))
    assert killed
    assert list(map(said, found)) == ["ok"] * len(FILES)
    assert [each.result for each in found] == [each.result for each in run(jobs)]
