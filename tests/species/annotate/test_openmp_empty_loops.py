"""OpenMP evaluates headers before the loop: what C never evaluates where a loop is empty must not trap."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from species import analyse
from species.annotate import AnnotateOptions, annotate
from species.source import PreprocessOptions, read_translation_unit
from tests.support.analysing import loops_of

TRAPS = {  # what the inner header says of the number of iterations
    "a division": "int j = 0; j < 100 / k; j++",
    "a remainder": "int j = 10 % k; j < 10; j++",
    "a cell": "int j = 0; j < q[0]; j++",
    "a start": "int j = q[1]; j < 10; j++",
    "a pointer": "int j = 0; j < *q; j++",
    "a member": "int j = 0; j < d->m; j++",
}
OUTER = {"may be empty": "int i = 0; i < n; i++", "is not empty": "int i = 0; i < 7; i++"}
PROGRAM = """
static double A[10][100];
struct data {{ int m; }};
__attribute__((noinline)) void f(int n, int k, const int *q, const struct data *d) {{
  {before}
  for ({outer})
    for ({inner})
      A[i][j] = 1;
}}
int main(void) {{
  int q[2] = {{3, 4}};
  struct data d = {{5}};
  f(0, 0, 0, 0);
  f(10, 30, q, &d);
  return 0;
}}"""


def annotated(inner: str, outer: str, before: str = "") -> str:
    text = PROGRAM.format(inner=inner, outer=outer, before=before)
    facts = analyse(read_translation_unit("/tmp/empty.c", PreprocessOptions(), text=text))
    marked = annotate(text, facts, AnnotateOptions(style="openmp"))
    assert "#pragma omp parallel for" in marked
    return marked


@pytest.mark.parametrize("name", TRAPS)
def test_empty_loops_do_not_trap(name: str, tmp_path: Path) -> None:
    source, program = tmp_path / "empty.c", tmp_path / "empty"
    source.write_text(annotated(TRAPS[name], OUTER["may be empty"]))
    subprocess.run(["gcc", "-fopenmp", str(source), "-o", str(program)], check=True)
    subprocess.run([program], env={"OMP_NUM_THREADS": "2"}, check=True)


@pytest.mark.parametrize("name", TRAPS)
def test_is_collapsed_where_the_outer_loops_run(name: str) -> None:
    assert "collapse" not in annotated(TRAPS[name], OUTER["may be empty"])
    assert "collapse(2)" in annotated(TRAPS[name], OUTER["is not empty"])


def test_is_collapsed_where_nothing_traps() -> None:
    assert "collapse(2)" in annotated("int j = 0; j < 2 * k + 1; j++", OUTER["may be empty"])


def test_all_outer_loops_have_to_run() -> None:
    """The innermost header is evaluated where only the outermost loop is empty, too."""
    text = """
        double A[10][10][10];
        void f(int n, const int *restrict q) {
          for (int i = 0; i < n; i++)
            for (int j = 0; j < 10; j++)
              for (int k = 0; k < q[0]; k++)
                A[i][j][k] = 1;
        }"""
    facts = analyse(read_translation_unit("/tmp/empty.c", PreprocessOptions(), text=text))
    assert [loop.collapse for loop in facts.loops] == [2, 2, 1]  # not 3


def test_loops_are_not_joined_where_an_empty_one_would_keep_a_live_iterator() -> None:
    """Of loops that are joined, and make no iteration together, none sets its iterator: `i` is 3 here."""
    nest = "for (i = 0; i < 3; i++) for (j = 0; j < m; j++) a[i * 9 + j] = j;"
    live = loops_of(f"int a[99]; int f(int m) {{ int i, j; if (m < 9) {nest} else i = 1; return i; }}")[0]
    dead = loops_of(f"int a[99]; void f(int m) {{ int i, j; if (m < 9) {nest} }}")[0]
    full = loops_of(f"int a[99]; int f(void) {{ int i, j; {nest.replace('< m', '< 8')} return i; }}")[0]
    assert (live.collapse, dead.collapse, full.collapse) == (1, 2, 2)
