"""Random loops that combine values into members of structures.

Values are small integers, whatever their types, so that sums come to the same in any order.
"""

# ruff: noqa: E501  (programs in few lines)
from __future__ import annotations

from random import Random

_WHERE = ("s->", "t.", "all.", "s->in.", "all.next->", "(*s).", "none->")
_UPDATES = (
    "{w}count++;",
    "{w}count += 2;",
    "{w}sum += v;",
    "{w}sum -= v;",
    "{w}sum = {w}sum + v;",
    "if (v > {w}most) {w}most = v;",
    "{w}least = v < {w}least ? v : {w}least;",
    "{w}bits |= 1u << (v & 7);",
    "{w}parity ^= v;",
    "{w}narrow += v;",
    "{w}small += v & 1;",
    "{w}cell[2] += v;",
    "{w}cell[v & 3] += 1;",
    "{w}field += v & 1;",
)
_CHOSEN = (
    "many[k[i]].sum += v;",
    "many[k[i]].count++;",
    "many[k[i]].in.count -= v;",
    "{{ struct stats *m = &many[k[i]]; m->sum += v; m->narrow += 1; }}",
    "if (v & 1) many[k[i]].bits += 2;",
    "if (v < many[k[i]].least) many[k[i]].least = v;",
    "{{ struct stats *m = &many[k[i]]; m->sum += v; m->count++; if (v > m->most) m->most = v; m->least = m->least < v ? m->least : v; }}",
    "{{ struct stats *m = &many[k[i]]; if (v * 3 % 7 >= m->in.most) m->in.most = v * 3 % 7; m->in.count++; }}",
    "bins[k[i]] += v;",
    "bins[k[i] + 1]++;",
    "if (v > 4) bins[k[i]] -= 1;",
)
_OTHERS = (
    "y[i] += bins[k[i]];",
    "y[i] += (int)many[k[i]].count;",
    "k[i] = v;",
    "y[i] += (int){w}count;",
    "{w}count = v;",
    "if (v == 3) {w}sum = 0;",
    "s = &all;",
    "tell(&{w}sum);",
    "{{ struct stats *s = &all; s->count += v; }}",
    "all.next = v & 1 ? &all : other;",
    "put(s, v);",
    "last = &bins[k[i]];",
    "{{ int *b = bins + k[i]; *b += v; last = b; }}",
)


_ALIKE = (("&mine", "bins"), ("&mine", "bins + 4"), ("&all", "y"), ("&many[3]", "y"), ("&other", "bins"))


def _function(random: Random, name: str) -> str:
    parts = []
    for _ in range(random.randint(1, 4)):
        where = random.choice(_WHERE)
        condition = "if (none != NULL) " if where == "none->" else random.choice(("", "", "if (v % 3 == 1) "))
        parts.append(f"{condition}{{ {random.choice(_UPDATES).format(w=where)} }}")
    if random.random() < 0.25:
        parts.append(random.choice(_OTHERS).format(w=random.choice(("s->", "t.", "all."))))
    parts += [each.format() for each in random.sample(_CHOSEN, random.choice((0, 1, 1, 2)))]
    random.shuffle(parts)
    body = "\n    ".join(parts)
    inner = random.random() < 0.3
    body = body.replace("k[i]", "k[3 * i + q]") if inner and random.random() < 0.7 else body
    body = f"for (int q = 0; q < 3; q++) {{\n    int v = w + q;\n    {body}\n    }}" if inner else body
    head = random.choice(
        (
            "for (int i = 0; i < n; i++)",
            "int i; for (i = n - 1; i >= 0; i--)",
            "for (long i = 0; i < n; i += 2)",
        )
    )
    return f"""static long {name}(struct stats *s, struct stats *other, struct stats *none, const int *x, int *y, int *k,
  struct stats *many, int *bins, int n)
{{
  struct stats t = {{ 0 }};
  (void)other; (void)none; (void)s; (void)y; (void)k; (void)many; (void)bins;
  {head} {{
    int {"w" if inner else "v"} = x[i] % 9;
    {body}
    y[i] += x[i] * 3 % 5;
  }}
  if (last != NULL) {{ *last += 3; last = NULL; }}
  return print(&t) + print(s) + print(&all) + print(all.next);
}}
"""


def _given(random: Random) -> str:
    """What a function is given: mostly memory that is apart, now and then the same by two names."""
    one, y = ("&mine", "y") if random.random() < 0.6 else random.choice(_ALIKE)
    return f"{one}, &other, NULL, x, {y}, k, many, bins"


def program(seed: int, functions: int = 4) -> str:
    """A program that takes a number, and prints what is in the structures after each function."""
    random = Random(seed)
    whole, number = (
        random.choice(("int", "long", "unsigned")),
        random.choice(("double", "float", "long", "short")),
    )
    texts = "\n".join(_function(random, f"f{k}") for k in range(functions))
    calls = "".join(
        f'  hash = (hash * 3 + f{k}({_given(random)}, n)) % 1000003;\n  printf("{k}: %ld\\n", hash);\n'
        for k in range(functions)
    )
    ignored = ("unused-variable", "unused-function", "sign-compare", "unused-but-set-variable")
    pragmas = "".join(f'#pragma GCC diagnostic ignored "-W{each}"\n' for each in ignored)
    return f"""{pragmas}#include <stdio.h>
#include <stdlib.h>
struct inner {{ {whole} count, most, least, bits, parity, cell[4]; {number} sum; unsigned char narrow; short small; int field : 9; }};
struct stats {{
  {whole} count, most, least, bits, parity, cell[4]; {number} sum; unsigned char narrow; short small; int field : 9;
  struct inner in; struct stats *next;
}};
static struct stats all, mine, other; static int *last;
static void tell({number} *p) {{ *p += 1; }}
static void put(struct stats *s, int v) {{ s->sum += v; s->count++; }}
static long print(const struct stats *s)
{{
  printf("%ld %ld %ld %ld %ld %ld %ld %ld %ld %ld %ld\\n", (long)s->count, (long)s->most, (long)s->least, (long)s->bits,
    (long)s->parity, (long)s->cell[1], (long)s->cell[2], (long)s->sum, (long)s->narrow, (long)s->small, (long)s->field);
  return (long)(s->count + s->in.sum + s->in.count + s->in.cell[1] + s->in.most) % 1000;
}}
{texts}
int main(int argc, char **argv)
{{
  int n = 4 * atoi(argv[argc - 1]);
  int *x = malloc((n + 1) * sizeof *x), *y = calloc(n + 1, sizeof *y), *k = malloc((3 * n + 1) * sizeof *k);
  static struct stats many[20]; static int bins[300];
  long hash = 1;
  for (int i = 0; i < 3 * n; i++) k[i] = 2 + i * 5 % 13;
  all.next = &other;
  for (int i = 0; i < n; i++) x[i] = (i * 37 + 11) % 13;
{calls}  for (int i = 0; i < n; i++) hash = (hash * 7 + y[i]) % 1000003;
  printf("%ld\\n", hash);
  for (int i = 0; i < 20; i++) hash = (hash * 11 + print(&many[i])) % 1000003;
  for (int i = 0; i < 300; i++) hash = (hash * 11 + bins[i]) % 1000003;
  printf("%ld\\n", hash);
  free(x); free(y); free(k);
  return 0;
}}
"""
