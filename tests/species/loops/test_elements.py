"""Functions that write elements which they get pointers to: what they are known to do, and what not."""

# ruff: noqa: E501  (C, in lines as long as it likes)
from __future__ import annotations

import random
from pathlib import Path

import pytest

from species.facts.loops import Verdict
from tests.elements.fuzz import TOGETHER, checked
from tests.elements.generator import program
from tests.support.analysing import loops_of

LABEL = "label: ;"  # no function that has one is analysed in place of a call
HEAD = """
struct pair { long a, b; };
struct cell { long x, y, part[3]; struct cell *peer, *all[2]; };
static struct cell cells[64], others[64];
static long table[64];
static void bump(long *r, long n) { *r += n; if (n > 100) bump(r, n / 2); }
static void wide(long *r, long n) { r[1] += n; }
static void deep(struct cell *q, long n) { if (n > 0) { deep(q, n - 1); return; } q->x += n; }
static void far(struct cell *q, long n) { if (n > 0) { far(q, n - 1); return; } q->x += n; }
static void four(long *r, long n) { for (int k = 0; k < 4; k++) r[k] += n; }
"""

KNOWN = {
    "a member": "p->x += n;",
    "a member's element": "p->part[n & 1] = q->y;",
    "a pointer's target": "*r += p->x;",
    "the first element": "r[0] = n;",
    "a part is given away": "bump(&p->x, n);",
    "an element of a part is given away": "bump(&p->part[2], n);",
    "a recursive function": "if (n > 100) g(p, q, r, n / 2); p->x++;",
    "a variable of its own": "long t = 0; bump(&t, n); p->x = t;",
    "an array that is given away": "bump(p->part, n);",
    "three of an array": "for (int k = 0; k < 3; k++) p->part[k] += n; wide(p->part, n);",
    "asked for": "if (p && r != 0) p->x = 1;",
}
UNKNOWN = {
    "the next one": "p[1].x += n;",
    "a sum": "(p + 1)->x = n;",
    "a copy of the pointer": "struct cell *t = p; t[1].x = n;",
    "another one's": "p->peer->x = n;",
    "a function that goes on": "wide(&p->part[0], n);",
    "a global variable": "table[3] += n;",
    "an array that is too short for it": "four(p->part, n);",
    "more than a part": "wide(&p->part[1], n);",
    "a number that is not known": "r[n] = 1;",
    "a number below": "r[-1] = n;",
    "a pointer of the element that is given on": "deep(p->peer, 1);",
    "a pointer of an array of them": "far(q->all[1], 1);",
    "a count without a sign": "for (unsigned k = 0; k < -1; k++) { r[k] = n; if (k == 3) break; }",
    "a count that starts elsewhere": "int k = -1; for (k += 0; k < 1; k++) r[k] = n;",
    "a count that goes down": "for (int k = 0; k < 1; k += -1) { r[k] = n; if (k == -2) break; }",
    "a count that is entered in the middle": "int k = 3; goto in; for (k = 0; k < 1; k++) { in: r[k] = n; }",
    "a count that two declare": "for (int k = 0, j = k = -2; k < 1; k++) r[k] = j;",
    "a count that is not known": "for (int k = 0; k < n; k++) r[k] = k;",
    "a count that changes": "for (int k = 0; k < 3; k++) { k += n; r[k] = k; }",
    "the pointer moves": "p++; p->x = n;",
}


def _loop(body: str) -> Verdict:
    function = f"static struct pair g(struct cell *p, struct cell *q, long *r, long n) {{ {LABEL} {body}"
    text = f"{HEAD} {function} struct pair made = {{n, 0}}; return made; }}"
    call = "for (int i = 0; i < 20; i++) g(&cells[i], &others[i], &table[i], i);"
    return loops_of(f"{text} int main(void) {{ {call} return 0; }}")[-1].verdict


@pytest.mark.parametrize("body", KNOWN.values(), ids=KNOWN.keys())
def test_what_stays_in_an_element_is_known(body: str) -> None:
    assert _loop(body) is Verdict.PARALLEL


@pytest.mark.parametrize("body", UNKNOWN.values(), ids=UNKNOWN.keys())
def test_what_leaves_it_is_not(body: str) -> None:
    assert _loop(body) is Verdict.SERIAL


def test_neighbours_and_one_element_for_all_tie_iterations_together() -> None:
    text = (
        HEAD
        + "static struct pair g(struct cell *p, long n) { label: ; p->x += n; struct pair m = {n, 0}; return m; }"
    )
    for argument in ("&cells[3]", "&cells[i / 2]", "&cells[i & 7]"):
        loop = f"for (int i = 0; i < 20; i++) g({argument}, i);"
        assert loops_of(f"{text} int main(void) {{ {loop} return 0; }}")[-1].verdict is Verdict.SERIAL


BY_POINTER = {
    "a variable": "void (*g)(int *, int) = next; g(p, k);",
    "a parameter": "if (k > 90) last(p, k, next); else last(p, k + 90, next);",
    "a table": "all[0](p, k);",
}


@pytest.mark.parametrize("body", BY_POINTER.values(), ids=BY_POINTER.keys())
def test_what_is_called_by_pointers_inside_counts(body: str) -> None:
    text = f"""struct r {{ int v; }}; static int out[64];
        static void next(int *p, int k) {{ *p = *p * 2 % 101 + k; }}
        static void (*const all[])(int *, int) = {{next}};
        static struct r last(int *p, int k, void (*g)(int *, int)) {{ {LABEL} g(p, k); return (struct r){{k}}; }}
        static struct r f(int *p, int k) {{ {LABEL} {body} return (struct r){{k}}; }}
        int main(void) {{ int s = 0; for (int i = 0; i < 64; i++) CALL; return s + out[3]; }}"""
    for call, verdict in (
        ("f(&s, i)", Verdict.SERIAL),
        ("f(&out[i / 2], i)", Verdict.SERIAL),
        ("f(&out[i], i)", None),
    ):
        found = loops_of(text.replace("CALL", call))[-1].verdict
        assert found is (verdict or Verdict.PARALLEL)


def test_values_that_are_written_by_pointers_are_not_known_any_more() -> None:
    text = """static int out[4000]; static void one(int *p) { *p = 1; }
        static void (*const t[])(int *) = {one}; static void via(int *p) { t[0](p); }
        int main(void) { int n = 2000; via(&n);
            for (int j = 0; j < 2000; j++) out[j + n] = out[j] + 1; return out[7]; }"""
    assert loops_of(text)[0].verdict is Verdict.CONDITIONAL


@pytest.mark.parametrize("last", ["int many[0x0]", "int many[01]", "union { int one; int many[0]; } u"])
def test_structures_that_may_be_longer(last: str) -> None:
    name = "u.many" if "union" in last else "many"
    text = f"""struct r {{ int v; }}; struct cell {{ int n; {last}; }};
        static struct r g(struct cell *p, int k) {{ {LABEL} p->{name}[k] = p->n + 1; return (struct r){{1}}; }}
        void f(struct cell *c) {{ for (int i = 0; i < 64; i++) g(&c[i], 1); }}"""
    assert loops_of(text)[0].verdict is Verdict.SERIAL


@pytest.mark.sampled(2)
@pytest.mark.parametrize("declared", ["a pointer", "an array"])
def test_vectors_of_three_numbers(declared: str) -> None:
    text = """static double pos[300], force[300], mass[100];
        static int pull(const double *a, const double *b, double m, double *f, int n) {
            double d[3]; for (int k = 0; k < 3; k++) { d[k] = a[k] - b[k]; f[k] += m * d[k]; }
            return n > 5 ? pull(b, a, m / 2, f, n - 5) : n; }
        int main(void) { for (int i = 0; i < 100; i++) for (int j = 0; j < 100; j++)
            pull(&pos[3 * i], &pos[3 * j], mass[j], &force[WHERE], j); return 0; }"""
    text = text.replace("double *f", "double f[3]") if declared == "an array" else text
    for place, verdict in (("3 * i", Verdict.PARALLEL), ("2 * i", Verdict.SERIAL), ("3 * j", Verdict.SERIAL)):
        found = loops_of(text.replace("WHERE", place))
        assert next(loop for loop in found if loop.function == "main").verdict is verdict


def test_called_by_pointers() -> None:
    """As device models, oscillators or layers are, from a table."""
    text = """typedef struct { int kind; double p[3], g, i; } device;
        typedef void (*model)(const device *, double, double *, double *);
        static void one(const device *d, double v, double *g, double *i) { *g = 1 / d->p[0]; *i = v * *g; }
        static void two(const device *d, double v, double *g, double *i) { *g = d->p[1]; *i = v * d->p[2]; }
        static const model models[2] = {one, two};
        static device devices[100];
        int main(void) { for (int k = 0; k < 100; k++) { device *d = &devices[k];
            models[d->kind](d, k * .5, &d->g, &d->i); } return 0; }"""
    assert loops_of(text)[0].verdict is Verdict.PARALLEL


def test_loops_that_are_called_parallel_run_backwards(tmp_path: Path) -> None:
    parallel = 0
    for seed in range(3):
        wrong, made = checked(program(random.Random(seed), TOGETHER), tmp_path)
        assert not wrong
        parallel += made
    assert parallel > 3
