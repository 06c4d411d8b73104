"""Random programs with loops along lists, in many forms, over lists of many shapes, which they may change.

Values are small integers, whatever their types, so that sums come to the same in any order.
"""

from __future__ import annotations

from random import Random

_OWN = (
    "p->a = (int)p->a % 7 + p->key;",
    "p->v[p->key] += 1;",
    "for (int k = 0; k < 4; k++) { p->v[k] = (p->v[k] + p->a) - 5 * (int)((p->v[k] + p->a) / 5); }",
    "p->b = work(p, 3);",
    "touch(p);",
    "p->in.x = (int)p->b % 11;",
    "if (p->key > 2) { p->a = 1; } else { p->b = p->in.x; }",
    "{ T *q = p; q->a = (int)q->a % 9 + 1; }",
    "{ double *w = p->v; w[1] = w[2]; w[3] = p->key; }",
    "local = p->key * 3; p->in.y = local;",
)
_COMBINED = (
    "sum += p->a;",
    "sum -= p->key; sum += p->v[1];",
    "if (p->a > most) { most = (long)p->a; }",
    "if (p->key == 3) { count++; }",
    "hist[p->key]++;",
    "hist[(int)p->a & 7] += p->key;",
    "count += 2;",
)
_TIED = (
    "if (p->LINK) { p->a = p->LINK->b + 1; }",
    "if (p->prev) { p->prev->b = p->key; }",
    "if (p->other) { p->b = p->other->a + 1; }",
    "if (p->other) { p->other->a = p->key + 1; }",
    "before += p->key; p->in.x = before % 8;",
    "out[p->id] = p->key;",
    "out[p->id % 8] += (int)p->a;",
    "p->other = p->prev;",
    "if (p->key == 1 && p->LINK && p->LINK != end) { p->LINK = p->LINK->LINK; }",
    "if (p->key == 5 && p->id > 20) { p->LINK = end; }",
    "last = p;",
    "if (last) { last->a = p->key; } last = p;",
    "h->seen++;",
    "h->first->key = p->id % 5;",
    "if (p->id == 40) { break; }",
    "total += p->key;",
)
_FORMS = (
    "for (T *p = h->first; p != NULL; p = p->LINK) {{ {0} }}",
    "for (T *p = h->first; p; p = p->LINK) {{ {0} }}",
    "T *p; for (p = h->first; p != end; p = p->LINK) {{ {0} }} if (p == end) count++;",
    "T *p = h->first; while (p) {{ {0} p = p->LINK; }} if (p) count++;",
    "T *p = h->first;\n  while (NULL != p)\n  {{\n    {0}\n    p = p->LINK;\n  }}",
    "T *p = h->first; for (; p != end; p = p->LINK) {{ {0} }}",
    "T *p = h->first; while (p != end) {{ {0} p = p->LINK; }}",
    "for (T *p = h->first; p && p != end; p = p->LINK) {{ {0} }}",
    "for (T *p = h->first, *q; p; p = q) {{ q = p->LINK; {0} }}",
    "for (T *p = h->first; p; p = p->LINK) if (p->key != 4) {{ {0} }}",
    "for (T *p = h->first; p; p = p->LINK) {{ if (p->key == 4) continue; {0} }}",
    "T *p = h->first; if (p) do {{ {0} p = p->LINK; }} while (p);",
    "for (int t = 0; t < 2; t++) for (T *p = h->first; p; p = p->LINK) {{ {0} }}",
    "EACH(p, h) {{ {0} }}",
)


def _function(random: Random, name: str, link: str, cyclic: bool) -> str:
    """One loop, and a hash of what it combines.  A `cyclic` list ends where it began."""
    forms = [form for form in _FORMS if not cyclic or "!= end" in form]
    body = random.choices(_OWN, k=random.randint(1, 3)) + random.choices(_COMBINED, k=random.randint(0, 2))
    if random.random() < 0.4:
        body.append(random.choice(_TIED))
    random.shuffle(body)
    loop = random.choice(forms).format(" ".join(body))
    text = f"""static double {name}(struct head *h, int *hist, int *out)
{{
  double sum = 0; long most = -1, count = 0, before = 1; int local = 0; T *end = h->end, *last = NULL;
  {loop}
  (void)hist, (void)out, (void)before, (void)local, (void)end;
  return sum + most + 2 * count + 3 * before + (last ? last->key : 0);
}}
"""
    return text.replace("LINK", link)


def program(seed: int, functions: int = 5) -> str:
    """A program that takes a number, and prints a hash of the nodes after each function."""
    random = Random(seed)
    link = random.choice(("next", "next", "in.link", "to"))
    number = random.choice(("double", "float", "int", "long"))
    members = [
        f"{number} a, b;",
        "double v[8];",
        "int key, id;",
        "struct node *prev, *other;",
        f"struct {{ int x, y; struct node *{'link' if '.' in link else 'unused'}; }} in;",
    ]
    members += [] if "." in link else [f"struct node *{link};"]
    random.shuffle(members)
    cyclic = random.random() < 0.25
    texts = "\n".join(_function(random, f"f{k}", link, cyclic) for k in range(functions))
    apart = random.random() < 0.5  # each node allocated, or all at once
    node = "calloc(1, sizeof(T))" if apart else "&pool[(k * 7) % n]"
    calls = "".join(
        f"  hash = hash * 3 + f{k}(&h, hist, out) + hashed(&h);\n"
        f'  hash -= 1048573.0 * (long)(hash / 1048573.0);\n  printf("f{k} %.3f\\n", hash);\n'
        for k in range(functions)
    )
    return f"""#include <stdio.h>
#include <stdlib.h>
typedef struct node {{ {" ".join(members)} }} T;
struct head {{ T *first, *end; int seen; }};
#define EACH(p, h) for (T *p = (h)->first; p; p = p->{link})
static long total;
static inline int work(const T *p, int n)
{{
  int s = 0;
  for (int k = 0; k < n; k++) s += (int)p->v[k] % 5 + k;
  return s % 23;
}}
static inline void touch(T *p) {{ p->v[5] = p->key + 1; p->in.y = (int)p->v[5] % 3; }}
{texts}
static double hashed(const struct head *h)
{{
  double hash = total + h->seen; const T *p = h->first;
  if (p) do {{
    hash = hash * 1.5 + p->a + 2 * p->b + p->key + 3 * p->in.x + p->in.y + (p->prev ? p->prev->id : 0);
    for (int k = 0; k < 8; k++) hash += k * p->v[k];
    hash -= 1048573.0 * (long)(hash / 1048573.0);
    p = p->{link};
  }} while (p && p != h->end);
  return hash;
}}

int main(int argc, char **argv)
{{
  int n = 17 * (argc > 1 ? atoi(argv[1]) : 70), hist[16] = {{ 0 }}, *out = calloc(n + 8, sizeof *out);
  struct head h = {{ NULL, NULL, 0 }};
  T *pool = calloc(n + 1, sizeof *pool), *last = NULL, **all = calloc(n + 1, sizeof *all);
  double hash = 0;
  for (int k = 0; k < n; k++) {{
    T *p = {node};
    all[k] = p; p->id = k; p->key = k * 5 % 7; p->a = k % 6; p->b = k % 4; p->prev = last;
    for (int i = 0; i < 8; i++) p->v[i] = (k + i) % 5;
    p->other = k > 3 ? all[k / 2] : NULL;
    if (last) last->{link} = p; else h.first = p;
    last = p;
  }}
{"  h.end = h.first; if (last) last->" + link + " = h.first;" if cyclic else ""}
{calls}  for (int k = 0; k < 16; k++) hash = hash * 1.25 + hist[k];
  for (int k = 0; k < n; k++) hash += (k % 5) * out[k];
  printf("%.3f\\n", hash);
{"  for (int k = 0; k < n; k++) free(all[k]);" if apart else ""}
  free(pool); free(all); free(out);
  return 0;
}}
"""
