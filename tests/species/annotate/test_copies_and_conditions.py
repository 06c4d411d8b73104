"""Directives with private copies of what other names may lead to: they are there where conditions fail."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.support.three_ways import same_three_ways

BODIES = {
    "an array by a pointer": "for (int j = 0; j < N; j++) r[j] += q[i];",
    "beside a sum": "q[i] = 0; for (int j = 0; j < N; j++) { r[j] += p[i] * j; q[i] += p[j] * (i % 3); }",
    "an element": "r[3] += q[i];",
    "the largest": "for (int j = 0; j < N; j++) if (q[i] > r[j]) r[j] = q[i];",
    "a variable": "q[i] = p[i]; total += p[i];",
    "the last value": "last = p[i] * 3; q[i] = last + 1;",
    "a member": "q[i] = p[i]; s->sum += p[i];",
    "an array of the file's": "for (int j = 0; j < N; j++) own[j] = p[j] + i; q[i] = own[3] + own[i];",
}
PROGRAM = """#include <stdio.h>
#define N 40
struct sums { int sum, n; };
int total, last, own[N], a[N], b[N], c[N];
static void f(int *p, int *q, int *r, struct sums *s)
{
  (void)p; (void)q; (void)r; (void)s;
  for (int i = 0; i < N; i++) { BODY }
}
static void show(void)
{
  long hash = 0;
  for (int i = 0; i < N; i++) hash = (hash * 31 + a[i] + 3L * b[i] + 7L * c[i] + own[i]) % 1000003;
  printf("%ld %d %d\\n", hash, total, last);
  for (int i = 0; i < N; i++) { a[i] = i % 5; b[i] = i % 3; c[i] = i; }
}
int main(void)
{
  static struct sums s = { 1, 2 };
  show();
  f(a, b, c, &s); show();
  f(a, b, b, &s); show();
  f(a, a, b, &s); show();
  f(b, a, b, &s); show();
  f(own, b, own, &s); show();
  f(a, own, c, &s); show();
  printf("%d\\n", s.sum);
  return 0;
}
"""


@pytest.mark.parametrize("name", BODIES)
def test_directives_are_right_where_conditions_fail(name: str, tmp_path: Path) -> None:
    program = tmp_path / "app.c"
    program.write_text(PROGRAM.replace("BODY", BODIES[name]))
    same_three_ways(program, tmp_path)


POINTED = """#include <stdio.h>
static int bins[64], k[5000]; static long seen[5000];
static int *last, *kept[4];
static void note(int *p, int i) { kept[i & 3] = p; }
static void f(int *b, int n)
{
  for (int i = 0; i < n; i++) { BODY }
}
int main(void)
{
  last = kept[0] = bins;
  for (int i = 0; i < 5000; i++) k[i] = (int)(i * 2654435761u >> 7) & 63;
  f(bins, 5000);
  *last += 100;
  if (kept[3]) *kept[3] += 7;
  long hash = seen[77];
  for (int i = 0; i < 64; i++) hash = (hash * 31 + bins[i]) % 1000003;
  (void)note;
  printf("%ld\\n", hash);
  return 0;
}
"""
ESCAPING = (
    "int *p = b + k[i]; *p += 1; last = p;",
    "b[k[i]] += 1; last = &b[k[i]];",
    "b[k[i]] += 1; note(b + k[i], i);",
    "int *const *q = &(int *){ b }; b[k[i]] += 1; last = *q + k[i];",
    "b[k[i]] += 1; seen[i] = b + k[i] - bins;",
)


@pytest.mark.parametrize("body", ESCAPING)
def test_addresses_of_copies_do_not_leave_the_loop(body: str, tmp_path: Path) -> None:
    """With a reduction of what a pointer leads to, the pointer leads to a thread's copy."""
    program = tmp_path / "app.c"
    program.write_text(POINTED.replace("BODY", body))
    same_three_ways(program, tmp_path)
