"""The cache: unchanged files cost nothing, and whatever a result depends on makes it a new one."""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path

import pytest

from cuvier.batch import keys
from cuvier.batch.cache import Cache, Inputs
from cuvier.batch.engines import Here
from cuvier.batch.job import Job
from cuvier.batch.perform import Outcome
from cuvier.batch.run import Run
from species.analysis.options import AnalysisOptions
from tests.support.batch_trees import jobs_for, make, said

USES = '#include "size.h"\nint a[N];\nvoid f(void) {{ for (int i = 0; i < N; i++) a[i] = i; }}\n'


class Counting:
    """An engine that remembers what it had to do."""

    def __init__(self, cache: Cache | None) -> None:
        self._here, self.done = Here(cache), list[str]()

    def run(self, jobs: Sequence[Job]) -> Iterator[tuple[int, Outcome]]:
        self.done += [Path(job.path).name for job in jobs]
        return self._here.run(jobs)


@pytest.fixture
def cache(tmp_path: Path) -> Cache:
    return Cache(tmp_path / "cache")


def done(jobs: list[Job], cache: Cache) -> list[str]:
    """The files that were not found in the cache."""
    engine = Counting(cache)
    list(Run(engine, cache).results(jobs))
    return engine.done


def settle(*paths: Path) -> None:
    """As if the files had been written a while ago: what changes while it is read is not kept."""
    for path in paths:
        os.utime(path, (time.time() - 60,) * 2)


def test_unchanged_files_cost_nothing_and_changed_ones_themselves(tmp_path: Path, cache: Cache) -> None:
    paths = make(tmp_path / "src", "a", "b")
    settle(*paths)
    jobs = jobs_for(paths)
    assert done(jobs, cache) == ["a.c", "b.c"]
    assert done(jobs, cache) == []
    paths[1].write_text("int x;\n")
    settle(paths[1])
    assert done(jobs, cache) == ["b.c"]
    assert done(jobs, cache) == []


def with_header(folder: Path) -> tuple[list[Job], Path]:
    (source,) = make(folder / "src", "a")
    source.write_text(USES.format())
    (folder / "late").mkdir()
    (folder / "inc").mkdir()
    header = folder / "inc" / "size.h"
    header.write_text("#define N 9\n")
    settle(source, header)
    (job,) = jobs_for([source])
    options = replace(job.preprocess, include_dirs=(str(folder / "late"), str(folder / "inc")))
    return [replace(job, preprocess=options)], header


def domain(jobs: list[Job], cache: Cache) -> str:
    (found,) = Run(Here(cache), cache).results(jobs)
    return str(found.result.unit["loops"][0]["species"])


def test_headers_count(tmp_path: Path, cache: Cache) -> None:
    jobs, header = with_header(tmp_path)
    assert "a[0:8]" in domain(jobs, cache)
    assert done(jobs, cache) == []
    header.write_text("#define N 5\n")
    settle(header)
    assert "a[0:4]" in domain(jobs, cache)


@pytest.mark.parametrize("folder", ["late", "src"])
def test_a_new_header_that_is_found_first_counts(tmp_path: Path, cache: Cache, folder: str) -> None:
    jobs, _ = with_header(tmp_path)
    assert "a[0:8]" in domain(jobs, cache)
    (tmp_path / folder / "size.h").write_text("#define N 3\n")
    assert "a[0:2]" in domain(jobs, cache)


@pytest.mark.parametrize("place", ["src", "late", "late/deep", "inc/deep", "own/deep"])
def test_files_without_a_header_are_kept_until_it_is_there(tmp_path: Path, cache: Cache, place: str) -> None:
    jobs, header = with_header(tmp_path)
    name = "deep/size.h" if "deep" in place else "size.h"
    for folder in ("late", "inc", "own"):
        (tmp_path / folder / "deep").mkdir(parents=True)
    Path(jobs[0].path).write_text(USES.format().replace("size.h", name))
    settle(Path(jobs[0].path))
    header.unlink()
    compiler = f"gcc -idirafter {tmp_path / 'own'}"
    jobs = [replace(job, preprocess=replace(job.preprocess, cc=compiler)) for job in jobs]
    assert done(jobs, cache) == ["a.c"]
    assert done(jobs, cache) == []
    (tmp_path / place / "size.h").write_text("#define N 3\n")
    assert "a[0:2]" in domain(jobs, cache)


def test_a_comment_in_a_header_moves_places(tmp_path: Path, cache: Cache) -> None:
    """Preprocessed, the text stays as it is but for its lines."""
    jobs, header = with_header(tmp_path)
    assert done(jobs, cache) == ["a.c"]
    header.write_text("/* nine */ #define X\n#define N 9\n")
    settle(header)
    assert done(jobs, cache) == ["a.c"]


def test_a_new_name_beside_the_file_costs_a_preprocessor_alone(
    tmp_path: Path, cache: Cache, monkeypatch: pytest.MonkeyPatch
) -> None:
    jobs, _ = with_header(tmp_path)
    assert done(jobs, cache) == ["a.c"]
    (tmp_path / "src" / "other.h").touch()
    monkeypatch.setattr("cuvier.batch.perform.analyse_file", None)
    assert done(jobs, cache) == ["a.c"]
    assert done(jobs, cache) == []


@pytest.mark.parametrize(
    "change",
    [
        lambda job: replace(job, analysis=AnalysisOptions(theory="polyhedral")),
        lambda job: replace(job, analysis=replace(job.analysis, strict_aliasing=False)),
        lambda job: replace(job, preprocess=replace(job.preprocess, defines=("X",))),
        lambda job: replace(job, preprocess=replace(job.preprocess, flags=("-fopenmp",))),
        lambda job: replace(job, preprocess=replace(job.preprocess, std="gnu17")),
    ],
)
def test_options_count(tmp_path: Path, cache: Cache, change: Callable[[Job], Job]) -> None:
    paths = make(tmp_path / "src", "a")
    settle(*paths)
    jobs = jobs_for(paths)
    assert done(jobs, cache) == ["a.c"]
    assert done([change(job) for job in jobs], cache) == ["a.c"]


def test_another_cuvier_counts(tmp_path: Path, cache: Cache, monkeypatch: pytest.MonkeyPatch) -> None:
    jobs = jobs_for(make(tmp_path / "src", "a"))
    settle(tmp_path / "src" / "a.c")
    assert done(jobs, cache) == ["a.c"]
    monkeypatch.setattr(keys, "own_digest", lambda: "another")
    assert done(jobs, cache) == ["a.c"]


def test_what_cannot_be_analysed_is_tried_again(tmp_path: Path, cache: Cache) -> None:
    (path,) = make(tmp_path / "src", "a")
    path.write_text("#error no\n")
    settle(path)
    assert done(jobs_for([path]), cache) == ["a.c"]
    assert done(jobs_for([path]), cache) == ["a.c"]


def test_a_file_that_changes_meanwhile_is_not_kept(tmp_path: Path, cache: Cache) -> None:
    (path,) = make(tmp_path / "src", "a")
    os.utime(path, (time.time() + 0.5,) * 2)
    time.sleep(0.6)
    before = path.stat().st_mtime
    assert not keys.settled([str(path)], before - 0.1)
    assert keys.settled([str(path)], before + 0.1)


def test_rubbish_in_the_cache_is_not_there(tmp_path: Path, cache: Cache) -> None:
    jobs = jobs_for(make(tmp_path / "src", "a"))
    settle(tmp_path / "src" / "a.c")
    assert done(jobs, cache) == ["a.c"]
    for each in cache.folder.rglob("*"):
        if each.is_file():
            each.write_bytes(b"rubbish")
    (found,) = Run(Here(cache), cache).results(jobs)
    assert said(found) == "ok"
    assert done(jobs, cache) == []


def test_contents_and_cleaning(cache: Cache) -> None:
    cache.add_result("aa11", b"12345")
    cache.add_inputs("bb22", Inputs({}, {}, "aa11"))
    found = cache.contents()
    assert (found.files, found.results) == (1, 1) and found.size > 5
    for each in cache.folder.rglob("*1*"):
        if each.is_file():
            os.utime(each, (time.time() - 3 * 86400,) * 2)
    cache.clean(days=2)
    assert (cache.contents().files, cache.contents().results) == (1, 0)
    cache.clean()
    assert cache.contents().size == 0


def test_a_cache_that_cannot_be_written_is_none(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    jobs = jobs_for(make(tmp_path / "src", "a"))
    assert done(jobs, Cache(tmp_path / "file")) == ["a.c"]
    assert done(jobs, Cache(tmp_path / "file")) == ["a.c"]
