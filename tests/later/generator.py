"""Random loops whose iterations do something in order: in branches, in inner loops, in functions.

What they do in order takes values of the iteration, and at times what another statement needs again, so that
some loops have to stay as they are.
"""

from __future__ import annotations

from random import Random

# What iterations do in any order; {a} is a number that changes from one to the next.
_WORK = (
    "v += work({a}, 5);",
    "v = work({a} + t, 3) - (int)v % 3;",
    "t = (int)v % 7 + {a} % 3;",
    "y[i] = (int)v % 9;",
    "r.a = work({a}, 4); r.b = t;",
    "both({a}, &r); v += r.b;",
    "total += t;",
    "if (v > most) {{ most = v; }}",
    "p = &all[i]; v += p->b;",
    "t += z[{a} % 40];",
    "buf[{a} % 4] = t; v += buf[(i + 1) % 4] * 0 + t;",
    "u = {a} % 5; v += u;",
    "name[0] = (char)('a' + t % 20); v += name[0];",
)
# What they do in order.
_ORDERED = (
    "push(out, {a}, (long)v, t);",
    "push(out, i_, t, r.b);",
    "if (len == cap) {{ cap = cap ? 2 * cap : 4; list = realloc(list, cap * sizeof *list);"
    " if (!list) exit(1); }} list[len++] = {a} + t;",
    "list = grown(list, len, &cap); list[len] = t; len++;",
    'printf("%d:%d ", {a}, (int)v);',
    "keep(out, &r);",
    "keep2(out, r);",
    "insert(tab, (int)v % 31 + {a} % 7, t);",
    "state = (state * 5 + (int)v) % 1009;",
    "out->sum += v; out->last = {a};",
    "append(out, p->a + p->b);",
    "push(out, y[i], z[{a} % 40], all[i].b);",
    "{{ int w = {a} + t; push(out, w, w, u); state += w % 3; }}",
    "for (int q = 0; q < t % 3; q++) {{ push(out, q, i_, u); }}",
    "if (tally[t & 3]++ < 5) {{ push(out, t, 1, 2); }} else {{ state++; }}",
    "while (len > 0 && list[len - 1] > {a}) {{ len--; }}",
    "seen[(int)v & 15] = i_;",
    "push(out, name[0], t, 0);",
    "emit({a}, t);",
    "t += scan(y, {a}, m, out);",
    "walk({a} % 9, t, m, out, tab);",
    "if (chain(out, m, i_)) {{ t++; }}",
)
# What has to see what was done before.
_AFTER = (
    "v += out->n;",
    "if (len > 50) {{ break; }}",
    "t += state % 3;",
    "v += seen[t & 15];",
    "if (out->n > 300) {{ continue; }}",
    "z[i % 40] += t % 2;",
    "t += len;",
)


def _statement(random: Random, depth: int, number: str, inner: bool) -> str:
    kind = random.random()
    if kind < 0.22 and depth < 3:
        loop = f"k{depth}"
        body = _block(random, depth + 1, loop, True)
        return (
            f"for (int {loop} = 0; {loop} < {random.choice(('3', 'm', '1 + i_ % 4'))}; {loop}++) {{ {body} }}"
        )
    if kind < 0.45 and depth < 4:
        test = random.choice(("t > 2", "v > 9", "i_ % 3 == 0", "z[i % 40] > 1", "r.b < 3", f"{number} % 2"))
        other = f" else {{ {_block(random, depth + 1, number, inner)} }}" if random.random() < 0.3 else ""
        return f"if ({test}) {{ {_block(random, depth + 1, number, inner)} }}{other}"
    if kind < 0.49 and depth:
        jump = random.choice(("break", "continue") if inner else ("continue",))
        return f"if (t == {random.randint(0, 9)}) {{ {jump}; }}"
    some = _WORK if kind < 0.76 else _ORDERED if kind < 0.985 else _AFTER
    return random.choice(some).format(a=number)


def _block(random: Random, depth: int, number: str, inner: bool) -> str:
    return "\n    ".join(
        _statement(random, depth, number, inner) for _ in range(random.randint(1, 4 if depth < 2 else 2))
    )


def _function(random: Random, name: str) -> str:
    iterator = random.choice(("int", "int", "long", "size_t", "unsigned"))
    outside = random.random() < 0.3
    limit = random.choice(("n", "n - 1", "out->limit")) if iterator in ("int", "long") else f"({iterator})n"
    header = (
        f"{iterator} i; for (i = 0; i < {limit}; i++)"
        if outside
        else f"for ({iterator} i = 0; i < {limit}; i++)"
    )
    own = "double v = 0; int t = (int)(i % 5), u = 1; struct rec r = {{0, t}}; struct rec *p = all; "
    own += "char name[4] = {{0}}; int buf[4] = {{0}};"
    own = own.replace("{{", "{").replace("}}", "}")
    body = _block(random, 0, "i_", False).replace("i_", "i" if iterator == "int" else "(int)i")
    return f"""static double {name}(int n, int m, int *y, int *z, struct rec *all, struct list *out,
  struct node **tab)
{{
  int *list = NULL, cap = 0, len = 0, state = 1, seen[16] = {{0}}, tally[4] = {{0}};
  double total = 0, most = -1;
  (void)n; (void)y; (void)z; (void)all; (void)tab; (void)m; (void)out;
  {header} {{
    {own}
    (void)p; (void)u; (void)r; (void)name; (void)buf; (void)t; (void)v;
    {body}
  }}
  double hash = state + total + most + len + cap;
  for (int k = 0; k < len; k++) hash = hash * 0.5 + list[k];
  for (int k = 0; k < 16; k++) hash += seen[k] * k + tally[k / 4];
  free(list);
  return hash;
}}
"""


_HELPERS = r"""
struct rec { int a, b; };
struct item { int a, c; long b; };
struct list { struct item *at; int n, room, limit, last; double sum; };
struct node { struct node *next; int key, count; };
static inline int work(int x, int n)
{
  int s = 0;
  for (int k = 0; k < n; k++) s += (x * 3 + k) % 7;
  return s;
}
static inline void both(int x, struct rec *r) { r->a = work(x, 3); r->b = x % 4; }
static void push(struct list *l, int a, long b, int c)
{
  if (l->n == l->room) {
    l->room = l->room ? 2 * l->room : 4;
    l->at = realloc(l->at, (size_t)l->room * sizeof *l->at);
    if (!l->at) { fprintf(stderr, "no memory\n"); exit(1); }
  }
  struct item *i = &l->at[l->n++];
  i->a = a; i->b = b; i->c = c;
}
static inline void append(struct list *l, int a) { push(l, a, l->n, 0); }
static inline void keep(struct list *l, const struct rec *r) { push(l, r->a, r->b, 3); }
static inline void keep2(struct list *l, struct rec r) { push(l, r.a, r.b, 4); }
static inline int *grown(int *list, int len, int *cap)
{
  if (len < *cap) return list;
  *cap = *cap * 2 + 8;
  list = realloc(list, (size_t)*cap * sizeof *list);
  if (!list) exit(1);
  return list;
}
static inline void insert(struct node **tab, int key, int more)
{
  struct node **at = &tab[(unsigned)key % 16];
  while (*at && (*at)->key != key) at = &(*at)->next;
  if (!*at) { *at = calloc(1, sizeof **at); if (!*at) abort(); (*at)->key = key; }
  (*at)->count += more;
}
static int scan(const int *y, int a, int m, struct list *out)
{
  int found = 0;
  for (int k = 0; k < m; k++) {
    int w = work(a + k, 3) + y[0] * 0;
    if (w % 3 == 1) { push(out, a, w, k); found++; }
  }
  return found;
}
static void walk(int a, int b, int m, struct list *out, struct node **tab)
{
  if (a == 5) return;
  for (int k = 0; k < m; k++) {
    struct rec r = { work(k, a), b };
    if (r.a > 4) keep(out, &r);
    if (r.a % 5 == 2) { insert(tab, r.a, b); continue; }
    if (k == 3 && b == 2) return;
  }
  printf("w%d ", a);
}
static inline int chain(struct list *l, int m, int i)
{
  int s = 0, last = 0;
  for (int k = 0; k <= m; k++) { s += work(i + k, 2) % 3; if (s > 3) { last = s; append(l, last); s = 0; } }
  return last & 1;
}
static inline void emit(int a, int b) { if ((a + b) % 3) printf("<%d %d>", a, b); else putchar('.'); }
"""


def program(seed: int, functions: int = 5) -> str:
    """A program that takes a number, and prints what the functions print, with a hash of what they leave."""
    random = Random(seed)
    texts = "\n".join(_function(random, f"f{k}") for k in range(functions))
    calls = "".join(
        f"  hash = hash * 3 + f{k}(n, m, y, z, all, &out, tab) + hashed(n, y, z, &out, tab);\n"
        f'  hash -= 1048573.0 * (long)(hash / 1048573.0);\n  printf("\\nf{k} %.3f\\n", hash);\n'
        for k in range(functions)
    )
    return f"""#pragma GCC diagnostic ignored "-Wunused-variable"
#pragma GCC diagnostic ignored "-Wunused-function"
#pragma GCC diagnostic ignored "-Wunused-but-set-variable"
#include <stdio.h>
#include <stdlib.h>
{_HELPERS}
{texts}
static double hashed(int n, const int *y, const int *z, const struct list *out, struct node **tab)
{{
  double hash = out->n + out->last + out->sum;
  for (int i = 0; i < n; i++) {{
    hash = hash * 1.5 + y[i] + 2 * z[i];
    hash -= 1048573.0 * (long)(hash / 1048573.0);
  }}
  for (int i = 0; i < out->n; i++) {{
    hash = hash * 1.5 + out->at[i].a + 2 * out->at[i].b + 3 * out->at[i].c;
    hash -= 1048573.0 * (long)(hash / 1048573.0);
  }}
  for (int k = 0; k < 16; k++)
    for (struct node *p = tab[k]; p; p = p->next) hash += (p->key + 1) * p->count % 101;
  return hash;
}}

int main(int argc, char **argv)
{{
  int n = 20 * (argc > 1 ? atoi(argv[1]) : 70), size = n + 64, m = 1 + n % 5;
  int *y = calloc(size, sizeof *y), *z = calloc(size, sizeof *z);
  struct rec *all = calloc(size, sizeof *all);
  struct list out = {{ NULL, 0, 0, n / 2, 0, 0 }};
  struct node *tab[16] = {{ NULL }};
  double hash = 0;
  for (int i = 0; i < size; i++) {{
    y[i] = i % 3; z[i] = i % 5; all[i].a = i % 6; all[i].b = i % 7;
  }}
{calls}  free(y); free(z); free(all); free(out.at);
  for (int k = 0; k < 16; k++)
    while (tab[k]) {{ struct node *p = tab[k]; tab[k] = p->next; free(p); }}
  return 0;
}}
"""
