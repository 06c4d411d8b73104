"""Random programs whose data moves: kernels, and all that host code may do to their data in between.

Arrays are declared (global, static, local, parts of structures) or come from the heap; pointers lead to them
under other names, into their middle, or are swapped.  Functions are handed pointers, some of them static,
some called through pointers.  Most programs are small: what they are made of meets in other ways in each.
"""

from __future__ import annotations

import random
from collections.abc import Callable
from dataclasses import dataclass, field

from tests.programs import records

N = 24  # cells of every array; programs use less than that of some
_COLUMNS = (("0", "N"), ("0", "i"), ("i", "N"), ("i + 1", "N"), ("0", "N - i"), ("2", "5"))
_HEAD = """#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define N 24
typedef long wide;
typedef short narrow;
#define WIDE(value) ((wide)(value))
static int count;
int shown;
static double keep(double value) { return value > 1000 || value < -1000 ? 1 : value; }
static double reach(const double *values, int many)
{
  double sum = 0;
  for (int k = 0; k < many; k++)
    sum += values[k] * 0.125;
  return sum;
}
static void print(const char *name, const double *values)
{
  double sum = reach(values, 2);
  for (int i = 0; i < N; i++)
    sum = keep(sum * 0.5) + values[i] * (i % 5 + 1);
  printf("%s %.6f %.6f\\n", name, sum, values[N / 2]);
}
"""


@dataclass
class _Scope:
    """The arrays that code can name, as text to be subscripted; `heap` may be freed here."""

    arrays: list[str]
    heap: list[str] = field(default_factory=list)
    scalars: list[str] = field(default_factory=list)
    parameters: bool = False  # the arrays may overlap


class Generator:
    """Makes one program; `functions` is how many it has besides main."""

    def __init__(self, seed: int) -> None:
        self._random = random.Random(seed)
        self._lines: list[str] = []
        self._names = 0
        self._functions: list[tuple[str, int]] = []  # names, and how many arrays each is handed
        self._depth = 0

    def program(self) -> str:
        source = self._random
        storages = [source.choice(("", "static ")) for _ in range(3)]
        shared = [f"g{k}" for k in range(3)]
        self._small = source.random() < 0.9
        declared = "".join(f"{s}double {a}[N];\n" for s, a in zip(storages, shared, strict=True))
        declared += "struct box { int tag; double cells[N]; };\nstatic struct box box;\n"
        declared += f"{source.choice(('', 'static '))}double grid[N][N];\n"
        declared += "struct world { int cells; double *far; double near[N]; struct box box; };\n"
        declared += "static struct world own, *world = &own;\n"
        self._members = source.random() < (0.2 if self._small else 0.5)
        self._globals = [*shared, "box.cells"]
        if self._members:
            self._globals += source.sample(("own.near", "world->far", "world->near", "world->box.cells"), 3)
        if self._small:
            self._globals = source.sample(self._globals, source.randint(1, 2))
        texts = [self._function(k) for k in range(source.randint(0, 1 if self._small else 3))]
        return _HEAD + records.HEAD + declared + "".join(texts) + self._main()

    # Functions

    def _function(self, number: int) -> str:
        source = self._random
        count = source.randint(0, 2)
        name, names = f"f{number}", [f"p{k}" for k in range(count)]
        kind = source.choice(("static ", "static ", "static ", ""))
        parameters = ", ".join(f"double *{p}" for p in names) or "void"
        scope = _Scope(
            [*names, *names, *source.sample(self._globals, min(2, len(self._globals)))],
            parameters=bool(names),
        )
        body = self._body(scope, source.randint(1, 2) if self._small else source.randint(2, 5))
        self._functions.append((name, count))
        return f"{kind}void {name}({parameters})\n{{\n{body}}}\n"

    def _main(self) -> str:
        source = self._random
        lines, heap = ["  world->cells = N;", "  world->far = malloc(N * sizeof(double));"], []
        for k in range(1 if self._small else source.randint(1, 3)):
            name = f"h{k}"
            heap.append(name)
            lines.append(f"  double *{name} = malloc(N * sizeof(double));")
        local = [f"l{k}" for k in range(source.randint(0, 1 if self._small else 2))]
        lines += [f"  double {name}[N];" for name in local]
        lines += ["  double s = 1, *q;", "  int t, at = 3;", "  (void)s; (void)t; (void)at; (void)q;"]
        arrays = [*self._globals, *heap, *local]
        for name in (*arrays, "grid[0]"):
            if source.random() < 0.7:  # some by a kernel, some by the host
                lines.append(
                    f"  for (int i = 0; i < N; i++)\n    {name}[i] = (i * {source.randint(1, 9)} + 2) % 7;"
                )
            else:
                lines.append(
                    f"  {name}[0] = 1;\n  for (int i = 1; i < N; i++)\n"
                    f"    {name}[i] = keep({name}[i - 1] + i);"
                )
        scope = _Scope(arrays, heap, ["s", "at"])
        statements = source.randint(2, 5) if self._small else source.randint(4, 9)
        lines.append(self._body(scope, statements).rstrip("\n"))
        for name in scope.arrays:
            if source.random() < 0.8:
                lines.append(f'  print("{name}", {name});' if source.random() < 0.5 else self._shown(name))
        if source.random() < 0.5:
            lines += [f'  print("row", grid[{source.randrange(N)}]);' for _ in range(3)]
        lines += [f"  free({name});" for name in scope.heap if source.random() < 0.8]
        lines += [records.SHOWN.rstrip("\n"), '  printf("%d %d\\n", count, shown);', "  return 0;"]
        return "int main(void)\n{\n" + "\n".join(lines) + "\n}\n"

    def _shown(self, name: str) -> str:
        loop = f"for (int i = 0; i < N; i++)\n      sum += {name}[i];"
        return f'  {{\n    double sum = 0;\n    {loop}\n    printf("{name} %.6f\\n", sum);\n  }}'

    def _body(self, scope: _Scope, count: int) -> str:
        return "".join(self._indented(self._statement(scope)) for _ in range(count))

    @staticmethod
    def _indented(text: str) -> str:
        return "".join(f"  {line}\n" for line in text.splitlines())

    # Statements

    def _statement(self, scope: _Scope) -> str:
        choices: list[tuple[int, Callable[[_Scope], str]]] = [
            (9, self._kernel),
            (4, self._host),
            (3, self._element),
            (2, self._branch),
            (2, self._repeat),
            (2, self._call),
            (1, self._library),
            (1, self._block),
            (1, self._leave if scope.parameters else self._renewed),
            (1, self._other_name),
            (1, self._by_hand),
            (1, self._wrapping),
            (1, self._hot),
            (3, self._records),
        ]
        if self._depth > 2:
            choices = choices[:3]
        weights, makers = zip(*choices, strict=True)
        self._depth += 1
        text: str = self._random.choices(makers, weights)[0](scope)
        self._depth -= 1
        return text

    def _records(self, scope: _Scope) -> str:
        return records.statement(self._random, lambda: self._pick(scope))

    def _pick(self, scope: _Scope) -> str:
        return self._random.choice(scope.arrays)

    def _kernel(self, scope: _Scope) -> str:
        source = self._random
        a, b, c = (self._pick(scope) for _ in range(3))
        last = source.choice(("N", "own.cells", "world->cells")) if self._members else "N"
        low, high = source.choice((("0", last), ("1", "N - 1"), ("2", "N - 3"), ("0", "N / 2")))
        head = self._header(low, high)
        edge = "i - 1" if low != "0" else "i"
        kinds = [
            f"{a}[i] = {b}[i] * 0.5 + {c}[{edge}];" if a not in (b, c) else f"{a}[i] = {a}[i] * 0.5 + 1;",
            f"if ({b}[i] > 2)\n    {a}[i] = {source.randint(1, 5)};" if a != b else f"{a}[i] = i % 4;",
            f"{a}[i] += {source.randint(1, 3)};",
            f"grid[i][{source.randint(0, 5)}] = {a}[i];",
            f"grid[i][i % 3] = {a}[N - 1 - i] + 0.25;",
        ]
        if "s" in scope.scalars and source.random() < 0.3:
            return f"s = 0;\n{head}s += {a}[i];\ns = keep(s);"
        return self._matrix(a, b) if source.random() < 0.2 else head + source.choice(kinds)

    def _header(self, low: str, high: str) -> str:
        """A loop's header; types of the file's own may stand in it."""
        own = random.Random(f"{low} {high} {len(self._lines)} {self._names}")
        ctype = own.choice(("int", "int", "int", "int", "wide", "narrow"))
        if ctype != "int":
            low, high = (
                own.choice((low, f"({ctype})({low})")),
                own.choice((f"WIDE({high})", f"({ctype})({high})")),
            )
        return f"for ({ctype} i = {low}; i < {high}; i++)\n  "

    def _hot(self, scope: _Scope) -> str:
        """A loop around a short one that is worth neither threads nor a launch: inside, or in a function."""
        source = self._random
        a, b, many = self._pick(scope), self._pick(scope), source.choice(("3", "world->cells / 8"))
        last = source.choice(("N", "world->cells"))
        inside = source.choice(
            (
                "double sum = 0;\n  for (int r = 1; r <= 4; r++)\n"
                f"    sum += {a}[i - r];\n  {a}[i] = keep(sum / 8);",
                f"{a}[i] = keep(reach({b} + i % 5, {many}));",
                f"{a}[i] = keep({a}[i - 1] + reach({b} + i % 5, {many}));",
            )
        )
        text = f"for (int i = 4; i < {last}; i++) {{\n  {inside}\n}}"
        return f"for (int again = 0; again < 9; again++)\n  {text}" if source.random() < 0.5 else text

    def _matrix(self, a: str, b: str) -> str:
        """A kernel over the matrix: all of it, triangles, the diagonal and columns."""
        source = self._random
        low, high = source.choice(_COLUMNS)
        inner = f"for (int j = {low}; j < {high}; j++)"
        body = source.choice(
            (
                f"  {inner}\n    grid[i][j] = {a}[i] + {b}[j];",
                f"  {inner}\n    grid[i][j] = {a}[i] + j;\n  grid[i][i] = 1;",
                f"  {inner}\n    grid[i][j] += {a}[j];",
                "  for (int j = 0; j < i; j++)\n    grid[j][i] = grid[i][j];",
                f"  {a}[i] = 0;\n  {inner}\n    {a}[i] += grid[i][j] / N;",
                f"  grid[i][i] = {a}[i];",
                f"  {a}[i] = grid[i][{source.choice(('i', '3', 'N - 1 - i'))}];",
                f"  if ({a}[i] > 2)\n    {inner}\n      grid[i][j] = 3;",
            )
        )
        return f"for (int i = 0; i < N; i++) {{\n{body}\n}}"

    def _host(self, scope: _Scope) -> str:
        """A loop that stays on the host."""
        source = self._random
        a, b = self._pick(scope), self._pick(scope)
        return source.choice(
            (
                f"for (int i = 1; i < N; i++)\n  {a}[i] = keep({a}[i - 1] * 0.5 + {b}[i]);",
                f"for (int i = N / 2; i < N; i++)\n  {a}[i] = keep({a}[i - 1] + 1);",
                f"for (int i = 0; i < N && {a}[i] < 5; i++)\n  count++;",
                f'for (int i = 0; i < 3; i++)\n  printf("%.3f\\n", {a}[i * 2]);',
                f"for (int i = 1; i < N; i++)\n  grid[i][1] = keep(grid[i - 1][1] + {a}[i]);",
            )
        )

    def _element(self, scope: _Scope) -> str:
        source = self._random
        a, b, k = self._pick(scope), self._pick(scope), source.randrange(N)
        return source.choice(
            (
                f"{a}[{k}] = {source.randint(0, 9)};",
                f"{a}[{k}] += {b}[{N - 1 - k}];",
                f'printf("%.4f\\n", {a}[{k}]);',
                f"count += {a}[{k}] > 1;",
                f"grid[{k}][1] = {a}[{k}];",
                f'printf("%.4f\\n", grid[{k}][{source.randrange(3)}]);',
            )
        )

    def _branch(self, scope: _Scope) -> str:
        source = self._random
        condition = source.choice(
            ("count % 2", f"{self._pick(scope)}[{source.randrange(N)}] > 2", "count < 4")
        )
        text = f"if ({condition})" + self._nested(scope)
        return text + ("\nelse" + self._nested(scope) if source.random() < 0.4 else "")

    def _nested(self, scope: _Scope) -> str:
        if self._random.random() < 0.4:
            inner = self._random.choice((self._kernel, self._element))(scope)
            if "\n" not in inner or (inner.startswith("for") and ";\n" not in inner):
                return "\n" + self._indented(inner).rstrip("\n")
            return " {\n" + self._indented(inner) + "}"
        return " {\n" + self._body(scope, self._random.randint(1, 3)) + "}"

    def _repeat(self, scope: _Scope) -> str:
        source = self._random
        self._names += 1
        name, laps = f"n{self._names}", source.randint(0, 3)
        a, k = self._pick(scope), source.randrange(N)
        head, tail = source.choice(
            (
                (f"for (int {name} = 0; {name} < {laps}; {name}++)", ""),
                (f"for (int {name} = 0; {name} < {laps} && {a}[2] < 90; {name}++)", ""),
                (f"for (int {name} = 0; {a}[{k}] < 90 && {name} < {laps}; {name}++)", ""),
                (f"int {name} = 0;\nwhile ({a}[{k}] > -9 && {name}++ < {laps})", ""),
                (f"int {name} = {laps};\nwhile ({a}[{name}] > -9 && {name})", f"  {name}--;\n"),
                (f"int {name} = 0;\ndo", f"  {name}++;\n}} while ({a}[{k}] > -9 && {name} < {laps});"),
            )
        )
        body = head + " {\n" + self._body(scope, source.randint(1, 4)) + tail
        return body if head.endswith("do") else body + "}"

    def _call(self, scope: _Scope) -> str:
        if not self._functions:
            return self._kernel(scope)
        source = self._random
        name, count = source.choice(self._functions)
        given = [self._pick(scope) for _ in range(count)]
        given = [f"{a} + {source.randint(0, 0)}" if source.random() < 0.1 else a for a in given]
        if source.random() < 0.1:
            types = ", ".join(["double *"] * count) or "void"
            return f"{{\n  void (*volatile call)({types}) = {name};\n  call({', '.join(given)});\n}}"
        return f"{name}({', '.join(given)});"

    def _library(self, scope: _Scope) -> str:
        a, b = self._pick(scope), self._pick(scope)
        texts = [
            f"memset({a}, 0, N / 2 * sizeof(double));",
            f'print("{a}", {a});',
            f"shown += (int)keep({a}[1]);",
        ]
        if a != b and not scope.parameters:
            texts.append(f"memcpy({a}, {b}, N * sizeof(double));")
        return self._random.choice(texts)

    def _block(self, scope: _Scope) -> str:
        """Memory that lives for a while only."""
        self._names += 1
        name = f"b{self._names}"
        inner = _Scope([*scope.arrays, name, name], scalars=scope.scalars, parameters=scope.parameters)
        start = f"for (int i = 0; i < N; i++)\n  {name}[i] = i * 0.5;"
        body = self._body(inner, self._random.randint(1, 3))
        if self._random.random() < 0.5:
            return f"{{\n  double {name}[N];\n{self._indented(start)}{body}}}"
        opening = f"double *{name} = malloc(N * sizeof(double));\n{start}"
        return f"{{\n{self._indented(opening)}{body}  free({name});\n}}"

    def _by_hand(self, scope: _Scope) -> str:
        """A copy that a person asked for."""
        source = self._random
        self._names += 1
        names = [a for a in scope.arrays if not a.startswith("o") or a.startswith("own")]
        array, way, number = source.choice(names), source.choice(("copyin", "copyout")), self._names
        if array[0] not in "gl" or array == "grid[0]":  # what may lead elsewhere later
            way = "copyout"
        others = [
            a for a in scope.arrays if a.split(".")[0].split("->")[0] != array.split(".")[0].split("->")[0]
        ]
        first, last = source.choice((("0", "N-1"), ("2", "5"), ("N/2", "N/2")))
        inner = _Scope(others or ["grid[3]"], parameters=scope.parameters)
        body = "".join(self._indented(source.choice((self._element, self._host))(inner)) for _ in range(2))
        begun = f"#pragma species {way} {array}[{first}:{last}]|{number}"
        kernel = self._indented(self._kernel(scope)) if source.random() < 0.5 else ""
        user = self._indented(f"for (int i = 0; i < N; i++)\n  {array}[i] += 1;") if way == "copyin" else ""
        return f"{{\n{kernel}{begun}\n{body}#pragma species sync {number}\n{user}}}"

    def _wrapping(self, scope: _Scope) -> str:
        """A kernel whose unsigned bounds may wrap around, which is where it makes no iteration."""
        source = self._random
        ctype = source.choice(("size_t", "uint64_t", "unsigned long", "unsigned"))
        a, b, few = self._pick(scope), self._pick(scope), source.randint(1, 9)
        value, header, at = source.choice(
            (
                (f"{source.randint(0, 9)}", f"i = v - {few}; i < v; i++", "i"),
                (f"{source.randint(0, 9)}", f"i = v; i > v - {few}; i--", "i"),
                (f"({ctype})0 - {source.choice((0, 3, 12))}", f"i = v; i < v + {few}; i++", "i - v"),
                (f"({ctype})0 - {source.choice((0, 3, 12))}", f"i = v; i != v + {few}; i++", "i - v"),
                (f"({ctype})0 - {source.choice((0, 1, 2))}", f"i = v; i < {few}; i++", "i"),
                (f"({ctype})0 - {source.choice((0, 1, 2))}", f"i = {few}; i > v; i--", "i"),
            )
        )
        statement = f"{a}[{at}] = {a}[{at}] * 0.5 + {b}[3];" if a != b else f"{a}[{at}] = 3;"
        return (
            f"{{\n  {ctype} v = {value} + (unsigned)count % 3;\n  for ({ctype} {header})\n    {statement}\n}}"
        )

    def _leave(self, scope: _Scope) -> str:
        return f"if ({self._pick(scope)}[1] > 40)\n  return;"

    def _renewed(self, scope: _Scope) -> str:
        """Other memory for a pointer, or two of them swapped."""
        if not scope.heap or self._depth > 1:
            return self._element(scope)
        source = self._random
        name = source.choice(scope.heap)
        if len(scope.heap) > 1 and source.random() < 0.5:
            other = next(h for h in scope.heap if h != name)
            return f"q = {name};\n{name} = {other};\n{other} = q;"
        if source.random() < 0.5:
            return f"{name} = realloc({name}, 2 * N * sizeof(double));"
        again = f"free({name});\n{name} = malloc(N * sizeof(double));"
        return f"{again}\nfor (int i = 0; i < N; i++)\n  {name}[i] = i % 3;"

    def _other_name(self, scope: _Scope) -> str:
        """The same memory under another name."""
        self._names += 1
        name, array, k = f"o{self._names}", self._pick(scope), self._random.randint(0, 4)
        inner = _Scope([*scope.arrays, name], scalars=scope.scalars, parameters=True)
        texts = [
            f"for (int i = 0; i < N - {k}; i++)\n  {name}[i] = {name}[i] * 0.5 + 2;",
            f"{name}[1] = 3;",
            f'printf("%.4f\\n", {name}[2]);',
            f"for (int i = 1; i < N - {k}; i++)\n  {name}[i] = keep({name}[i - 1] + 1);",
        ]
        body = "".join(self._indented(self._random.choice(texts)) for _ in range(2))
        body += self._indented(self._element(scope)) + self._indented(self._kernel(scope))
        if k == 0:
            body += self._indented(self._kernel(inner))
        return f"{{\n  double *{name} = &{array}[{k}];\n{body}}}"


def program(seed: int) -> str:
    """The text of a program; it prints what it has computed."""
    return Generator(seed).program()
