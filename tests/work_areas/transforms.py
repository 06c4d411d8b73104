"""Random programs that transform rows, and columns in a work area, as Fourier transforms do, or not quite."""

# ruff: noqa: E501  (programs in few lines)
from __future__ import annotations

from random import Random

_PASSES = (
    "for (T half = 1; half < n; half *= 2) for (T b = 0; b < n; b += 2 * half) for (T k = 0; k < half; k++) { PAIR(b + k, b + k + half) }",
    "for (T half = 1; half < n; half <<= 1) for (T k = 0; k < half; k++) for (T i = k; i < n; i += half << 1) { PAIR(i, i + half) }",
    "for (T len = 2; len <= n; len *= 2) for (T b = 0; b < n; b += len) for (T k = 0; k < len / 2; k++) { PAIR(b + k, b + k + len / 2) }",
    "for (T len = n; len > 1; len >>= 1) for (T b = 0; b < n; b += len) for (T k = 0; k < (len >> 1); k++) { PAIR(b + k, b + k + (len >> 1)) }",
    "for (T half = n / 2; half >= 1; half /= 2) for (T b = 0; b < n; b += 2 * half) for (T k = 0; k < half; k++) { PAIR(b + k, b + k + half) }",
)
_CHANGES = (("b += 2 * half", "b += half"), ("half = 1", "half = 2"), ("len = 2", "len = 4"), ("*= 2", "*= 4"), ("/ 2)", "/ 2 + 1)"), ("half < n", "half <= n"))  # fmt: skip
_TABLES = (
    "for (T i = 0; i < n; i++) { T j = TABLE[i]; if (j > i) { PAIR(i, j) } }",
    "for (T i = 0; i < n; i++) y[TABLE[i]] = x[i] % 97;\n  for (T i = 0; i < n; i++) x[i] = y[i] + i;",
)


def program(seed: int) -> str:
    """A program that takes a number; rows lie in an array that is long enough for what goes beyond them."""
    random = Random(seed)
    kind = random.choice(("int", "int", "long", "unsigned", "size_t"))
    passes = random.choice(_PASSES)
    if random.random() < 0.3:
        passes = passes.replace(*random.choice(_CHANGES))
    body = [passes, random.choice(_TABLES)][: random.choice((1, 2, 2))]
    random.shuffle(body)
    ctype, table = random.choice(("int", "long", "unsigned")), random.choice(("int", "unsigned", "size_t"))
    entry = random.choice(("n - 1 - i", "(i * 5 + 1) % n", "(i * 5 + 1) % n", "(i + 1) % (n + 1)", "i ^ 1"))
    size = random.choice(("1 << g % 6", "1 << g % 6", "3 * g + 1", "g + 2"))
    pitch = random.choice(("n", "n", "n + 3", "n - n / 4"))
    held = random.random() < 0.5
    x, y = ("s->x", "s->y") if held else ("w", "v")
    given = "struct work *s" if held else f"{ctype} *w, {ctype} *v"
    return f"""#include <stdio.h>
#include <stdlib.h>
typedef {kind} T;
#define PAIR(i, j) {{ {ctype} a = x[i] % 1000, b_ = x[j] % 1000; x[i] = a + 3 * b_; x[j] = a - b_; }}
struct work {{ T n; {ctype} *x, *y; const {table} *t; }};
static void transform({ctype} *x, {ctype} *y, const {table} *t, T n)
{{
  (void)y; (void)t;
  {(chr(10) + "  ").join(body).replace("TABLE", "t")}
}}
static void rows({ctype} *a, {ctype} *y, const {table} *t, T n, T pitch, T count)
{{
  for (T r = 0; r < count; r++) transform(a + r * pitch, y, t, n);
}}
static void columns({ctype} *a, {given}, const {table} *t, T n, T pitch, T count)
{{
  for (T c = 0; c < pitch; c++) {{
    for (T r = 0; r < n; r++) {x}[r] = r < count ? a[r * pitch + c] : ({ctype})r;
    transform({x}, {y}, t, n);
    for (T r = 0; r < count; r++) a[r * pitch + c] = {x}[r < n ? r : 0] % 1000;
  }}
}}
int main(int argc, char **argv)
{{
  T g = (T)atoi(argv[argc - 1]), n = {size}, pitch = {pitch}, count = 9 + g;
  size_t all = (size_t)(pitch * count + 8 * n + 64);
  {ctype} *a = calloc(all, sizeof *a), *w = calloc(8 * (size_t)n + 64, sizeof *w), *v = calloc(8 * (size_t)n + 64, sizeof *v);
  {table} *t = malloc((size_t)(n + 1) * sizeof *t); struct work s = {{ n, w, v, t }}; (void)s;
  for (T i = 0; i < n; i++) t[i] = ({table})({entry});
  for (size_t i = 0; i < all; i++) a[i] = ({ctype})(i * 37 % 101);
  rows(a, v, t, n, pitch, count);
  for (size_t i = 0; i < all; i++) a[i] %= 1000;
  columns(a, {"&s" if held else "w, v"}, t, n, pitch, count);
  unsigned long h = 1;
  for (size_t i = 0; i < all; i++) h = h * 31 + (unsigned long)a[i];
  for (T i = 0; i < n; i++) h = h * 31 + (unsigned long)w[i] * 7 + (unsigned long)v[i];
  printf("%lu\\n", h);
  free(a); free(w); free(v); free(t);
  return 0;
}}
"""
