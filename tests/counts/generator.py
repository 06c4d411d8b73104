"""Random functions with loops that count as people do: down, with `while`, by pointers, with room at the end.

A function gets two numbers, fills one array from the other, and returns what its variables are at last.
"""

from __future__ import annotations

import random

CELLS = 300
TYPES = ("int", "unsigned", "long", "size_t", "short", "uint16_t", "unsigned char", "uint32_t")
CALLS = ((0, 0), (1, 0), (0, 1), (1, 1), (7, 3), (3, 7), (60, 2), (41, 40), (120, 5))


def program(pick: random.Random, count: int) -> str:
    """A whole program that calls each of `count` functions with small numbers, and prints what came of it."""
    functions = "\n".join(_function(pick, number) for number in range(count))
    calls = "\n".join(f"  CALLS(f{number})" for number in range(count))
    pairs = ", ".join(f"{{{m}, {n}}}" for m, n in CALLS)
    members = " ".join(f"{each} k{k};" for k, each in enumerate(TYPES))
    return f"""#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
static long a[{CELLS}], b[{CELLS}];
static const int pairs[][2] = {{{pairs}}};
struct sizes {{ {members} }};
{functions}
static void show(const char *name, int call, long left)
{{
  unsigned long sum = 0;
  for (int i = 0; i < {CELLS}; i++)
    sum = sum * 31 + (unsigned long)a[i];
  printf("%s %d %ld %lx\\n", name, call, left, sum);
}}
static const struct sizes *sizes(long n)
{{
  static struct sizes one;
  one = (struct sizes){{ {", ".join("n" for _ in TYPES)} }};
  return n > 1 ? &one : NULL;
}}
#define CALLS(f) for (int c = 0; c < {len(CALLS)}; c++) \\
    show(#f, c, f(pairs[c][0], pairs[c][1], sizes(pairs[c][1])));
int main(void)
{{
  for (int i = 0; i < {CELLS}; i++)
    b[i] = i * 37 % 101;
{calls}
  return 0;
}}
"""


def _function(pick: random.Random, number: int) -> str:
    form = pick.choice((_room, _room, _down, _while, _pointers, _unequal, _strided, _by_values, _by_values))
    lines, result = form(pick)
    head = f"static long f{number}(int m, int n, const struct sizes *o)"
    return "\n".join((head, "{", *(f"  {s}" for s in lines), f"  return {result};", "}"))


def _body(pick: random.Random, index: str) -> str:
    other = pick.choice(("0", "1", "2"))
    return pick.choice(
        (
            f"a[{index}] = b[{index} + {other}] * 3 + 1;",
            f"{{ long t = b[{index}]; if (t > 50) t -= n; a[{index}] = t + {index}; }}",
            f"{{ if (b[{index}] % 7 == 2) continue; a[{index}] += b[{index}]; }}",
        )
    )


def _room(pick: random.Random) -> tuple[list[str], str]:
    """`i + 1 < n`, from either side; sizes as other types than the iterator's."""
    itype, btype = pick.choice(TYPES), pick.choice(TYPES)
    room = pick.choice(("1", "2", "m % 4", "m"))
    start, step = pick.choice(("0", "1", "3")), pick.choice(("i++", "++i", "i += 2", "i = i + 3"))
    condition = pick.choice(
        (
            f"i + {room} < k",
            f"{room} + i < k",
            f"i + {room} <= k",
            f"k > i + {room}",
            f"(long)i < (long)k - {room}" if itype == "size_t" else f"i < (long)k - {room}",
            f"i - {room} < k",
        )
    )
    lines = [f"{btype} k = n;"]
    if pick.random() < 0.6:  # a member of a structure, which may not be there
        member = condition.replace("k", f"o->k{TYPES.index(btype)}")
        lines, condition = pick.choice((*2 * ((["if (!o) return 7;"], member),), ([], f"n > 1 && {member}")))
        lines = [*lines, "long k = n;"]
    if pick.random() < 0.5:
        return [*lines, f"for ({itype} i = {start}; {condition}; {step})", f"  {_body(pick, 'i')}"], "k"
    return [*lines, f"{itype} i;", f"for (i = {start}; {condition}; {step})", f"  {_body(pick, 'i')}"], "i"


def _down(pick: random.Random) -> tuple[list[str], str]:
    itype = pick.choice(TYPES)
    body = _body(pick, "i")
    inside = f"for ({itype} i = n; {pick.choice(('i-- > 0', 'i--', 'i-- != 0'))};)"
    if pick.random() < 0.4:
        return [inside, f"  {body}"], "n"
    if pick.random() < 0.5:
        return [f"{itype} i = n;", f"while ({pick.choice(('i-- > 0', 'i--'))})", f"  {body}"], "i"
    steps = pick.choice(("i--", "--i", "i -= 1"))
    if pick.random() < 0.4:
        utype = pick.choice(("unsigned", "size_t", "uint32_t", "unsigned long"))
        start, ends = pick.choice(
            (("k - 1", "i < k"), ("k - 1", f"i != ({utype})-1"), ("k - 1", "i <= k"), ("k", "i <= k"))
        )
        return [f"{utype} i, k = n;", f"for (i = {start}; {ends}; {steps})", f"  {body}"], "(int)i"
    return [f"{itype} i;", f"for (i = n; {pick.choice(('i', 'i > 0', 'i != 0'))}; {steps})", f"  {body}"], "i"


def _while(pick: random.Random) -> tuple[list[str], str]:
    itype, btype = pick.choice(TYPES), pick.choice(TYPES)
    step = pick.choice(("i++;", "++i;", "i += 2;", "i = i + 1;"))
    body = f"a[i] = b[i] + {pick.choice(('i', 'n', 'k'))};"
    parts = (body, step) if pick.random() < 0.7 else ("long t = b[i];", step, "a[i] = t;")
    return [f"{btype} k = n;", f"{itype} i = m % 5;", "while (i < k) {", *parts, "}"], "i"


def _pointers(pick: random.Random) -> tuple[list[str], str]:
    itype = pick.choice(TYPES)
    step = pick.choice((1, 1, 2))
    move = ("*p++ = *q++ + 1;",) if step == 1 else ("*p = *q - 1;", "p += 2;", "q++;")
    lines = ["long *p = a;", "const long *q = b;", f"{itype} k = n;"]
    head = pick.choice(
        ("while (k--) {", "for (; k; k--) {", "while (k-- > 0) {", f"for ({itype} j = 0; j < k; j++) {{")
    )
    if pick.random() < 0.4:  # steps of several variables, some of which do more
        own = pick.choice(("long w = 0", f"{itype} w = 3"))
        step = pick.choice(("w++", "w += 2, p++", "p++, q++, w++", "a[w] = w, w++", "w++, *p = w"))
        test = pick.choice(("k-- > 0", "k--"))
        head = f"for ({own}; {test}; {step})"
        return [*lines, head, "  { if (w < 290) a[w] += b[w] + 1; }"], "(p - a) * 1000 + k"
    return [*lines, head, *move, "}"], "(p - a) * 1000 + (q - b)"


def _unequal(pick: random.Random) -> tuple[list[str], str]:
    itype = pick.choice(TYPES)
    start = pick.choice(("0", "m < n ? m : n"))
    body = _body(pick, "i")
    return [f"{itype} i, k = n;", f"for (i = {start}; i != k; i++)", f"  {body}"], "i"


def _by_values(pick: random.Random) -> tuple[list[str], str]:
    """Strides that only the run knows: of other types than the iterator, and negative ones in disguise."""
    itype = pick.choice(("int", "long", "size_t", "unsigned"))
    stype, stride = pick.choice(
        (
            ("int", "m % 7 + 1"),
            ("unsigned", "m + 1"),
            ("long", "m % 3 + 2"),
            ("size_t", "n % 5 + 1"),
            ("unsigned char", "m + 250"),
            *([("size_t", "-(m % 5 + 1)"), ("long", "-(m % 5 + 1)")] if itype == "size_t" else []),
            *([("long", "(1L << 32) + m % 3 + 1")] if itype in ("int", "unsigned") else []),
        )
    )
    body = _body(pick, "i")
    if itype in ("int", "long") and pick.random() < 0.4:
        stride = "m % 7 + 1"
        head = f"for (i = n; i {pick.choice(('>', '>='))} {pick.choice(('0', 'm % 3'))}; i -= s)"
    else:
        start, end = pick.choice(("m % 5", "0", "n")), pick.choice(("n + 90", "k", "290"))
        head = f"for (i = {start}; i < {end}; i += s)"
    lines = [f"const {stype} s = {stride};", f"{itype} k = 2 * n;"]
    if pick.random() < 0.5:
        return [*lines, head.replace("(i", f"({itype} i", 1), f"  {body}"], "k"
    return [*lines, f"{itype} i;", head, f"  {body}"], "(long)i"


def _strided(pick: random.Random) -> tuple[list[str], str]:
    itype = pick.choice(("int", "long", "short"))
    body = _body(pick, "i")
    return [
        f"{itype} i;",
        f"for (i = n; i - {pick.choice('123')} >= 0; i -= {pick.choice('123')})",
        f"  {body}",
    ], "i"
