"""Random programs whose loops call functions with buffers and tallies of the file's, and static ones.

Values are small integers, whatever their types, so that sums come to the same in any order.  In `@`, each
group of loop and functions has variables of its own; those without are for all.
"""

# ruff: noqa: E501  (programs in few lines)
from __future__ import annotations

from random import Random

_DECLARED = """static {t} buf@[8], grid@[3][4];
static {t} one@, other@;
static {u} bins@[300]; static long kept@;
static {u} hits@, tally@[5], table@[2][3], most@, least@ = 99, bits@;
static char text@[16];
static int *cursor@ = spare;
static struct rec pair@, counts@;
static struct {{ int k; struct {{ {u} n; int k; }} in; int top; }} deep@ = {{ 1, {{ 2, 3 }}, -4 }};
static struct sheet@ {{ int w; {t} *cell; struct {{ int n; {t} a[3]; }} *at; }} sheet@;
static struct view@ {{ {t} *p; int n; }} view@ = {{ buf@, 8 }}; static {t} *const cells@[2] = {{ buf@ + 1, &one@ }};
"""
_BUFFERS = (
    "for (int k = 0; k < 8; k++) buf@[k] = x[i] + k;\n  for (int k = 1; k < 8; k++) r += (int)(buf@[k] * buf@[k - 1]) % 5;",
    "fill@(buf@, x[i]);\n  r += sum@(buf@);",
    "memset(buf@, 0, sizeof buf@);\n  buf@[x[i] & 7] += 3; r += buf@[2];",
    "for (int a = 0; a < 3; a++)\n    for (int b = 0; b < 4; b++) grid@[a][b] = a * b + x[i];\n  r += row@(grid@[x[i] % 3]);",
    "one@ = x[i] * 2;\n  step@(i);\n  r += one@ + other@;",
    "cursor@ = &z[x[i] & 7];\n  r += *cursor@;",
    "r += (int)strlen(name@(x[i]));",
    "{ static int own[4];\n    for (int k = 0; k < 4; k++) own[k] = x[i] % (k + 2);\n    r += own[3] + own[1]; }",
    "pair@.a = x[i]; pair@.b = i % 5;\n  r += pair@.a * pair@.b;",
    'snprintf(text@, sizeof text@, "%d", x[i]);\n  r += text@[0];',
    "for (int k = 0; k < 5; k++) spare[k] = x[i] + k;\n  r += spare[x[i] % 5];",
    "{ int *p = spare;\n    for (int k = 0; k < 8; k++) p[k] = x[i] * k;\n    r += p[3] + spare[5]; }",
)
_TALLIES = (
    "hits@++;",
    "if (x[i] > 4) hits@ += 2;",
    "tally@[x[i] % 5]++;",
    "table@[x[i] & 1][i % 3] += x[i];",
    "count@(table@[i & 1], x[i] % 3);",
    "if (r > most@) most@ = r;",
    "least@ = x[i] < least@ ? x[i] : least@;",
    "bits@ |= 1 << (x[i] & 3);",
    "hits@ -= x[i];",
    "bins@[(x[i] * 23) % 300]++;",
    "tally@[0] -= i % 3; tally@[4] -= 1;",
    "total += x[i];",
    "counts@.a++; counts@.b += x[i];",
    "if (x[i] > 3) counts@.a++;",
    "note@(x[i]);",
    "deep@.in.n += x[i]; if (x[i] > deep@.top) deep@.top = x[i];",
)
_OTHERS = (
    "counts@.a++; r += counts@.b;",
    "{ struct rec was = counts@; counts@.b++; r += was.a % 5; }",
    "counts@ = pair@; counts@.a++;",
    "{ struct rec *at = &counts@; at->b += x[i] & 3; counts@.a += 1; }",
    "counts@.a += x[i]; counts@.a = counts@.a % 100;",
    "deep@.in.n += x[i]; r += deep@.in.k;",
    "buf@[x[i] & 7] = x[i];\n  r += buf@[3];",
    "r += other@; other@ = x[i];",
    "if (i % 3) one@ = x[i];\n  r += one@;",
    "hits@ = hits@ * 3 % 1000;",
    "r += hits@ % 3; hits@++;",
    "cursor@[0] += x[i];",
    "static int calls; r += ++calls % 7;",
    "bits@ ^= r; hits@ += bits@ & 1;",
    "view@.p[x[i] & 7] = x[i]; r += view@.p[2];",
    "for (int k = 0; k < 8; k++) view@.p[k] = x[i] + k;\n  r += buf@[3];",
    "*cells@[x[i] & 1] = x[i]; r += one@;",
    "if (x[i] == 5) most@ = 0;",
    "keep = (int *)(void *)&hits@;",
    "r += keep == 0;",
    "keep = spare + x[i] % 4; r += keep[1];",
)
_ROWS = (
    "for (int k = 0; k < sheet@.w; k++) sheet@.cell[i * sheet@.w + k] = x[i] + k;",
    "for (int k = 0; k < 3; k++) sheet@.at[i].a[k] += x[i] * k;\n  sheet@.at[i].n++;",
    "sheet@.cell[i] = x[i]; sheet@.at[i].n = x[i] % 3;",
    "sheet@.cell[i % 7] = x[i];",
    "sheet@.cell[i / 3] = i;",
    "sheet@.cell[i * sheet@.w] = x[i]; sheet@.cell[i * sheet@.w + sheet@.w] += 1;",
    "sheet@.cell[i] = x[i]; if (i >= 17) sheet@.cell[i - 17] += 2;",
    "sheet@.at[x[i]].n = i;",
)
_BEHIND = (  # loops with skeletons of their own, which use what the others count
    "{ int k = 0; for (int i = 0; i < n; i++) if (x[i] % 8 < 5 - hits@) y[k++] = i; all += k; }",
    "{ int k = 0; for (int i = 0; i < n; i++) if (x[i] > most@) y[k++] = i; all += k; }",
    "{ long s = 0; for (int i = 0; i < n; i++) { s += x[i] * (tally@[1] & 3); y[i] = (int)(s % 1000); } all += s; }",
    "{ int s = 0; for (int i = 0; i < n; i++) { y[i] = s; s += x[i] + counts@.a; } all += s % 7; }",
    "{ int m = -5; for (int i = 0; i < n; i++) { if (x[i] - most@ > m) m = x[i] - most@; y[i] = m; } all += m; }",
    "for (int i = 0; i < n; i++) { hits@ += x[i]; y[i] = (int)hits@; }",
    "for (int i = 0; i < n; i++) y[i] += (int)hits@ * x[i];",
    "{ long s = 0; for (int i = 0; i < n; i++) s += x[i] * table@[1][1]; all += s; }",
    "for (int i = 1; i < n; i++) y[i] = y[i - 1] / 2 + least@;",
)
_HELPERS = """static void fill@({t} *p, int v) {{ for (int k = 0; k < 8; k++) p[k] = v + k % 3; }}
static int sum@(const {t} *p) {{ int s = 0; for (int k = 0; k < 8; k++) s += (int)p[k]; return s; }}
static int row@(const {t} *p) {{ return (int)(p[0] + p[3]); }}
static void step@(int i) {{ other@ = one@ + i % 2; one@ = one@ - 1; }}
static const char *name@(int v) {{ static char n[12]; n[0] = 'a' + v % 9; n[1] = v & 1 ? 0 : 'b'; n[2] = 0; return n; }}
static void note@(int v) {{ counts@.b -= v; if (v & 1) counts@.a++; }}
static void count@({u} *p, int k) {{ p[k] += 1; }}
"""
_AFTER = (
    "+ kept@ % 1000",
    "+ hits@",
    "+ tally@[2] + tally@[0]",
    "+ bins@[46] + bins@[299]",
    "+ (long)buf@[1]",
    "+ counts@.a * 3 + counts@.b",
    "+ (long)deep@.in.n + deep@.top",
    "+ (long)one@",
    "+ table@[1][2]",
    "+ most@ + least@ + bits@",
)


def _group(random: Random, number: int) -> str:
    kinds = {
        "t": random.choice(("int", "double", "long", "float", "short")),
        "u": random.choice(("int", "long", "short", "double")),
    }
    whole = kinds["u"] != "double"
    tallies = [each for each in _TALLIES if whole or not any(sign in each for sign in "|^")]
    others = [each for each in _OTHERS if whole or not any(sign in each for sign in ("^", "%"))]
    parts = random.sample(_BUFFERS, random.randint(0, 2)) + random.sample(tallies, random.randint(0, 3))
    if random.random() < 0.3:
        parts.append(random.choice(others))
    if random.random() < 0.4:
        among = parts if random.random() < 0.4 else random.sample(tallies, 2)
        parts = [*among, random.choice(_ROWS)]
    random.shuffle(parts)
    cut = random.randint(0, len(parts))
    inside = random.random() < 0.2
    body = "\n  ".join(parts[:cut])
    rest = "\n  ".join(parts[cut:])
    counted = not inside and random.random() < 0.6  # nothing but what functions keep is left of an iteration
    own = f"{rest}\n    y[i] = r;" if inside else "work@(x, i, z);" if counted else "y[i] = work@(x, i, z);"
    rest += "\n  kept@ += r % 50;" * counted
    declared = "int r = first@(x, i, z); (void)r;" if inside else ""
    header = random.choice(
        (
            "for (int i = 0; i < n; i++)",
            "int i = 9; for (i = 1; i < n; ++i)",
            "for (int i = 0; i <= n - 1; i++)",
        )
    )
    after = "".join(random.sample(_AFTER, random.randint(0, 3)))
    shared = "int" if header.startswith("int") else ""
    last = " + i" if shared else ""
    again = "again = 0; again < 2; again++" if random.random() < 0.3 else "again = 0; again < 1; again++"
    reset = random.choice(("", "hits@ = 0; ", "memset(tally@, 0, sizeof tally@); ", ""))
    behind = random.choice(_BEHIND) if whole and random.random() < 0.5 else ""
    text = f"""{_DECLARED.format(**kinds)}{_HELPERS.format(**kinds)}
static int first@(const int *x, int i, int *z)
{{
  int r = x[i] + i % 3; (void)z;
  {body}
  return r;
}}
static int work@(const int *x, int i, int *z)
{{
  int r = first@(x, i, z);
  {"" if inside else rest}
  return r;
}}
static long group@(int n, const int *x, int *y, int *z)
{{
  long all = 0; (void)y; (void)z;
  sheet@.w = 2 + n % 5;
  sheet@.cell = calloc(n * sheet@.w + 64, sizeof *sheet@.cell); sheet@.at = calloc(n + 64, sizeof *sheet@.at);
  for (int {again}) {{
    {reset}
    {header} {{
      {declared}
      {own}
    }}
    all += all % 5 {"+ kept@" * counted}{after}{last};
    {behind}
  }}
  for (int i = 0; i < n * sheet@.w + 64; i++) all = (all * 3 + (long)sheet@.cell[i]) % 100003;
  for (int i = 0; i < n + 64; i++) all = (all * 3 + (long)sheet@.at[i].a[1] + sheet@.at[i].n) % 100003;
  free(sheet@.cell); free(sheet@.at);
  return all;
}}
"""
    return text.replace("@", str(number))


def program(seed: int, groups: int = 2) -> str:
    """A program that takes a number, and prints what its functions give, with hashes of all arrays."""
    random = Random(seed)
    texts = "\n".join(_group(random, number) for number in range(groups))
    calls = "".join(
        f"""  hash = hash * 3 + group{k}(n, x, y, z) % 100000 + total % 1000;
  for (int i = 0; i < n; i++) hash = (hash * 7 + y[i]) % 1000003;
  printf("{k}: %ld\\n", hash);
"""
        for k in range(groups)
    )
    ignored = (
        "unused-variable",
        "unused-function",
        "unused-but-set-variable",
        "format-truncation",
        "unused-const-variable",
    )
    pragmas = "".join(f'#pragma GCC diagnostic ignored "-W{name}"\n' for name in ignored)
    return f"""{pragmas}#include <stdio.h>
#include <stdlib.h>
#include <string.h>
struct rec {{ int a, b; }};
static int spare[8];
static long total;
static int *keep = spare;
{texts}
int main(int argc, char **argv)
{{
  int n = 8 * atoi(argv[argc - 1]), z[8] = {{ 3, 1, 4, 1, 5, 9, 2, 6 }};
  int *x = malloc((n + 1) * sizeof *x), *y = calloc(n + 1, sizeof *y);
  long hash = 1;
  for (int i = 0; i < n; i++) x[i] = (i * 37 + 11) % 13;
{calls}  free(x); free(y);
  return 0;
}}
"""
