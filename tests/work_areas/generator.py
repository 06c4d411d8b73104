"""Random programs whose loops use work areas behind pointers: filled by each iteration, or not quite.

Values are small integers, whatever their types.  In `@`, each group has functions of its own.
"""

# ruff: noqa: E501  (programs in few lines)
from __future__ import annotations

import re
from random import Random

# What iterations do with `w`, of m elements, and `v`, of m + 3, and x; most fill what they read.
_BODIES = (
    "for (int k = 0; k < m; k++) w[k] = x[i] + k;\n    for (int k = 1; k < m; k++) r += (int)(w[k] * w[k - 1]) % 7;",
    "fill@(w, m, x[i]);\n    r += sum@(w, m);",
    "fill@(w, m, x[i]); turn@(w, v, m);\n    r += sum@(v, m);",
    "for (int k = m - 1; k >= 0; k--) w[k] = k % (x[i] + 2);\n    for (int k = 0; k < m; k++) r += (int)w[m - 1 - k] % 3;",
    "{ T *p = w; for (int k = 0; k < m; k++) *p++ = x[i] * k % 11; }\n    r += (int)w[m - 1] + (int)w[0];",
    "w[0] = x[i];\n    for (int k = 1; k < m; k++) w[k] = (int)(w[k - 1] + k) % 101;\n    r += (int)w[m - 1];",
    "for (int k = 0; k < m; k++) { w[k] = k + x[i]; v[k + 2] = w[k]; }\n    for (int k = 2; k < m; k++) r += (int)v[k];",
    "memset(w, 0, m * sizeof *w);\n    for (int k = 0; k < 3; k++) w[(x[i] + k) % m] += k;\n    r += sum@(w, m);",
)
_OTHERS = (
    "w[x[i] % m] = x[i];\n    r += (int)w[0];",
    "for (int k = 0; k < m - 1; k++) w[k] = x[i];\n    r += (int)w[m - 1];",
    "if (x[i] & 1) fill@(w, m, x[i]);\n    r += sum@(w, m);",
    "for (int k = 0; k < x[i] % m; k++) w[k] = x[i];\n    r += x[i] % m ? (int)w[0] : 0;",
    "kept = w; fill@(w, m, x[i]);\n    r += sum@(w, m);",
    "fill@(w, m, x[i]);\n    r += sum@(w, m) + (w == (T *)(void *)kept);",
    "r += (int)w[1]; w[1] = x[i];",
    "fill@(w, m, x[i]); swap@(&w, &v);\n    r += sum@(v, m);",
    "fill@(v, m, x[i]); if (x[i] > 6) w[0] = v[1];\n    r += (int)v[0];",
    "for (int k = 0; k < m; k++) w[k] += x[i];\n    r += (int)w[2 % m];",
)
_HELPERS = """static void fill@(T *p, int n, int v) { for (int k = 0; k < n; k++) p[k] = v + k % 3; }
static int sum@(const T *p, int n) { int s = 0; for (int k = 0; k < n; k++) s += (int)p[k]; return s % 1009; }
static void turn@(const T *p, T *q, int n) { for (int k = 0; k < n; k++) q[k] = p[n - 1 - k]; }
static void swap@(T **a, T **b) { T *c = *a; *a = *b; *b = c; }
"""


_HELD = ("member", "value", "nested", "const")  # areas that members of structures lead to
_COUNTERS = """static void note@(struct st@ *p, int v) { p->hits += v % 5; }
static void most@(struct st@ *p, int v) { if (v > p->high) p->high = v; }
"""
_STRUCTURES = (
    "struct st@ { int len; T *w, *v; int t, hits, high; char buf[12]; };\n" + _COUNTERS,
    "struct st@ { int len, t; struct { T *w, *v; } in; int hits, high; char buf[12]; };\n" + _COUNTERS,
)
_MADE = "struct st@ s = { .len = m, IN };"
_SECOND = ("v", "v", "v", "w", "w + 1", "w + m + 3")
_PARTS = (
    "S t = x[i] * 2; r += S t;",
    "r += S len % 5;",
    "for (int k = 0; k < 12; k++) S buf[k] = (x[i] + k) % 100;\n    r += S buf[x[i] % 12];",
)
_COUNTS = (
    "note@(P, x[i]); r += 1;",
    "if (x[i] > 3) note@(P, r);",
    "r += x[i] % 3; most@(P, r);",
    "note@(P, 1); most@(P, x[i]);",
)
_OTHER_PARTS = (
    "note@(P, 2); r += S hits % 3;",
    "r += S t; S t = x[i];",
    "S hits++;",
    "S buf[x[i] % 12] = 1; r += S buf[3];",
    "S len = m - x[i] % 2;",
)


def _in_structure(body: str, where: str) -> str:
    """What a group does with its areas and with members (`S t`), where they are in a structure."""
    return (
        re.sub(r"\b([wv])\b(?!\()", rf"{where}\1", body)
        .replace("S ", where.replace("in.", ""))
        .replace("(P,", "(&s," if where == "s." else "(s,")
    )


# Other names, set before the loop, of the area, or of the structure or area that `W`, `S` reach.
_NAMES = (
    "T *u = w;",
    "const T *const u = &w[0];",
    "T *u; u = w + 1 - 1;",
    "T *u = m > 2 ? w : v;",
    "T *u = w + 1;",
)
_HOLDERS = ("struct { int n; T *to; } h@ = { 1, w }; T *u = h@.to;", "T *all@[2] = { w, v }, *u = all@[0];")


def _renamed(random: Random, body: str, name: str, other: str) -> str:
    """Some of the places where what a name leads to is named, by another one."""
    kept = random.random()
    return re.sub(name, lambda found: found[0] if random.random() < kept else other, body)


def _named_twice(random: Random, body: str, where: str) -> tuple[str, str]:
    """A declaration of a second name, and a body that uses it in places."""
    if not where or random.random() < 0.4:
        first = f"{where}w"
        made = re.sub(r"\b[wv]\b", rf"{where}\g<0>", random.choice(_NAMES + _HOLDERS))
        written = rf"(?<!&){re.escape(first)}\b(?! =[^=])"
        return made, _renamed(random, body, written, "u") if "const" not in made else _read(body, first)
    pointer = "const struct st@ *q = " if random.random() < 0.2 else "struct st@ *q = "
    made = f"{pointer}{'&s' if where.startswith('s.') else 's'};"
    return made, _renamed(random, body, re.escape(where.replace("in.", "")), "q->")


def _read(body: str, name: str) -> str:
    """The body with what its last statement reads reached by the second name."""
    *before, last = body.split("r += ")
    value, end, rest = last.partition(";")
    return "r += ".join([*before, re.sub(rf"(?<!&){re.escape(name)}\b", "u", value) + end + rest])


def _group(random: Random, number: int) -> str:
    parts = random.sample(_BODIES, random.randint(1, 2))
    got = "malloc((m + 3) * sizeof"
    if random.random() < 0.3:
        parts.insert(random.randint(0, len(parts)), random.choice(_OTHERS))
        got = "calloc(m + 3, sizeof"  # for some read what nothing has written
    body = "\n    ".join(parts)
    header, last = random.choice(
        (
            ("for (int i = 0; i < n; i++)", ""),
            ("int i = 9; for (i = 1; i < n; ++i)", " + i"),
            ("for (long i = 0; i <= n - 1; i++)", ""),
            ("for (size_t i = 0; i < (size_t)n; i++)", ""),
        )
    )
    kind = random.choice(("own", "own", "given", "given", "table", "near", *_HELD))
    if kind == "const":
        body = body if "swap" not in body else _BODIES[1]
        body += "\n    r += S len % 5;"
    elif kind in _HELD and random.random() < 0.6:
        body += f"\n    {random.choice(_PARTS + _COUNTS + (random.random() < 0.3) * _OTHER_PARTS)}"
    made, gone, given = {
        "own": (
            f"T *w = {got} *w), *v = {got} *v);",
            "free(w); free(v);",
            "",
        ),
        "given": ("", "", "T *w, T *v, "),
        "table": ("T *w = area[0], *v = area[1];", "", "T **area, "),
        "near": ("T *v = w + m + 3;", "", "T *w, "),
        "member": ("", "", "struct st@ *s, "),
        "value": ("", "", "struct st@ s, "),
        "nested": ("", "", "struct st@ *s, "),
        "const": ("", "", "const struct st@ *s, "),
    }[kind]
    arguments = {"own": "", "given": "w, v, ", "table": "area, ", "near": "w, ", "value": "s, "}.get(
        kind, "&s, "
    )
    where = {"member": "s->", "const": "s->", "value": "s.", "nested": "s->in."}.get(kind, "")
    body = _in_structure(body, where) if kind in _HELD else body
    if random.random() < 0.3 and kind != "const":
        second, body = _named_twice(random, body, where)
        made = f"{made} {second} {'(void)u;' if ' u' in second or '*u' in second else '(void)q;'}"
    read = random.choice(("", " + (long)w[m - 1] % 50", " + (long)w[0]")) if kind != "own" else ""
    read = read if random.random() < 0.6 else ""
    text = f"""{_HELPERS}{_STRUCTURES[kind == "nested"] * (kind in _HELD)}
{random.choice(("static ", ""))}long one@({given}int n, int m, const int *x, int *y)
{{
  long all = 0; (void)y;
  {made}
  {header} {{
    int r = x[i];
    {body}
    y[i] = r;
  }}
  {f"all += (long){where}w[m - 1] + (long){where}w[m / 2];" * (kind != "own" and random.random() < 0.5)}
  {gone}
  return all{last};
}}
static long group@(int n, int m, const int *x, int *y)
{{
  T *w = calloc(2 * m + 6, sizeof *w), *v = calloc(m + 3, sizeof *v), *area[2] = {{ w, v }}; (void)area;
  {"" if kind not in _HELD else _MADE.replace("IN", ".in = { w, V }" if kind == "nested" else ".w = w, .v = V").replace("V", random.choice(_SECOND))}
  long all = one@({arguments}n, m, x, y){read};
  {"all += s.t * 3 + s.len + s.buf[0] + s.buf[5] + s.hits * 5 + s.high;" * (kind in _HELD)}
  for (int k = 0; k < m; k++) all = (all * 3 + (long)w[k] + (long)v[k]) % 100003;
  free(w); free(v);
  return all;
}}
"""
    return text.replace("T *", f"{random.choice(('int', 'double', 'long', 'float', 'short'))} *").replace(
        "@", str(number)
    )


def program(seed: int, groups: int = 2) -> str:
    """A program that takes a number, and prints what its functions give, with hashes of all arrays."""
    random = Random(seed)
    texts = "\n".join(_group(random, number) for number in range(groups))
    length = random.choice(("1 + n % 40", "7", "n + 3", "4000 + n", "5000"))
    calls = "".join(
        f"""  hash = hash * 3 + group{k}(n, m, x, y) % 100000;
  for (int i = 0; i < n; i++) hash = (hash * 7 + y[i]) % 1000003;
  printf("{k}: %ld\\n", hash);
"""
        for k in range(groups)
    )
    ignored = ("unused-variable", "unused-function", "unused-but-set-variable", "unused-parameter", "address")
    pragmas = "".join(f'#pragma GCC diagnostic ignored "-W{name}"\n' for name in ignored)
    return f"""{pragmas}#include <stdio.h>
#include <stdlib.h>
#include <string.h>
static void *kept;
{texts}
int main(int argc, char **argv)
{{
  int n = 5 * atoi(argv[argc - 1]), m = {length};
  int *x = malloc((n + 1) * sizeof *x), *y = calloc(n + 1, sizeof *y);
  long hash = 1;
  for (int i = 0; i < n; i++) x[i] = (i * 37 + 11) % 13;
{calls}  free(x); free(y);
  return kept == (void *)y;
}}
"""
