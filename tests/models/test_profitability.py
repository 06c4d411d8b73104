"""Which loops are worth threads or a launch: how often they are entered counts, and who calls them."""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path

import pytest

from cuvier.pipeline.driver import analyse_file, annotate_file
from models.launches import not_worth_launching
from models.machine import ASSUMED, DEFAULT, Machine
from models.profitability import Worth, decide
from species.annotate import AnnotateOptions
from species.source import PreprocessOptions

SMOOTH = """\
void smooth(int n, float *restrict a, const float *restrict c)
{
  for (int i = 4; i < n; i++) {
    float s = 0;
    for (int r = 1; r <= 4; r++)
      s += c[r] * a[i - r];
    a[i] = s;
  }
}
"""
HELPER = """\
#include <stddef.h>
@ float gap(const float *p, const float *q, int m)
{
  float d = 0;
  for (int k = 0; k < m; k++)
    d += (p[k] - q[k]) * (p[k] - q[k]);
  return d;
}
void all(const float *restrict x, int n, const float *restrict y, int many, int m, float *restrict to)
{
  for (int j = 0; j < many; j++) {
    float least = 1e30f;
    for (int i = 0; i < n; i++) {
      float g = gap(x + (size_t)i * m, y + (size_t)j * m, m);
      if (g < least)
        least = g;
    }
    to[j] = least;
  }
}
"""


def decided(text: str, folder: Path, machine: Machine = DEFAULT) -> dict[int, Worth]:
    """By line; loops inside of those that threads share are missing."""
    source = folder / "app.c"
    source.write_text(text)
    found = analyse_file(source, PreprocessOptions())
    assert found.unit is not None
    worths = decide(found.unit, found.facts, machine)
    return {loop.position.line: worths[loop.id] for loop in found.facts.loops if loop.id in worths}


def launched(text: str, folder: Path) -> set[int]:
    """The lines of parallel loops that are worth a launch."""
    source = folder / "app.c"
    source.write_text(text)
    found = analyse_file(source, PreprocessOptions())
    assert found.unit is not None
    short = not_worth_launching(found.unit, found.facts, DEFAULT, ASSUMED)
    return {loop.position.line for loop in found.facts.loops if loop.kernel and loop.id not in short}


def test_a_tiny_loop_in_a_recurrence_gets_nothing(tmp_path: Path) -> None:
    worth = decided(SMOOTH, tmp_path)[5]
    assert not worth.region and worth.entered > 100 and worth.trips == 4
    assert "entered about 1,000 times" in worth.why
    assert launched(SMOOTH, tmp_path) == set()


def test_the_loop_around_the_calls_gets_the_region(tmp_path: Path) -> None:
    worths = decided(HELPER.replace("@", "static"), tmp_path)
    assert worths[11].region and "many * n" in worths[11].asked
    assert not worths[5].region and "'all'" in worths[5].why


def test_others_may_call_a_helper_that_is_not_static(tmp_path: Path) -> None:
    worth = decided(HELPER.replace("@", ""), tmp_path)[5]
    assert not worth.region and "entered about" in worth.why  # it is short, too


def test_a_helper_with_much_to_do_keeps_its_threads(tmp_path: Path) -> None:
    text = """\
static void step(int n, double *restrict to, const double *restrict from)
{
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++)
      to[i * n + j] = 2 * from[i * n + j];
}
void run(int n, int times, double *restrict to, const double *restrict from)
{
  for (int t = 0; t < times; t++)
    step(n, to, from);
}
"""
    worth = decided(text, tmp_path)[3]
    assert worth.region and worth.asked and worth.entered == 1000
    assert 3 in launched(text, tmp_path)


def test_constants_come_through_calls(tmp_path: Path) -> None:
    text = """\
static void set(double *to, int n) { for (int i = 0; i < n; i++) to[i] = 1; }
void once(double *a) { set(a, 1000000); }
"""
    assert decided(text, tmp_path)[1].region
    assert not decided(text.replace("1000000", "100"), tmp_path)[1].region


def test_called_through_a_pointer_is_called_often(tmp_path: Path) -> None:
    text = """\
#include <stdlib.h>
static int order(const void *p, const void *q) {
  const int *a = p, *b = q;
  int d = 0;
  for (int i = 0; i < 8; i++)
    d += a[i] - b[i];
  return d;
}
void sort(int (*rows)[8], size_t n) { qsort(rows, n, sizeof *rows, order); }
"""
    worth = decided(text, tmp_path)[5]
    assert not worth.region and worth.entered == 1000


def test_short_kernels_keep_company_with_long_ones(tmp_path: Path) -> None:
    text = """\
static double a[1000][1000], d[10];
void run(void) {
  for (int t = 0; t < 500; t++) {
    for (int k = 0; k < 10; k++)
      d[k] = d[k] * 0.5 + a[k][k];
    @
  }
}
"""
    long = "for (int i = 0; i < 1000; i++) for (int j = 0; j < 1000; j++) a[i][j] *= d[j % 10];"
    assert launched(text.replace("@", long), tmp_path) == {4, 6}
    assert launched(text.replace("@", ""), tmp_path) == set()


@pytest.mark.parametrize(
    ("header", "trips"),
    [
        ("int i = 0; i < 50; i++", 50),
        ("int i = 50; i-- > 0; ", 50),
        ("int i = 0; 50 > i; i += 2", 25),
        ("int i = 1; i < 64; i *= 2", 6),
        ("int i = 0; i < 50 && !stop; i++", 50),
        ("int i = 0, j = 9; i < 50; i++, j--", 50),
        ("int i = lo; i < hi; i++", 1000),
        ("int i = 0; i < s->n; i++", 1000),
        ("int i = row[3]; i < row[4]; i++", 16),
    ],
)
def test_iterations_of_headers(header: str, trips: float, tmp_path: Path) -> None:
    text = f"""\
struct s {{ int n; }};
double a[4096];
int stop;
void f(int lo, int hi, const int *row, const struct s *s) {{
  for ({header})
    a[i] = 2 * a[i];
}}
"""
    assert decided(text, tmp_path)[5].trips == trips


@pytest.mark.parametrize(
    ("bounds", "asked"),
    [
        ("int r = 0; r < rows; r++ / int c = 0; c < cols; c++", "(double)rows * cols > #"),
        ("int r = 0; r < g->rows; r++ / int c = 0; c < g->cols; c++", "(double)(g->rows) * (g->cols) > #"),
        (
            "int r = 0; r < rows; r++ / int c = 0; c < h->cols; c++",
            "",
        ),  # a row is enough; nothing at `h` is read
        ("int r = 0; r < rows; r++ / int c = 0; c < width(); c++", "rows > #"),
        ("int r = 0; r < 600; r++ / int c = 0; c < 3; c++", ""),
    ],
)
def test_what_is_asked(bounds: str, asked: str, tmp_path: Path) -> None:
    outer, inner = bounds.split(" / ")
    text = f"""\
#include <math.h>
struct grid {{ int rows, cols; }};
int width(void) __attribute__((const));
void f(int rows, int cols, const struct grid *g, const struct grid *h, double (*restrict a)[64]) {{
  for ({outer})
    for ({inner})
      a[r][c] = sin(a[r][c]) * cos(a[r][c]) * exp(a[r][c]) * log(a[r][c]) * tan(a[r][c]);
}}
"""
    assert re.sub(r"\d+$", "#", decided(text, tmp_path)[5].asked) == asked


@pytest.mark.parametrize(("change", "is_read"), [("", True), ("g = g->next;", False)])
def test_members_are_asked_for_beside_a_variable_that_was_one(
    change: str, is_read: bool, tmp_path: Path
) -> None:
    """As `compile` puts members into variables: there is such a structure, if the pointer stays."""
    text = f"""\
#include <math.h>
struct grid {{ int rows, cols; struct grid *next; }};
void f(const struct grid *g, double (*restrict a)[64]) {{
  int rows = g->rows;
  {change}
  for (int r = 0; r < rows; r++)
    for (int c = 0; c < g->cols; c++)
      a[r][c] = sin(a[r][c]) * cos(a[r][c]) * exp(a[r][c]);
}}
"""
    assert ("g->cols" in decided(text, tmp_path)[6].asked) == is_read


def test_loops_that_no_pragma_can_share_leave_the_decision_to_those_inside(tmp_path: Path) -> None:
    text = """\
struct total { float sum; };
void centre(int rows, int cols, const float *in, float *out, struct total *t)
{
  for (int c = 0; c < cols; c++) {
    for (int r = 0; r < rows; r++)
      t->sum += in[r * cols + c];
    for (int r = 0; r < rows; r++)
      out[r * cols + c] = in[r * cols + c] - 1;
  }
}
"""
    source = tmp_path / "rows.c"
    source.write_text(text)
    found = annotate_file(source, PreprocessOptions(), AnnotateOptions("openmp"), machine=DEFAULT)
    assert found.after == text  # the outer one's sum has no name in a clause; the inner ones are short


def test_what_takes_next_to_nothing_of_a_program_is_left(tmp_path: Path) -> None:
    """A loop that is long, and a thousandth of the longest one (Amdahl's law)."""
    text = """double a[2000000], b[2000000];
    int main(void) {
        for (int i = 0; i < 2000000; i++) a[i] = i;
        for (int t = 0; t < 1000; t++)
            for (int i = 1; i < 1999999; i++) b[i] = (a[i - 1] + a[i + 1]) / (1 + a[i] * t);
        return b[7] > 1;
    }"""
    found = decided(text, tmp_path)
    assert found[3].why == "it takes too small a part of the program's time"
    assert found[5].region and not found[3].region
    assert decided(text.replace("main", "work"), tmp_path)[3].region


def test_members_whose_sizes_the_text_suggests_count_as_sizes(tmp_path: Path) -> None:
    """A loop that is run once over what others are run over again and again."""
    text = """#include <stdlib.h>
    typedef struct { int n; double *at; } points;
    static void fill(points *p) {
        for (int i = 0; i < p->n; i++) p->at[i] = i;
    }
    static void move(points *p) {
        for (int i = 0; i < p->n; i++) p->at[i] = p->at[i] * 0.5 + 1 / (p->at[i] + 1);
    }
    int main(int argc, char **argv) {
        points p;
        p.n = argc > 1 ? atoi(argv[1]) : 200000;
        p.at = malloc(p.n * sizeof *p.at);
        fill(&p);
        for (int t = 0; t < 1000; t++) move(&p);
        return p.at[7] > 1;
    }"""
    found = decided(text, tmp_path)
    assert found[4].why == "it takes too small a part of the program's time" and found[7].region


RAYS = """#include <math.h>
double picture[90000];
static double nearest(double x) { double d = 1e9; for (int i = 0; i < 40; i++) d = fmin(d, x * i); return d; }
static double trace(double x, int depth) { return depth ? nearest(x) + trace(x / 2, depth - 1) : x; }
int main(void) {
    for (int y = 0; y < 300; y++)
        for (int x = 0; x < 300; x++)
            picture[y * 300 + x] = trace(x, 4);
    return picture[7] > 1;
}
"""


def test_what_a_recursive_function_does_is_done_where_it_is_called(tmp_path: Path) -> None:
    found = decided(RAYS, tmp_path)
    assert found[6].region and 7 not in found
    assert "threads share a loop of" in found[3].why


def test_loops_in_one_that_is_too_short_are_left_as_well(tmp_path: Path) -> None:
    text = """double a[900][900], b[2000000];
    int main(void) {
        for (int i = 0; i < 900; i++)
            for (int j = 0; j < 900; j++) a[i][j] = i * j;
        for (int t = 0; t < 3000; t++)
            for (int i = 1; i < 1999999; i++) b[i] = b[i - 1] / (1 + a[7][7] * t);
        return b[7] > 1;
    }"""
    found = decided(text, tmp_path)
    assert not found[3].region and found[3].why == found[4].why


CONSTANT = """#include <stdlib.h>
typedef struct { int n, dim; double *at; } points;
static void move(points *p) {
    for (int i = 0; i < p->n; i++)
        for (int d = 0; d < p->dim; d++) p->at[i * p->dim + d] *= 1.5 + d;
}
int main(void) {
    points p = { 2000000, 3, 0 };
    p.at = malloc(6000000 * sizeof(double));
    for (int t = 0; t < 50; t++) CALLS
    return p.at[7] > 1;
}
"""


@pytest.mark.parametrize(
    ("calls", "region"),
    [("move(&p);", False), ("{ move(&p); move(&p); }", False), ("{ " + "move(&p); " * 9 + "}", True)],
)
def test_a_constant_that_a_region_would_hide(calls: str, region: bool, tmp_path: Path) -> None:
    two = replace(DEFAULT, cores=2)
    assert decided(CONSTANT.replace("CALLS", calls), tmp_path, two)[4].region is region
    many = replace(DEFAULT, cores=8)
    assert decided(CONSTANT.replace("CALLS", calls), tmp_path, many)[4].region


ROWS = """\
void damp(double **v, int n)
{ for (int i = 0; i < n; i++)
    for (int d = 0; d < 3; d++) v[i][d] *= 0.5; }
void drift(double **x, double **v, int n, int m)
{ for (int i = 0; i < n; i++)
    for (int d = 0; d < m; d++) x[i][d] += v[i][d]; }
void fade(double **v, int n)
{ for (int i = 0; i < n; i++)
    for (int d = 0; d < 4000; d++) v[i][d] *= 0.5; }
void plain(double (*v)[3], int n)
{ for (int i = 0; i < n; i++)
    for (int d = 0; d < 3; d++) v[i][d] *= 0.5; }
struct lanes { double *lane[4]; int length; };
void lanes(struct lanes *p)
{ for (int i = 0; i < p->length; i++)
    for (int q = 0; q < 4; q++) p->lane[q][i] *= 0.5; }
void planes(double **v, int few, int n)
{ for (int i = 0; i < n; i++)
    for (int q = 0; q < few; q++) v[q][i] *= 0.5; }
"""


def test_what_testing_rows_takes_is_counted(tmp_path: Path) -> None:
    """Rows of three numbers, allocated one by one, are used sooner than they are tested."""
    damp, drift, fade, plain = (decided(ROWS, tmp_path)[line] for line in (2, 5, 8, 11))
    assert not damp.region and "testing it takes" in damp.why
    assert drift.region and re.search(r"> \d+ && m > \d+$", drift.asked)
    assert fade.region and plain.region and "&&" not in fade.asked + plain.asked


def test_rows_that_the_loop_goes_along_are_few(tmp_path: Path) -> None:
    found = decided(ROWS, tmp_path)
    assert found[15].region and "&&" not in found[15].asked  # four rows
    assert found[18].region and re.search(r"few > \d+ && n > \d+$", found[18].asked)


PLANES = """\
static float in[9000000], out[9000000], w[25];
void plane(int h, int wide, int k, int pad)
{
  for (int y = 0; y < h; y++)
    for (int ky = 0; ky < k; ky++)
      for (int kx = 0; kx < k; kx++) {
        int low = kx < pad ? pad - kx : 0, high = kx > pad ? wide - (kx - pad) : wide;
        for (int x = low; x < high; x++)
          out[y * wide + x] += w[ky * 5 + kx] * in[y * wide + x + kx];
      }
}
int main(void)
{
  for (int step = 0; step < @; step++)
    for (int a = 0; a < 16; a++)
      for (int b = 0; b < 8; b++)
        plane($, $, 5, 2);
  return (int)out[3];
}
"""


@pytest.mark.parametrize(("steps", "size", "region"), [(800, 28, False), (2, 2800, True), (800, 40, False)])
def test_regions_in_hot_functions_must_be_sure(steps: int, size: int, region: bool, tmp_path: Path) -> None:
    """What a choice sets ends of loops to says how long these are."""
    worth = decided(PLANES.replace("@", str(steps)).replace("$", str(size)), tmp_path)[4]
    assert worth.region == region and ("wide" in worth.asked) == region


LINE = """\
static float in[1400], out[1400], taps[9];
void line(int n, int half)
{
  for (int c = 0; c < n; c++) {
    float acc = 0;
    for (int k = -half; k <= half; k++) {
      int at = c + k < 0 ? 0 : c + k > n - 1 ? n - 1 : c + k;
      acc += in[at] * taps[k + half];
    }
    out[c] = acc;
  }
}
int main(void)
{
  for (int r = 0; r < 9000; r++) { in[r % 1400] += out[r % 7]; line(1400, 4); }
  return (int)out[3];
}
"""


def test_a_filter_that_is_called_for_every_row_stays_in_one_thread(tmp_path: Path) -> None:
    """Compilers make vectors of it; a wrong guess would be paid nine thousand times."""
    worth = decided(LINE, tmp_path)[4]
    assert not worth.region and "entered about 9,000 times" in worth.why


PRODUCT = """\
#define N 800
@
{
  for (int i = 0; i < N; i++)
    for (int j = 0; j < N; j++) {
      c[i][j] = 0;
      for (int k = 0; k < N; k++)
        c[i][j] += a[i][k] * b[k][j];
    }
}
"""
PARAMETERS = "double a[restrict N][N], double b[restrict N][N], double c[restrict N][N]"


@pytest.mark.parametrize(
    ("head", "is_lost"),
    [
        (f"void product({PARAMETERS})", True),
        (f"void product({PARAMETERS.replace('restrict ', '')})", False),
        ("double a[N][N], b[N][N], c[N][N]; void product(void)", False),
        ("void product(double (*restrict a)[N], double (*restrict b)[N], double (*restrict c)[N])", True),
        (f"void product(int n, {PARAMETERS.replace('][N]', '][n]')})", False),
    ],
)
def test_what_compilers_interchange_is_left_to_them_on_few_cores(
    head: str, is_lost: bool, tmp_path: Path
) -> None:
    few, many = replace(DEFAULT, cores=2), replace(DEFAULT, cores=16)
    assert decided(PRODUCT.replace("@", head), tmp_path, many)[4].region
    worth = decided(PRODUCT.replace("@", head), tmp_path, few)[4]
    assert worth.region is not is_lost and worth.interchanged is is_lost
    if is_lost:
        assert "compilers interchange" in worth.why
        assert not decided(PRODUCT.replace("@", head), tmp_path, few)[5].region


def test_flattened_arrays_with_rows_of_a_known_length_are_interchanged(tmp_path: Path) -> None:
    flat = (
        PRODUCT.replace("[i][j]", "[i * N + j]")
        .replace("[i][k]", "[i * N + k]")
        .replace("[k][j]", "[k * N + j]")
    )
    head = "void product(int n, double *restrict a, double *restrict b, double *restrict c)"
    few = replace(DEFAULT, cores=2)
    assert decided(flat.replace("@", head), tmp_path, few)[4].interchanged
    assert not decided(flat.replace("* N", "* n").replace("@", head), tmp_path, few)[4].interchanged


def test_nothing_is_asked_that_the_file_answers(tmp_path: Path) -> None:
    triangle = """\
static double f[8][8];
void triangle(void)
{
  for (int i = 0; i < 8; i++)
    for (int j = 0; j <= i; j++)
      f[i][j] = i + j;
}
"""
    worths = decided(triangle, tmp_path)
    assert not any(worth.region or worth.asked for worth in worths.values())
    called = """\
static void set(int n, double *to) { for (int i = 0; i < n; i++) to[i] = 1; }
double a[99];
void run(void) { set(70, a); set(99, a); }
"""
    assert not decided(called, tmp_path)[1].region
    assert decided(called.replace("99", "9999999"), tmp_path)[1].asked  # of 70, the answer is no
    assert decided(called.replace("static", ""), tmp_path)[1].asked  # others may call it


def test_what_functions_compute_that_are_given_counts(tmp_path: Path) -> None:
    """By parameters; an `&` between two values gives no function."""
    text = """#include <math.h>
    double grid[4000];
    static double hill(int x) { double s = 0; for (int k = 1; k < 40; k++) s += exp(-x * 0.1 / k); return s; }
    static double flat(int x) { return x & 7; }
    static void fill(double (*height)(int), int from) {
        for (int i = 0; i < 4000; i++) grid[i] = height(i + from);
    }
    int main(int argc, char **argv) { fill(hill, argc & 3); fill(&flat, 1); return grid[7] > argc; }"""
    assert decided(text, tmp_path)[6].region
    assert not decided(text.replace("fill(hill", "fill(flat"), tmp_path)[6].region


SOLVER = """\
#include <math.h>
int solve(double *restrict a, double *restrict b, int n)
{
  for (int k = 0; k < n; k++) {
    if (fabs(a[k * n + k]) < 1e-12)
      return 1;
    for (int i = k + 1; i < n; i++) {
      double f = a[i * n + k] / a[k * n + k];
      for (int j = k; j < n; j++)
        a[i * n + j] -= f * a[k * n + j];
      b[i] -= f * b[k];
    }
  }
  return 0;
}
int all(double *restrict a, double *restrict b, const int *rows, int height, int width)
{
  int bad = 0;
  for (int y = 0; y < height; y++)
    for (int x = 0; x < width; x++)
      bad += solve(a, b, rows[y]);
  return bad;
}
"""


def test_a_directive_in_a_hot_function_that_only_asks_is_none(tmp_path: Path) -> None:
    """An `if` that says no still costs; there the loop must be short, or the run would never end."""
    (tmp_path / "s.c").write_text(SOLVER)
    found = analyse_file(tmp_path / "s.c", PreprocessOptions())
    assert found.unit is not None
    inner = next(loop.id for loop in found.facts.loops if loop.position.line == 7)
    assert not decide(found.unit, found.facts, DEFAULT)[inner].region
    assert decide(found.unit, found.facts, DEFAULT, copies=True)[inner].region  # it has a second version


STEPS = """\
void relax(double *restrict to, const double *restrict from, int n)
{
  for (int t = 0; t < 100; t++) {
    for (int i = 1; i < n - 1; i++)
      to[i] = from[i - 1] + from[i + 1];
    to[0] = to[n - 1] + t;
  }
}
"""


def test_loops_with_a_second_version_ask_though_they_are_taken_for_short(tmp_path: Path) -> None:
    (tmp_path / "s.c").write_text(STEPS)
    found = analyse_file(tmp_path / "s.c", PreprocessOptions())
    assert found.unit is not None
    inner = next(loop.id for loop in found.facts.loops if loop.position.line == 4)
    assert not decide(found.unit, found.facts, DEFAULT)[inner].region
    worth = decide(found.unit, found.facts, DEFAULT, copies=True)[inner]
    assert worth.region and worth.asked == "(long)n-2 > 20000"
