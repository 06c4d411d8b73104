"""Random programs over tables of rows: allocations, kernels, and host code that works on the same memory."""

from __future__ import annotations

import random

KERNELS = """
void fill(double **a, int n, int m, double x)
{
  for (int i = 0; i < n; i++) for (int j = 0; j < m; j++) a[i][j] = x + i - j;
}
void smooth(double **to, double **from, int n, int m)
{
  for (int i = 1; i < n - 1; i++)
    for (int j = 1; j < m - 1; j++)
      to[i][j] = 0.25 * (from[i - 1][j] + from[i + 1][j] + from[i][j - 1] + from[i][j + 1]);
}
void add(double **a, double **b, int n, int m)
{
  for (int i = 0; i < n; i++) for (int j = 0; j < m; j++) a[i][j] += b[i][j];
}
void sums(double *s, double **a, int n, int m)
{
  for (int i = 0; i < n; i++) { double t = 0; for (int j = 0; j < m; j++) t += a[i][j]; s[i] = t; }
}
void lower(double **a, int n, int m)
{
  for (int i = 0; i < n; i++) for (int j = 0; j < m && j <= i; j++) a[i][j] *= 0.5;
}
void scale(double *x, int n) { for (int i = 0; i < n; i++) x[i] = x[i] * 0.5 + i; }
double all(double **a, int n, int m)
{
  double s = 0; for (int i = 0; i < n; i++) for (int j = 0; j < m; j++) s += a[i][j]; return s;
}
"""
MAIN = """
static double **rows(int n, int m)
{
  double **a = malloc(n * sizeof *a); for (int i = 0; i < n; i++) a[i] = calloc(m, 8); return a;
}
static double **parts(int n, int m)
{
  double *cells = calloc(n * m + 40, 8), **a = malloc(n * sizeof *a);
  for (int i = 0; i < n; i++) a[i] = cells + (n - 1 - i) * m;
  return a;
}
static void show(double **a, int n, int m)
{
  for (int i = 0; i < n; i++) for (int j = 0; j < m; j++) printf("%.17g ", a[i][j]);
}
"""


def program(seed: int) -> str:
    """The text of a program that prints all that it has computed."""
    draw = random.Random(seed)
    n, m = draw.randint(4, 9), draw.randint(4, 9)
    tables = [f"t{k}" for k in range(3)]
    lines = [f"double **{t} = {draw.choice(('rows', 'rows', 'parts'))}({n}, {m}), *row;" for t in tables[:1]]
    lines += [f"double **{t} = {draw.choice(('rows', 'parts'))}({n}, {m});" for t in tables[1:]]
    lines += [f"double *s = calloc({n + 40}, 8);"]
    lines += [f"fill({t}, {n}, {m}, {k});" for k, t in enumerate(tables)]
    lines += [_step(draw, tables, n, m) for _ in range(draw.randint(8, 16))]
    lines += [f"show({t}, {n}, {m});" for t in tables] + [
        f'for (int i = 0; i < {n}; i++) printf("%.17g ", s[i]);'
    ]
    body = "\n  ".join(lines)
    static = "static " if draw.random() < 0.5 else ""
    kernels = KERNELS.replace("\nvoid ", f"\n{static}void ").replace("\ndouble ", f"\n{static}double ")
    headers = "".join(f"#include <{name}.h>\n" for name in ("stdio", "stdlib", "string"))
    return f"{headers}{kernels}{MAIN}int main(void)\n{{\n  {body}\n  return 0;\n}}\n"


def _step(draw: random.Random, tables: list[str], n: int, m: int) -> str:
    a, b = draw.choice(tables), draw.choice(tables)
    i, j, k = draw.randrange(n), draw.randrange(m), draw.randrange(n)
    part = draw.randint(0, n)
    return draw.choice(
        [
            f"smooth({a}, {b}, {n}, {m});",
            f"for (int t = 0; t < 3; t++) {{ smooth({a}, {b}, {n}, {m}); {b}[{i}][{j}] += t; }}",
            f"add({a}, {b}, {part}, {m});",
            f"sums(s, {a}, {n}, {m});",
            f"lower({a}, {n}, {m});",
            f"scale({a}[{i}], {m});",
            f"scale(s, {n});",
            f"fill({a}, {part}, {m}, {a}[{i}][{j}]);",
            f"{a}[{i}][{j}] = {draw.randint(1, 9)};",
            f'printf("%.17g ", {a}[{i}][{j}]);',
            f'printf("%d ", all({a}, {n}, {m}) > {draw.randint(0, 99)});',
            f"row = {a}[{i}]; {a}[{i}] = {b}[{k}]; {b}[{k}] = row;",
            f"{{ double **t = {a}; {a} = {b}; {b} = t; }}" if a != b else f"scale({a}[{i}], {m});",
            f"for (int q = 1; q < {m}; q++) {a}[{i}][q] += {a}[{i}][q - 1];",
            f"{a}[{i}] = memcpy(malloc({m} * 8), {a}[{i}], {m} * 8);",
        ]
    )
