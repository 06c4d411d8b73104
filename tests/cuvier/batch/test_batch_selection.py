"""Which files of trees are taken, and the settings of projects."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from cuvier.base.errors import UserError
from cuvier.batch import config
from cuvier.batch.selection import Selection, Shard


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    for name in ("a.c", "b.h", "src/c.c", "src/gen/d.c", "src/gen/keep.c", "third/e.c", "third/.git/f.c"):
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.touch()
    return tmp_path


def taken(selection: Selection, *paths: Path, tree: Path) -> list[str]:
    return [os.path.relpath(each.path, tree) for each in selection.collect(paths or [tree])]


def test_globs_are_those_of_gitignore_files(tree: Path) -> None:
    assert taken(Selection(), tree=tree) == ["a.c", "src/c.c", "src/gen/d.c", "src/gen/keep.c", "third/e.c"]
    assert taken(Selection(include=("*.h", "/src/*.c")), tree=tree) == ["b.h", "src/c.c"]
    assert taken(Selection(exclude=("gen/", "/third")), tree=tree) == ["a.c", "src/c.c"]


def test_patterns_are_meant_from_the_base_on(tree: Path) -> None:
    assert taken(Selection(exclude=("/src/gen",), base=tree), tree / "src", tree=tree) == ["src/c.c"]
    assert taken(Selection(exclude=("/gen",)), tree / "src", tree=tree) == ["src/c.c"]


def test_what_git_ignores_is_left_out_unless_it_is_named(tree: Path) -> None:
    (tree / ".git").mkdir()
    (tree / ".gitignore").write_text("third/\n**/gen/*\n")
    (tree / "src/gen/.gitignore").write_text("!keep.c\n")
    assert taken(Selection(), tree / "src", tree=tree) == ["src/c.c", "src/gen/keep.c"]
    assert taken(Selection(), tree / "src/gen/d.c", tree=tree) == ["src/gen/d.c"]
    assert "third/e.c" in taken(Selection(gitignore=False), tree=tree)
    (tree / "third" / ".git" / "f.c").unlink()
    (tree / "third" / ".git").rmdir()
    with pytest.raises(UserError, match="--no-gitignore"):
        Selection().collect([tree / "third"])


def test_results_do_not_depend_on_the_order_of_arguments(tree: Path) -> None:
    one, other = tree / "src", tree / "a.c"
    assert Selection().collect([one, other]) == Selection().collect([other, one])


def test_shards_are_parts(tree: Path) -> None:
    every = Selection().collect([tree])
    parts = [[each for each in every if Shard(k, 3).has(each)] for k in (1, 2, 3)]
    assert sorted((each for part in parts for each in part), key=lambda each: each.path.parts) == every
    assert all(part != every for part in parts)


@pytest.mark.parametrize("text", ["0/2", "3/2", "1", "a/b", "1/", "-1/2"])
def test_what_is_no_shard(text: str) -> None:
    with pytest.raises(UserError, match="--shard takes I/N"):
        Shard.parsed(text)


def test_settings_are_found_above_and_their_paths_are_meant_from_there(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "src").mkdir()
    (tmp_path / "cuvier.toml").write_text(
        'include-dirs = ["inc"]\njobs = 3\ncache = false\nexclude = ["x/"]\n'
    )
    monkeypatch.chdir(tmp_path / "src")
    found = config.find(Path("."))
    assert found.values == {"include": ["../inc"], "jobs": "3", "cache": False, "exclude_globs": ["x/"]}
    assert found.base == Path("..")


def test_pyproject_counts_only_with_its_table(tmp_path: Path) -> None:
    (tmp_path / "cuvier.toml").write_text('cc = "clang"\n')
    below = tmp_path / "below"
    below.mkdir()
    (below / "pyproject.toml").write_text("[tool.other]\njobs = 1\n")
    assert config.find(below).values == {"cc": "clang"}
    (below / "pyproject.toml").write_text("[tool.cuvier]\nstd = 'c99'\n")
    assert config.find(below).values == {"std": "c99"}


@pytest.mark.parametrize(
    ("name", "text", "place", "message"),
    [
        ("cuvier.toml", 'cc = "x"\n\njob = 1\n', "cuvier.toml:3:1", "no setting 'job'; is 'jobs' meant?"),
        ("pyproject.toml", "[a]\njbo=1\n[tool.cuvier]\n jbo = 2\n", "pyproject.toml:4:2", "no setting 'jbo'"),
        ("cuvier.toml", "a = \n", "cuvier.toml:1:5", "not TOML"),
        ("cuvier.toml", 'exclude = "x"\n', "cuvier.toml:1:1", "a list of texts"),
        ("cuvier.toml", 'cache = "no"\n', "cuvier.toml:1:1", "true or false"),
        ("cuvier.toml", "style = 'cuda'\n", "cuvier.toml:1:1", "one of species, comment, openmp"),
        ("pyproject.toml", "[tool]\ncuvier = 1\n", "pyproject.toml:1:1", "write [tool.cuvier]"),
    ],
)
def test_mistakes_in_settings_have_their_line(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str, text: str, place: str, message: str
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / name).write_text(text)
    with pytest.raises(UserError) as caught:
        config.find(Path("."))
    assert str(caught.value).startswith(place) and message in str(caught.value)
