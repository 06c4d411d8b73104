"""Collecting inputs, placing and writing results, diffs."""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path

import pytest

from cuvier.base.diff import coloured, diff
from cuvier.base.errors import UserError
from cuvier.base.files import Input, destinations, read_text, write_text
from cuvier.batch.selection import Selection

collect = Selection().collect


def make(folder: Path, *names: str) -> list[Path]:
    paths = [folder / name for name in names]
    for path in paths:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("int x;\n")
    return paths


def test_directories_stand_for_the_c_files_below_them(tmp_path: Path) -> None:
    b, a, _ = make(tmp_path, "src/b.c", "src/deep/a.c", "src/notes.txt")
    assert collect([tmp_path / "src"]) == [Input(b, Path("b.c")), Input(a, Path("deep/a.c"))]


def test_a_file_named_twice_is_taken_once(tmp_path: Path) -> None:
    (a,) = make(tmp_path, "a.c")
    assert [each.path for each in collect([a, tmp_path, a])] == [a]


def test_what_cannot_be_an_input(tmp_path: Path) -> None:
    make(tmp_path, "empty/readme.txt")
    with pytest.raises(UserError, match="no C files"):
        collect([tmp_path / "empty"])
    with pytest.raises(UserError, match="no such file"):
        collect([tmp_path / "missing.c"])


def test_results_keep_their_place_below_a_directory(tmp_path: Path) -> None:
    make(tmp_path, "src/x/a.c", "src/y/a.c")
    places = destinations(collect([tmp_path / "src"]), tmp_path / "out")
    assert places == [tmp_path / "out/x/a.c", tmp_path / "out/y/a.c"]


def test_two_results_for_one_place_are_refused(tmp_path: Path) -> None:
    paths = make(tmp_path, "x/a.c", "y/a.c")
    with pytest.raises(UserError, match="would both be written"):
        destinations(collect(paths), tmp_path / "out")


def test_a_result_over_an_input_is_refused(tmp_path: Path) -> None:
    make(tmp_path, "src/a.c")
    with pytest.raises(UserError, match="would be overwritten"):
        destinations(collect([tmp_path / "src"]), tmp_path / "src")


def test_a_file_is_no_output_directory(tmp_path: Path) -> None:
    paths = make(tmp_path, "a.c", "b.c")
    with pytest.raises(UserError, match="takes a directory"):
        destinations(collect(paths[:1]), paths[1])


@pytest.mark.parametrize("data", [b"a\r\nb\rc\n", b"\xef\xbb\xbfint \xe9;", b"\f\n\x1c\x85", b""])
def test_bytes_survive(tmp_path: Path, data: bytes) -> None:
    path = tmp_path / "a.c"
    path.write_bytes(data)
    write_text(path, read_text(path))
    assert path.read_bytes() == data


def test_writing_keeps_the_mode_and_follows_links(tmp_path: Path) -> None:
    (target,) = make(tmp_path, "real/a.c")
    target.chmod(0o640)
    link = tmp_path / "a.c"
    link.symlink_to(target)
    write_text(link, "new\n")
    assert link.is_symlink()
    assert target.read_text() == "new\n"
    assert target.stat().st_mode & 0o777 == 0o640
    assert os.listdir(target.parent) == ["a.c"]


def test_a_failed_write_leaves_nothing_behind(tmp_path: Path) -> None:
    (tmp_path / "a.c").mkdir()
    with pytest.raises(UserError, match="cannot write"):
        write_text(tmp_path / "a.c", "text")
    assert os.listdir(tmp_path) == ["a.c"]


BEFORE = "one\r\ntwo\f\r\nthree"
AFTER = "one\r\n#pragma x\r\ntwo\f\r\nthree\r\nfour"


@pytest.mark.skipif(shutil.which("git") is None, reason="git applies the patch")
def test_git_applies_the_diff(tmp_path: Path) -> None:
    (tmp_path / "a.c").write_bytes(BEFORE.encode())
    change = diff(Path("a.c"), BEFORE, AFTER)
    subprocess.run(["git", "apply", "-"], input=change.encode(), cwd=tmp_path, check=True)
    assert (tmp_path / "a.c").read_bytes() == AFTER.encode()


def test_no_change_no_diff() -> None:
    assert diff(Path("a.c"), BEFORE, BEFORE) == ""


def test_colours_surround_the_lines() -> None:
    text = coloured(diff(Path("/d/a.c"), "x\n", "y\n"))
    assert "\x1b[32m+y\n\x1b[0m" in text
    assert "\x1b[31m-x\n\x1b[0m" in text
    assert "--- a/d/a.c" in text
