"""`cuvier predict`: sizes from the user's arguments, and what each version would take by them."""

# ruff: noqa: E501  (C, in lines as long as it likes)
from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from pycparser import c_ast
from typer.testing import CliRunner

from cuvier.cli import build_app
from cuvier.launch_tables.arguments import with_arguments
from cuvier.launch_tables.store import Launches, Measured, Run, save
from cuvier.launch_tables.versioned_program import VersionedProgram
from models.estimate import Program
from species.source import PreprocessOptions, read_translation_unit

SOURCE = """#include <stdio.h>
#include <stdlib.h>
static void twice(double *y, long n) { for (long i = 0; i < n; i++) y[i] *= 2; }
static void product(double *c, const double *a, int n) { for (int i = 0; i < n; i++) for (int j = 0; j < n; j++) { double s = 0; for (int k = 0; k < n; k++) s += a[i * n + k] * a[k * n + j]; c[i * n + j] = s; } }
int main(int argc, char **argv) {
  int n = 300, rounds = argc > 2 ? atoi(argv[2]) : 4;
  if (argc > 1)
    n = (int)strtol(argv[1], NULL, 10);
  if (n < 1) { fprintf(stderr, "too small\\n"); return 1; }
  double *a = calloc((size_t)n * n, sizeof *a), *c = calloc((size_t)n * n, sizeof *c);
  for (int t = 0; t < rounds; t++) twice(a, (long)n * n);
  product(c, a, n);
  printf("%g\\n", c[n / 2]);
  free(a); free(c); return 0;
}
"""


def _predicted(folder: Path, *arguments: str) -> dict[str, Any]:
    done = CliRunner().invoke(build_app(), ["predict", str(folder), "--json", "--", *arguments])
    assert done.exit_code == 0, done.output
    return {each["function"]: each for each in json.loads(done.stdout)["kernels"]}


@pytest.fixture
def program(tmp_path: Path) -> Path:
    (tmp_path / "app.c").write_text(SOURCE)
    asked = [
        "compile",
        str(tmp_path / "app.c"),
        "--target",
        "opencl,openmp",
        "--no-check",
        "-o",
        str(tmp_path / "out"),
    ]
    done = CliRunner().invoke(build_app(), asked)
    assert done.exit_code == 0, done.output
    return tmp_path / "out"


def test_sizes_come_from_the_arguments(program: Path) -> None:
    found = _predicted(program, "500", "9")
    assert (found["twice"]["launches"], found["twice"]["size"]["work"]) == (9, 250_000)
    assert found["product"]["size"] == {"outer": 500, "parallel": 250_000, "work": 125_000_000}
    assert _predicted(program)["product"]["size"]["outer"] == 300
    assert all(each["origin"].startswith("estimate") and not each["assumed"] for each in found.values())


def test_tables_are_used(program: Path) -> None:
    read = VersionedProgram.read(program)
    names = {each["function"]: each["name"] for each in read.manifest["kernels"]}
    launches = [Launches(names["twice"], "", 1e4, 1e4, 1e4, 1, each, each) for each in (5.0, 3.0)]
    runs = (Run((), 1, (launches[0],)), Run((), 0, (launches[1],)))
    save(read, Measured("a processor", "a device", "", read.hashes, runs))
    found = _predicted(program, "200", "1")["twice"]
    assert (found["host"], found["device"], found["taken"]) == (
        pytest.approx(20),
        pytest.approx(12),
        "device",
    )
    assert found["origin"] == "measured tables"
    done = CliRunner().invoke(build_app(), ["predict", str(program), "--", "200", "1"])
    assert "device (1.67x): measured tables" in done.stdout
    save(read, Measured("a processor", "a device", "", {names["twice"]: "other"}, runs))
    assert _predicted(program, "200", "1")["twice"]["origin"].startswith("estimate")


MAIN = "#include <stdlib.h>\n#include <stdio.h>\nint kept = 3;\nint rest(int);\nint main(int argc, char **argv) {{ {} return 0; }}\n"


@pytest.mark.parametrize(
    ("body", "arguments", "expected"),
    [
        ("int n = atoi(argv[1]);", ["12"], {"n": 12}),
        ("int n = argc > 1 ? atoi(argv[1]) : 5;", [], {"n": 5}),
        ("int n; n = 4; n = n * 2; n = n + 1;", [], {"n": 9}),
        ("double x = atof(argv[2]) / 2;", ["1", "3"], {"x": 1.5}),
        ("long n = strtol(argv[1], NULL, 0);", ["0x20"], {"n": 32}),
        ("if (argc > 1) kept = atoi(argv[1]); else kept = 9;", ["8"], {"kept": 8}),
        ("if (argc > 1) { kept = atoi(argv[1]); } else kept = 9;", [], {"kept": 9}),
        ("int n = atoi(argv[1]); if (rest(1)) n = 7;", ["2"], {}),
        ("int n = 2; for (int i = 0; i < 3; i++) n++;", [], {}),
        ('int n = 2; scanf("%d", &n);', [], {}),
        ("int n = atoi(argv[3]);", ["2"], {}),
        ("int n = atoi(argv[1]);", ["words"], {}),
        ("int n = rest(atoi(argv[1]));", ["2"], {}),
        ("char *name = argv[1]; int n = name[0];", ["2"], {}),
        ("int n = 6; while (n > 3) n = n - 1;", [], {}),
        ("int n = 6; int *p = &n; *p = rest(2);", [], {}),
        ("int n = 6, m = -n; (void)m;", [], {"n": 6}),
    ],
)
def test_arguments_are_followed(
    body: str, arguments: Sequence[str], expected: dict[str, float], tmp_path: Path
) -> None:
    """What is known is known; what is not is not taken for something else."""
    (tmp_path / "main.c").write_text(MAIN.format(body))
    unit = read_translation_unit(str(tmp_path / "main.c"), PreprocessOptions())
    with_arguments(unit.ast, arguments)
    known = Program.of(unit.ast).functions["main"].amounts.values
    asked = {*expected, "n"} if "int n" in body or "long n" in body else set(expected)
    assert {name: known[name] for name in asked if name in known} == expected


def test_a_tree_without_arguments_stays(tmp_path: Path) -> None:
    (tmp_path / "main.c").write_text("int main(void) { int n = 3; return n; }\n")
    unit = read_translation_unit(str(tmp_path / "main.c"), PreprocessOptions())
    with_arguments(unit.ast, ["1"])
    main = next(each for each in unit.ast.ext if isinstance(each, c_ast.FuncDef))
    assert main.body.block_items[0].init.value == "3"


def test_a_folder_of_a_stranger_runs_nothing(program: Path) -> None:
    """Predictions read a source by a compiler: no flag of the folder's makes that run something."""
    evil = program.parent / "ran"
    file = program / "app_versions.json"
    of = json.loads(file.read_text())
    of["flags"] = ["-wrapper", f"touch,{evil}", f"-fplugin={evil}", "-DKEPT", "-B", str(program)]
    file.write_text(json.dumps(of))
    assert VersionedProgram.read(program).preprocess.flags == ("-DKEPT",)
    assert _predicted(program, "200")["product"]["size"]["outer"] == 200 and not evil.exists()


@pytest.mark.parametrize("change", [{"program": "../app"}, {"kernels": None}, "no", {"flags": None}])
def test_other_files_are_refused(change: object, program: Path) -> None:
    file = program / "app_versions.json"
    of = json.loads(file.read_text())
    for key, value in change.items() if isinstance(change, dict) else ():
        of.pop(key)
        of |= {key: value} if value is not None else {}
    file.write_text(json.dumps(of if isinstance(change, dict) else change))
    done = CliRunner().invoke(build_app(), ["predict", str(program)])
    assert done.exit_code and "app_versions.json: not what `cuvier compile` writes" in str(done.exception)
