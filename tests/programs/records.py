"""Statements over arrays of structures that functions are handed, and calls of functions that remember.

What a helper reads of `all[i]`, `*one` or of two structures that may be one decides what a loop over its
calls may do; so does what a `static` variable keeps for the next call.
"""

from __future__ import annotations

import random
from collections.abc import Callable

HEAD = """struct item { double weight; int kind; double cells[4]; struct item *next; };
static struct item items[N + 8], *chosen = items + 2;
static double worth(const struct item *one, double x)
{
  return one->weight * 0.5 + x * 0.125 + one->cells[one->kind & 3];
}
static double priced(const struct item *all, int i) { return all[i].weight * 0.25 + all[i].cells[1]; }
static double both(const struct item *one, const struct item *other)
{
  return one->weight * 0.5 + (one == other ? 1 : other->cells[0] * 0.25);
}
static double valued(struct item one) { return one.cells[2] * 0.5 + one.kind; }
static double summed(const struct item *all, int many)
{
  double sum = 0;
  for (int k = 0; k < many; k++)
    sum += all[k].weight * 0.125;
  return sum;
}
static void move(struct item *one, double x)
{
  one->weight = x * 0.5;
  one->cells[one->kind & 3] = one->weight + 1;
}
static void move_all(struct item *all, const double *by, int many)
{
  for (int k = 0; k < many; k++)
    move(&all[k], by[k]);
}
static double delayed(double x)
{
  static double last = 1;
  double now = last;
  last = x;
  return now * 0.5 + x * 0.25;
}
static double cached(int k)
{
  static double table[8];
  static int ready;
  if (!ready)
    for (ready = 1; ready < 8; ready++)
      table[ready] = ready * 0.25;
  return table[k & 7];
}
static double scratched(double x)
{
  static double line[4], first = 0.5;
  for (int k = 0; k < 4; k++)
    line[k] = x * 0.5 + k;
  return line[1] * 0.25 + line[3] * 0.125 + first;
}
"""
SHOWN = """  {
    double sum = 0;
    for (int i = 0; i < N + 8; i++)
      sum = keep(sum * 0.5) + items[i].weight + items[i].cells[i & 3] + items[i].kind;
    printf("items %.6f %d\\n", sum, (int)(chosen - items));
  }
"""


def statement(source: random.Random, pick: Callable[[], str]) -> str:
    """A loop over structures, or one that calls what remembers; `pick` names an array."""
    a, b = pick(), pick()
    place = source.choice(("items", "items", "chosen", "(items + 3)", "(&items[1])"))
    one = source.choice(
        (f"&{place}[i]", f"{place} + i", "chosen", "&items[0]", f"&{place}[i % 4]", "&items[7 - i % 7]")
    )
    k, put = source.randint(0, 4), source.choice(("i", "3"))
    texts = (
        f"{a}[i] = keep(worth({one}, {b}[i]));",
        f"{a}[i] = keep(priced({place}, i));",
        f"{a}[i] = keep(priced({place}, {source.choice(('i % 3', 'i + 1', f'{k}'))}));",
        f"{a}[i] = keep(both({one}, {source.choice(('chosen', '&items[i]', '&items[3]'))}));",
        f"{a}[i] = keep(valued({place}[{source.choice(('i', 'i / 2', '3'))}]));",
        f"{a}[i] = keep(summed({place}, {source.choice(('3', 'i % 4', 'i'))}));",
        f"move({one}, {b}[i]);",
        f"{place}[i].kind = i % 4;\n  move({one}, {b}[i]);",
        f"{place}[i].weight = {a}[i];\n  {place}[i].cells[i & 3] = keep({b}[i] * 0.5);",
        f"struct item mine = {place}[i];\n  mine.weight = {a}[i];\n  items[{put}] = mine;",
        f"struct item *p = {one};\n  p->weight += 0.5;\n  {a}[i] = p->weight;",
        f"{a}[i] = keep(delayed({b}[i]));",
        f"{a}[i] = keep(cached(i) + {b}[i] * 0.5);",
        f"{a}[i] = keep(scratched({b}[i]));",
    )
    loop = f"for (int i = {source.choice((0, 0, 1))}; i < {source.choice(('N', 'N - 3', '6'))}; i++) {{\n"
    return source.choice(
        (
            *[f"{loop}  {source.choice(texts)}\n}}"] * 8,
            f"chosen = &items[{k}];",
            f"chosen = count & 1 ? items : items + {k};",
            f"move_all({place}, {a}, {source.choice(('N', '5'))});",
            f"move(&items[{k}], 3);",
        )
    )
