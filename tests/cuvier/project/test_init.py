"""`cuvier init`: settings that fit a project, and that every other command takes."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tomllib
from collections.abc import Iterable
from pathlib import Path

import pytest

from cuvier.batch import config
from cuvier.batch.selection import Selection
from cuvier.project.settings import MORE, settings_text
from cuvier.project.survey import surveyed
from tests.support.places import ROOT

LOOP = "int a[9];\nvoid f(void) { for (int i = 0; i < 9; i++) a[i] = i; }\n"


def tree(folder: Path, files: dict[str, str] | Iterable[str]) -> Path:
    """A project with these files."""
    for name in files:
        path = folder / name
        assert path != Path(name), "inside"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(files[name] if isinstance(files, dict) else LOOP)
    return folder


def cuvier(folder: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "cuvier", *arguments],
        cwd=folder,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        capture_output=True,
        text=True,
        errors="surrogateescape",
        check=False,
    )


def settings(folder: Path) -> dict[str, object]:
    """What `cuvier init` would write, which must be settings."""
    return tomllib.loads(settings_text(surveyed(folder)))


def build(folder: Path, *files: str) -> str:
    return json.dumps(
        [{"directory": str(folder), "file": name, "command": f"cc -Iinc -c {name}"} for name in files]
    )


# --- what it finds ---


def test_a_project_of_one_folder(tmp_path: Path) -> None:
    assert settings(tree(tmp_path, ["app.c"])) == {"include": ["*.c"]}


def test_code_of_others_and_what_a_build_writes_are_left_out(tmp_path: Path) -> None:
    files = ["src/app.c", "src/third_party/z/a.c", "vendor/b.c", "build/CMakeFiles/x.c", "building/d.c"]
    assert settings(tree(tmp_path, files))["exclude"] == ["/build/", "/src/third_party/", "/vendor/"]


def test_what_git_ignores_needs_no_setting(tmp_path: Path) -> None:
    tree(tmp_path, {"app.c": LOOP, "vendor/b.c": LOOP, ".gitignore": "vendor/\n"})
    (tmp_path / ".git").mkdir()
    assert settings(tmp_path) == {"include": ["*.c"]}


@pytest.mark.parametrize(
    ("place", "said"), [(".", "."), ("build", "build"), ("out/debug", "out/debug"), ("..", "..")]
)
def test_the_build_says_how_files_are_compiled(tmp_path: Path, place: str, said: str) -> None:
    folder = tree(tmp_path / "project", {"app.c": '#include "x.h"\n', "other.c": LOOP, "inc/x.h": ""})
    tree(folder, {f"{place}/compile_commands.json": build(folder, "app.c")})
    found = settings(folder)
    assert found["compile-commands"] == said
    assert "include-dirs" not in found, "the build has them"
    assert "has 1 of the 2 files" in " ".join(settings_text(surveyed(folder)).replace("# ", "").split())


def test_a_build_that_cannot_be_read_is_said(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    tree(tmp_path, {"app.c": LOOP, "build/compile_commands.json": "{"})
    assert "compile-commands" not in settings(tmp_path)
    assert "not JSON" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("files", "folders"),
    [
        ({"src/a.c": '#include "u/x.h"', "lib/u/x.h": ""}, ["lib"]),
        ({"src/a.c": '#include "x.h"', "src/x.h": ""}, None),
        ({"src/a.c": '#include "x.h"', "old/x.h": "", "include/x.h": ""}, ["include"]),
        ({"src/a.c": "# include <p/x.h>\n#include <stdio.h>", "p/x.h": "", "compat/stdio.h": ""}, ["."]),
        ({"a.c": '#include "inc/x.h"', "inc/x.h": '#include "y.h"', "deep/er/y.h": ""}, ["deep/er"]),
        ({"a.c": '#include "z.h"', "vendor/z/z.h": ""}, ["vendor/z"]),
        ({"a.c": '#include "z.h"', "vendor/z/z.h": "", "own/deep/z.h": ""}, ["own/deep"]),
        ({"a.c": '#include "lost.h"\n#include MACRO'}, None),
    ],
)
def test_folders_of_headers(tmp_path: Path, files: dict[str, str], folders: list[str] | None) -> None:
    assert settings(tree(tmp_path, files)).get("include-dirs") == folders


def test_headers_are_found_when_the_settings_are_used(tmp_path: Path) -> None:
    source = f'#include "sizes.h"\n{LOOP.replace("9", "N")}'
    tree(tmp_path, {"src/app.c": source, "inc/sizes.h": "#define N 9\n", "vendor/other.c": LOOP})
    assert cuvier(tmp_path, "init").returncode == 0
    done = cuvier(tmp_path, "report", ".")
    assert done.returncode == 0 and done.stderr == ""
    assert "1 loop in 1 file: 1 parallel" in done.stdout


# --- what it writes ---


def test_every_key_is_one_that_the_reader_takes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    tree(tmp_path, {"app.c": '#include "x.h"', "inc/x.h": "", "vendor/b.c": LOOP})
    done = cuvier(tmp_path, "init")
    assert (done.returncode, done.stderr) == (0, "")
    monkeypatch.chdir(tmp_path)
    found = config.find(Path())
    assert found.path == Path("cuvier.toml")
    assert found.values == {"include_globs": ["*.c"], "exclude_globs": ["/vendor/"], "include": ["inc"]}


def test_keys_that_it_only_names_are_taken_too(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    named = [line.removeprefix("# ") for line in MORE.splitlines()[1:]]
    (tmp_path / "cuvier.toml").write_text("\n".join(named))
    monkeypatch.chdir(tmp_path)
    assert len(config.find(Path()).values) == len(named) > 3


ODD = ['we"ird', "back\\slash", "sp ace ", "#!", "st*r[x]?", "\x1b[31m", "\udcff"]


@pytest.mark.parametrize("name", ODD)
def test_odd_names_are_left_out_and_nothing_else_is(tmp_path: Path, name: str) -> None:
    try:
        tree(tmp_path, ["app.c", f"{name}/vendor/b.c", "other/vendor2/c.c"])
    except OSError:
        pytest.skip("a file system without such names")
    assert cuvier(tmp_path, "init").returncode == 0
    patterns = tomllib.loads((tmp_path / "cuvier.toml").read_text(encoding="utf-8"))["exclude"]
    taken = Selection(exclude=tuple(patterns), base=tmp_path).collect([tmp_path])
    assert [each.relative.name for each in taken] == ["app.c", "c.c"]


def test_comments_say_what_entries_are_for(tmp_path: Path) -> None:
    tree(tmp_path, {"src/app.c": '#include "x.h"', "inc/x.h": "", "vendor/b.c": LOOP})
    lines = cuvier(tmp_path, "init", "--stdout").stdout.splitlines()
    for number, line in enumerate(lines):
        if "=" in line and not line.startswith("#"):
            assert lines[number - 1].startswith("# "), line
    assert '    "/vendor/",  # 1 C file' in lines
    assert not (tmp_path / "cuvier.toml").exists()


# --- what it does not overwrite ---


def test_settings_that_are_there_stay(tmp_path: Path) -> None:
    tree(tmp_path, {"app.c": LOOP, "cuvier.toml": "jobs = 3\n"})
    done = cuvier(tmp_path, "init")
    assert done.returncode == 2 and done.stdout == ""
    assert done.stderr == (
        "cuvier: error: 'cuvier.toml' is there; --force writes it anew, --stdout shows what it would be\n"
    )
    assert (tmp_path / "cuvier.toml").read_text() == "jobs = 3\n"
    assert cuvier(tmp_path, "init", "--force").returncode == 0
    assert "include" in (tmp_path / "cuvier.toml").read_text()


def test_settings_that_would_be_hidden(tmp_path: Path) -> None:
    tree(tmp_path, {"app.c": LOOP, "pyproject.toml": "[tool.cuvier]\njobs = 3\n", "below/b.c": LOOP})
    done = cuvier(tmp_path, "init")
    assert done.returncode == 2 and "'pyproject.toml' has settings" in done.stderr
    done = cuvier(tmp_path, "init", "below")
    assert done.returncode == 0 and "'pyproject.toml' no longer counts in 'below'" in done.stderr


def test_a_link_out_of_the_folder_is_not_followed(tmp_path: Path) -> None:
    folder, other = tree(tmp_path / "project", ["app.c"]), tmp_path / "other"
    (folder / "cuvier.toml").symlink_to(other)
    assert cuvier(folder, "init").returncode == 2
    done = cuvier(folder, "init", "--force")
    assert done.returncode == 2 and "leads out" in done.stderr
    assert not other.exists()


# --- wrong input ---


@pytest.mark.parametrize(
    ("files", "argument", "said"),
    [
        (["app.c"], "nowhere", "no such directory: 'nowhere'"),
        (["app.c"], "app.c", "no such directory: 'app.c'"),
        (["x.h"], ".", "no C files (*.c) in or below the directory '.'"),
        (["vendor/x.c"], ".", "all C files are in vendor"),
    ],
)
def test_nothing_to_write_settings_for(tmp_path: Path, files: list[str], argument: str, said: str) -> None:
    done = cuvier(tree(tmp_path, files), "init", argument)
    assert done.returncode == 2 and done.stdout == ""
    assert done.stderr.startswith(f"cuvier: error: {said}") and done.stderr.count("\n") == 1
    assert not (tmp_path / "cuvier.toml").exists()


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write everywhere")
def test_a_folder_that_may_not_be_written_to(tmp_path: Path) -> None:
    folder = tree(tmp_path / "project", ["app.c"])
    folder.chmod(0o555)
    done = cuvier(folder, "init")
    assert done.returncode == 2 and "cannot write 'cuvier.toml'" in done.stderr
    assert cuvier(folder, "init", "--stdout").returncode == 0
