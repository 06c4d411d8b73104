"""Random programs in which pointers travel among members of structures in structures, all apart at first."""

# ruff: noqa: E501  (C, in lines as long as it likes)
from __future__ import annotations

import random

_HEAD = """#include "watched.h"
struct in { double *p, *q; char room[8]; };
struct mid { struct in a, b; };
struct box { struct in one, two; struct mid m; struct in row[2]; double *p; };
static double *numbers(int n) { ENTER double *p = malloc((n + 8) * sizeof *p); return p; }
static void fill(struct in *i) { ENTER i->p = numbers(1); i->q = numbers(2); memset(i->room, 0, 8); }
static void set(struct in *i, double *x) { ENTER i->q = x; }
static double *get(const struct in *i) { ENTER return i->p; }
static struct in turned(struct in i) { ENTER struct in j = {i.q, i.p, {0}}; return j; }
static void exchange(struct in *i, struct in *j) { ENTER struct in t = *i; *i = *j; *j = t; }
static void *any(void *p) { ENTER return p; }
static void bytes(void *to, const void *from, size_t n) { char *t = to; const char *f = from; while (n--) *t++ = *f++; }
static void filled(struct box *b) { ENTER fill(&b->one); fill(&b->two); fill(&b->m.a); fill(&b->m.b); fill(&b->row[0]); fill(&b->row[1]); b->p = numbers(3); }
"""
_INNER = ("one", "two", "m.a", "m.b", "row[0]", "row[1]")


def program(seed: int) -> str:
    """One program, from a seed."""
    pick = random.Random(seed)

    def inner() -> str:
        return f"{pick.choice(('x', 'y', '(*h)'))}.{pick.choice(_INNER)}"

    def held() -> str:
        return f"{inner()}.{pick.choice('pq')}"

    def statement() -> str:
        forms = [
            f"{inner()} = {inner()};",
            f"{held()} = {held()};",
            f"set(&{inner()}, {held()});",
            f"{held()} = get(&{inner()});",
            f"{inner()} = turned({inner()});",
            f"exchange(&{inner()}, &{inner()});",
            f"memcpy(&{inner()}, &{inner()}, sizeof(struct in));",
            "memmove(x.row, y.row, sizeof x.row);",
            f"{pick.choice(('x = y', 'y = *h', '*h = x'))};",
            f"{pick.choice(('x.m = y.m', 'y.m = h->m', 'h->m = x.m'))};",
            f"{{ struct in *i = &{inner()}; i->p = {held()}; }}",
            f"{{ struct mid *m = &{pick.choice(('x', 'y', '(*h)'))}.m; m->b.p = {held()}; }}",
            f"{{ struct in *i = x.row; i++; i->p = {held()}; }}",
            f"{{ struct in *all[2] = {{&{inner()}, &{inner()}}}; all[(int)sizeof(char) - {pick.randrange(2)}]->p = {held()}; }}",
            f"(h ? &{inner()} : &{inner()})->p = {held()};",
        ]
        rare = [
            f"{{ double **w = &{held()}; *w = {held()}; }}",
            f"{{ void *v = &{inner()}; struct in *i = v; i->p = {held()}; }}",
            f"{{ struct in *i = any(&{inner()}); i->p = {held()}; }}",
            f"{{ struct in *i = &h->two; struct box *b = (struct box *)((char *)i - offsetof(struct box, two)); b->p = {held()}; b->one.q = {held()}; }}",
            f"{{ struct in *i = memset(&{inner()}, 0, 0); i->q = {held()}; }}",
            f"bytes(&{inner()}, &{inner()}, sizeof(struct in));",
            f"{{ struct in i = {inner()}; double *was = {held()}; bytes(i.room, &was, 8); bytes(&was, i.room, 8); {held()} = was; }}",
            f"memcpy({inner()}.room, &{held()}, 8); memcpy(&{held()}, {inner()}.room, 8);",
            "memcpy(&x.one, &y.one, 2 * sizeof(struct in));",
            "memcpy(&h->two, &x.two, offsetof(struct box, row) - offsetof(struct box, two));",
            "{ size_t many = sizeof x.m; memmove(&y.m.a, &h->m.a, many); }",
            f"for (int k = 0; k < 8; k++) {inner()}.room[k] = {inner()}.room[k];",
            f"*(double **){inner()}.room = {held()}; {held()} = *(double **)y.one.room ? *(double **)y.one.room : {held()};",
        ]
        return pick.choice(rare if use_rare and pick.random() < 0.4 else forms)

    use_rare = pick.random() < 0.5
    body = "\n  ".join(statement() for _ in range(pick.randint(1, 6)))
    places = [f"{box}.{path}.{name}" for box in ("x", "y", "(*h)") for path in _INNER for name in "pq"]
    probes = [f"W({n}, {place}, 0);" for n, place in enumerate([*places, "x.p", "y.p", "h->p"])]
    return (
        f"{_HEAD}static struct box y;\n"
        "int main(void)\n{ ENTER struct box x, *h = malloc(sizeof *h); OBJECT(x) OBJECT(y)\n"
        f"  filled(&x); filled(&y); filled(h);\n  {body}\n  {' '.join(probes)}\n  return 0; }}\n"
    )
