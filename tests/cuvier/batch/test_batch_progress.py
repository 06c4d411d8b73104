"""What a run over many files says while it lasts, and what it answers to settings that contradict options."""

from __future__ import annotations

import io
import time
from collections.abc import Iterator, Sequence
from pathlib import Path

import pytest

from cuvier.base import progress_bars
from cuvier.batch.engines import Here
from cuvier.batch.job import Job
from cuvier.batch.perform import Outcome
from cuvier.batch.progress import OVERHEAD, Progress, in_time
from cuvier.batch.run import Run
from species.analysis.options import AnalysisOptions
from species.source import PreprocessOptions
from tests.support.batch_trees import cuvier, make

SMALL = "void f(void) {}\n"


def job(path: Path) -> Job:
    return Job(str(path), PreprocessOptions(), AnalysisOptions())


def written(folder: Path, sizes: dict[str, int]) -> list[Job]:
    """Files with so many bytes of comments."""
    for name, size in sizes.items():
        (folder / name).write_text(SMALL + "/*" + "x" * (size - len(SMALL) - 5) + "*/\n")
    return [job(folder / name) for name in sizes]


class Noting(Here):
    """Notes in which order jobs are done."""

    def run(self, jobs: Sequence[Job]) -> Iterator[tuple[int, Outcome]]:
        order.extend(Path(each.path).name for each in jobs)
        yield from super().run(jobs)


order: list[str] = []


def test_small_files_are_done_first_and_reported_in_the_order_of_the_jobs(tmp_path: Path) -> None:
    jobs = written(tmp_path, {"a.c": 900, "b.c": 100, "c.c": 500, "d.c": 100})
    order.clear()
    found = list(Run(Noting(None)).results(jobs))
    assert order == ["b.c", "d.c", "c.c", "a.c"]
    assert [each.job for each in found] == jobs


def test_the_time_left_follows_the_bytes_that_are_left(tmp_path: Path) -> None:
    jobs = written(tmp_path, {"a.c": 1000, "b.c": 1000, "c.c": 1000, "d.c": 7000, "kept.c": 50_000})
    now = 100.0
    progress = Progress(5, lambda: now)
    progress.finished(jobs.pop())  # from the cache
    progress.expect(jobs)
    assert progress.line == "1 of 5 files"
    for each in jobs[:3]:
        now += 10
        progress.finished(each)
    assert progress.seconds_left == pytest.approx(30 * (7000 + OVERHEAD) / (3 * (1000 + OVERHEAD)))
    assert progress.line == "4 of 5 files, about 22 s left"
    progress.finished(jobs[3])
    assert progress.seconds_left == 0


def test_files_that_are_done_twice_do_not_pass_the_total(tmp_path: Path) -> None:
    jobs = written(tmp_path, {"a.c": 100})
    progress = Progress(1)
    for _ in range(2):
        progress.expect(jobs)
        progress.finished(jobs[0])
    assert progress.line == "2 of 2 files"


@pytest.mark.parametrize(("seconds", "said"), [(0.2, "1 s"), (80, "80 s"), (600, "10 min"), (9000, "2.5 h")])
def test_durations(seconds: float, said: str) -> None:
    assert in_time(seconds) == said


def test_where_there_is_no_terminal_a_line_comes_every_few_seconds(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    stream = io.StringIO()
    monkeypatch.setattr("sys.stderr", stream)
    monkeypatch.setattr(progress_bars, "pause", lambda passed: 0.01)
    with progress_bars.files_bar(Progress(9, done=2), "Analysing"):
        until = time.monotonic() + 10
        while stream.getvalue().count("\n") < 2 and time.monotonic() < until:
            time.sleep(0.01)
    lines = stream.getvalue().splitlines()
    assert len(lines) >= 2 and set(lines) == {"cuvier: Analysing: 2 of 9 files"}


def test_lines_come_more_seldom_in_a_long_run_and_never_in_a_short_one(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    assert [progress_bars.pause(passed) for passed in (0, 100, 200, 10_000)] == [5, 5, 10, 15]
    stream = io.StringIO()
    monkeypatch.setattr("sys.stderr", stream)
    monkeypatch.setattr(progress_bars, "pause", lambda passed: 0.0)
    with progress_bars.files_bar(Progress(progress_bars.MANY_FILES - 1), "Analysing"):
        time.sleep(0.05)
    assert stream.getvalue() == ""


def test_shards_of_a_whole_program_are_refused_with_the_place_and_the_way_out(tmp_path: Path) -> None:
    make(tmp_path, "src/a", "src/b")
    tree = tmp_path
    (tree / "cuvier.toml").write_text("jobs = 1\nwhole-program = true\n")
    done = cuvier(tree, "report", "--shard", "1/2", "src")
    assert done.returncode == 2
    assert done.stderr.startswith("cuvier.toml:2:1: error: 'whole-program' is set here")
    assert "--by-file" in done.stderr and "--shard" in done.stderr
    assert cuvier(tree, "report", "--shard", "1/2", "--by-file", "src").returncode == 0
    (tree / "cuvier.toml").unlink()
    done = cuvier(tree, "report", "--shard", "1/2", "--whole-program", "src")
    assert done.returncode == 2 and "cuvier.toml" not in done.stderr
