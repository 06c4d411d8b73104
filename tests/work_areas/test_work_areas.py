"""Work areas behind pointers: of which iterations have their own, and of which they must not."""

# ruff: noqa: E501  (programs in few lines)
from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from skeletons.catalogue.passes import AREAS
from tests.filters.fuzz import compare
from tests.privatised.test_privatised import made
from tests.stages.test_stages import compiles, needs_gcc
from tests.support.analysing import loops_of
from tests.work_areas.generator import program

HEAD = """#include <stdlib.h>
#include <string.h>
struct rec { double a; int b; };
static double *kept, *other; int outside(const double *);
static inline void fill(double *p, int m, double v) { for (int k = 0; k < m; k++) p[k] = v + k; }
static inline double sum(const double *p, int m) { double s = 0; for (int k = 0; k < m; k++) s += p[k]; return s; }
static inline void exchange(double **a, double **b) { double *c = *a; *a = *b; *b = c; }
"""
FILL = "for (int k = 0; k < m; k++) w[k] = x[i] * k;"
_LOCAL = "double *w = malloc(m * sizeof *w);"
# What iterations do, with `w` given to the function or (LOCAL) allocated in it.
TAKEN = {
    "filled in the loop": f"{FILL} if (m > 0) y[i] = w[m - 1] + w[0];",
    "filled by a function": "fill(w, m, x[i]); y[i] = sum(w, m);",
    "by another pointer": f"double *p = w; {FILL} if (m > 0) y[i] = p[m / 2];",
    "by a moving pointer": "double *p = w; for (int k = 0; k < m; k++) *p++ = x[i] + k; y[i] = sum(w, m);",
    "from an element": "fill(w + 2, m, x[i]); y[i] = sum(w + 2, m);",
    "a recurrence": "w[0] = x[i]; for (int k = 1; k < m; k++) w[k] = w[k - 1] / 2; y[i] = w[m > 0 ? m - 1 : 0];",
    "a pointer that is compared": "double s = 0; fill(w, m, x[i]); for (double *p = w; p < w + m; p++) s += *p; y[i] = s;",
}
STAYING = {
    "an iteration reads what another wrote": "y[i] = w[0]; w[0] = x[i];",
    "half of it": "fill(w, m / 2, x[i]); y[i] = sum(w, m);",
    "as much as data say": "fill(w, (int)x[i], x[i]); y[i] = 1;",
    "on a condition": f"if (x[i] > 2) {{ {FILL} }} y[i] = w[0];",
    "a pointer that stays": f"kept = w; {FILL} y[i] = w[0];",
    "a pointer that is told from others": f"{FILL} y[i] = w[0] + (w == other);",
    "a pointer that changes": f"{FILL} y[i] = w[0]; exchange(&w, &other);",
    "a function that is not known": f"{FILL} y[i] = outside(w);",
    "in bytes": "memset(w, 1, 8); unsigned char *c = (unsigned char *)w; y[i] = c[x[i] > 3];",
}
RECURSIVE = "static double (*again)(const double *restrict, double *restrict, double *, int, int); static double part(const double *restrict x, double *restrict y, double *w, int n, int m) { LOOP { BODY } if (m > 1) again(x, y, w, n, m - 1); return 0; } double f(double *x, double *y, double *w, int n, int m) { again = part; return part(x, y, w, n, m); }"
_F = "double f(const double *restrict x, double *restrict y, {given}int n, int m) {{ double r = 0; {start} {loop} {{ {body} }} {end} return r; }}\n"
_MAIN = "int main(void) {{ static double x[9], y[9], w[9]; (void)w; return (int)f(x, y, {given}9, 5); }}\n"
LOOP = "for (int i = 0; i < n; i++)"


def text_of(body: str, *, local: bool = False, loop: str = LOOP, end: str = "", start: str = "") -> str:
    start += _LOCAL if local else ""
    end += "free(w);" if local else ""
    function = _F.format(given="" if local else "double *w, ", loop=loop, body=body, end=end, start=start)
    return HEAD + function + _MAIN.format(given="" if local else "w, ")


@pytest.mark.parametrize("local", [False, True], ids=["given", "local"])
@pytest.mark.parametrize("name", TAKEN)
def test_iterations_have_their_own(name: str, local: bool) -> None:
    text = text_of(TAKEN[name], local=local)
    loop = next(each for each in loops_of(text) if each.function == "f")
    assert loop.work_areas is not None and [a.variable for a in loop.work_areas.areas] == ["w"]
    found = made(text)
    compiles(found)
    assert "w_own" in found and "#pragma omp parallel for" in found[found.index("double f(") :]
    assert "w_own" not in made(text, AREAS)


@pytest.mark.parametrize("local", [False, True], ids=["given", "local"])
@pytest.mark.parametrize("name", STAYING)
def test_others_stay(name: str, local: bool) -> None:
    assert "w_own" not in made(text_of(STAYING[name], local=local))


# Other names of the area or of its structure that are set before the loop: they lead to the memory itself.
SECOND_NAMES = (
    "double *u = w;",
    "const double *const u = &w[0];",
    "double *u = w + 1 - 1;",
    "double *u; u = w;",
    "struct { int n; const double *to; } v = { 1, w }; const double *u = v.to;",
    "double *u = n > 2 ? w : w + 1;",
)


@pytest.mark.parametrize("start", SECOND_NAMES)
def test_second_names_set_before_the_loop(start: str) -> None:
    for body in ("fill(w, m, x[i]); y[i] = sum(u, m);", f"{FILL} y[i] = u[0];"):
        assert "w_own" not in made(text_of(body, start=start))
    assert "w_own" in made(text_of("fill(w, m, x[i]); y[i] = sum(w, m);", start=start, end="y[0] = u[0];"))
    assert "w_own" in made(text_of("double *u = w; fill(w, m, x[i]); y[i] = sum(u, m);", start=start))


RECORDS = {
    "both members": (
        "for (int k = 0; k < m; k++) { q[k].a = x[i] + k; q[k].b = k; } for (int k = 0; k < m; k++) y[i] += q[k].a * q[k].b;",
        True,
    ),
    "read as a whole": (
        "for (int k = 0; k < m; k++) { q[k].a = x[i] + k; q[k].b = k; } for (int k = 0; k < m; k++) { struct rec t = q[k]; y[i] += t.a * t.b; }",
        True,
    ),
    "written as a whole": (
        "for (int k = 0; k < m; k++) { struct rec t = { x[i], k }; q[k] = t; } for (int k = 0; k < m; k++) y[i] += q[m - 1 - k].a;",
        True,
    ),
    "one member": (
        "for (int k = 0; k < m; k++) q[k].a = x[i]; for (int k = 0; k < m; k++) y[i] += q[k].a * q[k].b;",
        False,
    ),
    "one member, read as a whole": (
        "for (int k = 0; k < m; k++) q[k].a = x[i]; for (int k = 0; k < m; k++) { struct rec t = q[k]; y[i] += t.a + t.b; }",
        False,
    ),
    "another one": (
        "for (int k = 0; k < m; k++) { q[k].a = x[i]; q[k].b = 2; } for (int k = 0; k < m; k++) y[i] += q[k + 1].a;",
        False,
    ),
}


@pytest.mark.parametrize("name", RECORDS)
def test_areas_of_structures(name: str, tmp_path: Path) -> None:
    body, taken = RECORDS[name]
    text = (
        text_of(body)
        .replace("double *w,", "struct rec *q,")
        .replace("y[9], w[9]", "y[9]; struct rec w[12] = { { 0, 0 } }")
    )
    found = made(text)
    compiles(found)
    assert ("q_own" in found) is taken
    if shutil.which("gcc"):
        shown = text.replace("#include <stdlib.h>", "#include <stdio.h>\n#include <stdlib.h>")
        shown = shown.replace(
            "return (int)f(x, y, w, 9, 5);",
            'for (int i = 0; i < 9; i++) x[i] = i; f(x, y, w, 9, 5); for (int i = 0; i < 9; i++) printf("%g %g ", y[i], w[i].a + w[i].b); return 0;',
        )
        assert compare(
            shown.replace("(void)w; ", "").replace("static double *kept", "double *kept"), tmp_path, "openmp"
        )


def test_areas_do_not_fill_the_stack() -> None:
    """Of a function that calls itself, by a pointer too, each call would have some."""
    text = HEAD + RECURSIVE.replace("LOOP", LOOP).replace("BODY", TAKEN["filled by a function"])
    assert "w_own" not in made(text) and "w_own" in made(
        text.replace("if (m > 1) again(x, y, w, n, m - 1);", "")
    )


HELD = """#include <stdlib.h>
struct part { double *w, *v; };
struct plan { int len; double *w; const double *table; struct part in; double t; double tmp[8]; long hits; double most; MORE };
typedef struct plan plan;
static double *kept, *other; static struct plan *all[4];
static inline void fill(double *p, int m, double v) { for (int k = 0; k < m; k++) p[k] = v + k; }
static inline double sum(const double *p, int m) { double s = 0; for (int k = 0; k < m; k++) s += p[k]; return s; }
static inline void exchange(double **a, double **b) { double *c = *a; *a = *b; *b = c; }
static inline double work(struct plan *p, double v) { fill(p->w, p->len, v); return sum(p->w, p->len) + p->table[0]; }
static inline void tally(struct plan *p, double v) { p->tmp[1] += v; }
static inline double note(struct plan *p, double v) { p->hits++; if (v > p->most) p->most = v; return v; }
double f(const double *restrict x, double *restrict y, struct plan *p, int n) {
  for (int i = 0; i < n; i++) { BODY } return p->len; }
double g(const double *restrict x, double *restrict y, plan p, int n) {
  for (int i = 0; i < n; i++) { VALUE } return p.len; }
int main(void) { static double x[9], y[9], w[9]; struct plan p = { .len = 5, .w = w, .table = x }; p.in.v = y; all[1] = &p; kept = w; other = y; return (int)f(x, y, &p, 9) + (int)g(x, y, p, 9); }
"""
IN_STRUCTURES = {
    "in the loop": "for (int k = 0; k < p->len; k++) p->w[k] = x[i] * k; if (p->len > 0) y[i] = p->w[0] + p->table[1];",
    "by a function": "y[i] = work(p, x[i]);",
    "in a structure in it": "fill(p->in.w, p->len, x[i]); y[i] = sum(p->in.w, p->len);",
    "two": "fill(p->w, p->len, x[i]); fill(p->in.w, 4, x[i]); y[i] = sum(p->in.w, 4) + sum(p->w, p->len);",
    "an array in it": "for (int k = 0; k < 8; k++) p->tmp[k] = x[i] + k; y[i] = sum(p->tmp, 8);",
    "counters of a function's": "y[i] = note(p, x[i]);",
    "counters beside it": "fill(p->w, p->len, x[i]); y[i] = note(p, x[i]) + sum(p->w, p->len);",
    "a counter that is named": "fill(p->w, p->len, x[i]); p->hits += 2; y[i] = sum(p->w, p->len);",
    "a number in it": "p->t = x[i] * 2; fill(p->w, p->len, p->t); y[i] = p->t + sum(p->w, p->len);",
}
NOT_IN_STRUCTURES = {
    "a member that iterations combine, and read": "y[i] = work(p, x[i]); p->t += x[i]; y[i] += p->t;",
    "a counter that decides": "if (note(p, x[i]) > 1 && p->hits < 5) y[i] = work(p, x[i]);",
    "an element that functions add to": "tally(p, x[i]); y[i] = work(p, x[i]);",
    "a structure that may be missing": "if (x[i] > 2) y[i] = work(p, x[i]);",
    "a member that others wrote": "y[i] = work(p, x[i]) + p->t; p->t = x[i];",
    "a length that changes": "y[i] = work(p, x[i]); p->len = (int)x[i];",
    "a member that points elsewhere": "y[i] = work(p, x[i]); exchange(&p->w, &p->in.w);",
    "a pointer that stays": "kept = p->w; y[i] = work(p, x[i]);",
    "a pointer that is told from others": "y[i] = work(p, x[i]) + (p->w == other);",
    "the structure itself is kept": "all[2] = p; y[i] = work(p, x[i]);",
    "another one, too": "p = all[i % 4]; y[i] = work(p, x[i]);",
    "its neighbour": "p[0].t = x[i]; y[i] = p[0].t + p[1].t; p[1].t = y[i];",
}


def test_names_that_may_be_second_ones_are_asked_for() -> None:
    start = "double *all_of[2] = { w, w }, *u = all_of[0];"
    assert "((w != u))" in made(text_of("fill(w, m, x[i]); y[i] = sum(u, m);", start=start))
    text, start = held("fill(p->w, p->len, x[i]); y[i] = sum(q[1]->w, p->len);"), "plan *q[2] = { p, p };"
    at = text.index("for (int i", text.index("double f("))
    assert "(p->w != q[1]->w)" in made(f"{text[:at]}{start} {text[at:]}")


SECOND_STRUCTURES = (
    ("plan *q = P;", "q->len = 3; p->len = (int)x[i]; y[i] = q->len;"),
    ("plan *q = P;", "y[i] = note(p, x[i]); q->hits++;"),
    ("plan *q = P;", "fill(p->w, p->len, x[i]); y[i] = sum(q->w, q->len);"),
    ("plan *q = P;", "p->t = x[i] * 2; y[i] = q->t;"),
    ("const double *q = P->tmp;", "for (int k = 0; k < 8; k++) p->tmp[k] = x[i] + k; y[i] = sum(q, 8);"),
    ("const double *q = P->w;", "fill(p->w, p->len, x[i]); y[i] = sum(q, p->len);"),
    ("plan q = *P;", "fill(p->w, p->len, x[i]); y[i] = sum(q.w, p->len);"),
    ("struct part q = { P->w, 0 };", "fill(p->w, p->len, x[i]); y[i] = sum(q.w, p->len);"),
    ("double **q = &P->w;", "fill(p->w, p->len, x[i]); y[i] = sum(*q, p->len);"),
)


@pytest.mark.parametrize("value", [False, True], ids=["pointer", "value"])
@pytest.mark.parametrize(("start", "body"), SECOND_STRUCTURES)
def test_second_names_of_structures(start: str, body: str, value: bool) -> None:
    text = held(body, value=value)
    at = text.index("for (int i", text.index("double g(" if value else "double f("))
    start = start.replace("P->", "p." if value else "p->").replace("*P", "p" if value else "*p")
    start = start.replace("P", "&p" if value else "p")
    found = made(f"{text[:at]}{start} {text[at:]}")
    assert "p_own" not in found and "p_from" not in found


def held(body: str, more: str = "", *, value: bool = False) -> str:
    """A program whose areas are in a structure: behind a pointer, or the function's own."""
    there = (
        body.replace("p->", "p.")
        .replace("work(p,", "work(&p,")
        .replace("note(p,", "note(&p,")
        .replace("tally(p,", "tally(&p,")
        if value
        else "y[i] = x[i];"
    )
    text = HELD.replace("BODY", "y[i] = x[i];" if value else body).replace("VALUE", there)
    return text.replace("MORE", more)


@pytest.mark.parametrize("value", [False, True], ids=["pointer", "value"])
@pytest.mark.parametrize("name", IN_STRUCTURES)
def test_areas_in_structures(name: str, value: bool) -> None:
    found = made(held(IN_STRUCTURES[name], value=value))
    compiles(found)
    private = value and name == "an array in it"  # of the function's own structure
    assert private or ("p_from" if value else "p_own") in found
    assert "#pragma omp parallel for" in found


@pytest.mark.parametrize("value", [False, True], ids=["pointer", "value"])
@pytest.mark.parametrize("name", NOT_IN_STRUCTURES)
def test_others_in_structures_stay(name: str, value: bool) -> None:
    found = made(held(NOT_IN_STRUCTURES[name], value=value)) if not (value and "all[" in name) else ""
    assert "p_own" not in found and "p_from" not in found


@pytest.mark.parametrize("name", ["plan", ""])
def test_structures_without_a_name_are_not_copied(name: str) -> None:
    text = f"typedef struct {name} {{ int len; double *w; }} *plan;\n" + HEAD.replace("#include", "//")
    text += "void f(double *restrict y, plan p, int n) { for (int i = 0; i < n; i++) { fill(p->w, p->len, i); y[i] = sum(p->w, p->len); } }"
    loop = next(each for each in loops_of(text) if each.function == "f")
    assert (loop.work_areas is not None) is bool(name)


def test_truth_values_that_may_be_none_are_not_loaded() -> None:
    found = made(held(IN_STRUCTURES["by a function"], "_Bool set, both[2];"))
    compiles(found)
    assert "p_own" in found and "set" not in found[found.index("p_own") : found.index("(void)p;")]


@pytest.mark.parametrize("more", ["struct { int a, b; };", "const int ends[2];", "double end[];"])
def test_structures_that_cannot_be_copied_member_by_member(more: str) -> None:
    assert "p_own" not in made(held(IN_STRUCTURES["by a function"], more).split("double g(")[0])


@needs_gcc
def test_areas_that_other_members_lead_to(tmp_path: Path) -> None:
    """A member that points to the area, or into the structure itself, still does in the copy: it is asked."""
    body = "fill(p->w, p->len, x[i]); p->tmp[0] = x[i]; y[i] = p->in.w[1] + sum(p->w, p->len);"
    text = held(body).replace(
        "p.in.v = y;", "p.in.v = y; p.in.w = PLACE; for (int i = 0; i < 9; i++) x[i] = i;"
    )
    text = text.replace("#include <stdlib.h>", "#include <stdio.h>").replace("*restrict ", "*")
    text = text.replace(
        "return (int)f(x, y, &p, 9) + ",
        'f(x, y, &p, 9); for (int i = 0; i < 9; i++) printf("%g ", y[i]); return 0 * ',
    )
    for place in ("w", "p.tmp", "y", "x"):
        assert compare(text.replace("PLACE", place), tmp_path, "openmp")


HEADERS = {
    "declared before": ("int i; for (i = 0; i < n; ++i)", True),
    "up to": ("for (long i = 1; i <= n - 1; i++)", True),
    "unsigned": ("for (size_t i = 0; i < (size_t)n; i++)", True),
    "steps": ("for (int i = 0; i < n; i += 2)", False),
    "down": ("for (int i = n - 1; i >= 0; i--)", False),
    "narrow": ("for (short i = 0; i < n; i++)", False),
    "named in the header": ("for (int i = 0; i < n && w[0] < 9; i++)", False),
}


@pytest.mark.parametrize("name", HEADERS)
def test_headers(name: str) -> None:
    header, taken = HEADERS[name]
    found = made(text_of(TAKEN["filled by a function"], loop=header))
    compiles(found)
    assert ("w_own" in found) is taken


def test_memory_that_may_overlap_is_asked_for() -> None:
    """The file's other arrays might lie in the work area: what was asked of them is asked before."""
    text = (
        text_of(TAKEN["filled by a function"])
        .replace("*restrict ", "*")
        .replace("static double *kept", "double *kept")
    )
    text = text.replace("double f(", "double f(").replace(_MAIN.format(given="w, "), "")
    found = made(text)
    compiles(found)
    asked = found[: found.index("w_own")]
    assert "w_own" in found and (
        "uintptr_t" in asked or "<= (const char *)" in asked or "_condition(" in asked
    )


RUNS = """#include <stdio.h>
#include <stdlib.h>
static void line(const int *x, int *w, int *y, int m) {
  for (int k = 0; k < m; k++) w[k] = x[k] * 3 + k;
  for (int k = 1; k < m; k++) w[k] += w[k - 1] % 7;
  for (int k = 0; k < m; k++) y[k] = w[m - 1 - k];
}
static int rows(const int *a, int *b, int *w, int n, int m) { int i = 7; for (i = 0; i < n; i++) line(a + i * m, w, b + i * m, m); return i; }
int main(int argc, char **argv) {
  int n = atoi(argv[argc - 1]), m = LENGTH, s = 0;
  int *a = calloc(n * m + m, sizeof *a), *b = calloc(n * m + m, sizeof *b), *w = calloc(m, sizeof *w);
  for (int i = 0; i < n * m; i++) a[i] = i * 37 % 101;
  s = rows(a, b, PLACE, n, m);
  for (int i = 0; i < n * m; i++) s = (s * 5 + b[i]) % 10007;
  for (int k = 0; k < m; k++) s = (s * 5 + w[k]) % 10007;
  printf("%d\\n", s); free(a); free(b); free(w); return 0; }
"""


@needs_gcc
@pytest.mark.parametrize("length", ["1", "17", "n * 0 + 9000", "8190", "9000"])
def test_the_last_iteration_counts(length: str, tmp_path: Path) -> None:
    """What is left in the area is what it leaves, also where areas do not fit on the stack."""
    text = RUNS.replace("LENGTH", length).replace("PLACE", "w")
    assert ("w_own" in made(text)) is (length != "9000")
    assert compare(text, tmp_path, "openmp")


MEMBERS = """#include <stdio.h>
#include <stdlib.h>
struct plate { size_t rows, cols, pitch; float *pix; };
#define AT(p, r, c) ((p)->pix[(r) * (p)->pitch + (c)])
static void line(const float *in, float *out, size_t n) { float *a = __builtin_assume_aligned(out, 64);
  for (size_t c = 0; c < n; c++) a[c] = in[c] * 2 + (c ? in[c - 1] : 0); }
static void smooth(const struct plate *restrict s, struct plate *restrict d, float *restrict w) {
  for (size_t r = 0; r < s->rows; r++) { line(&AT(s, r, 0), w, s->cols);
    for (size_t c = 0; c < s->cols; c++) AT(d, r, c) = w[c] + AT(s, r, c); } }
int main(int argc, char **argv) {
  size_t n = strtoul(argv[argc - 1], NULL, 10), h = 7; struct plate a = { n, n, n + 3, NULL }, b = a;
  a.pix = calloc(n * (n + 3) + 1, 4); b.pix = calloc(n * (n + 3) + 1, 4); float *w = aligned_alloc(64, (n / 16 + 1) * 64);
  for (size_t i = 0; i < n * (n + 3); i++) a.pix[i] = (float)(i * 37 % 101);
  smooth(&a, &b, w);
  for (size_t i = 0; i < n * (n + 3); i++) h = (h * 31 + (size_t)b.pix[i]) % 1000003;
  for (size_t i = 0; i < n; i++) h = (h * 31 + (size_t)w[i]) % 1000003;
  printf("%zu\\n", h); free(a.pix); free(b.pix); free(w); return 0; }
"""


@needs_gcc
def test_sizes_in_structures(tmp_path: Path) -> None:
    """Lengths are members, the stride is another one, and the function relies on the area's alignment."""
    assert "w_own" in made(MEMBERS)
    assert compare(MEMBERS, tmp_path, "openmp")


@needs_gcc
@pytest.mark.parametrize("place", ["b", "b + m / 2", "(n > 2 ? b + m : w)"])
def test_areas_that_overlap_results(place: str, tmp_path: Path) -> None:
    """Then the iterations run in order."""
    text = RUNS.replace("LENGTH", "17").replace("PLACE", place).replace("static int rows", "int rows")
    assert compare(text, tmp_path, "openmp")


@needs_gcc
@pytest.mark.sampled(4)
@pytest.mark.parametrize("seed", range(12))
def test_random_programs(seed: int, tmp_path: Path) -> None:
    text = program(seed)
    made(text)
    assert compare(text, tmp_path, "openmp", strict_fp=False) or "_own" not in text
