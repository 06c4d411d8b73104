"""Estimates of work and bytes: trip counts, what is moved, calls, constants, and the roofline over them."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from cuvier.report.ranking import bound_of
from models.machine import DEFAULT, SCALAR
from tests.support.reporting import loop_at, report_of, view_of


def estimate(text: str, line: int, folder: Path) -> dict[str, Any]:
    found = loop_at(report_of({"a.c": text}, folder), line)["estimate"]
    assert isinstance(found, dict)
    return found


@pytest.mark.parametrize(
    ("header", "trips", "iterations"),
    [
        ("int i = 0; i < 50; i++", "50", 50),
        ("int i = 1; i <= 50; i++", "50", 50),
        ("int i = 2; i < 50; ++i", "48", 48),
        ("int i = 49; i >= 0; i--", "50", 50),
        ("int i = 0; i < 50; i += 5", "10", 10),
    ],
)
def test_trips_of_headers(header: str, trips: str, iterations: float, tmp_path: Path) -> None:
    found = estimate(f"double a[64];\nvoid f(void) {{\n  for ({header})\n    a[i] = 1;\n}}\n", 3, tmp_path)
    assert found["iterations"] == iterations
    assert eval(found["trips"], {}) == eval(trips, {})


def test_sizes_that_only_the_run_knows(tmp_path: Path) -> None:
    text = "void f(int n, double *a) {\n  for (int i = 0; i < n; i++)\n    a[i] = 2 * a[i];\n}\n"
    assert estimate(text, 2, tmp_path) == {
        "trips": "n",
        "iterations": 1000,
        "operations": 1000,
        "bytes": 16000,  # read and written
        "own": 1000,
        "executions": 1,
        "calls": 1,
        "assumed": ["n"],
        "sizes": [{"name": "n", "value": 1000}],
        "parallel": 1000,
        "copied_in": 8000,
        "copied_out": 8000,
        "copies": 2,
        "double": True,
    }


def test_what_an_execution_touches_again_counts_once(tmp_path: Path) -> None:
    text = """\
double a[10][20];
float x[20], y[10];
void f(void) {
  for (int i = 0; i < 10; i++)
    for (int j = 0; j < 20; j++)
      y[i] += a[i][j] * x[j];
}
"""
    outer, inner = (estimate(text, line, tmp_path / str(line)) for line in (4, 5))
    assert outer["operations"] == inner["operations"] == 400
    assert outer["bytes"] == 8 * 200 + 4 * 20 + 2 * 4 * 10
    assert inner["bytes"] == 10 * (8 * 20 + 4 * 20 + 2 * 4)  # x again in each of ten executions


def test_loops_around_multiply(tmp_path: Path) -> None:
    text = """\
double a[100];
void f(int n) {
  for (int t = 0; t < 7; t++)
    for (int i = 1; i < 100; i++)
      a[i] = a[i] + t;
}
"""
    assert estimate(text, 4, tmp_path)["iterations"] == 7 * 99


def test_triangles_and_steps_are_counted_exactly(tmp_path: Path) -> None:
    text = """\
double a[99][99], b[99];
void triangle(void) {
  for (int i = 0; i < 99; i++)
    for (int j = 0; j < i; j++)
      for (int k = 0; k <= j; k++)
        a[i][j] += b[k];
}
void steps(void) {
  for (int i = 0; i < 10; i += 3)
    for (int j = 9; j > 2 * i - 4; j -= 2)
      b[j] += 1;
}
static void inner(void) {
  for (int i = 0; i < 20; i++)
    for (int j = i; j < 20; j++)
      for (int k = j; k < 20; k++)
        b[k] += 1;
}
void outer(int n) {
  for (int t = 0; t < 7; t++)
    inner();
}
"""
    report = report_of({"a.c": text}, tmp_path)
    made = [loop_at(report, line)["estimate"] for line in (3, 5, 9, 10, 20)]
    cubes = sum(j + 1 for i in range(99) for j in range(i))
    stepped = sum(len(range(9, 2 * i - 4, -2)) for i in range(0, 10, 3))
    assert [made[0]["operations"], made[1]["iterations"]] == pytest.approx([cubes, cubes])
    assert [made[2]["iterations"], made[3]["iterations"]] == pytest.approx([4, stepped])
    assert made[4]["operations"] == pytest.approx(7 * 20 * 21 * 22 / 6)


def test_bounds_that_data_or_other_loops_change_are_estimated(tmp_path: Path) -> None:
    text = """\
double x[99]; int start[99];
void rows(void) {
  for (int i = 0; i < 50; i++)
    for (int e = start[i]; e < start[i + 1]; e++)
      x[i] += 1;
  for (int i = 1; i < 64; i *= 2)
    for (int j = 0; j < i; j++)
      x[j] += 1;
}
"""
    report = report_of({"a.c": text}, tmp_path)
    assert loop_at(report, 4)["estimate"]["iterations"] == 50 * 16
    assert 32 < loop_at(report, 7)["estimate"]["iterations"] < 64 * 6


def test_functions_of_the_file_count_with_what_they_do(tmp_path: Path) -> None:
    text = """\
double a[10];
static double later(double x);
static double f(double x) { double s = 0; for (int k = 0; k < 50; k++) s += x * k; return s; }
void g(void) {
  for (int i = 0; i < 10; i++)
    a[i] = f(i) + later(i);
}
static double later(double x) { return x * x * x * x; }
"""
    assert estimate(text, 5, tmp_path)["operations"] == 10 * (2 * 50 + 3 + 1)


@pytest.mark.parametrize(
    ("declared", "call"),
    [
        ("static const way table[2] = {sum, most};", "table[i & 1](a)"),
        ("static const way table[2] = {[1] = sum, [0] = most};", "table[i & 1](a)"),
        (
            "struct ops { const char *name; way run; };"
            'static const struct ops all[2] = {{"sum", sum}, {"most", most}};',
            "all[i & 1].run(a)",
        ),
        (
            "struct ops { way run; }; static struct ops o = {.run = most}; void take(void) { o.run = sum; }",
            "(&o)->run(a)",
        ),
        (
            "typedef struct { way run; } ops; static ops o = {most};"
            "static void take(ops *p, way f) { p->run = f; } void t(void) { take(&o, sum); }",
            "o.run(a)",
        ),
        ("static way now = most; void take(int k) { now = k ? sum : most; }", "(*now)(a)"),
    ],
)
def test_calls_by_pointers_are_calls(declared: str, call: str, tmp_path: Path) -> None:
    """A loop of a function in a table is entered as often as the table is called, and counts there."""
    text = f"""\
static double sum(const double *x) {{ double s = 0;
  for (int k = 0; k < 50; k++) s += x[k];
  return s; }}
static double most(const double *x) {{ return x[0]; }} typedef double (*way)(const double *);
{declared}
int main(void) {{ double a[50] = {{0}}, s = 0;
  for (int i = 0; i < 3000; i++) s += {call};
  return s > 1; }}
"""
    report = report_of({"a.c": text}, tmp_path)
    assert loop_at(report, 2)["estimate"]["calls"] == 3000
    assert loop_at(report, 7)["estimate"]["operations"] >= 3000 * 50


def test_two_ends_that_nobody_knows_are_not_the_same(tmp_path: Path) -> None:
    text = "void f(double *x, int low, int high) {\n  for (int i = low; i <= high; i++) x[i] = 0;\n}\n"
    assert estimate(text, 2, tmp_path)["iterations"] == 1000


def test_recursion_ends(tmp_path: Path) -> None:
    text = "int f(int n) {\n  for (int i = 0; i < 9; i++)\n    n += f(i);\n  return n;\n}\n"
    assert 0 < estimate(text, 2, tmp_path)["operations"] <= 1e30


def test_constants_come_through_calls_and_variables(tmp_path: Path) -> None:
    text = """\
static int rows = 30;
static void fill(int n, double *a) {
  for (int i = 0; i < n; i++)
    a[i] = 0;
}
void both(double *a) {
  int n = 40;
  fill(n, a);
  fill(rows, a);
}
void moving(double *a, int m) {
  int k = 3;
  k += m;
  for (int i = 0; i < k; i++)
    a[i] = 0;
}
"""
    assert estimate(text, 3, tmp_path)["iterations"] == 40
    assert estimate(text, 14, tmp_path)["iterations"] == 1000


def test_numbers_stay_finite(tmp_path: Path) -> None:
    headers = "".join(f"  for (long i{k} = 0; i{k} < 2000000000; i{k}++)\n" for k in range(9))
    text = f"double s;\nvoid f(void) {{\n{headers}    s += 1;\n}}\n"
    assert estimate(text, 11, tmp_path)["operations"] == 1e30


def test_loops_of_macros_have_estimates_too(tmp_path: Path) -> None:
    text = (
        "double a[8];\n#define EACH for (int i = 0; i < 8; i++)\nvoid f(void) {\n  EACH\n    a[i] = 1;\n}\n"
    )
    report = report_of({"a.c": text}, tmp_path)
    assert loop_at(report, 4)["estimate"]["iterations"] == 8
    assert loop_at(report, 4)["header"] is None


def test_the_roofline_tells_memory_from_operations(tmp_path: Path) -> None:
    text = """\
double a[1000], b[1000];
void f(void) {
  for (int i = 0; i < 1000; i++)
    a[i] = b[i];
  for (int i = 0; i < 1000; i++)
    for (int k = 0; k < 1000; k++)
      a[i] += b[i] * k * k + 3 * k;
}
"""
    report = report_of({"a.c": text}, tmp_path)
    assert [bound_of(loop_at(report, line), DEFAULT) for line in (3, 5)] == ["memory", "compute"]
    first, second = view_of(report).ranking.order
    assert (first.loop["line"], second.loop["line"]) == (5, 3)
    assert first.seconds == pytest.approx(first.loop["estimate"]["operations"] * SCALAR / DEFAULT.double.one)
    assert first.together is not None and first.seconds is not None and first.together < first.seconds
    assert (first.share or 0) + (second.share or 0) == pytest.approx(1)
