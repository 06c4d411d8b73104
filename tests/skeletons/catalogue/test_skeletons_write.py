"""Programs appear on disk complete or not at all."""

from __future__ import annotations

from pathlib import Path

import pytest

from skeletons import Program, SkeletonError, write_program

PROGRAM = Program({"a.c": "one\r\n", "Makefile": "all:\n"}, ())


def test_files_are_written_and_others_stay(tmp_path: Path) -> None:
    folder = tmp_path / "deep" / "out"
    folder.mkdir(parents=True)
    (folder / "mine.txt").write_text("keep")
    (folder / "a.c").write_text("old")
    (folder / "Makefile").write_text("# Builds old")
    write_program(PROGRAM, folder)
    assert {file.name: file.read_bytes() for file in folder.iterdir()} == {
        "mine.txt": b"keep",
        "a.c": b"one\r\n",
        "Makefile": b"all:\n",
    }
    assert list(folder.parent.iterdir()) == [folder]


def test_nothing_is_left_where_the_folder_cannot_be_made(tmp_path: Path) -> None:
    (tmp_path / "out").write_text("a file")
    with pytest.raises(SkeletonError, match="out: cannot be written"):
        write_program(PROGRAM, tmp_path / "out")
    assert [file.name for file in tmp_path.iterdir()] == ["out"]


def test_bytes_that_are_no_utf8_come_through(tmp_path: Path) -> None:
    write_program(Program({"a.c": b"/* \xe9 */".decode("utf-8", "surrogateescape")}, ()), tmp_path)
    assert (tmp_path / "a.c").read_bytes() == b"/* \xe9 */"


def test_the_source_is_never_overwritten(tmp_path: Path) -> None:
    source = tmp_path / "a.c"
    source.write_text("mine")
    (tmp_path / "link").symlink_to(tmp_path)
    for folder in (tmp_path, tmp_path / "link"):
        with pytest.raises(SkeletonError, match="is the source itself"):
            write_program(PROGRAM, folder, source)
    assert source.read_text() == "mine"


def test_the_makefile_of_somebody_else_stays(tmp_path: Path) -> None:
    (tmp_path / "Makefile").write_text("all: mine\n")
    with pytest.raises(SkeletonError, match="not one that Cuvier wrote"):
        write_program(PROGRAM, tmp_path)
    assert (tmp_path / "Makefile").read_text() == "all: mine\n"
