"""Kernels made one that are no plain neighbours: side by side, past others, behind conditions."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from typer.testing import CliRunner

from cuvier.cli import build_app
from tests.transfers.test_fusion import LINE, flat, fusion, made

POINTERS = "int n, int m, double *p, double *q, double *r, double *u"

BESIDE = {
    "two lengths": (
        "for (int i = 0; i < N; i++) B[i] = 1; for (int i = 3; i <= 40; i++) C[i] = 2; return 0;",
        "for (int t_1 = 0; t_1 < (N) + ((40 - 3) + 1); t_1++) { if (t_1 < (N)) { int i = t_1; { B[i] = 1; } }"
        " else { int i = 3 + (t_1 - (N)); { C[i] = 2; } } }",
    ),
    "two depths": (
        "for (int i = 0; i < N; i++) B[i] = 1;"
        " for (int i = 0; i < 9; i++) for (int j = 2; j < N; j += 3) P[i][j] = 2; return 0;",
        "int i = (t_1 - (N)) / ((((N) - 2) + 2) / 3); int j = 2 + 3 * ((t_1 - (N)) % ((((N) - 2) + 2) / 3));",
    ),
    "what skips the rest of an iteration": (
        "for (int i = 0; i < N; i++) { if (A[i] > 1) continue; B[i] = 1; }"
        " for (int i = 0; i < 9; i++) C[i] = A[i]; return 0;",
        "{ if (A[i] > 1) continue; B[i] = 1; } } else {",
    ),
    "two sums": (
        "double s = 0, u = 0; for (int i = 0; i < N; i++) s += A[i];"
        " for (int i = 0; i < 9; i++) u += C[i]; return s + u;",
        "{ s += A[i]; } } else {",
    ),
    "halves of an array": (
        "for (int i = 0; i < N / 2; i++) B[i] = A[i]; for (int i = 0; i < N / 4; i++) B[i + 60] = 1;"
        " return 0;",
        "t_1 < (N / 2) + (N / 4)",
    ),
    "iterators from outside": (
        "int i, k; for (i = 0; i < N; i++) B[i] = 1;"
        " for (i = 0; i < 9; i++) for (k = 0; k < 9; k++) P[i][k] = 1; return 0;",
        "{ i = t_1; { B[i] = 1; } } else { i = (t_1 - (N)) / 9; k = (t_1 - (N)) % 9; { P[i][k] = 1; } }",
    ),
}


@pytest.mark.parametrize("name", BESIDE)
def test_small_kernels_stand_side_by_side(name: str, tmp_path: Path) -> None:
    body, text = BESIDE[name]
    found = made(body, tmp_path, everything=False)
    assert [f.form for f in found.fusions] == ["beside"]
    assert text in flat(found.text.text)


APART = {
    "what the first leaves": (
        "for (int i = 0; i < N; i++) B[i] = 1; for (int i = 0; i < 9; i++) C[i] = B[9 - i]; return 0;",
        "is written, and read",
    ),
    "a last value": (
        "double t; for (int i = 0; i < N; i++) { t = A[i]; B[i] = t; } for (int i = 0; i < 9; i++) C[i] = 1;"
        " return t;",
        "'t' is read after them",
    ),
    "the iterator's last value": (
        "int i; for (i = 0; i < N; i++) B[i] = 1; for (int k = 0; k < 9; k++) C[k] = 1; return i;",
        "'i' is read after them",
    ),
    "a sum that the second reads": (
        "double s = 0; for (int i = 0; i < N; i++) s += A[i]; for (int i = 0; i < 9; i++) C[i] = s;"
        " return 0;",
        "reductions have their own skeleton",
    ),
    "lengths that are not known": (
        "@ B[i] = 1; for (int i = 0; i < m; i++) C[i] = 2; return 0;",
        "their trip counts are unknown",
    ),
    "enough for a launch": (
        "for (int i = 0; i < 90000; i++) p[i] = 1; for (int i = 0; i < 9; i++) C[i] = 2; return 0;",
        "each is large enough for a launch of its own",
    ),
    "iterations that never come": (
        "for (int i = 9; i < 3; i++) B[i] = 1; for (int i = 0; i < 9; i++) C[i] = 2; return 0;",
        "their trip counts are unknown",
    ),
    "backwards": (
        "for (int i = N - 1; i >= 0; i--) B[i] = 1; for (int i = 0; i < 9; i++) C[i] = 2; return 0;",
        "their trip counts are unknown",
    ),
}


@pytest.mark.parametrize("name", APART)
def test_kernels_that_are_launched_one_by_one(name: str, tmp_path: Path) -> None:
    body, why = APART[name]
    found = made(body, tmp_path, POINTERS, everything=False)
    assert len(found.fusions) == 1 and not found.fusions[0].fused
    assert why in found.fusions[0].why


FIRST, LAST = "@ B[i] = A[i];", "@ C[i] = B[i];"
PASSED = {
    "a serial loop": "for (int i = 1; i < n; i++) K[i] = K[i - 1] + 1;",
    "a kernel": "for (int i = 0; i < m; i++) D[i] = 3;",
    "a cell": "D[3] = 2;",
    "other cells of the same array": "for (int i = n; i < N; i++) B[i] = 3;",
    "a sum that nobody else needs": "@ s += D[i];",
    "an array": "double z[N]; for (int i = 0; i < N; i++) z[i] = D[i]; s = z[4];",
    "a condition": "if (D[2] > 1) D[3] = 1; else { s = 2; D[4] = 7; }",
    "a call": "set(D);",
}


@pytest.mark.parametrize("name", PASSED)
def test_what_a_kernel_moves_past(name: str, tmp_path: Path) -> None:
    between = PASSED[name]
    body = f"double s = 0; {FIRST}\n{between}\n{LAST}\nreturn s;"
    found = made(f"{body} }} static void set(double *x) {{ x[0] = 1;", tmp_path, POINTERS, everything=False)
    pair = next(f for f in found.fusions if f.lines[1] - f.lines[0] == 2)
    assert pair.fused and "moved past the statements between them" in pair.why
    assert "{ { B[i] = A[i]; } { C[i] = B[i]; } } " in flat(found.text.text)
    assert flat(between.replace("@", LINE)) in flat(found.text.text)
    assert found.text.text.count("\n") == found.text.original.count("\n")


TIED = {
    "cells that the second writes": ("for (int i = 1; i < n; i++) C[i] = C[i - 1] + 1;", "cannot move past"),
    "cells that the second reads": ("B[m] = 2;", "cannot move past"),
    "cells of pointers": ("p[m] = 2;", "not fused"),
    "output": ('printf("x");', "cannot move past the statements between them: 'printf' writes output"),
    "an end": ("if (D[2] > 1) exit(1);", "cannot move past the statements between them: 'exit'"),
    "a return": ("if (D[2] > 1) return 1;", "control may leave the statements between them"),
    "its bound": ("n = (int)D[2];", "shares 'n'|'n' is"),
    "a last value": ("for (k = 0; k < 9; k++) D[k] = 3;", "the statements between them share 'k'"),
    "a type": ("typedef short idx;", "cannot move before"),
    "an array": ("double z[n];", "cannot move before"),
    "an initialiser": ("double z = D[3];", "cannot move before"),
    "volatile memory": ("v = 1;", "cannot move past"),
}


@pytest.mark.parametrize("name", TIED)
def test_what_a_kernel_does_not_move_past(name: str, tmp_path: Path) -> None:
    between, why = TIED[name]
    first, last = "for (k = 0; k < n; k++) q[k] = r[k];", "for (k = 0; k < n; k++) C[k] = q[k];"
    if name != "cells of pointers":
        first, last = first.replace("q[k]", "B[k]"), last.replace("q[k]", "B[k]")
    body = (
        f"extern int printf(const char *, ...); volatile int v; int k; {first}\n{between}\n{last}\nreturn k;"
    )
    found = made(body, tmp_path, POINTERS)
    pair = next(f for f in found.fusions if f.lines[1] - f.lines[0] == 2)
    said = f"{'fused' if pair.fused else 'not fused'}, {pair.why}"
    assert not pair.fused and any(part in said for part in why.split("|")), said


def test_a_jump_in_the_loop_around_is_not_passed(tmp_path: Path) -> None:
    body = f"for (int t = 0; t < m; t++) {{ {FIRST}\nif (D[1] > 2) continue;\n{LAST} }} return 0;"
    found = made(body, tmp_path, "int n, int m")
    assert not found.fusions[0].fused and "control may leave" in found.fusions[0].why


def test_two_chains_that_take_turns(tmp_path: Path) -> None:
    loops = "@ B[i] = A[i];\n# D[i] = 1;\n@ C[i] = B[i];\n# q[i] = D[i];\n@ A[i] = C[i];\n# D[i] = q[i];\n"
    body = loops.replace("#", "for (int i = 0; i < m; i++)")
    found = made(f"double q[N]; {body} return 0;", tmp_path, "int n, int m", everything=False)
    assert sum(f.fused for f in found.fusions) == 4
    assert not all(f.adjoining for f in found.fusions if f.fused)
    assert found.text.text.count("for (") == 2


def test_chains_behind_one_condition(tmp_path: Path) -> None:
    body = "@ q[i] = p[i];\n@ r[i] = q[i];\n@ u[i] = r[i] + q[i];\nreturn 0;"
    found = made(body, tmp_path, POINTERS)
    text = flat(found.text.text)
    assert next(f.fused for f in found.fusions if f.adjoining) and sum(f.fused for f in found.fusions) == 2
    assert (
        text.count("if (") == 1
        and "{ { { q[i] = p[i]; } { r[i] = q[i]; } } { u[i] = r[i] + q[i]; } }" in text
    )
    assert text.count("q[i] = p[i]") == 2  # and where the condition does not hold


GUARDED = {
    "the same condition": ("m > 3", "m > 3", ""),
    "different conditions": ("m > 3", "m > 4", "different conditions"),
    "one condition": ("m > 3", "", "only one of them"),
    "a condition that the first changes": ("B[0] > 3", "B[0] > 3", "may change between them"),
    "a condition that something else may change": ("flag", "flag", "may change between them"),
    "a call": ("next()", "next()", "may change between them"),
}


@pytest.mark.parametrize("name", GUARDED)
def test_kernels_behind_conditions(name: str, tmp_path: Path) -> None:
    one, other, why = GUARDED[name]
    ifs = [f"if ({c})\n" if c else "" for c in (one, other)]
    body = f"{ifs[0]} {{ {FIRST}\n}} // first\n{ifs[1]}\n{LAST} return 0;"
    found = made(f"extern int flag; int next(void); {body}", tmp_path, POINTERS)
    assert len(found.fusions) == 1 and found.fusions[0].fused == (not why)
    assert why in found.fusions[0].why
    if not why:
        assert "if (m > 3) { for" in flat(found.text.text) and flat(found.text.text).count("if (") == 1
    assert found.text.text.count("\n") == found.text.original.count("\n")


def test_lines_stay_where_a_kernel_leaves_its_condition(tmp_path: Path) -> None:
    body = f"if (m)\n {{\n{FIRST}\n}}\nD[3] = 1;\nif (m)\n{{\n {LAST}\n}}\nreturn 0;"
    found = made(body, tmp_path, POINTERS)
    assert [f.fused for f in found.fusions] == [True]
    lines = found.text.text.split("\n")
    assert lines.index("D[3] = 1;") == found.text.original.split("\n").index("D[3] = 1;")


def test_a_condition_with_an_else_is_no_kernel(tmp_path: Path) -> None:
    body = f"if (m) {{ {FIRST} }} else m = 2; if (m) {{ {LAST} }} return 0;"
    assert made(body, tmp_path, POINTERS).fusions == ()


PROGRAM = """static double t[N], s[N];
double step(int n, int m)
{
  for (int i = 0; i < N; i++) t[i] = A[i];
  for (int i = 1; i < N; i++) s[i] = s[i - 1] + m;
  for (int i = 0; i < N; i++) B[i] = t[i];
  return s[n];
}
"""


def test_arrays_of_the_file_become_variables(tmp_path: Path) -> None:
    source = tmp_path / "app.c"
    head = "#define N 100\ndouble A[N], B[N];\n"
    source.write_text(head + PROGRAM)
    assert "double t_1;" in fusion(source).text.text
    source.write_text(head + PROGRAM + "double last(void) { return t[3]; }\n")
    assert "t_1" not in fusion(source).text.text


def test_every_pair_is_reported(tmp_path: Path) -> None:
    source = tmp_path / "app.c"
    source.write_text("#define N 100\ndouble A[N], B[N];\n" + PROGRAM)
    line = "lines 6 and 8: fused, saves 25 % of the memory traffic; moved past"
    for flag in ("--explain", "--plan", "--json"):
        out = ["compile", str(source), "--target", "opencl", flag, "-o", str(tmp_path / "out")]
        said = CliRunner().invoke(build_app(), out).stdout
        if flag == "--json":
            (pair,) = json.loads(said)["fusions"]
            assert (pair["lines"], pair["form"], pair["adjoining"]) == ([6, 8], "together", True)
        else:
            assert line in said
