"""What functions leave of the members of a structure that they are given: those that they do not name."""

# ruff: noqa: E501  (programs in few lines)
from __future__ import annotations

import pytest

from tests.support.analysing import outermost

HEAD = """#include <string.h>
struct in { int n, k; };
union u { int n; float f; };
struct s { int n, m; double *w; struct in in; int a[4]; union u u; long b : 5, c : 6; };
struct t { int n, z; };
static void bump(struct s *p) { p->m++; }
static void set(struct s *p) { p->n = 3; }
static void whole(struct s *p, const struct s *q) { *p = *q; }
static void aliased(struct s *p) { struct s *q = p; q->n = 3; }
static void moved(struct s *p, struct s *q) { p = q; p->n = 2; }
static void moving(struct s *p) { struct s **q = &p; (*q)->n = 2; }
static void deep(struct s *p) { bump(p); p->in.k = 1; }
static void deeper(struct s *p) { deep(p); set(p); }
static void inner(struct in *p) { p->n = 7; }
static void kept(struct in *p) { p->k = 7; }
static void punned(union u *p) { p->f = 1.0f; }
static void cast(void *p) { ((struct s *)p)->n = 9; }
static void other(struct t *p) { p->z = 9; }
static void led(struct s **p) { (*p)->n = 4; }
static void cleared(struct s *p) { memset(p, 0, sizeof *p); }
static void again(struct s *p, int k) { if (k > 0) { p->m = k; again(p, k - 1); } }
static void through(void (*g)(struct s *), struct s *p) { g(p); }
static void element(struct s *p) { p->a[2] = 3; }
static void real(struct s *p) { p->w[0] = 3; }
static void both(struct s *p, struct s *q) { p->m = 1; q->n = 2; }
"""
LEFT = ("bump(p);", "deep(p);", "kept(&p->in);", "element(p);", "real(p);", "both(q, p); p->n = 10;")
CHANGED = ("set(p);", "set(q);", "whole(p, q);", "aliased(p);", "moved(q, p);", "moving(p);", "deeper(p);", "cast(p);", "led(&p);", "led(&q);", "cleared(p);", "both(q, p);", "both(p, q);", "through(set, p);", "set((struct s *)p);", "(void)0; p = q;", "other((struct t *)p); again(p, p->m); set(p);")  # fmt: skip
F = "void f(struct s *p, struct s *q, double *restrict x) {{ {before} = 10; {call} for (int k = 0; k < {before}; k++) x[k] = k; }}\n"


def _reads_ten(call: str, member: str = "p->n") -> bool:
    loop = outermost(HEAD + F.format(call=call, before=member))
    return "x[0:9]" in str(loop.species)


@pytest.mark.parametrize("call", LEFT)
def test_other_members_are_left(call: str) -> None:
    assert _reads_ten(call)


@pytest.mark.parametrize("call", CHANGED)
def test_members_that_are_named_are_not(call: str) -> None:
    assert not _reads_ten(call)


@pytest.mark.parametrize(
    ("call", "member", "is_left"),
    [
        ("inner(&p->in);", "p->in.n", False),
        ("inner(&q->in);", "p->in.n", False),
        ("kept(&p->in);", "p->in.n", True),
        ("deep(p);", "p->in.n", True),
        ("deep(p);", "p->in.k", False),
        ("punned(&p->u);", "p->u.n", False),
        ("punned(&q->u);", "p->u.n", False),
        ("inner(&p->in);", "p->n", True),
        ("element(p);", "p->a[2]", False),
        ("element(p);", "p->a[1]", False),
    ],
)
def test_members_in_members(call: str, member: str, is_left: bool) -> None:
    assert _reads_ten(call, member) is is_left


def test_functions_that_call_each_other_often_take_no_time() -> None:
    bodies = ["p->m++;", *(f"g{k}(p); " * 9 for k in range(11))]
    levels = "".join(f"static void g{k}(struct s *p) {{ {body} }}\n" for k, body in enumerate(bodies))
    loop = outermost(HEAD + levels + F.format(call="g11(p);", before="p->n"))
    assert "x[0:9]" in str(loop.species)
