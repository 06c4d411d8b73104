"""Random serial loops with parts that are parallel: statements in all orders, with values that go on.

Values are small integers, whatever their types, so that sums come to the same in any order.
"""

from __future__ import annotations

from random import Random

_HEAVY = (
    "{d}v = work(x[i], 9);",
    "{d}v = work(x[i] + t, 5) + 1;",
    "{d}v = 0; for (int k = 0; k < 6; k++) v += x[i] * k % 7;",
    "{d}v = work(i, 4); y[i] = (int)v % 9;",
    "{s}pair = both(x[i], i); {d}v = pair.a;",
    "{r}p = &all[i]; p->a = work(p->b, 7); {d}v = p->a;",
    "{d}v = 3; if (x[i] > 2) {{ v = work(x[i], 3); }} else {{ v = i % 5; }}",
    "{d}v = work(x[i], 3); all[i].b = (int)v % 6;",
    "*h->rows[i] = work(x[i], 3) % 9; {d}v = *h->rows[i];",
    "{c}cell = h->rows[x[i] & 7]; *cell = work((int)i, 3) % 11; {d}v = *cell + 1;",
    "{c}cell = (int[2]){{ work(x[i], 4), 3 }}; {d}v = cell[0];",
    "{s}pair = zero; pair.a = work(x[i], 2); {d}v = pair.b;",
)
_FIRST = (
    "seed = seed * 1664525u + 1013904223u; {t}t = seed >> 28;",
    "{t}t = next(&seed) % 5;",
    "{t}t = x[i] * 2; t -= x[i];",
    "{t}t = rand() % 3;",
    "before = (before * 3 + x[i]) % 11; {t}t = before;",
    "at += 1 + x[i] % 2; {t}t = z[at] % 4;",
    "{t}t = x[i];",
    "{t}t = 2; if (i % 3) {{ t = x[i] % 3; }}",
)
_LAST = (
    'printf("%d ", (int)v);',
    'printf("%d %d\\n", i_, (int)(v + t));',
    "last = (last * 5 + (int)v) % 13; y[i] = last;",
    "if (v > most) {{ most = (long)v; where = (long)i; }}",
    "if ((int)v % 2) {{ z[packed++] = (int)v % 8; }}",
    "sum += v; total = sum % 17;",
    "if (v > 40) {{ continue; }} last += t;",
    "y[i / 2] += (int)v % 5;",
    "all[i].a += last; last = all[i].b;",
    "z[(int)v % 50] += 1 + t;",
    'if (i % 64 == 0) {{ printf("%d: %ld\\n", (int)i, last); }}',
    "x[i] = (int)v % 7;",
    "x[i + 1] = (int)v % 7;",
    "t = last % 3; last += t + 1;",
    "seed ^= (unsigned)v & 3;",
    "before = (long)v % 5;",
    "if (v < 0) {{ break; }}",
    "{{ const int *w = &x[i]; last += *w; }}",
    "last += *h->rows[i] + z[i % 40];",
    "last += pair.a;",
    "last += *cell;",
)


def _function(random: Random, name: str) -> str:
    outside = random.random() < 0.4
    number = random.choice(("double", "int", "long", "float"))
    names = {
        "d": "" if outside else f"{number} ",
        "t": "" if outside else "int ",
        "s": "" if outside else "struct rec ",
        "r": "" if outside else "struct rec *",
        "c": "" if outside else "int *",
    }
    first, heavy = random.choice(_FIRST), random.choice(_HEAVY)
    last = [each for each in _LAST if outside or all(n not in each or n in heavy for n in ("pair", "cell"))]
    body = [heavy, *random.sample(last, random.randint(1, 3))]
    if random.random() < 0.2:
        body.insert(random.randint(1, len(body)), random.choice(last))
    if random.random() < 0.15:
        body.insert(0, "struct rec *q = &all[i]; q->b += 1;")
    declared = (
        f"{number} v = 0; int t = 0; struct rec pair = {{0}}, *p = all; int *cell = z;" if outside else ""
    )
    after = " + v + t + pair.b + p->a" if outside and random.random() < 0.5 else ""
    lines = [first, *body]
    text = "\n    ".join(line.format(**names) for line in lines)
    text = text if outside else _once(text)
    iterator = random.choice(("int", "int", "long", "size_t"))
    header = random.choice(
        (f"for ({iterator} i = 0; i < LIMIT; i++)", f"{iterator} i; for (i = 1; i < LIMIT; ++i)")
    )
    if random.random() < 0.2:
        header = header.replace("i < LIMIT", "i <= LIMIT - 1") if iterator != "size_t" else header
    limit = random.choice(("n", "n - 1", "h->n")) if iterator != "size_t" else "(size_t)n"
    text = text.replace("i_", "(int)i" if iterator != "int" else "i")
    kept = " + i" if header.startswith(iterator) and random.random() < 0.5 else ""
    return f"""static double {name}(int n, int *x, int *y, int *z, struct rec *all, struct head *h)
{{
  long last = 1, before = 0, most = -1, where = 0, sum = 0, total = 0;
  unsigned seed = 7; int packed = 0, at = 0;
  {declared}
  (void)h; (void)x; (void)z; (void)y; (void)all;
  {header.replace("LIMIT", limit)} {{
    {text}
  }}
  if (n < 1) return 0;
  return seed % 97 + last + before + most + where + sum + total + packed + at{after}{kept};
}}
"""


def _once(text: str) -> str:
    """Each variable declared where it is first set, in the order of the text."""
    for declared, name in (("int t", "t"), ("struct rec pair", "pair"), ("int *cell", "cell")):
        head, found, rest = text.partition(declared)
        text = head + found + rest.replace(declared, name) if found else text
    return text


def program(seed: int, functions: int = 5) -> str:
    """A program that takes a number, and prints what the functions print, with hashes of all arrays."""
    random = Random(seed)
    texts = "\n".join(_function(random, f"f{k}") for k in range(functions))
    calls = "".join(
        f"  srand({k}); hash = hash * 3 + f{k}(n, x, y, z, all, &h) + hashed(n, x, y, z, all);\n"
        f'  hash -= 1048573.0 * (long)(hash / 1048573.0);\n  printf("\\nf{k} %.3f\\n", hash);\n'
        for k in range(functions)
    )
    return f"""#pragma GCC diagnostic ignored "-Wunused-variable"
#pragma GCC diagnostic ignored "-Wunused-but-set-variable"
#pragma GCC diagnostic ignored "-Wunused-const-variable"
#include <stdio.h>
#include <stdlib.h>
struct rec {{ int a, b; double w[3]; }};
struct head {{ int n, **rows; }};
static inline int work(int x, int n)
{{
  int s = 0;
  for (int k = 0; k < n; k++) s += (x * 3 + k) % 7;
  return s;
}}
static inline struct rec both(int x, int i)
{{
  struct rec r = {{ work(x, 5), i % 4, {{ 1, 2, 3 }} }};
  return r;
}}
static const struct rec zero;
static inline int next(unsigned *seed) {{ *seed = *seed * 1664525u + 1013904223u; return *seed >> 27; }}
{texts}
static double hashed(int n, const int *x, const int *y, const int *z, const struct rec *all)
{{
  double hash = 0;
  for (int i = 0; i < n; i++) {{
    hash = hash * 1.5 + x[i] + 2 * y[i] + 3 * z[i] + 4 * all[i].a + all[i].b;
    hash -= 1048573.0 * (long)(hash / 1048573.0);
  }}
  return hash;
}}

int main(int argc, char **argv)
{{
  int n = 80 * (argc > 1 ? atoi(argv[1]) : 70), size = 2 * n + 64;
  int *x = calloc(size, sizeof *x), *y = calloc(size, sizeof *y), *z = calloc(size, sizeof *z);
  struct rec *all = calloc(size, sizeof *all);
  struct head h = {{ n, calloc(size, sizeof *h.rows) }};
  double hash = 0;
  for (int i = 0; i < n; i++) {{
    x[i] = i * 5 % 8; y[i] = i % 3; z[i] = i % 5;
    all[i].a = i % 6; all[i].b = i % 7; h.rows[i] = &z[i % 3 ? i : i % 40];
  }}
{calls}  free(x); free(y); free(z); free(all); free(h.rows);
  return 0;
}}
"""
