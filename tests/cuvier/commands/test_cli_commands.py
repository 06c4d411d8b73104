"""The commands, from the arguments to the bytes on stdout and stderr and the exit status."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import jsonschema
import pytest

from cuvier import __version__, cli
from cuvier.document.json import schema_text

PROGRAM = """\
#include <stdio.h>
#ifndef N
#define N 64
#endif
double a[N], b[N];

int main(void) {
    for (int i = 0; i < N; i++) /* marked */
        a[i] = i * 0.5;
    for (int i = 1; i < N; i++)
        b[i] = b[i - 1] + a[i];
    printf("%g\\n", b[N - 1]);
    return 0;
}
"""
BROKEN = "int main(void) { return 0 }}}\n"


@dataclass(frozen=True)
class Outcome:
    """What a command left behind."""

    status: int
    out: str
    err: str


Cuvier = Callable[..., Outcome]


@pytest.fixture
def cuvier(capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Cuvier:
    """Runs the command line in an empty directory."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("CC", raising=False)

    def run(*arguments: str) -> Outcome:
        monkeypatch.setattr(sys, "argv", ["cuvier", *arguments])
        with pytest.raises(SystemExit) as ended:
            cli.main()
        out, err = capfd.readouterr()
        return Outcome(int(ended.value.code or 0), out, err)

    return run


@pytest.fixture
def program(tmp_path: Path) -> Path:
    path = tmp_path / "app.c"
    path.write_text(PROGRAM)
    return path


def one_line(outcome: Outcome) -> str:
    """The single line of an input error."""
    assert outcome.status == 2, outcome
    assert outcome.out == ""
    assert outcome.err.count("\n") == 1, outcome.err
    return outcome.err


# --- the frame ---


def test_help_lists_the_commands_and_the_exit_statuses(cuvier: Cuvier) -> None:
    outcome = cuvier("--help")
    assert outcome.status == 0
    assert all(f"\n  {name}" in outcome.out for name in cli.COMMANDS)
    assert "Exit status" in outcome.out


@pytest.mark.parametrize("option", ["--version", "-V"])
def test_version(cuvier: Cuvier, option: str) -> None:
    assert cuvier(option) == Outcome(0, f"cuvier {__version__}\n", "")


def test_python_runs_it_as_a_module(tmp_path: Path) -> None:
    command = [sys.executable, "-m", "cuvier", "-V"]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=True)
    assert done.stdout == f"cuvier {__version__}\n"


@pytest.mark.parametrize("name", cli.COMMANDS)
def test_every_command_has_help_with_an_example(cuvier: Cuvier, name: str) -> None:
    outcome = cuvier(name, "--help")
    assert outcome.status == 0
    assert "Example" in outcome.out or "Commands:" in outcome.out


def test_help_loads_nothing_heavy() -> None:
    code = (
        "import sys, cuvier.cli\n"
        "sys.argv = ['cuvier', '--help']\n"
        "try: cuvier.cli.main()\n"
        "except SystemExit: pass\n"
        "heavy = {'rich', 'islpy', 'pycparser', 'lark', 'jinja2', 'yaml', 'jsonschema'} & set(sys.modules)\n"
        "print(sorted(heavy), file=sys.stderr)\n"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stderr.strip() == "[]"


def test_a_defect_is_one_line_and_status_3(cuvier: Cuvier, monkeypatch: pytest.MonkeyPatch) -> None:
    def broken() -> None:
        raise KeyError("lost\nit")

    monkeypatch.setattr(cli, "build_app", broken)
    monkeypatch.delenv("CUVIER_DEBUG", raising=False)
    quiet = cuvier()
    assert quiet.status == 3
    assert quiet.err.count("\n") == 1
    assert "internal error: KeyError" in quiet.err
    monkeypatch.setenv("CUVIER_DEBUG", "1")
    assert "Traceback" in cuvier().err


# --- report ---


def test_report_prints_a_tree_and_a_summary(cuvier: Cuvier, program: Path) -> None:
    outcome = cuvier("report", "app.c")
    assert outcome.status == 0
    assert "A" not in outcome.err
    assert "\x1b" not in outcome.out
    rows = [line.strip("│├└─ ").split() for line in outcome.out.splitlines()]
    assert ["8", "for", "i", "parallel", "doall"] in rows
    assert ["10", "for", "i", "serial", "dosequential"] in rows
    assert "2 loops in 1 file: 1 parallel, 1 serial." in outcome.out


def test_report_json_obeys_the_schema(cuvier: Cuvier, program: Path) -> None:
    outcome = cuvier("report", "--format", "json", "app.c")
    document = json.loads(outcome.out)
    jsonschema.validate(document, json.loads(schema_text()), jsonschema.Draft202012Validator)
    (unit,) = document["units"]
    assert (unit["file"], unit["status"]) == ("app.c", "ok")
    assert [(loop["line"], loop["column"], loop["verdict"]) for loop in unit["loops"]] == [
        (8, 5, "parallel"),
        (10, 5, "serial"),
    ]


def test_flags_may_be_attached(cuvier: Cuvier, program: Path, tmp_path: Path) -> None:
    program.write_text('#include "size.h"\n' + PROGRAM)
    (tmp_path / "inc").mkdir()
    (tmp_path / "inc/size.h").write_text("#if N != 100\n#error no\n#endif\n")
    assert cuvier("report", "-DN=100", "-Iinc", "--std", "c99", "app.c").status == 0
    assert cuvier("report", "-D", "N=100", "-I", "inc", "app.c").status == 0
    assert "no" in one_line_of_failure(cuvier("report", "-DN=99", "-Iinc", "app.c"))


def one_line_of_failure(outcome: Outcome) -> str:
    """The diagnostic of a report of which the only file failed; the report itself says so too."""
    assert outcome.status == 2, outcome
    assert outcome.err.count("\n") == 1, outcome.err
    assert "Not analysed" in outcome.out
    return outcome.err


def test_report_goes_to_a_file(cuvier: Cuvier, program: Path, tmp_path: Path) -> None:
    assert cuvier("report", "--format", "json", "-o", "new/report.json", "app.c").out == ""
    assert json.loads((tmp_path / "new/report.json").read_text())["units"][0]["status"] == "ok"


def test_one_bad_file_does_not_cost_the_others(cuvier: Cuvier, program: Path, tmp_path: Path) -> None:
    (tmp_path / "bad.c").write_text("#error no\n")
    outcome = cuvier("report", "app.c", "bad.c")
    assert outcome.status == 1
    assert "2 loops in 1 file" in outcome.out
    assert "Not analysed: bad.c." in outcome.out
    assert outcome.err.startswith("bad.c:1:")
    assert "-D NAME" in outcome.err


def test_schema_is_printed(cuvier: Cuvier) -> None:
    assert cuvier("schema") == Outcome(0, schema_text(), "")


# --- annotate and strip ---


def test_annotate_prints_a_diff(cuvier: Cuvier, program: Path) -> None:
    outcome = cuvier("annotate", "app.c")
    assert outcome.status == 0
    added = [line for line in outcome.out.splitlines() if line.startswith("+") and not line.startswith("+++")]
    assert any("#pragma species kernel" in line for line in added)
    assert not [line for line in outcome.out.splitlines() if line.startswith("-") and line[:3] != "---"]
    assert program.read_text() == PROGRAM


@pytest.mark.parametrize("style", ["species", "comment", "openmp"])
def test_in_place_and_back(cuvier: Cuvier, program: Path, style: str) -> None:
    original = program.read_bytes()
    assert cuvier("annotate", "--all", "--in-place", "--style", style, "app.c").status == 0
    annotated = program.read_bytes()
    assert annotated != original
    again = cuvier("annotate", "--all", "--style", style, "app.c")
    assert (again.status, again.out) == (0, "")
    assert cuvier("strip", "app.c").out.encode() == original
    assert cuvier("strip", "--in-place", "app.c").status == 0
    assert program.read_bytes() == original


def test_annotations_of_another_style_are_replaced(cuvier: Cuvier, program: Path) -> None:
    cuvier("annotate", "--in-place", "--style", "openmp", "app.c")
    cuvier("annotate", "--in-place", "--style", "species", "app.c")
    text = program.read_text()
    assert "#pragma species" in text
    assert "#pragma omp" not in text


def test_copies_keep_their_place(cuvier: Cuvier, tmp_path: Path) -> None:
    for name in ("x", "y"):
        (tmp_path / "src" / name).mkdir(parents=True)
        (tmp_path / "src" / name / "a.c").write_text(PROGRAM)
    assert cuvier("annotate", "-o", "out", "src").status == 0
    assert "#pragma species" in (tmp_path / "out/x/a.c").read_text()
    assert cuvier("strip", "-o", "back", "out").status == 0
    assert (tmp_path / "back/y/a.c").read_text() == PROGRAM


def test_a_file_that_fails_is_left_alone(cuvier: Cuvier, program: Path, tmp_path: Path) -> None:
    (tmp_path / "bad.c").write_text("#error no\n")
    assert cuvier("annotate", "-o", "out", "app.c", "bad.c").status == 1
    assert os.listdir(tmp_path / "out") == ["app.c"]
    assert cuvier("annotate", "--in-place", "bad.c").status == 2
    assert (tmp_path / "bad.c").read_text() == "#error no\n"


def test_openmp_the_compiler_refuses_is_not_written(
    cuvier: Cuvier, program: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    import cuvier.pipeline.driver as driver

    monkeypatch.setattr(driver, "annotate", lambda text, *_: text.replace("/* marked */", "{"))
    outcome = cuvier("annotate", "--style", "openmp", "--in-place", "--no-cache", "app.c")
    assert outcome.status == 2
    assert "the compiler refuses the pragmas" in outcome.err
    assert program.read_text() == PROGRAM


def test_results_for_two_places_are_refused(cuvier: Cuvier, program: Path) -> None:
    assert "exclude each other" in one_line(cuvier("annotate", "--in-place", "-o", "out", "app.c"))
    assert "exclude each other" in one_line(cuvier("strip", "--in-place", "-o", "out", "app.c"))


def test_strip_of_several_files_needs_a_place(cuvier: Cuvier, program: Path, tmp_path: Path) -> None:
    (tmp_path / "b.c").write_text(PROGRAM)
    assert "--in-place or -o" in one_line(cuvier("strip", "app.c", "b.c"))


# --- explain and reasons ---


def test_explain_names_both_places(cuvier: Cuvier, program: Path) -> None:
    outcome = cuvier("explain", "app.c:10")
    assert outcome.status == 0
    assert "It is serial" in outcome.out
    assert "        b[i] = b[i - 1] + a[i];\n" in outcome.out
    assert "^" in outcome.out


def test_explain_of_no_loop(cuvier: Cuvier, program: Path) -> None:
    assert "loops start on the lines 8, 10" in one_line(cuvier("explain", "app.c:2"))
    assert "not FILE:LINE" in one_line(cuvier("explain", "app.c"))
    assert "no such file" in one_line(cuvier("explain", "none.c:3"))


def test_reasons_are_listed(cuvier: Cuvier) -> None:
    every = cuvier("reasons").out.splitlines()
    assert len(every) > 5
    assert all(line.startswith("CV") for line in every)
    code = every[0].split()[0]
    page = cuvier("reasons", code.lower()).out
    assert page.startswith(f"# {code}: ") and every[0].split(maxsplit=1)[1] in page.splitlines()[0]
    assert "## What would fix it" in page
    assert "unknown reason code" in one_line(cuvier("reasons", "CV999"))


# --- bad input ---


@pytest.mark.parametrize(
    "command", [["annotate"], ["report"], ["strip"], ["compile", "--target", "c", "-o", "out"]]
)
def test_missing_files(cuvier: Cuvier, command: list[str]) -> None:
    assert "no such file: 'none.c'" in one_line(cuvier(*command, "none.c"))


def test_directories_without_c(cuvier: Cuvier, tmp_path: Path) -> None:
    (tmp_path / "empty").mkdir()
    assert "no C files" in one_line(cuvier("report", "empty"))


def test_a_compiler_that_is_not_there(cuvier: Cuvier, program: Path) -> None:
    outcome = cuvier("report", "--cc", "no-such-compiler", "app.c")
    assert outcome.status == 2
    assert outcome.err.count("\n") == 1
    assert "no-such-compiler" in outcome.err


def test_syntax_errors(cuvier: Cuvier, tmp_path: Path) -> None:
    (tmp_path / "bad.c").write_text(BROKEN)
    outcome = cuvier("annotate", "--in-place", "bad.c")
    assert outcome.status == 2
    assert outcome.err.splitlines()[0].startswith("bad.c:1:")
    assert (tmp_path / "bad.c").read_text() == BROKEN
    assert cuvier("compile", "bad.c", "--target", "c", "-o", "out").status == 2
    assert not (tmp_path / "out").exists()


def test_what_only_the_compiler_understands_costs_one_function(
    cuvier: Cuvier, program: Path, tmp_path: Path
) -> None:
    program.write_text(PROGRAM + "int g(int n) { int f(void) { return n; } return f(); }\n")
    outcome = cuvier("report", "app.c")
    assert outcome.status == 0
    assert outcome.err.startswith("app.c:15:")
    assert "2 loops in 1 file" in outcome.out
    assert "Analysed in part" in outcome.out


def test_unknown_targets_are_answered_with_the_known(cuvier: Cuvier, program: Path, tmp_path: Path) -> None:
    line = one_line(cuvier("compile", "app.c", "--target", "abacus", "-o", "out"))
    assert all(name in line for name in ("abacus", "openmp", "opencl", "cuda"))
    assert not (tmp_path / "out").exists()


# --- compile and skeletons ---


ALL = ("--without", "threshold")  # short loops, too


def test_compile_writes_a_program_that_make_builds(cuvier: Cuvier, program: Path, tmp_path: Path) -> None:
    outcome = cuvier("compile", "app.c", "-DN=32", "--target", "openmp", "--explain", "-o", "out", *ALL)
    assert outcome.status == 0, outcome.err
    assert "taken" in outcome.out
    subprocess.run(["make", "-s", "-C", "out"], cwd=tmp_path, check=True)
    printed = subprocess.run([tmp_path / "out/app"], capture_output=True, text=True, check=True).stdout
    assert printed == f"{sum(i * 0.5 for i in range(32)):g}\n"


def test_skeletons_are_listed_and_shown(cuvier: Cuvier) -> None:
    listed = cuvier("skeletons", "list", "--target", "cuda").out
    assert all(line.split()[0] == "cuda" for line in listed.splitlines())
    name = listed.split()[1]
    everything = [line.split()[:2] for line in cuvier("skeletons").out.splitlines()]
    assert ["cuda", name] in everything
    assert {target for target, _ in everything} == {"c", "cuda", "opencl", "openmp"}
    assert f"name: {name}" in cuvier("skeletons", "show", name, "--target", "cuda").out
    assert "there are" in one_line(cuvier("skeletons", "show", "nothing"))
    assert "abacus" in one_line(cuvier("skeletons", "list", "--target", "abacus"))


def test_a_malformed_skeleton_is_named_with_its_place(cuvier: Cuvier, program: Path, tmp_path: Path) -> None:
    (tmp_path / "mine/openmp").mkdir(parents=True)
    (tmp_path / "mine/openmp/odd.yaml").write_text("name: odd\ntarget: openmp\ncolour: red\n")
    assert one_line(cuvier("skeletons", "check", "mine")).startswith("mine/openmp/odd.yaml:3:1: error: ")
    line = one_line(cuvier("compile", "app.c", "--target", "openmp", "--skeletons", "mine", "-o", "out"))
    assert line.startswith("mine/openmp/odd.yaml:3:1: error: ")
    assert not (tmp_path / "out").exists()
    assert "no such folder" in one_line(cuvier("skeletons", "check", "yours"))
