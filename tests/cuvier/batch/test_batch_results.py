"""Results depend on the files alone: not on jobs, order, the cache, shards, or where the tree stands."""

from __future__ import annotations

import json
import shutil
import subprocess
from pathlib import Path

import pytest

from tests.support.batch_trees import cuvier, make

pytestmark = pytest.mark.skipif(shutil.which("git") is None, reason="needs git")

HEADER = "static inline void clear(int *p, int n) { for (int i = 0; i < n; i++) p[i] = 0; }\n"
SERIAL = (
    '#include "util.h"\nint s[9];\n'
    "void g(int *p) { clear(p, 9); for (int i = 1; i < 9; i++) s[i] = s[i - 1]; }\n"
)


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    """Some files, one of which cannot be analysed, and a build that says where the header is."""
    top = tmp_path / "tree"
    make(top, "src/a", "src/b", "src/deep/c")
    (top / "inc").mkdir()
    (top / "inc" / "util.h").write_text(HEADER)
    (top / "src" / "d.c").write_text(SERIAL)
    (top / "src" / "e.c").write_text("#error never\n")
    entry = {"directory": ".", "file": "src/d.c", "command": "cc -Iinc src/d.c"}
    (top / "compile_commands.json").write_text(json.dumps([entry]))
    return top


def report(tree: Path, *options: str) -> str:
    done = cuvier(tree, "report", "--format", "json", *options)
    assert done.returncode in (0, 1, 2), done.stderr
    return done.stdout


def test_reports_do_not_depend_on_how_they_were_made(tree: Path, tmp_path: Path) -> None:
    whole = report(tree, "--jobs", "1", "--no-cache", "src")
    assert [unit["file"] for unit in json.loads(whole)["units"]] == [
        *("src/a.c", "src/b.c", "src/d.c", "src/deep/c.c", "src/e.c")
    ]
    cache = ("--cache-dir", str(tmp_path / "cache"))
    ways = {
        "two at a time": report(tree, "--jobs", "2", *cache, "src"),
        "from the cache": report(tree, *cache, "src"),
        "another order": report(tree, *cache, "src/e.c", "src/deep", "src/b.c", "src/a.c", "src/d.c"),
    }
    moved = tmp_path / "elsewhere" / "deep"
    shutil.copytree(tree, moved)
    ways["another place"] = report(moved, "--no-cache", "src")
    assert {way for way, text in ways.items() if text != whole} == set()


def test_shards_merge_into_the_report_of_the_whole(tree: Path) -> None:
    for part in "123":
        (tree / f"{part}.json").write_text(report(tree, "--shard", f"{part}/3", "src"))
    parts = [json.loads((tree / f"{part}.json").read_text())["units"] for part in "123"]
    assert sum(map(len, parts)) == 5 and max(map(len, parts)) < 5
    done = cuvier(tree, "merge", "3.json", "1.json", "2.json", "1.json")
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout == report(tree, "src")


def test_reports_that_do_not_fit_are_not_merged(tree: Path) -> None:
    (tree / "1.json").write_text(text := report(tree, "src/a.c"))
    for name, other in (
        ("of two versions", text.replace('"cuvier": "', '"cuvier": "9.', 1)),
        ("describe 'src/a.c' differently", text.replace('"end_line": 2', '"end_line": 3')),
        ("no report", "{}"),
        ("JSON", "{"),
    ):
        (tree / "2.json").write_text(other)
        done = cuvier(tree, "merge", "1.json", "2.json")
        assert done.returncode == 2, name
        assert done.stderr.count("\n") == 1 and (name in done.stderr or name == "of two versions"), (
            done.stderr
        )


@pytest.mark.sampled(2)
@pytest.mark.parametrize("style", ["species", "openmp"])
def test_annotated_files_do_not_depend_on_how_they_were_made(tree: Path, tmp_path: Path, style: str) -> None:
    cache = ("--cache-dir", str(tmp_path / "cache"))
    ways = (("--jobs", "1", "--no-cache"), ("--jobs", "2", *cache), cache)
    for number, way in enumerate(ways):
        done = cuvier(tree, "annotate", "--all", "--style", style, "-o", f"out{number}", *way, "src")
        assert done.returncode == 1, done.stderr
    files = [
        {path.relative_to(out).as_posix(): path.read_bytes() for path in sorted(out.rglob("*.c"))}
        for out in sorted(tree.glob("out*"))
    ]
    assert files[0] == files[1] == files[2]
    assert set(files[0]) == {"a.c", "b.c", "d.c", "deep/c.c"} and b"#pragma" in files[0]["a.c"]


def git(tree: Path, *arguments: str) -> None:
    who = ("-c", "user.name=t", "-c", "user.email=t@t")
    subprocess.run(["git", *who, *arguments], cwd=tree, check=True, capture_output=True)


TWO = """int p[9], q[9];
void f(void) {
  for (int i = 0; i < 9; i++)
    p[i] = i;

  for (int i = 0; i < 9; i++) {
    q[i] = i;
    q[i] += 1;
  }
}
"""


@pytest.fixture
def repository(tree: Path) -> Path:
    (tree / "src" / "two.c").write_text(TWO)
    git(tree, "init", "-q")
    git(tree, "add", ".")
    git(tree, "commit", "-qm", "x")
    return tree


def changed(tree: Path) -> list[tuple[str, int]]:
    """The loops that have changed since the commit."""
    document = json.loads(report(tree, "--changed-since", "HEAD", "src"))
    return [(loop["file"], loop["line"]) for unit in document["units"] for loop in unit["loops"]]


def test_only_loops_that_a_change_has_touched(repository: Path) -> None:
    assert changed(repository) == []
    (repository / "src" / "two.c").write_text(TWO.replace("p[i] = i", "p[i] = 2 * i"))
    assert changed(repository) == [("src/two.c", 3)]
    (repository / "src" / "two.c").write_text(TWO.replace("    q[i] += 1;\n", ""))
    assert changed(repository) == [("src/two.c", 6)]
    (repository / "src" / "two.c").write_text(TWO.replace("\n\n", "\n/* between */\n\n"))
    assert changed(repository) == []
    make(repository, 'src/new "one"')
    (repository / 'src/new "one".c').write_text(TWO)
    assert changed(repository) == [('src/new "one".c', 3), ('src/new "one".c', 6)]


def test_loops_in_headers_that_a_change_has_touched(repository: Path) -> None:
    (repository / "inc" / "util.h").write_text(HEADER.replace("= 0; }", "= 1; }"))
    assert changed(repository) == [("inc/util.h", 1)]


def test_annotations_of_what_a_change_has_not_touched_stay_away(repository: Path) -> None:
    (repository / "src" / "two.c").write_text(TWO.replace("p[i] = i", "p[i] = 2 * i"))
    done = cuvier(repository, "annotate", "--in-place", "--changed-since", "HEAD", "src")
    assert done.returncode == 0, done.stderr
    shown = subprocess.run(["git", "status", "--short"], cwd=repository, capture_output=True, text=True)
    assert shown.stdout == " M src/two.c\n"


def test_a_revision_that_is_none(repository: Path, tmp_path: Path) -> None:
    done = cuvier(repository, "report", "--changed-since", "--output=x", "src")
    assert done.returncode == 2 and "git knows no revision '--output=x'" in done.stderr
    make(tmp_path, "alone/a")
    done = cuvier(tmp_path, "report", "--changed-since", "HEAD", "alone")
    assert done.returncode == 2 and "not a git repository" in done.stderr


def test_a_baseline_leaves_what_is_new_or_worse(tree: Path) -> None:
    (tree / "src" / "two.c").write_text(TWO)
    (tree / "base.json").write_text(report(tree, "src"))
    same = cuvier(tree, "report", "--baseline", "base.json", "--fail-on", "serial,regression", "src")
    assert same.returncode == 1 and same.stdout == "0 loops in 0 files.\n"  # e.c is still refused
    (tree / "src" / "e.c").unlink()
    (tree / "src" / "two.c").write_text(TWO.replace("q[i] += 1", "q[i] += q[8 - i]"))
    (tree / "src" / "a.c").unlink()
    found = cuvier(
        tree, "report", "--format", "json", "--baseline", "base.json", "--fail-on", "regression", "src"
    )
    loops = [loop for unit in json.loads(found.stdout)["units"] for loop in unit["loops"]]
    assert [(loop["file"], loop["line"], loop["verdict"]) for loop in loops] == [("src/two.c", 6, "serial")]
    assert found.returncode == 1 and "--fail-on regression: 1 loop" in found.stderr


def test_the_settings_of_a_project_hold_unless_the_command_line_says_otherwise(tree: Path) -> None:
    (tree / "cuvier.toml").write_text('exclude = ["/src/deep", "e.c"]\nstyle = "comment"\ncache = false\n')
    assert [unit["file"] for unit in json.loads(report(tree, "src"))["units"]] == [
        *("src/a.c", "src/b.c", "src/d.c")
    ]
    assert "species" in cuvier(tree, "annotate", "--style", "species", "src/a.c").stdout
    assert "#pragma" not in cuvier(tree, "annotate", "src/a.c").stdout
    (tree / "cuvier.toml").write_text("\nexcluded = []\n")
    done = cuvier(tree, "report", "src")
    assert done.returncode == 2
    assert done.stderr.startswith(
        "cuvier.toml:2:1: error: there is no setting 'excluded'; is 'exclude' meant?"
    )


def test_the_cache_is_shown_and_cleaned(tree: Path) -> None:
    cuvier(tree, "report", "--cache-dir", "c", "src/a.c")
    assert cuvier(tree, "cache", "--cache-dir", "c").stdout.startswith("c: 1 results for 1 files, 0.0 MB")
    assert cuvier(tree, "cache", "clean", "--cache-dir", "c").stdout.endswith(
        "c: 0 results for 0 files, 0.0 MB\n"
    )
