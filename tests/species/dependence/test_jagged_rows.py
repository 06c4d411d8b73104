"""Rows behind members of a table's elements, also of a length each: tested before loops over them."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest

from cuvier.pipeline.driver import annotate_file
from cuvier.pipeline.generate import generate
from skeletons import CompileOptions, Library, write_program
from species import AnalysisOptions, analyse
from species.annotate import AnnotateOptions, strip
from species.facts.loops import MEMBERS_APART, Verdict
from species.row_tests import functions
from species.source import PreprocessOptions, read_translation_unit
from tests.oracle.lengths import however_short
from tests.support.analysing import loops_of
from tests.support.places import TESTS

HEAD = """struct R { int n; double *v, *w; short s; struct { float *p; } in; };
struct P { struct R *r, own[9]; long c; }; static struct R here[20];
struct Q { unsigned char *b; int n, *q; }; """
ROWS = "for (int k = 0; k < n; k++)"
LOOP = f"{ROWS} for (int i = 0; i < m; i++)"
EACH = f"{ROWS} for (int i = 0; i < r[k].n; i++)"
CONDITIONAL = {
    "members": f"void f(int n, int m, struct R *r) {{ {LOOP} r[k].v[i] = r[k].w[i]; }}",
    "one table of another row": f"void f(int n, int m, struct R *r) {{ {LOOP} r[k].v[i] *= r[k].w[0]; }}",
    "members of members": f"""void f(int n, int m, struct R *r, float **t) {{
        {LOOP} r[k].in.p[i] = t[k][i]; }}""",
    "columns": "void f(int n, int m, struct R *r) { for (int i = 0; i < m; i++) "
    f"{ROWS} r[k].v[i] = 2 * r[k].w[i]; }}",
    "a table behind a member": f"void f(int n, int m, struct P *p) {{ {LOOP} p->r[k].v[i]++; }}",
    "a table in a structure": f"void f(int n, int m, struct P *p) {{ {LOOP} p->own[k].v[i]++; }}",
    "a table of the file": f"void f(int n, int m) {{ {LOOP} here[k].v[i] = here[k].w[i]; }}",
    "beside an array": f"void f(int n, int m, struct R *r, double *x) {{ {LOOP} r[k].v[i] = x[i]; }}",
    "lengths": f"void f(int n, struct R *r) {{ {EACH} r[k].v[i] = 2 * r[k].w[i]; }}",
    "lengths less one": f"""void f(int n, struct R *r) {{
        {ROWS} for (int i = 1; i < r[k].n - 1; i++) r[k].v[i] = r[k].w[i - 1] + r[k].w[i + 1]; }}""",
    "lengths in an array": f"""void f(int n, int *m, double **t) {{
        {ROWS} for (int i = 0; i < m[k]; i++) t[k][i]++; }}""",
    "from the end": f"""void f(int n, struct R *r) {{
        {ROWS} for (int i = r[k].n - 1; i >= 0; i--) r[k].v[i] = i; }}""",
    "sums": f"void f(int n, struct R *r, double *s) {{ {EACH} s[k] += r[k].v[i]; }}",
    "numbers that may be lengths": f"""void f(int n, struct Q *r) {{ {EACH} r[k].q[i] = i; }}""",
    "bytes that may be lengths": f"""void f(int n, struct Q *r) {{ {EACH} r[k].b[i] = i; }}""",
    "an array as long as a row": f"""void f(int n, struct R *r, double *x) {{ {EACH} r[k].v[i] = x[i]; }}""",
    "through a pointer": f"""void f(int n, struct R *r) {{ {ROWS} {{ struct R *each = &r[k];
        for (int i = 0; i < each->n; i++) each->v[i] = 0.5 * each->w[i]; }} }}""",
}
SERIAL = {
    "the row before": f"void f(int n, int m, struct R *r) {{ {LOOP} r[k + 1].v[i] = r[k].v[i]; }}",
    "rows that data choose": f"void f(int n, int m, int *d, struct R *r) {{ {LOOP} r[d[k]].v[i] = i; }}",
    "pointers that are set": f"""void f(int n, int m, struct R *r, double *x) {{
        {ROWS} {{ r[k].v = x; for (int i = 0; i < m; i++) r[k].v[i] = i; }} }}""",
    "pointers that move": f"void f(int n, int m, struct R *r) {{ {LOOP} *r[k].v++ = i; }}",
    "the length of another row": f"""void f(int n, struct R *r) {{
        {ROWS} for (int i = 0; i < r[k + 1].n; i++) r[k].v[i] = i; }}""",
    "lengths that are set": f"void f(int n, struct R *r) {{ {EACH} {{ r[k].v[i] = i; r[k].n--; }} }}",
    "numbers that may be lengths elsewhere": f"""void f(int n, int *m, int **t) {{
        {ROWS} for (int i = 0; i < m[k]; i++) t[k][i] = i; }}""",
    "two lengths": f"""void f(int n, int *m, struct R *r) {{
        {ROWS} for (int i = 0; i < r[k].n && i < m[k]; i++) r[k].v[i] = i; }}""",
    "short lengths": f"""void f(int n, struct R *r) {{
        {ROWS} for (int i = 0; i < r[k].s; i++) r[k].v[i] = i; }}""",
    "cells that depend on the row": f"""void f(int n, struct R *r) {{
        {ROWS} for (int i = 0; i < r[k].n; i++) r[k].v[i + k] = i; }}""",
    "where data say so": f"void f(int n, struct R *r) {{ {EACH} if (r[k].w[0] > 0) r[k].v[i] = i; }}",
}


@pytest.mark.parametrize("name", CONDITIONAL)
def test_asks_for_rows(name: str) -> None:
    loop = loops_of(HEAD + CONDITIONAL[name])[0]
    assert loop.verdict is Verdict.CONDITIONAL and MEMBERS_APART in " ".join(loop.conditions), loop.reasons


@pytest.mark.parametrize("name", SERIAL)
def test_is_serial(name: str) -> None:
    assert loops_of(HEAD + SERIAL[name])[0].verdict is Verdict.SERIAL


PROGRAM = TESTS / "jagged.c"
CHECKED = ["-O0", "-Wall", "-Wextra", "-Werror", "-fopenmp", "-fsanitize=address,undefined"]
ENVIRONMENT = {"ASAN_OPTIONS": "detect_leaks=0", "OMP_NUM_THREADS": "4"}


@pytest.mark.skipif(not shutil.which("gcc"), reason="needs gcc")
def test_programs_over_jagged_rows(tmp_path: Path) -> None:
    """Also where rows overlap, are empty, stand in no order, or are not there; annotated and compiled."""
    found = annotate_file(PROGRAM, PreprocessOptions(), AnnotateOptions("openmp"))
    assert found.after is not None and strip(found.after) == PROGRAM.read_text()
    assert found.after.count(MEMBERS_APART) > 10 and found.after.count("#pragma omp") > 12
    (tmp_path / "marked.c").write_text(however_short(found.after))
    unit, options = (
        read_translation_unit(str(PROGRAM), PreprocessOptions()),
        CompileOptions(without=frozenset(["threshold"])),
    )
    analysis = AnalysisOptions(scops=True)
    program = generate(
        unit, analyse(unit, analysis), "openmp", Library.load(), PreprocessOptions(), analysis, options
    )
    write_program(program, tmp_path / "out")
    assert program.files["jagged.c"].count(MEMBERS_APART) > 10
    made = tmp_path / "out/jagged.c"
    made.write_text(however_short(made.read_text()))
    sources = {"plain": PROGRAM, "marked": tmp_path / "marked.c", "made": made}
    outputs = set()
    for name, source in sources.items():
        flags = CHECKED if name != "plain" else ["-O1"]
        subprocess.run(["gcc", *flags, source, "-o", tmp_path / name, "-lm"], check=True)
        done = subprocess.run([tmp_path / name], check=True, capture_output=True, env=ENVIRONMENT)
        outputs.add(done.stdout)
    assert len(outputs) == 1


LENGTHS = """#include <stdlib.h>
#include <stdio.h>
%s
struct row { int n; double *v; };
static int is_tested(struct row *r, int rows, int work)
{
  return cuvier_members_apart(&r->v, sizeof *r, &r->n, sizeof *r, -4, work, 0, rows - 1, 0, -1, sizeof *r->v,
                              0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0);
}
int main(void)
{
  static struct row r[400];
  static double cells[400 * 100];
  for (int way = 0; way < 4; way++) {
    for (int k = 0; k < 400; k++) r[k].v = cells + 100 * k;
    for (int k = 0; k < 400; k++) r[k].n = way == 0 ? 3 : way == 1 ? 100 : way == 2 ? k %% 2 * 100 : 70;
    int rows = way == 3 ? 40 : 400;
    printf("%%d%%d ", is_tested(r, rows, 1), is_tested(r, rows, 8));
  }
  return 0;
}"""


@pytest.mark.skipif(not shutil.which("gcc"), reason="needs gcc")
def test_short_rows_are_not_tested(tmp_path: Path) -> None:
    """It would take longer than to use them, unless that takes long itself; so would starting threads."""
    (tmp_path / "t.c").write_text(LENGTHS % functions((MEMBERS_APART,), sorting=True))
    subprocess.run(["gcc", "-O0", tmp_path / "t.c", "-o", tmp_path / "t"], check=True)
    done = subprocess.run([tmp_path / "t"], check=True, capture_output=True, text=True)
    assert done.stdout.split() == ["00", "11", "01", "01"]
