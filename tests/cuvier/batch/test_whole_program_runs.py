"""`--whole-program`: the same results however a run is made, and no work for files that gain nothing."""

from __future__ import annotations

import json
import shutil
import subprocess
from pathlib import Path

import pytest

from cuvier.batch import perform
from tests.support.batch_trees import cuvier

FILES = {
    "src/main.c": "double g(int), a[9];\nvoid f(void)\n{\n  for (int i = 0; i < 9; i++) a[i] = g(i);\n}\n",
    "src/util.c": "#include <math.h>\nstatic double t[9];\ndouble g(int k) { return sqrt(t[k]); }\n",
    "src/alone.c": "int b[9];\nvoid h(void)\n{\n  for (int i = 1; i < 9; i++)\n    b[i] = b[i - 1];\n}\n",
    "src/bad.c": "#error never\n",
}


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    top = tmp_path / "tree"
    for name, text in FILES.items():
        (top / name).parent.mkdir(parents=True, exist_ok=True)
        (top / name).write_text(text)
    return top


def report(tree: Path, *options: str) -> str:
    done = cuvier(tree, "report", "--format", "json", "--whole-program", *options)
    assert done.returncode == 1, done.stderr  # bad.c
    return done.stdout


def verdicts(text: str) -> dict[str, str]:
    return {loop["function"]: loop["verdict"] for unit in json.loads(text)["units"] for loop in unit["loops"]}


def test_reports_do_not_depend_on_how_they_were_made(tree: Path, tmp_path: Path) -> None:
    whole = report(tree, "--jobs", "1", "--no-cache", "src")
    assert verdicts(whole) == {"f": "parallel", "h": "serial"}
    cache = ("--cache-dir", str(tmp_path / "cache"))
    moved = tmp_path / "elsewhere" / "deep"
    shutil.copytree(tree, moved)
    ways = {
        "two at a time": report(tree, "--jobs", "2", *cache, "src"),
        "from the cache": report(tree, *cache, "src"),
        "another order": report(
            tree, "--no-cache", *(f"src/{x}.c" for x in ("util", "bad", "main", "alone"))
        ),
        "another place": report(moved, "--no-cache", "src"),
    }
    assert {way for way, text in ways.items() if text != whole} == set()
    by_file = cuvier(tree, "report", "--format", "json", *cache, "src")
    assert verdicts(by_file.stdout) == {"f": "serial", "h": "serial"}


def test_only_what_gains_is_analysed_again(
    tree: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tree / "src" / "bad.c").unlink()
    done: list[str] = []
    analyse = perform.analyse_file

    def noted(path: Path, *arguments: object) -> object:
        done.append(path.stem)
        return analyse(path, *arguments)  # type: ignore[arg-type]

    monkeypatch.setattr(perform, "analyse_file", noted)
    monkeypatch.setattr(
        "cuvier.commands.common.many._engine", lambda _batch, _files, cache: perform_here(cache)
    )
    command = ("report", "--whole-program", "--cache-dir", str(tmp_path / "cache"), "src")

    def analysed() -> list[str]:
        done.clear()
        assert cuvier(tree, *command).returncode == 0
        return sorted(done)

    assert analysed() == ["alone", "main", "main", "util"]
    assert analysed() == []
    util = tree / "src" / "util.c"
    util.write_text(util.read_text() + "static int unused(void) { return 1; }\n")
    assert analysed() == ["util"]
    util.write_text(util.read_text().replace("sqrt(t[k])", "t[k] = k"))
    assert analysed() == ["main", "util"]


def perform_here(cache: object) -> object:
    from cuvier.batch.engines import Here

    return Here(cache)  # type: ignore[arg-type]


def test_what_was_found_can_be_annotated_and_built(tree: Path) -> None:
    (tree / "src" / "bad.c").unlink()
    (tree / "cuvier.toml").write_text('whole-program = true\nstyle = "openmp"\n')
    (tree / "src" / "main.c").write_text(FILES["src/main.c"] + "int main(void) { f(); return a[1] != 0; }\n")
    assert cuvier(tree, "annotate", "--all", "--in-place", "src").returncode == 0
    assert "#pragma omp parallel for" in (tree / "src" / "main.c").read_text()
    command = "cc -fopenmp -Wall -Werror -o program src/main.c src/util.c -lm && ./program"
    subprocess.run(command, shell=True, cwd=tree, check=True)


def test_a_file_that_is_compiled_in_several_ways_tells_nothing(tree: Path) -> None:
    entries = [
        {"directory": ".", "file": name, "command": f"cc {flag} {name}"}
        for name, flag in (("src/main.c", ""), ("src/util.c", "-DA"), ("src/util.c", "-DB"))
    ]
    (tree / "compile_commands.json").write_text(json.dumps(entries))
    assert verdicts(report(tree, "src"))["f"] == "serial"


def test_a_part_of_a_program_is_no_program(tree: Path) -> None:
    done = cuvier(tree, "report", "--whole-program", "--shard", "1/2", "src")
    assert done.returncode == 2 and "--shard" in done.stderr


@pytest.mark.skipif(shutil.which("git") is None, reason="needs git")
def test_changes_are_seen_in_the_whole_program(tree: Path) -> None:
    for command in ("init -q", "add .", "-c user.name=a -c user.email=b commit -qm c"):
        subprocess.run(["git", *command.split()], cwd=tree, check=True)
    (tree / "src" / "main.c").write_text(FILES["src/main.c"].replace("= g(i)", "= g(i) + 1"))
    done = cuvier(*(tree, "report", "--whole-program", "--changed-since", "HEAD", "--format", "json", "src"))
    assert verdicts(done.stdout) == {"f": "parallel"}


UNKNOWN = {
    "double g(int x) { extern double h(int); return h(x); }": (
        "it has declarations of its own of what is outside"
    ),
    "double (*p)(int);\nstatic double s(int x) { return p(x); }\ndouble g(int x) { return s(x); }": (
        "by way of a static function, it calls 'p', of which nothing is known"
    ),
    '#include <stdio.h>\ndouble g(int x) { printf("%d", x); return x; }': "it calls 'printf'",
    "double h(int);\ndouble g(int x) { return h(x); }": "it calls 'h', of which nothing is known",
    "double g(int x) {\n#pragma omp critical\n  x++;\n  return x; }": "it has a directive",
    "double g(int x) __attribute__((weak));\ndouble g(int x) { return x; }": (
        "it may be replaced by another one"
    ),
    "struct s { int wide; };\ndouble g(int x) { struct s t = {x}; return t.wide; }": (
        "a name that it uses means something else here"
    ),
}


@pytest.mark.sampled(2)
@pytest.mark.parametrize("text", UNKNOWN)
def test_reports_say_what_keeps_a_function_unknown(text: str, tmp_path: Path) -> None:
    (tmp_path / "main.c").write_text("struct s { char c[9]; };\n" + FILES["src/main.c"])
    (tmp_path / "util.c").write_text(text)
    done = cuvier(tmp_path, "report", "--format", "json", "--whole-program", "main.c", "util.c")
    [reason] = json.loads(done.stdout)["units"][0]["loops"][0]["reasons"]
    why = f"util.c defines it, but {UNKNOWN[text]}"
    assert reason["message"] == f"'g' is called, and its effects are not known: {why}"


def test_reports_name_the_files_that_define_a_function_twice(tmp_path: Path) -> None:
    (tmp_path / "main.c").write_text(FILES["src/main.c"])
    for name in ("one.c", "two.c", "three.c"):
        (tmp_path / name).write_text("double g(int k) { return k; }\n")
    done = cuvier(tmp_path, "report", "--format", "json", "--whole-program", ".")
    told = [r["message"] for u in json.loads(done.stdout)["units"] for x in u["loops"] for r in x["reasons"]]
    assert [message.partition(": ")[2] for message in told] == ["one.c, three.c and two.c define it"]
