"""A cache that somebody else has written to (docs/security.md)."""

from __future__ import annotations

import os
import shutil
import time
from dataclasses import replace
from pathlib import Path

import pytest

from cuvier.base.errors import UserError
from cuvier.batch import config, seals
from cuvier.batch.cache import Cache, Inputs
from cuvier.batch.coding import decoded, encoded
from cuvier.batch.engines import Here
from cuvier.batch.permitted import permitted
from cuvier.batch.run import Run
from tests.support.batch_trees import jobs_for
from tests.support.hostile_repository import LOOP, Repository, made

ANNOTATE = ("annotate", "--in-place", "--cache-dir", "kept", "app.c")


@pytest.fixture
def repository(tmp_path: Path) -> Repository:
    return made(tmp_path)


def settle(path: Path) -> None:
    os.utime(path, (time.time() - 60,) * 2)


def poisoned(repository: Repository, seal: bool, evil: str = "int evil = 1;") -> Cache:
    """A cache in the repository whose entry for app.c puts more into the file than pragmas."""
    settle(repository.root / "app.c")
    repository.cuvier("annotate", *ANNOTATE[2:])
    cache = Cache(repository.root / "kept")
    (place,) = (cache.folder / "v2" / "results").glob("*/*")
    name = place.parent.name + place.name
    found = cache.result(name)
    assert found is not None
    result = decoded(found)
    bad = encoded(replace(result, after=f"{result.after}\n{evil}\n"))
    place.write_bytes((seals.sealed(f"results/{name}", bad) or b"") if seal else b"\0" * 32 + bad)
    return cache


@pytest.mark.sampled(2)
@pytest.mark.parametrize("evil", ["int evil = 1;", "int evil = 1; /* cuvier: rows */"])
@pytest.mark.parametrize("seal", [False, True])
def test_a_poisoned_cache_writes_no_source(repository: Repository, seal: bool, evil: str) -> None:
    poisoned(repository, seal, evil)
    done = repository.cuvier(*ANNOTATE)
    text = (repository.root / "app.c").read_text()
    assert done.returncode == 0 and "#pragma species" in text and "evil" not in text


def test_an_entry_in_the_place_of_another_is_none(tmp_path: Path) -> None:
    cache = Cache(tmp_path)
    cache.add_result("aabb", b"of a")
    (there,) = (tmp_path / "v2" / "results").glob("*/*")
    (there.parent / "cc").write_bytes(there.read_bytes())
    assert cache.result("aabb") == b"of a" and cache.result("aacc") is None


def test_entries_of_another_user_are_none(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    cache = Cache(tmp_path)
    monkeypatch.setenv(seals.VARIABLE, "theirs")
    cache.add_result("aabb", b"theirs")
    cache.add_inputs("aabb", Inputs({}, {}, "aabb"))
    monkeypatch.setenv(seals.VARIABLE, "ours")
    assert cache.result("aabb") is None and cache.inputs("aabb") == []


@pytest.mark.parametrize(
    "data", [b"", b"x", b"\0" * 5000, b"[]", b'[{"files": 1, "folders": 0, "result": 0}]']
)
@pytest.mark.parametrize("seal", [False, True])
def test_entries_that_are_none_are_misses(tmp_path: Path, data: bytes, seal: bool) -> None:
    cache = Cache(tmp_path / "cache")
    path = tmp_path / "a.c"
    path.write_text(LOOP)
    settle(path)
    (job,) = jobs_for([path])
    list(Run(Here(cache), cache).results([job]))
    for place in (cache.folder / "v2").glob("*/*/*"):
        name = f"{place.parent.parent.name}/{place.parent.name}{place.name}"
        place.write_bytes((seals.sealed(name, data) or b"") if seal else data)
    (found,) = Run(Here(cache), cache).results([job])
    assert found.result.unit["loops"][0]["verdict"] == "parallel"


def test_an_entry_that_is_a_pipe_or_a_device(tmp_path: Path) -> None:
    folder = tmp_path / "v2" / "results" / "aa"
    folder.mkdir(parents=True)
    os.mkfifo(folder / "bb")
    (folder / "cc").symlink_to("/dev/zero")
    assert Cache(tmp_path).result("aabb") is None and Cache(tmp_path).result("aacc") is None


def test_links_in_a_cache_are_not_followed(tmp_path: Path) -> None:
    outside, cache = tmp_path / "outside", Cache(tmp_path / "cache")
    (outside / "aa").mkdir(parents=True)
    (outside / "aa" / "precious").write_text("1")
    settle(outside / "aa" / "precious")
    (cache.folder / "v2").mkdir(parents=True)
    (cache.folder / "v2" / "results").symlink_to(outside)
    cache.add_result("aabb", b"x")
    assert cache.contents().results == 0
    cache.clean(1e-9)
    cache.clean()
    assert [each.name for each in outside.glob("*/*")] == ["precious"]


def test_cache_dir_of_settings_stays_below_them(repository: Repository) -> None:
    (repository.root / "link").symlink_to(repository.root.parent)
    for folder in ("../outside", str(repository.root.parent / "outside"), "link/x", "."):
        repository.write("cuvier.toml", f'cache-dir = "{folder}"\n')
        named = permitted(config.find(repository.root), lambda: False)["cache_dir"]
        with pytest.raises(UserError, match="which is not below"):
            named()
        assert permitted(config.find(repository.root), lambda: True)["cache_dir"]()
    repository.write("cuvier.toml", 'cache-dir = "kept"\n')
    assert repository.cuvier("report", "app.c").returncode == 0
    assert (repository.root / "kept" / "v2").is_dir()


def test_a_key_that_cannot_be_kept_means_no_cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "file").write_text("")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "file"))
    cache = Cache(tmp_path / "cache")
    cache.add_result("aabb", b"x")
    assert cache.result("aabb") is None


def test_the_key_is_the_users_alone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    Cache(tmp_path / "kept").add_result("aabb", b"x")
    assert (tmp_path / "cuvier" / "key").stat().st_mode & 0o777 == 0o600
    shutil.rmtree(tmp_path / "cuvier")
    assert [each.name for each in tmp_path.iterdir()] == ["kept"]
