"""Loops along lists: which can have their nodes looked up first, and what programs do that share the rest."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest

from cuvier.pipeline.generate import generate
from skeletons import CompileOptions, Library
from skeletons.catalogue.passes import LISTS, THRESHOLD
from species import AnalysisOptions, analyse
from species.facts.loops import Verdict
from species.source import PreprocessOptions, read_translation_unit
from tests.filters.fuzz import compare
from tests.lists.generator import program
from tests.support.analysing import loops_of

needs_gcc = pytest.mark.skipif(not shutil.which("gcc"), reason="needs gcc")

HEAD = """#define EACH(p, h) for (node *p = (h)->first; p; p = p->next)
typedef struct node {
  double x, v[8]; int key; struct node *next, *prev; struct { struct node *to; int n; } in; } node;
struct head { node *first, *end; };
typedef const node *CNODE;
struct long_node { struct long_node *next; double x[]; };
struct port { int value; struct port *volatile next; };
struct ring { int n; node end; };
union any { struct { struct twin *next; double x; } a; struct { node *other; double y; } b; };
struct twin { union any u; struct twin *next; };
void g(node *);
"""
SHARED = {
    "for": "void f(struct head *h) { for (node *p = h->first; p; p = p->next) p->x *= 2; }",
    "compared": "void f(node *p) { for (; p != 0; p = p->next) p->x *= 2; }",
    "the other way round": "void f(node *l) { for (node *p = l; (void *)0 != p; p = p->next) p->x = 1; }",
    "while": "void f(node *p) { while (p) { p->x *= 2; p = p->next; } }",
    "to a sentinel": "void f(node *p, node *e) { for (; p != e; p = p->next) p->x = p->v[1]; }",
    "to a sentinel in a structure": """void f(node *p, struct ring *r) {
        for (; p != &r->end; p = p->next) p->x = 1; }""",
    "a type's name": "double f(CNODE p) { double s = 0; for (; p; p = p->next) s += p->x; return s; }",
    "in a member": "void f(node *p) { while (p) { p->in.n++; p = p->in.to; } }",
    "saved first": "void f(node *p) { while (p) { node *q = p->next; p->x *= 2; p = q; } }",
    "saved in the header": "void f(node *p) { node *q; for (; p; p = q) { q = p->next; p->x *= 2; } }",
    "a macro": "void f(struct head *h) { EACH(p, h) p->key++; }",
    "other links": "void f(node *p) { node *l = p; for (; p; p = p->next) p->prev = l; }",
    "a sum": "double f(node *p) { double s = 0; for (; p; p = p->next) s += p->x; return s; }",
    "a histogram": "void f(node *p, int *restrict h) { for (; p; p = p->next) h[p->key & 7]++; }",
}
NOT_SHARED = {
    "it unlinks": "void f(node *p) { for (; p; p = p->next) if (p->next) p->next = p->next->next; }",
    "it may unlink": "void f(node *p, node **q) { for (; p; p = p->next) *q = p; }",
    "it unlinks as bytes": "void f(node *p) { for (; p; p = p->next) { char *c = (char *)p; c[80] = 0; } }",
    "the next node": "void f(node *p) { for (; p; p = p->next) if (p->next) p->x = p->next->x; }",
    "the one before": "void f(node *p) { for (; p; p = p->next) if (p->prev) p->prev->x = p->x; }",
    "a value goes along": "void f(node *p) { double b = 0; for (; p; p = p->next) { p->x += b; b = p->x; } }",
    "it leaves": "void f(node *p) { for (; p; p = p->next) { p->x = 1; if (p->key) break; } }",
    "calls": "void f(node *p) { for (; p; p = p->next) g(p); }",
    "a variable of the file": "static node *p; void f(void) { for (; p; p = p->next) p->x = 1; }",
    "an address": "void f(node *p) { node **q = &p; for (; p; p = p->next) { (*q)->x = 1; } }",
    "the end moves": "void f(node *p, node *e) { for (; p != e; p = p->next) { p->x = 1; e = p; } }",
    "continue": "void f(node *p) { while (p) { if (p->key) continue; p->x = 1; p = p->next; } }",
    "a function that calls itself": """void f(node *p, int n) {
        for (node *q = p; q; q = q->next) q->x = n; if (n) f(p, n - 1); }""",
    "structures that are longer": "void f(struct long_node *p) { for (; p; p = p->next) p->x[3] = 1; }",
    "volatile links": "void f(struct port *p) { for (; p; p = p->next) p->value = 1; }",
    "two steps": "void f(node *p) { for (; p; p = p->next) { p->x = 1; p = p->next; if (!p) return; } }",
    "by a pointer between": "void f(node *p) { for (; p; p = p->prev->next) p->x = 1; }",
    "another way first": "void f(node *p) { while (p) { node *q = p->next; p->x = 1; q = p->prev; p = q; } }",
    "links in a union": "void f(struct twin *p) { for (; p; p = p->u.a.next) p->u.b.other = 0; }",
}


def made(text: str, *without: str) -> str:
    return made_of(HEAD + text, *without)


def made_of(source: str, *without: str) -> str:
    """The OpenMP program."""
    library = Library.load()
    flags, analysis = PreprocessOptions(), AnalysisOptions(scops=True)
    unit = read_translation_unit("lists.c", flags, text=source)
    options = CompileOptions(without=frozenset((THRESHOLD, *without)))
    return generate(unit, analyse(unit, analysis), "openmp", library, flags, analysis, options).files[
        "lists.c"
    ]


@pytest.mark.parametrize("name", SHARED)
def test_threads_share_what_does_not_lead_on(name: str) -> None:
    found = made(SHARED[name])
    assert "listed_n++] = p" in found and "#pragma omp parallel" in found
    assert "listed" not in made(SHARED[name], LISTS)
    [loop, *_] = loops_of(HEAD + SHARED[name])
    assert loop.verdict is Verdict.SERIAL and loop.traversal is not None and loop.traversal.independent


@pytest.mark.parametrize("name", NOT_SHARED)
def test_other_loops_along_lists_stay(name: str) -> None:
    assert "listed" not in made(NOT_SHARED[name])
    [loop, *_] = loops_of(HEAD + NOT_SHARED[name])
    assert loop.traversal is None or not loop.traversal.independent


def test_a_declaration_of_two_pointers_stays() -> None:
    assert "listed" not in made(
        "void f(node *p) { while (p) { node *q = p->next, *r = p; r->x = 1; p = q; } }"
    )


def test_lines_of_the_preprocessor_hide_the_step() -> None:
    lines = "\n#if 0\np = p->prev;\n#else\np = p->next;\n#endif\n"
    assert "listed" not in made(f"void f(node *p) {{ while (p) {{ p->x = 1; {lines} }} }}")


def test_what_lies_beside_a_node_may_be_another_one() -> None:
    found = made("void f(node *p) { for (; p; p = p->next) p[1].x = p->x; }")
    assert "cuvier_rows_apart(listed," in found


@needs_gcc
def test_programs_have_the_tests_that_passes_have_written(tmp_path: Path) -> None:
    """The pass that keeps `ref->x` in a variable asks whether a node is the same."""
    text = made("static void f(node *p, const node *ref) { for (; p; p = p->next) p->x += ref->x; }")
    assert text.count("static int cuvier_rows_apart(") == 1
    main = "int main(void) { node n = {0}; f(&n, &n); return n.x != 0; }\nvoid g(node *p) { (void)p; }"
    (tmp_path / "lists.c").write_text(text + main)
    subprocess.run(["gcc", "-w", "-fopenmp", "lists.c", "-o", "lists"], cwd=tmp_path, check=True)
    subprocess.run([tmp_path / "lists"], check=True)


def test_what_else_ties_iterations_together_is_said() -> None:
    [loop] = loops_of(HEAD + NOT_SHARED["a value goes along"])
    assert [reason.code for reason in loop.reasons] == ["CV307", "CV201"] and not loop.proven


COUNTED = """
#include <stdio.h>
#include <stdlib.h>
typedef struct node { int v, w; struct node *next; } node;
static long all(node *h)
{
  long s = 0;
  for (node *p = h; p; p = p->next) { p->w = p->v * 3; s += p->v; }
  return s;
}
static int drawn(int *x, int n, unsigned s)
{
  int best = -1, at = 0;
  for (int i = 0; i < n; i++) {
    s = s * 9 + 5; int v = 0; for (int k = 0; k < 5; k++) v += (s >> k) % 7;
    x[i] = v; if (v > best) { best = v; at = i; } }
  return at;
}
int main(void)
{
  static int x[40]; static node nodes[40];
  for (int n = 0; n <= 40; n++) {
    for (int k = 0; k < n; k++) nodes[k] = (node){ k, 0, k + 1 < n ? &nodes[k + 1] : NULL };
    printf("%ld %d", all(n ? nodes : NULL), drawn(x, n, n));
    for (int k = 0; k < n; k++) printf(" %d %d", nodes[k].w, x[k]);
    puts("");
  }
}
"""


@needs_gcc
def test_every_number_of_nodes_and_threads(tmp_path: Path) -> None:
    """All iterations are made once: of 0 to 40, by 1 to 57 threads (digest of seed 004, J12)."""
    text = made_of(COUNTED)
    assert "listed[" in text and "i_from" in text
    for name, source in (("plain", COUNTED), ("shared", text)):
        (tmp_path / f"{name}.c").write_text(source)
        subprocess.run(["gcc", "-w", "-fopenmp", f"{name}.c", "-o", name], cwd=tmp_path, check=True)
    expected = subprocess.run([tmp_path / "plain"], capture_output=True, check=True).stdout
    for threads in range(1, 58, 8):
        environment = {"OMP_NUM_THREADS": str(threads), "OMP_WAIT_POLICY": "passive"}
        ran = subprocess.run([tmp_path / "shared"], capture_output=True, check=True, env=environment)
        assert ran.stdout == expected, threads


@needs_gcc
@pytest.mark.sampled(4)
@pytest.mark.parametrize("seed", range(5000, 5012))
def test_random_lists(seed: int, tmp_path: Path) -> None:
    assert compare(program(seed), tmp_path, "openmp", strict_fp=False)
