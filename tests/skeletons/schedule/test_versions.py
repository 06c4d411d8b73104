"""Loops that are entered often stand in a program twice: with threads, and as they are."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from skeletons.catalogue.passes import FEEDBACK
from tests.skeletons.program.test_sizes import program_of

NEST = """
struct block { double *x; int n; };
static double other(double s) { return s / 2; }
static void apply(struct block *b, double gain) {
  for (int i = 0; i < b->n; i++) {
    double s = 0;
    for (int k = 0; k < b->n; k++)
      s += gain / (1 + k);
    BODY
  }
}
int main(int argc, char **argv) {
  static double x[1000];
  struct block b = {x, 1000 - argc};
  for (int t = 0; t < TIMES; t++) {
    apply(&b, t);
    b.x[0] = b.x[b.n - 1];
  }
  return x[3] > 1;
}
"""


def compiled(times: int, body: str = "b->x[i] = b->x[i] * gain + s;", *, measured: bool = True) -> str:
    text = NEST.replace("TIMES", str(times)).replace("BODY", body)
    without = frozenset(() if measured else (FEEDBACK,))
    return program_of(text, "openmp", preferred=("default",), without=without).files["sized.c"]


@pytest.mark.parametrize(
    ("measured", "asked"),
    [(True, "cuvier_share(&trial, 1.0 * (b_n_1))"), (False, "cuvier_threads() > 1")],
)
def test_the_loop_as_it_is_stands_beside_the_one_with_threads(measured: bool, asked: str) -> None:
    text = compiled(1000, measured=measured)
    head = text[text.index("if (((") : text.index("{\n  #pragma omp parallel")]
    assert head == f"if (((double)b_n_1 * b_n_1 > 20000) && {asked}) "
    assert " if(" not in text
    assert "  } else {\n      for (int i = 0; i < b_n_1; i++) {" in text
    assert text.count("b_x_1[i] = b_x_1[i] * gain + s;") == 2


def test_a_loop_that_is_entered_seldom_has_a_clause() -> None:
    text = compiled(3)
    assert "#pragma omp parallel for if((double)b_n_1 * b_n_1 > 20000)" in text
    assert text.count("b_x_1[i] = b_x_1[i] * gain + s;") == 1


@pytest.mark.parametrize(
    "body",
    [
        "if (s < 0) goto next; b->x[i] = s; next: ;",
        "b->x[i] = s;\n if (s > 1) s = other(s);",
        "\n#ifdef EXTRA\n b->x[i] = 0;\n#endif\n b->x[i] = s;",
    ],
    ids=["a label", "a call", "a preprocessor line"],
)
def test_what_cannot_stand_twice_has_a_clause(body: str) -> None:
    text = compiled(1000, body)
    assert "} else {" not in text
    assert text.count("b->x[i] = s;") + text.count("b_x_1[i] = s;") == 1


@pytest.mark.parametrize(
    "body",
    [
        "switch (i % 3) { case 0: s = 1; break; default: s = 2; } b->x[i] = s;",
        "b->x[i] = s > 0 ? gain : s;",
    ],
    ids=["case", "conditional operator"],
)
def test_other_colons_are_no_labels(body: str) -> None:
    assert "} else {" in compiled(1000, body)


@pytest.mark.parametrize(
    ("header", "schedule"),
    [
        ("int i = 0; i < n; i++", True),
        ("size_t i = n - 9ul; i < 600; i++", False),
    ],
    ids=["int", "size_t"],
)
def test_gcc_gets_no_schedule_with_which_it_makes_other_iterations(header: str, schedule: bool) -> None:
    text = f"""#include <stddef.h>
    void f(double *restrict a, const double *restrict b, unsigned n) {{
        for ({header}) {{ double x = b[i]; while (x > 1) x = x / 2; a[i] = x; }} }}"""
    found = program_of(text, "openmp", without=frozenset({"threshold"})).files["sized.c"]
    assert "omp parallel for" in found and ("schedule(" in found) is schedule


def test_copies_of_a_loop_hang_on_no_size() -> None:
    """Its numbers stand there twice, and are the user's: the macro may have any value."""
    text = NEST.replace("k < b->n", "k < N").replace("TIMES", "1000").replace("BODY", "b->x[i] = 37 * s;")
    text = "#ifndef N\n#define N 60\n#endif\n" + text
    program = program_of(text, "openmp", preferred=("default",)).files["sized.c"]
    assert program.count("37 * s;") == 2 and "_Static_assert" not in program


PART = """\
int widest(const int *w, int n, int *last)
{
  int i, m = 0;
  for (i = 0; i < n; i++) if (w[i] > m) m = w[i];
  *last = i;
  return m;
}
void turned(int n, double a[restrict][n], const double b[restrict][n])
{
  for (int i = 0; i < n; i++) for (int j = 0; j < n; j++) a[j][i] = b[j][i] + 1;
}
static double half(double x) { return x / 2; }
void halved(double *x, int n) { for (int i = 0; i < n; i++) x[i] = half(x[i]); }
"""


def test_nobody_knows_how_often_other_files_call_a_part() -> None:
    alone, part = (program_of(PART, "openmp", part=each).files["sized.c"] for each in (False, True))
    assert "} else {" not in alone and alone.count(" if(") == 3
    assert " if(" not in part and part.count("} else {") == 3
    assert part.count("if (w[i] > m) m = w[i];") == part.count("x[i] = half(x[i]);") == 2
    assert "for (i = 0; i < n; i++) { } /* the values that the iterators keep */\n  } else {" in part
    assert "} else {\nfor (int i = 0; i < n; i++) for (int j = 0; j < n; j++) a[j][i]" in part


CHECKED = """\
#include <stdio.h>
static double a[300][300], b[300][300];
static int w[900000];
int main(void)
{
  double sum = 0;
  for (int i = 0; i < 900000; i++) w[i] = i % 1013;
  for (int n = 3; n < 1000000; n *= 7) {
    int last;
    if (n < 300)
      turned(n, (double (*)[n])a, (const double (*)[n])b);
    sum += widest(w, n < 900000 ? n : 900000, &last) + last + a[0][1];
    halved(a[0], n < 300 ? n : 300);
  }
  printf("%g\\n", sum);
  return 0;
}
"""


def test_both_versions_compute_the_same(tmp_path: Path) -> None:
    part = program_of(PART, "openmp", part=True).files["sized.c"]
    told = set()
    for name, text, flag in (("plain", PART, "-O1"), ("part", part, "-fopenmp")):
        source = tmp_path / f"{name}.c"
        source.write_text(text + CHECKED)
        subprocess.run(["gcc", "-w", flag, str(source), "-o", str(tmp_path / name)], check=True)
        told.add(subprocess.run([tmp_path / name], capture_output=True, text=True, check=True).stdout)
    assert len(told) == 1


def test_nests_whose_bounds_are_choices_ask_for_a_size() -> None:
    text = program_of(
        "void f(int start, int end, float *restrict x)\n{\n  for (int i = start; i < end; i++)\n  {\n"
        "    if (i < 8)\n      x[i] *= 2;\n    if (i >= 12)\n      x[i] = .5f * x[i];\n  }\n}\n",
        "openmp",
        part=True,
    ).files["sized.c"]
    assert "#pragma omp parallel" in text and text.count("> 20000") + text.count("> 10000") == 1
