"""Random loops that give functions pointers to elements, of which these make this and that.

Those that have labels or call themselves are not analysed in place of their calls, and others are, also where they
give back structures, and where pointers lead to one of some.  `ORDER` is the header of the loops, so that they can run in any order.
"""

# ruff: noqa: E501  (C, in lines as long as it likes)
from __future__ import annotations

import random

HEAD = """
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#define N 20
#ifdef BACKWARDS
#define ORDER for (int i = N - 1; i >= 0; i--)
#else
#define ORDER for (int i = 0; i < N; i++)
#endif
struct pair { long a, b; };
struct cell { long x, y, part[3]; struct pair in; struct cell *peer; long *out; };
typedef void (*way)(struct cell *, long *, long);
static struct cell cells[64], others[64];
static long table[64], extra[64];
static struct cell *gp = &cells[5];
static long total;
static void set(long *r, long n) { *r = n; }
static void bump(long r[1], long n) { *r += n; if (n > 100) bump(r, n / 2); }
static void pairs(long a[2], const long b[], long n) { for (int k = 0; k < 2; k++) a[k] += b[k] * n; if (n > 90) pairs(a, b, n / 2); }
static void next(long *r, long n) { r[1] += n; }
static void add(struct cell *p, long n) { p->x += n; p->in.a ^= n; if (n > 100) add(p, n / 3); }
static void far(struct cell *p, long n) { if (p->peer) p->peer->y += n; }
static void keep(struct cell *p, long *r, long n) { p->in.b = *r + n; }
static void push(struct cell *p, long *r, long n) { *r += p->x + n; }
static void walk(struct cell *p, long *r, long n) { p[1].x += n; r[0]--; }
static struct pair sum(struct pair a, struct pair b) { struct pair t = {a.a + b.a, a.b ^ b.b}; return t; }
static struct pair look(const struct cell *p) { return p->in; }
static struct pair some(const struct cell *p, long n) { if (n & 1) return p->in; struct pair t = {n, p->x}; return t; }
static void put(struct cell *p, struct pair v) { p->in = v; }
static void mix(struct cell *p, struct pair v, long n) { p->in.a = v.b + n; p->x ^= v.a; }
static struct pair last(struct pair v, long n) { v.a += n; return v; }
static void *need(void *p) { if (!p) abort(); return p; }
static int order(const void *a, const void *b) { const long *x = a, *y = b; return (*x > *y) - (*x < *y); }
static void spread(struct cell *p, long *r, long n) { for (int k = 0; k < 3; k++) p->part[k] = r[0] + k * n; }
static void count(struct cell *p, long *r, long n) { total += n; p->y = *r; }
static void hop(struct cell *p, long *r, long n) { if (p->peer) p->peer->y += n; *r = 1; }
static void own(struct cell *p, long *r, long n) { long t[3] = {n, *r, p->x}; for (int k = 0; k < 3; k++) r[0] ^= t[k]; }
static void shared(struct cell *p, long *r, long n) { static long t[3]; t[n & 1] += p->x; r[0] += t[1]; }
static void whole(struct cell *p, long *r, long n) { struct cell c = *p; c.x += n; c.part[1] = *r; *p = c; }
static void through(struct cell *p, long *r, long n) { if (p->out) *p->out = n + *r; }
static long *kept;
static way calm[2] = {keep, push}, wild[2] = {push, walk};
"""

STATEMENTS = (
    "p->x += n;", "p->part[n & 1] = q->y;", "*r += p->x;", "r[0] = n + q->part[2];", "p->in.a += q->in.b;", "p->y = n * 3;",
    "set(&p->x, n);", "bump(&p->in.b, n);", "add(p, n);", "bump(r, n);", "calm[n & 1](p, r, n);", "if (q) p->y += q->x;",
    "{ struct pair t = p->in; p->in.a = t.b; }", "bump(&p->part[1], q->x);", "{ long t = 0; bump(&t, n); p->x += t; }",
    "if (n > 15) { struct pair t = SELF(p, q, r, n / 2); p->x += t.a; }",
    "for (int k = 0; k < 3; k++) p->part[k] += r[k];", "bump(p->part, n);", "pairs(p->part, q->part, n);", "r[2] = n;",
    "pairs(&p->part[0], r, n);", "p[1].y ^= n;", "for (int k = 0; k <= 1; ++k) r[k] -= q->part[k];",
    "p->in = sum(p->in, q->in);", "put(p, sum(look(p), look(q)));", "put(p, (struct pair){n, q->x});", "mix(p, p->in, n);",
    "{ struct pair t = look(p); t.a += n; put(p, t); }", "p->y += look(q).b;", "mix(p, sum(q->in, some(q, n)), q->x);",
    "mix(p, last(q->in, n), p->y);", "p->in = last(some(p, n), q->y);",
    "{ long *t = malloc(8 * sizeof *t); t[1] = n; bump(t + 1, p->x); p->y = t[1]; free(t); }",
    "{ long *t = need(calloc(8, sizeof *t)); *r += t[n & 7]; qsort(t, 8, sizeof *t, order); free(t); }",
)  # fmt: skip
TRAPS = (
    "add(p->peer, n);", "bump(p->out, n);", "keep(q->peer, r, n);", "pairs(p->out, r, n);", "add(gp, n);",
    "r[1] = n;", "p[1].x += n;", "(p + 1)->y++;", "p->peer->x = n;", "*p->out += n;", "p->out[1]++;", "q->x += n;", "far(p, n);",
    "{ struct cell *t = p; t->x++; t[1].y = n; }", "{ long *t = &p->x; *t += 1; t = &table[3]; *t += n; }", "gp->x += n;", "total += n;",
    "wild[n & 1](p, r, n);", "next(&p->x, n);", "set(p->part, n);", "if (n > 15) { struct pair t = SELF(q, p, r, n / 2); p->x += t.a; }",
    "extra[n & 7] += n;", "*p = *q;", "memcpy(p, q, sizeof *p);", "set(&p->peer->y, n);", "q = q->peer; q->in.a += n;", "p->x += gp->y;",
    "put(p + 1, look(p));", "q->in = sum(p->in, q->in);", "put(p->peer, sum(look(p), p->in));", "p->in = look(p->peer);",
    "p->in = some(p + 1, n);", "mix(q, look(p), n);", "mix(p, sum(p[1].in, p->in), n);", "q->in = last(q->in, n);",
    "if (kept) { p->x += *kept; free(kept); } kept = malloc(sizeof *kept); *kept = n;",
)  # fmt: skip
CALLS = (
    "{ struct pair made = FUNCTION(&cells[2 * i], &others[i], &table[3 * i], i); cells[2 * i].in.b += made.a; }",
    "{ struct pair made = FUNCTION(&cells[i], &others[i], cells[i].part, i); cells[i].in.b += made.a; }",
    "{ struct pair made = FUNCTION(&others[2 * i], &cells[i], others[2 * i].part, i); extra[i] += made.a; }",
    "{ struct pair made = FUNCTION(&cells[i], &others[i], &table[i], i); cells[i].in.b += made.a; }",
    "{ struct pair made = FUNCTION(cells + i, &others[3], &extra[i], i); cells[i].in.b += made.a; }",
    "{ struct cell c[2] = {others[i]}; { struct pair made = FUNCTION(c, &cells[i], &table[i], i); cells[i].in.b += made.a; } table[i] += c[0].x; }",
    "{ long t[4] = {0}; { struct pair made = FUNCTION(&cells[i], &others[i], t, i); cells[i].in.b += made.a; } extra[i] = t[0]; }",
    "{ struct pair made = FUNCTION(&cells[i], cells[i].peer, &table[i], i); cells[i].in.b += made.a; }",
    "{ struct pair made = FUNCTION(&cells[i], &cells[i + 1], &table[i], i); cells[i].in.b += made.a; }",
    "{ struct pair made = FUNCTION(&cells[i], &cells[i], cells[i].part, i); cells[i].in.b += made.a; }",
    "{ struct pair made = FUNCTION(&others[i], &cells[i], others[i].part, i); cells[i].in.b += made.a; }",
)
WAYS = ("keep", "push", "walk", "spread", "count", "hop", "own", "shared", "whole", "through")
WAYS_CALLED = (
    "WAYS[i % COUNT](&cells[i], &table[i], i);",
    "WAYS[0](&cells[2 * i], cells[2 * i].part, i);",
    "WAYS[i % COUNT](&others[i], &extra[3 * i], table[i]);",
    "{ way w = WAYS[i & 1 & (COUNT - 1)]; w(&others[i], &cells[i].x, i); }",
    "for (int k = 0; k < COUNT; k++) WAYS[k](&cells[i], &extra[i], k);",
    "{ struct cell c[2] = {others[i]}; long t[4] = {i}; WAYS[i % COUNT](c, t, i); table[i] = c[0].x + t[0]; }",
)


def _called_by_pointers(pick: random.Random, number: int) -> tuple[str, str]:
    """A table of functions, and what a loop calls by that."""
    names = pick.sample(WAYS, pick.randint(1, 3))
    table = f"static way ways{number}[{len(names)}] = {{{', '.join(names)}}};"
    called = pick.choice(WAYS_CALLED).replace("COUNT", str(len(names)))
    return table, called.replace("WAYS", f"ways{number}")


def program(pick: random.Random, count: int) -> str:
    """A program with `count` loops, that prints what the memory is after each, from the same state on."""
    parts = [HEAD]
    for number in range(count):
        parts.append(_function(pick, number))
        call = pick.choice(CALLS).replace("FUNCTION", f"g{number}")
        if pick.random() < 0.3:
            table, call = _called_by_pointers(pick, number)
            parts.append(table)
        parts.append(f"static void loop{number}(void)\n{{\n  ORDER\n    {call}\n}}")
    runs = "\n".join(f"  start(); loop{number}(); show({number});" for number in range(count))
    return "\n".join(parts) + _MAIN.replace("RUNS", runs)


def _function(pick: random.Random, number: int) -> str:
    traps = pick.choice((0, 0, 1, 1, 2))
    body = [pick.choice(STATEMENTS) for _ in range(pick.randint(1, 4))] + [
        pick.choice(TRAPS) for _ in range(traps)
    ]
    pick.shuffle(body)
    text = " ".join(body).replace("SELF", f"g{number}")
    head = f"static struct pair g{number}(struct cell *p, struct cell *q, long *r, long n)"
    label = pick.choice(("", "label: ; "))
    return f"{head}\n{{\n  {label}{text}\n  struct pair made = {{n, p->x}};\n  return made;\n}}"


_MAIN = """
static void start(void)
{
  memset(cells, 0, sizeof cells), memset(others, 0, sizeof others);
  total = 0, kept = 0;
  for (int k = 0; k < 64; k++) {
    cells[k].x = k * 7 % 13, cells[k].y = k, others[k].x = k * 5 % 11, others[k].y = 3 * k;
    cells[k].peer = &cells[(k + 1) & 31], others[k].peer = &cells[k / 2], cells[k].out = &table[k / 2], others[k].out = &extra[k];
    table[k] = k, extra[k] = 2 * k;
    for (int j = 0; j < 3; j++) cells[k].part[j] = j + k, others[k].part[j] = j * k;
  }
}
static void show(int number)
{
  unsigned long sum = (unsigned long)total;
  for (int k = 0; k < 64; k++) {
    const struct cell *both[2] = {&cells[k], &others[k]};
    for (int j = 0; j < 2; j++) {
      const struct cell *c = both[j];
      long all[] = {c->x, c->y, c->part[0], c->part[1], c->part[2], c->in.a, c->in.b};
      for (int m = 0; m < 7; m++) sum = sum * 31 + (unsigned long)all[m];
    }
    sum = (sum * 31 + (unsigned long)table[k]) * 31 + (unsigned long)extra[k];
  }
  printf("%d %lx\\n", number, sum);
}
int main(void)
{
RUNS
  return 0;
}
"""
