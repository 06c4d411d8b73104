"""`compile` ends with how many loops run on the target, and why most of the others do not."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.support.batch_trees import cuvier

UNSIZED = """
void g(double *restrict p, const double *restrict q, const int *restrict at, int n) {
  for (int i = 0; i < n; i++)
    p[i] = q[at[i]];
  for (int i = 0; i < n; i++)
    p[i] = q[at[i]] * 2;
}
"""
MIXED = """
#include <stdio.h>
double a[1000], b[1000], grid[100][100];
void measure(int);
void f(double *p, double *q, int *at, int n) {
  for (int t = 0; t < 10; t++) {
    for (int i = 0; i < 1000; i++)
      a[i] = t * b[i];
    for (int i = 1; i < 1000; i++)
      b[i] = b[i - 1] + a[i] * b[i];
  }
  for (int i = 0; i < 100; i++)
    for (int j = 0; j < 100; j++)
      grid[i][j] = i * j;
  for (int i = 0; i < n; i++)
    p[i] = q[at[at[i]]];
  for (int i = 0; i < n; i++)
    p[i + 1] = q[at[at[i]]];
  for (int i = 0; i < n; i++)
    measure(i);
}
"""


def compiled(tmp_path: Path, text: str, *options: str) -> tuple[str, dict[str, object]]:
    """What is said at the end, and the summary as data."""
    (tmp_path / "app.c").write_text(text)
    done = cuvier(tmp_path, "compile", "app.c", "-o", "out", "--json", *options)
    assert done.returncode == 0
    summary = json.loads(done.stdout)["summary"]
    last = done.stderr.splitlines()[-1]
    assert last.endswith(summary["text"])
    return last, summary


def test_no_kernel_is_a_warning_that_says_what_to_try(tmp_path: Path) -> None:
    last, summary = compiled(tmp_path, UNSIZED, "--target", "cuda")
    assert last == (
        "cuvier: warning: 0 of 2 loops run on the GPU: the sizes of their arrays are unknown;"
        " --comm auto finds them at run time"
    )
    assert (summary["loops"], summary["run"]) == (2, 0)
    last, _ = compiled(tmp_path, UNSIZED, "--target", "cuda", "--comm", "auto")
    assert last == "cuvier: 2 of 2 loops run on the GPU"


def test_the_most_frequent_reason_comes_first_and_loops_around_kernels_do_not_count(tmp_path: Path) -> None:
    last, summary = compiled(tmp_path, MIXED, "--target", "cuda")
    assert last == (
        "cuvier: 3 of 7 loops run on the GPU, 4 do not (2 of them: their pointers may overlap);"
        " declare them restrict if they do not"
    )
    left = summary["left"]
    assert isinstance(left, list)
    assert [(each["loops"], each["lines"]) for each in left] == [(2, [15, 17]), (1, [9]), (1, [19])]
    assert left[1]["reason"] == "their iterations must run in order" and left[1]["hint"] is None
    assert left[2]["hint"] == "--effects FILE says what these do"


@pytest.mark.parametrize(
    ("target", "place"), [("openmp", "on threads (OpenMP)"), ("opencl", "on the OpenCL device")]
)
def test_targets_have_names(target: str, place: str, tmp_path: Path) -> None:
    last, _ = compiled(tmp_path, MIXED, "--target", target, "--without", "threshold")
    assert last.startswith(f"cuvier: 3 of 7 loops run {place}, 4 do not")


def test_one_loop_and_none(tmp_path: Path) -> None:
    text = "int a[9]; void f(void) { for (int i = 0; i < 9; i++) a[i] = i; }"
    last, _ = compiled(tmp_path, text, "--target", "c")
    assert last == "cuvier: 1 of 1 loop runs on the target c"
    last, _ = compiled(tmp_path, "int a;", "--target", "c")
    assert last == "cuvier: warning: app.c has no loops"


def test_short_loops_are_left(tmp_path: Path) -> None:
    last, _ = compiled(tmp_path, MIXED, "--target", "openmp")
    assert "warning: 0 of 8 loops" in last and "their iterations must run in order" in last
    text = "int a[9]; void f(void) { for (int i = 0; i < 9; i++) a[i] = i; }"
    last, _ = compiled(tmp_path, text, "--target", "openmp")
    assert last.endswith("they are too short for threads; --without threshold takes them anyway")


def test_what_one_kernel_lacks_is_said_in_its_own_words(tmp_path: Path) -> None:
    text = "double b[9]; void f(void) { typedef double real; for (int i = 0; i < 9; i++) b[i] = (real)i; }"
    last, _ = compiled(tmp_path, text, "--target", "opencl")
    assert "0 of 1 loop" in last and "'real'" in last and "CV401" not in last
    assert last.endswith("; --explain says more")


def test_short_loops_with_a_skeleton_by_name_are_taken(tmp_path: Path) -> None:
    text = "int a[9]; void f(void) { for (int i = 0; i < 9; i++) a[i] = i; }"
    last, _ = compiled(tmp_path, text, "--target", "openmp", "--skeleton", "app_k1=default")
    assert last == "cuvier: 1 of 1 loop runs on threads (OpenMP)"
