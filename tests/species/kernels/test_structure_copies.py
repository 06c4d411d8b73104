"""Copies of small structures that loops only read, for every thread."""

from __future__ import annotations

import re
import shutil
import subprocess
from pathlib import Path

import pytest

from skeletons import CompileOptions
from species import AnalysisOptions, analyse
from species.annotate.openmp import parallel_for
from species.source import PreprocessOptions, read_translation_unit
from tests.skeletons.program.test_shared_members import FLAGS, made, printed

GRID = "typedef struct { int w, h; unsigned char *cell; double scale[3]; } grid;\n"
AT = "static int at(const grid *g, int x, int y) { return x < 0 || x >= g->w ? 0 : g->cell[y * g->w + x]; }\n"
LOOP = "for (int y = 0; y < h; y++) for (int x = 0; x < w; x++) out[y * w + x] = "


def _pragma(text: str, function: str, tmp_path: Path) -> str:
    source = tmp_path / "structures.c"
    source.write_text(text)
    facts = analyse(read_translation_unit(str(source), PreprocessOptions()), AnalysisOptions())
    assert not facts.diagnostics
    return parallel_for(next(loop for loop in facts.loops if loop.function == function), 1) or ""


@pytest.mark.parametrize(
    ("body", "copied"),
    [
        ("out[i] = g.cell[i] * g.w;", True),
        ("out[i] = at(&g, i, 0);", True),
        ("out[i] = at2(&g, i);", True),
        ("out[i] = (int)g.scale[i % 3];", True),
        ("out[i] = *g.scale + i;", False),  # an array that is used as an address
        ("out[i] = same(&g, i);", False),  # an address that is compared
        ("out[i] = part(&g, i);", False),  # that of a member is kept in a variable, and compared
        ("kept[i] = &g; out[i] = g.w;", False),
        ("out[i] = big.w;", False),  # much to copy
        ("grid mine = g; out[i] = mine.w;", True),
    ],
)
def test_structures_that_loops_only_read_are_copied(body: str, copied: bool, tmp_path: Path) -> None:
    helpers = (
        "static int at2(const grid *g, int i) { return at(g, i, 1) + 1; }\n"
        "static const grid *one; static const grid *kept[100]; static int out[100];\n"
        "static int same(const grid *g, int i) { return g == one ? i : g->w; }\n"
        "static int part(const grid *g, int i) { const int *p = &g->w; return p == &one->w ? i : *p; }\n"
        "typedef struct { int w; double more[100]; } large;\n"
    )
    text = GRID + AT + helpers + "int f(grid g, large big, int n) {\n"
    text += f"  for (int i = 0; i < n; i++) {{ {body} }}\n  return out[1] + g.w + big.w + !kept[0]; }}\n"
    clause = re.search(r"firstprivate\(([^)]*)\)", _pragma(text, "f", tmp_path))
    assert (clause is not None and "g" in clause[1]) == copied


def test_a_structure_that_the_loop_changes_is_not_copied(tmp_path: Path) -> None:
    loop = "for (int i = 0; i < n; i++) { g.cell[i] = 1; g.w += i; }"
    text = f"{GRID}int f(grid g, int n) {{ {loop} return g.w; }}\n"
    assert "firstprivate" not in _pragma(text, "f", tmp_path)


WORLD = """#include <stdio.h>
#include <stdlib.h>
typedef struct { int w, h; unsigned char *now, *next; const char *name; } world;
static int wrap(int i, int n) { return i < 0 ? i + n : i >= n ? i - n : i; }
static int neighbours(const world *o, int x, int y) { int count = 0;
  for (int dy = -1; dy <= 1; dy++) for (int dx = -1; dx <= 1; dx++)
    if (dx || dy) count += o->now[wrap(y + dy, o->h) * o->w + wrap(x + dx, o->w)];
  return count; }
%s
int main(void) { world o = { 61, 31, NULL, NULL, "torus" }; long sum = 0;
  o.now = malloc((size_t)o.w * o.h); o.next = malloc((size_t)o.w * o.h);
  for (int i = 0; i < o.w * o.h; i++) o.now[i] = i * 7919 %% 5 == 0;
  for (int t = 0; t < 3; t++) { step(&o); unsigned char *old = o.now; o.now = o.next; o.next = old; }
  for (int i = 0; i < o.w * o.h; i++) sum += o.now[i] * (long)(i %% 13);
  printf("%%ld %%s\\n", sum, o.name); free(o.now); free(o.next); return 0; }
"""
PLAIN = """static void step(world *o) { for (int y = 0; y < o->h; y++) for (int x = 0; x < o->w; x++) {
    int n = neighbours(o, x, y); o->next[y * o->w + x] = n == 3 || (n == 2 && o->now[y * o->w + x]); } }"""
MAYBE_NONE = PLAIN.replace("{ for", "{ int rows = o ? o->h : 0; for", 1).replace("y < o->h", "y < rows", 1)
CHANGED = PLAIN.replace("int n = ", 'o->name = "ring"; int n = ')


@pytest.mark.skipif(not shutil.which("gcc"), reason="needs gcc")
@pytest.mark.parametrize(("step", "copied"), [(PLAIN, True), (MAYBE_NONE, True), (CHANGED, False)])
def test_functions_are_given_copies(step: str, copied: bool, tmp_path: Path) -> None:
    source = tmp_path / "world.c"
    source.write_text(WORLD % step)
    text = made(source, CompileOptions(without=frozenset({"threshold"})), tmp_path / "out")
    subprocess.run(["gcc", *FLAGS, source, "-o", tmp_path / "plain"], check=True)
    assert printed(tmp_path / "out" / "made", 4) == printed(tmp_path / "plain", 1)
    assert bool(re.search(r"world o_\d = \*o;.*firstprivate\(o_\d\)", text, re.DOTALL)) == copied


@pytest.mark.skipif(not shutil.which("gcc"), reason="needs gcc")
def test_vectors_need_no_copies(tmp_path: Path) -> None:
    """Of one thread's loop, iterations in vectors share what they read (`simd` has no `firstprivate`)."""
    source = tmp_path / "simd.c"
    at = "static inline double get(const grid *g, int i, int j) { return g->w * a[i * 8 + j]; }\n"
    loop = "for (int i = 0; i < n; i++) s += (get(g, i, 1) - c_1) * (get(g, i, 2) - c_2);"
    main = "int main(void) { grid g = { 8, 9, 0, { 1, 2, 3 } }; return (int)(f(&g, 40) + f(&g, 80)); }\n"
    over = "double s = 0, c_1 = j, c_2 = 3; " + loop + " b[j] = s;"
    body = f"for (int j = 0; j < 4096; j++) {{ {over} }} return b[7];"
    head = f"{GRID}static double a[4096], b[4096];\n{at}"
    source.write_text(f"{head}static double f(const grid *g, int n) {{ {body} }}\n{main}")
    text = made(source, CompileOptions(), tmp_path / "out")
    assert "firstprivate" in text and "omp simd" in text


WHOLE = """#include <stdio.h>
#include <stdlib.h>
#include <string.h>
typedef struct { int a, b, c; union { int i; float f; } u; struct { int x; }; } part; static int A[20000];
%s
static void all(const part *p, int n) { for (int i = 0; i < n; i++) A[i] = use(p, i); }
int main(int argc, char **argv) { (void)argv; part *p = malloc(sizeof *p);
  p->a = 7 * argc; p->b = 8; p->c = 9; p->u.i = 1078530011; p->x = 5;
  all(p, 20000); printf("%%d\\n", A[199]);
  p->a = 0; all(p, 1000); printf("%%d\\n", A[199]); free(p); return 0; }
"""
USES = (
    "static int use(const part *p, int i) { part t = *p; return p->a * i + t.b; }",
    "static int use(const part *p, int i) { part t; memcpy(&t, p, sizeof t); return p->a * i + t.c; }",
    "static int use(const part *p, int i) { return p->a ? p->u.i + i : (int)p->u.f + i; }",
    "static int use(const part *p, int i) { return p->a * i + p->x; }",
    "static part got(const part *p) { return *p; }\n"
    "static int use(const part *p, int i) { return p->a * i + got(p).b; }",
)


@pytest.mark.skipif(not shutil.which("gcc"), reason="needs gcc")
@pytest.mark.parametrize("use", USES)
def test_structures_that_are_read_as_a_whole(use: str, tmp_path: Path) -> None:
    source = tmp_path / "whole.c"
    source.write_text(WHOLE % use)
    made(source, CompileOptions(without=frozenset({"threshold"})), tmp_path / "out")
    subprocess.run(["gcc", "-O1", source, "-o", tmp_path / "plain"], check=True)
    assert printed(tmp_path / "out" / "made", 4) == printed(tmp_path / "plain", 1)


@pytest.mark.skipif(not shutil.which("gcc"), reason="needs gcc")
def test_only_members_that_are_read_are_copied(tmp_path: Path) -> None:
    """Of a structure that ends early, there is no more."""
    source = tmp_path / "early.c"
    source.write_text(
        "#include <stdio.h>\n#include <stdlib.h>\n#include <stddef.h>\n"
        "typedef struct { int a, b; int rest[2]; } part; static int A[20000];\n"
        "static int use(const part *p, int i) { return p->a * i + p->b; }\n"
        "static void all(const part *p, int n) {\n"
        "  for (int i = 0; i < n; i++) A[i] = use(p, i) + use(p, i + 1); }\n"
        "int main(void) { part *p = malloc(offsetof(part, rest)); p->a = 7; p->b = 8; all(p, 20000);\n"
        '  printf("%d\\n", A[199]); free(p); return 0; }\n'
    )
    text = made(source, CompileOptions(without=frozenset({"threshold"})), tmp_path / "out")
    assert printed(tmp_path / "out" / "made", 4) == "2809\n"
    assert "{ .a = p->a, .b = p->b }" in text


ASSETS = """#include <stdio.h>
#include <stdlib.h>
typedef struct { double alpha, sigma; } asset;
static double price(const asset *a, int path) { double s = 0;
  for (int k = 0; k < 9; k++) for (int j = 0; j < 4; j++) s += (path + k) % 7 * %s;
  return s; }
int main(void) { int paths = 3000; asset *all = malloc(8 * sizeof *all);
  double *pay = malloc(paths * sizeof *pay), t = 0;
  for (int i = 0; i < 8; i++) all[i] = (asset){ i, i + 0.25 };
  for (int p = 0; p < paths; p++) { pay[p] = price(all, p); t += pay[p]; }
  printf("%%.9e %%.9e\\n", t, pay[3]); free(all); free(pay); return 0; }
"""


@pytest.mark.skipif(not shutil.which("gcc"), reason="needs gcc")
@pytest.mark.parametrize(
    "element",
    ["a[j].sigma", "(a + j)->sigma", "a[1].sigma", "a->sigma * (*(a + 2)).alpha", "(a++, a--)->sigma"],
)
def test_a_pointer_may_lead_to_more_than_one_structure(element: str, tmp_path: Path) -> None:
    source = tmp_path / "world.c"
    source.write_text(ASSETS.replace("%s", element).replace("%%", "%"))
    made(source, CompileOptions(without=frozenset({"threshold"})), tmp_path / "out")
    subprocess.run(["gcc", *FLAGS, source, "-o", tmp_path / "plain"], check=True)
    assert printed(tmp_path / "out" / "made", 2) == printed(tmp_path / "plain", 1)
