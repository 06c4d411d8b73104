"""Tables of rows that nobody knows to be apart: loops over them ask, and OpenMP programs test it."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest

from cuvier.pipeline.driver import annotate_file
from cuvier.pipeline.generate import generate
from skeletons import CompileOptions, Library, write_program
from species import AnalysisOptions, analyse, row_tests
from species.annotate import AnnotateOptions, strip
from species.facts.loops import ROWS_APART, Verdict
from species.row_tests import called_in
from species.source import PreprocessOptions, read_translation_unit
from tests.support.analysing import loops_of
from tests.support.places import TESTS

HEAD = """struct M { int n; double **rows; }; static double **G, **H;
struct L { int length; double *lane[64], *back[64]; }; static struct L one;
struct B { double x[3], v[3]; struct B *near; int id; }; struct W { int count; struct B **all; }; """
LOOP = "for (int i = 1; i < n; i++) for (int j = 0; j < n; j++)"
CONDITIONAL = {
    "one table": f"void f(int n, double **a) {{ {LOOP} a[i][j] *= 2; }}",
    "several tables": f"void f(int n, double **a, double **b) {{ {LOOP} a[i][j] = b[i - 1][j + 1]; }}",
    "a product": f"""void f(int n, float **a, float **b, float **c) {{
        {LOOP} for (int k = 0; k < n; k++) c[i][j] += a[i][k] * b[k][j]; }}""",
    "variables of the file": f"void f(int n) {{ {LOOP} H[i][j] = G[i][j] + G[i - 1][j]; }}",
    "an array of pointers": f"void f(int n, double *a[], double *b[30]) {{ {LOOP} a[i][j] = b[i][j]; }}",
    "members": f"void f(int n, struct M *a, struct M *b) {{ {LOOP} a->rows[i][j] = b->rows[i][j]; }}",
    "pointers to rows": """void f(int n, double **a, double **b) { for (int i = 0; i < n; i++) {
        double *p = a[i], *q = b[i]; for (int j = 0; j < n; j++) p[j] = q[j]; } }""",
    "beside an array": f"void f(int n, double **a, double *x) {{ {LOOP} a[i][j] = x[j]; }}",
    "a row that was taken before": f"""void f(int n, double **a) {{
        double *r = a[0]; {LOOP} a[i][j] = r[j]; }}""",
    "characters": f"void f(int n, char **a) {{ {LOOP} a[i][j] = j; }}",
    "characters of several tables": f"""void f(int n, unsigned char **a, unsigned char **b) {{
        {LOOP} a[i][j] = b[i - 1][j + 1]; }}""",
    "characters beside a table": f"void f(int n, char **a, char *x) {{ {LOOP} x[i * n + j] = a[i][j]; }}",
    "arrays in structures": f"void f(int n, struct L *a) {{ {LOOP} a->lane[j][i] = a->back[j][i]; }}",
    "arrays in structures that change": f"""void f(int n, struct L *a) {{
        {LOOP} a->lane[i][j] = a->length; a->length = n; }}""",
    "arrays in a variable": f"void f(int n) {{ {LOOP} one.lane[i][j] = one.back[j][i]; }}",
    "arrays in elements": f"""void f(int n, int k, struct L *a) {{
        {LOOP} a[k].lane[i][j] = a[k].back[0][j]; }}""",
    "planes": f"void f(int n, double ***a) {{ {LOOP} for (int k = 0; k < n; k++) a[i][j][k] = j; }}",
    "planes beside rows": f"""void f(int n, double ***a, double **b, double *c) {{
        {LOOP} for (int k = 0; k < n; k++) a[i][j][k] = b[j][k] + c[k]; }}""",
    "rows of planes": """void f(int n, double ***a, double ***b) { for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++) { double *p = a[i][j];
        for (int k = 0; k < n; k++) p[k] = b[j][i][k]; } }""",
    "structures": """void f(int n, struct B **all) {
        for (int i = 0; i < n; i++) {
            struct B *b = all[i]; for (int d = 0; d < 3; d++) b->x[d] += b->v[d]; } }""",
    "structures that a structure leads to": """void f(struct W *w) {
        for (int i = 0; i < w->count; i++) { w->all[i]->v[0] = w->all[i]->x[1]; w->all[i]->x[2] = i; } }""",
    "arrays of structures": f"void f(int n, struct B **all) {{ {LOOP} all[i][j].x[0] = all[i][j].id; }}",
    "structures beside an array": """void f(int n, struct B **all, const double *x) {
        for (int i = 0; i < n; i++) all[i]->v[2] = x[i]; }""",
    "a transposition": """void f(int n, double **a) {
        for (int i = 0; i < n; i++) for (int j = 0; j < i; j++)
        { double t = a[i][j]; a[i][j] = a[j][i]; a[j][i] = t; } }""",
}
SERIAL = {
    "one row after the other": f"void f(int n, double **a) {{ {LOOP} a[i][j] = a[i - 1][j]; }}",
    "at unknown rows": "void f(int n, double **a, int *k) { for (int i = 0; i < n; i++) a[k[i]][0] = i; }",
    "rows that are set": f"void f(int n, double **a) {{ {LOOP} {{ a[i] = a[0]; a[i][j] = j; }} }}",
    "rows that are moved": f"void f(int n, double **a) {{ {LOOP} {{ a[i]++; a[i][j] = j; }} }}",
    "a table that is set": f"""void f(int n, double **a, double **b) {{
        {LOOP} {{ a[i][j] = j; a = j & 1 ? a : b; }} }}""",
    "characters of the table": f"""void f(int n, char **a) {{
        {LOOP} {{ a[i][j] = j; ((char *)a)[i] = a[i][j]; }} }}""",
    "a structure that is set": f"""void f(int n, struct L *a) {{
        {LOOP} {{ a->lane[i][j] = j; a->lane[0]++; }} }}""",
    "rows of structures that data choose": f"""void f(int n, struct L *a, int *k) {{
        {LOOP} a->lane[k[i]][j] = j; }}""",
    "tables of tables that are set": f"""void f(int n, double ***a, double **b) {{
        {LOOP} {{ a[i][j][0] = j; a[i] = b; }} }}""",
    "planes in triangles": """void f(int n, double ***a) {
        for (int i = 0; i < n; i++) for (int j = 0; j <= i; j++) a[i][j][0] = j; }""",
    "every second plane": """void f(int n, double ***a) {
        for (int i = 0; i < n; i += 2) for (int j = 0; j < n; j++) a[i][j][0] = j; }""",
    "the diagonal of planes": "void f(int n, double ***a) { for (int i = 0; i < n; i++) a[i][i][0] = i; }",
    "two rows of planes": """void f(int n, double ***a) {
        for (int i = 0; i < n; i++) { a[i][0][0] = i; a[i][n - 1][0] = i; } }""",
    "rows of planes on a condition": f"""void f(int n, double ***a) {{
        {LOOP} if (i + j < 4) a[i][j][0] = j; }}""",
    "a triangle of planes": f"void f(int n, double ***a) {{ {LOOP} if (j < i) a[i][j][0] = j; }}",
    "planes where more columns are than rows": f"""void f(int n, double ***a) {{
        {LOOP} for (int k = 0; k < i - j; k++) a[i][j][k] = j; }}""",
    "one structure after the other": """void f(int n, struct B **all) {
        for (int i = 1; i < n; i++) all[i]->x[0] = all[i - 1]->x[0]; }""",
    "structures that others lead to": """void f(int n, struct B **all) {
        for (int i = 0; i < n; i++) all[i]->x[0] = all[i]->near->x[0]; }""",
    "structures at places that data choose": """void f(int n, struct B **all, int *k) {
        for (int i = 0; i < n; i++) all[k[i]]->id = i; }""",
    "structures that are set": """void f(int n, struct B **all) {
        for (int i = 0; i < n; i++) { all[i] = all[0]; all[i]->id = i; } }""",
    "structures as bytes": """void f(int n, struct B **all) {
        for (int i = 0; i < n; i++) { char *c = (char *)all[i]; for (int k = 0; k < n; k++) c[k] = k; } }""",
    "structures that are longer than they say": """struct V { int n; double x[]; };
        void f(int n, struct V **all) { for (int i = 0; i < n; i++) all[i]->x[2] = i; }""",
    "structures on a condition": """void f(int n, struct B **all, const int *k) {
        for (int i = 0; i < n; i++) if (k[i]) all[i]->id = i; }""",
    "every second table": """void f(int n, double ***a) {
        for (int i = 1; i < n; i++) if (i % 2) a[i][0][0] = 5; }""",
    "planes one after the other": f"void f(int n, double ***a) {{ {LOOP} a[i][j][0] = a[i - 1][j][0]; }}",
    "tables of tables of tables": f"void f(int n, double ****a) {{ {LOOP} a[i][j][i][j] = j; }}",
    "as two types": f"void f(int n, double **a, float **b) {{ {LOOP} ((float *)a[i])[j] = b[i][j]; }}",
    "at rows that data choose": f"""void f(int n, double **a, double *x) {{
        {LOOP} if (x[j] > 0) a[i][j] = x[i]; }}""",
}


@pytest.mark.parametrize("name", CONDITIONAL)
def test_asks_for_rows(name: str) -> None:
    loop = loops_of(HEAD + CONDITIONAL[name])[0]
    assert loop.verdict is Verdict.CONDITIONAL and called_in(" ".join(loop.conditions)), loop.reasons


@pytest.mark.parametrize("name", SERIAL)
def test_is_serial(name: str) -> None:
    assert loops_of(HEAD + SERIAL[name])[0].verdict is Verdict.SERIAL


def test_rows_that_are_known_are_not_asked_for() -> None:
    text = f"""void *malloc(unsigned long); double f(int n) {{ double **a = malloc(n * sizeof *a);
        for (int i = 0; i < n; i++) a[i] = malloc(n * sizeof **a);
        {LOOP} a[i][j] = i; return a[1][1]; }}"""
    assert loops_of(text)[1].verdict is Verdict.PARALLEL


PROGRAM = TESTS / "tables.c"


@pytest.mark.sampled(3)
@pytest.mark.skipif(not shutil.which("gcc"), reason="needs gcc")
@pytest.mark.parametrize("without", [(), ("threshold",), ("jam", "threshold")])
def test_programs_over_tables(without: tuple[str, ...], tmp_path: Path) -> None:
    """Also where rows overlap, tables are one, or are not there because nothing is to be done."""
    unit = read_translation_unit(str(PROGRAM), PreprocessOptions())
    options, analysis = CompileOptions(without=frozenset(without)), AnalysisOptions(scops=True)
    facts = analyse(unit, analysis)
    program = generate(unit, facts, "openmp", Library.load(), PreprocessOptions(), analysis, options)
    write_program(program, tmp_path / "out")
    assert program.files["tables.c"].count(ROWS_APART) > 5
    flags = "-O1 -Wall -Wextra -Werror -fopenmp -fsanitize=address,undefined -fno-sanitize-recover"
    subprocess.run(["make", "-s", "-C", tmp_path / "out", f"CFLAGS={flags}"], check=True)
    subprocess.run(["gcc", "-O1", PROGRAM, "-o", tmp_path / "plain"], check=True)
    environment = {"ASAN_OPTIONS": "detect_leaks=0", "OMP_NUM_THREADS": "4"}
    binaries = (tmp_path / "out" / "tables", tmp_path / "plain")
    found, expected = (
        subprocess.run([b], check=True, capture_output=True, text=True, env=environment).stdout
        for b in binaries
    )
    assert found == expected


@pytest.mark.skipif(not shutil.which("gcc"), reason="needs gcc")
def test_annotated_programs_over_tables(tmp_path: Path) -> None:
    """A function that tests the rows stands before the first one that needs it, and goes again."""
    text = PROGRAM.read_text()
    found = annotate_file(PROGRAM, PreprocessOptions(), AnnotateOptions("openmp"))
    pragmas = [line for line in (found.after or "").split("\n") if "#pragma" in line and ROWS_APART in line]
    assert len(pragmas) > 4 and found.after is not None
    assert found.after.count(f"static int {ROWS_APART}") == 1 and strip(found.after) == text
    (tmp_path / "tables.c").write_text(found.after)
    again = annotate_file(tmp_path / "tables.c", PreprocessOptions(), AnnotateOptions("openmp"))
    assert again.after == found.after
    flags = ["-O1", "-Wall", "-Wextra", "-Werror", "-fopenmp", "-fsanitize=address,undefined"]
    subprocess.run(["gcc", *flags, tmp_path / "tables.c", "-o", tmp_path / "marked"], check=True)
    subprocess.run(["gcc", "-O1", PROGRAM, "-o", tmp_path / "plain"], check=True)
    environment = {"ASAN_OPTIONS": "detect_leaks=0", "OMP_NUM_THREADS": "4"}
    marked, plain = (
        subprocess.run([tmp_path / name], check=True, capture_output=True, env=environment).stdout
        for name in ("marked", "plain")
    )
    assert marked == plain


@pytest.mark.parametrize("line", ["#define table 3", "#define count rows", "int cuvier_rows_apart;"])
def test_no_function_is_put_where_it_would_mean_something_else(line: str, tmp_path: Path) -> None:
    text = f"{line}\nvoid f(int n, double **a) {{ {LOOP} a[i][j] *= 2; }}\n"
    (tmp_path / "f.c").write_text(text)
    assert annotate_file(tmp_path / "f.c", PreprocessOptions(), AnnotateOptions("openmp")).after == text


@pytest.mark.skipif(not shutil.which("gcc"), reason="needs gcc")
@pytest.mark.parametrize("sorting", [False, True])
def test_the_functions_agree_with_looking_at_all_pairs_of_rows(sorting: bool, tmp_path: Path) -> None:
    """And where both tables are in order, or sorted, they find what there is to find."""
    flags = ["-O1", "-Wall", "-Wextra", "-Werror", "-fsanitize=undefined", "-fno-sanitize-recover"]
    flags += ["-DSORTING"] if sorting else []
    source, folder = TESTS / "rows_apart.c", Path(row_tests.__file__).parent
    subprocess.run(["gcc", *flags, f"-I{folder}", source, "-o", tmp_path / "rows"], check=True)
    out = subprocess.run([tmp_path / "rows"], check=True, capture_output=True, text=True).stdout
    apart, wrong, missed = map(int, out.split())
    assert apart > 10_000 and wrong == missed == 0
