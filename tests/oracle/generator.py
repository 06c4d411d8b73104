"""Random functions with loop nests, as C text, and the arguments that they are called with."""

from __future__ import annotations

import random
import re
from typing import Any

from tests.oracle.sequenced import is_sequenced
from tests.oracle.shapes import shape

PRELUDE = """\
int abs(int);
double fmax(double, double), fmin(double, double), sqrt(double), pow(double, double);
void *memcpy(void *, const void *, unsigned long), *memset(void *, int, unsigned long);
void *memmove(void *, const void *, unsigned long);
int printf(const char *, ...), putchar(int), rand(void);
struct S { int x; int y; int v[16]; };
struct W { int *a; int *b; int len; };
struct I { unsigned char *bytes; int n; int m; };
struct L { int len; int *lane[8]; int *back[8]; unsigned char *plane[8]; };
int ga[120], gb[120], gm[16][16], g3[4][6][8], gn = 5, gk = 2, gz;
double gd[120], gx[16][16], gt;
unsigned gu[120];
unsigned char gc[120];
const unsigned char kc = 259;
const unsigned ku = -1;
static const int kt[] = { 0, 2, 3, 6, 8, 8, 8, 8, 8, 8, 8, 8 };
static const signed char kd[4] = { 1, 0, -1 };
static const int kq[] = { 5, 2, 9, 0, 7, 3, 11, 1, 10, 4, 8, 6, 12, 13, 14, 15 };
static const short kx[] = { 0, 4, 2, 3, 4, 7, 1, 5, 6, 6, 8, 9, 12, 13, 14, 15 };
static const unsigned ku2[] = { 6, 1, 4, 0, 3, 5, 2, 7, 8, 9, 10, 11, 12, 13, 14, 15 };
static const int kl[] = { 2, 1, 3, 2, 0, -1, 2, 0, 1, 0, 0, 0, 0, 0, 0, 0 };
typedef int number;
typedef struct S record;
struct S gs, gp[20];
static int twice(int x) { return x * 2 + 1; }
static int clamp(int x) { int y = x; if (y > 9) y = 9; if (y < 0) y = 0; return y; }
static int tally(int x) { gk += x; return gk; }
static int peek(int x) { return x + gk; }
static void put(int *where, int x) { *where = x; }
static int get(const int *where) { return where[0]; }
static void store(int *to, int i, int x) { to[i] = x; }
static void add(int *to, int x) { *to += x; }
static int total(const int *a, int n) { int s = 0; for (int i = 0; i < n; i++) s += a[i]; return s; }
static double mean(const double *a, int n) { double s = 0; for (int i = 0; i < n; i++) s += a[i]; return s; }
static void fill(int *a, int n, int x) { for (int i = 0; i < n; i++) a[i] = x; }
static int factorial(int n) { return n < 2 ? 1 : n * factorial(n - 1); }
static int odd(int n);
static int even(int n) { return n < 1 ? 1 : odd(n - 1); }
static int odd(int n) { return n < 1 ? 0 : even(n - 1); }
static int count(void) { static int calls; return ++calls; }
static int largest(int a, int b) { if (a > b) return a; return b; }
static void swap(int *a, int *b) { int t = *a; *a = *b; *b = t; }
static int both(int *a, int *b, int x) { *a = x; *b += x; return x + 1; }
static void move(struct S *s, int by) { s->x += by; s->y = by; }
static struct S shifted(struct S s, const int *by) { s.x += *by; s.v[1] = s.y; s.y--; return s; }
static int weigh(struct S s, int k) { s.x *= k; s.v[k & 3] = s.x; return s.v[0] + s.v[2] + s.y; }
static int ask(int x, int *out) { if (x < 2) return 0; *out = x * 3; return 1; }
static int told(int x, int *out)
{ if (x > 5) { *out = 1; return -1; } do { *out = x; if (*out > 3) return 2; x++; } while (x < 4); return 0; }
static int late(int x, int *out, int *more)
{ switch (x & 3) { case 0: return -1; case 1: *out = x; return 0; default: *out = x; *more = x + 1; }
  return ask(x, out); }
static char signs(int x, int *out) { if (x < 2) return 200; *out = x; return 1; }
static struct W part(struct W *w, int by) { return (struct W){ .a = w->a + by, .len = w->len }; }
static struct W halves(int *a, int n) { struct W w = { a, a + n, n }; return w; }
static int maybe(int x, int *out) { if (out) *out = x + 1; return x * 2; }
static int unless(int x, int *out) { if (out == 0) return x; *out = x; return x - 1; }
static int either(int x, int *a, int *b) { if (a != 0 && x > 2) *a = x; if (!b) return 1; *b = x; return x; }
static int ours(int x, int *out) { int own; if (!out) out = &own; *out = x; return *out + 1; }
static int handed(int x, int *out) { return maybe(x, out) + unless(x + 1, x > 4 ? out : 0); }
static int within(int x, int lo, int hi) { return x < lo ? lo : x > hi ? hi : x; }
static int limit(int x, int lo, int hi) { if (x < lo) return lo; if (x > hi) return hi; return x; }
static int wrapped(int x, int n) { if (x < 0) return x + n; if (x >= n) return x - n; return x; }
static unsigned least(unsigned x, unsigned n) { if (x > n) x = n; return x; }
static void place(struct S *s, int x)
{ int k; for (k = s->x & 7; k > 0 && s->v[k - 1] > x; k--) ;
  memmove(s->v + k + 1, s->v + k, (8 - k) * sizeof(int)); s->v[k] = x; s->x++; }
static int norm(const struct S *s) { return s->x * s->x + s->y * s->y; }
"""
_PARAMETERS = {
    "n": "int n",
    "m": "int m",
    "p": "int *p",
    "q": "int *q",
    "r": "double *restrict r",
    "e": "double *e",
    "A": "int A[16][16]",
    "un": "unsigned un",
    "sp": "struct S *sp",
    "vp": "struct W *vp",
    "rows": "int **rows",
    "cols": "int **cols",
    "lines": "double **lines",
    "pages": "unsigned char **pages",
    "V": "int V[][m + 2]",
    "ip": "struct I *ip",
    "bytes": "unsigned char *bytes",
    "room": "char *room",
    "lp": "struct L *lp",
}
_LOCALS = {
    **{
        name: f"int {name} = {value};"
        for name, value in zip("ijklstxc", (0, 0, 0, 0, 0, 1, 3, 0), strict=True)
    },
    "la": "int la[60] = {0};",
    "lb": "int lb[8][8] = {0};",
    "d": "double d = 1;",
    "dd": "double dd = 2;",
    "u": "unsigned u = 0;",
    "v": "unsigned v = 2;",
    "w": "int *w = p;",
    "cw": "const int *cw = q;",
    "uc": "unsigned char uc = 0;",
    "far": "unsigned far = 0;",
}
_WORD = re.compile(r"(?<![\w.])(?<!->)[A-Za-z]\w*")
_ARRAYS = ("p", "q", "ga", "gb", "gm", "A", "gu", "gc", "la", "gs", "gp", "w", "lb", "r", "e", "gd", "gx")
_SCALARS = ("s", "t", "x", "c", "s", "t")


class Generator:
    """Writes one function."""

    def __init__(self, source: random.Random) -> None:
        self.random = source
        self.iterators: list[str] = []
        self.ready: list[str] = []  # variables that were declared in the body
        self.labels = 0
        self.tame = self.chance(70)  # few of the things that make every loop serial
        self.written = [a for a in _ARRAYS if self.chance(40)] or list(_ARRAYS)
        self.apart = self.chance(60)  # arrays are either read or written

    def one(self, *options: Any) -> Any:
        return self.random.choice(options)

    def chance(self, percent: int) -> bool:
        return self.random.randrange(100) < percent

    def function(self, name: str) -> str:
        body = self.shaped() if self.chance(60) else self.random_body()
        used = set(_WORD.findall(body))
        live = [v for v in "stxcijkl" if v in used and self.chance(40)]
        ends = [f"gd[{110 + k}] = {v};" for k, v in enumerate(("d", "dd")) if v in used and self.chance(60)]
        ends += ["gu[110] = u;"] if "u" in used and self.chance(40) else []
        ends += ["gb[110] = *w;"] if "w" in used and self.chance(20) else []
        ends += [f"gb[111] = la[{self.one(0, 1, 2, 3)}];"] if "la" in used and self.chance(20) else []
        results = " + ".join(f"{v} * {k + 2}" for k, v in enumerate(live)) or "0"
        declared = "\n".join(text for local, text in _LOCALS.items() if local in used)
        used |= set(_WORD.findall(declared)) | {"n", "m"}
        parameters = ", ".join(text for parameter, text in _PARAMETERS.items() if parameter in used)
        lines = [line for line in (declared, body, " ".join(ends), f"return {results};") if line]
        return f"int {name}({parameters})\n{{\n" + "\n".join(lines) + "\n}\n"

    def shaped(self) -> str:
        """A nest with a purpose, filled at random, sometimes with something before or after it."""
        self.iterators = ["i"]
        text = shape(self.random)
        fill = {
            "$V": self.value,
            "$C": self.condition,
            "$T": self.target,
            "$S": lambda: self.statement(1).removesuffix(";"),
        }
        text = re.sub(r"\$[VCTS]", lambda found: str(fill[found.group()]()), text)
        self.iterators = []
        before = [self.statement(0)] if self.chance(8) else []
        after = [self.loop(1)] if self.chance(8) else []
        return "\n".join([*before, text, *after])

    def random_body(self) -> str:
        body = [self.loop(0) for _ in range(self.one(1, 1, 1, 2))]
        return "\n".join([*([self.statement(0)] if self.chance(25) else []), *body])

    # Loops

    def loop(self, depth: int) -> str:
        free = [n for n in "ijkl" if n not in self.iterators]
        if self.chance(8) and depth:
            return self.other_loop(depth)
        name = self.one(*free[:2]) if free else "l"
        kind = self.one("", "", "", "int ", "int ", "unsigned ", "long ") if self.chance(60) else ""
        if self.chance(5) and self.iterators:
            name, kind = self.iterators[-1], "int "  # shadows the outer one
        header = self.header(kind, name)
        self.iterators.append(name)
        body = self.block(depth + 1)
        self.iterators.pop()
        return f"for ({header})\n{body}"

    def header(self, kind: str, i: str) -> str:
        bound = self.bound()
        low = self.one("0", "0", "0", "1", "2", "m", self.extreme(), *self.iterators[-1:])
        forms = [
            f"{kind}{i} = {low}; {i} < {bound}; {i}++",
            f"{kind}{i} = {low}; {i} < {bound}; {i}++",
            f"{kind}{i} = {low}; {i} < {bound}; ++{i}",
            f"{kind}{i} = {low}; {i} <= {bound}; {i} += {self.one(1, 2, 3)}",
            f"{kind}{i} = {low}; {i} < {bound}; {i} = {i} + {self.one(1, 2)}",
            f"{kind}{i} = {bound}; {i} > {low}; {i}--",
            f"{kind}{i} = {bound} - 1; {i} >= 0; {i}--",
            f"{kind}{i} = {bound}; {i} >= {low}; {i} -= {self.one(1, 2)}",
            f"{kind}{i} = {low}; {i} != {bound}; {i}++",
            f"{kind}{i} = {low}; {bound} > {i}; {i}++",
            f"{kind}{i} = {low}; {i} < {bound} && {i} < {self.bound()}; {i}++",
            f"{kind}{i} = {low}; {i} < ({bound} < m ? {bound} : m); {i}++",
            f"{kind}{i} = {low}; {i} * {i} < {bound}; {i}++",
            f"{kind}{i} = {low}; 2 * {i} < {bound}; {i}++",
            f"{kind}{i} = {bound}; {i}-- > 0; ",
        ]
        return str(self.random.choice(forms))

    def extreme(self) -> str:
        """The largest of three numbers, or the smallest."""
        a, b, c = self.random.sample((*self.iterators[-1:], "n", "m", "3", "x", "n / 2", "-n / 2"), 3)
        sign = self.one("<", ">")
        inner = f"({a} {sign} {b} ? {a} : {b})"
        return str(self.one(f"({inner} {sign} {c} ? {inner} : {c})", f"({c} {sign} {inner} ? {c} : {inner})"))

    def bound(self) -> str:
        options = ["n"] * 6 + [
            "m",
            "m",
            "6",
            "gn",
            "n - 1",
            "n + 1",
            "n / 2",
            "m + 2",
            "gs.x",
            "gb[0]",
            "(int)un",
        ]
        options += (
            [f"{i} + 1" for i in self.iterators] + [f"{i} + 3" for i in self.iterators] + self.iterators
        )
        options += [f"(n < {i} ? n : {i})" for i in self.iterators[-1:]] + ["(n > m ? n : m)", "x", "*q"]
        options.append(self.extreme())
        return str(self.random.choice(options))

    def other_loop(self, depth: int) -> str:
        name = next((n for n in "lkj" if n not in self.iterators), "x")
        body = self.block(depth + 1)
        if self.chance(50):
            return f"{name} = {self.one(0, 1)}; while ({name} < {self.bound()}) {{ {body} {name}++; }}"
        return f"{name} = 0; do {{ {body} {name}++; }} while ({name} < {self.bound()});"

    def block(self, depth: int) -> str:
        items = []
        if self.chance(15):
            items.append(self.declaration())
        for _ in range(self.one(1, 1, 1, 2, 2)):
            nested = depth < 3 and self.chance({1: 35, 2: 20}.get(depth, 0))
            items.append(self.loop(depth) if nested else self.statement(depth))
        return "{\n" + "\n".join(items) + "\n}"

    def declaration(self) -> str:
        i = self.iterator()
        return str(
            self.one(
                f"int y = {self.value()}; s = y;",
                f"int y; y = {self.value()}; {self.target()} = y;",
                f"int la[4]; la[0] = {self.value()}; {self.target()} = la[0];",
                f"int *w = &p[{i}]; w[{self.one(0, 1, -1)}] = {self.value()};",
                f"int *w = p + {i}; *w = {self.value()};",
                f"number *w = p + {i}; w[{self.one(0, i)}] = {self.value()};",
                f"record *own = sp + {i}; own->x = {self.value()};",
                f"record *one = &gp[{i}]; {self.target()} = one->y;",
                f"int *y = gm[{i}]; y[{self.one(0, 1, i)}] = {self.value()};",
                f"int s = {self.value()}; {self.target()} = s;",
                f"static int y; y += {i}; {self.target()} = y;",
                f"double *y = r + {self.one(1, i)}; y[{i}] = d;",
                f"const int *y = q + {i}; {self.target()} = *y;",
                f"int y[3] = {{{i}, 1, 2}}; {self.target()} = y[{i} % 3];",
                f"int (*y)[16] = A; y[{i}][{self.one(0, i)}] = {self.value()};",
            )
        )

    # Expressions

    def iterator(self) -> str:
        return str(self.random.choice(self.iterators)) if self.iterators else self.one("0", "x", "n")

    def subscript(self) -> str:
        i, j = self.iterator(), self.iterator()
        if self.chance(75 if self.tame else 45):
            return i
        return str(
            self.one(
                f"{i} + 1",
                f"{i} - 1",
                f"2 * {i}",
                f"2 * {i} + 1",
                f"{i} + {j}",
                f"{i} - {j}",
                f"{i} * n + {j}",
                f"{i} * 8 + {j}",
                f"n - 1 - {i}",
                f"{i} / 2",
                f"{i} % 3",
                f"{i} * {i}",
                f"{i} & 3",
                f"{i} >> 1",
                f"{i} + n",
                f"{i} + m",
                f"{i} + gk",
                f"{i} + x",
                f"gb[{i}]",
                f"q[{i}]",
                "0",
                "3",
                "n",
                "k",
                "x",
                "c",
                f"({i} + 1) / 2",
                f"({i} + 3) % n",
                f"{i} * m + {j}",
                f"{i} << 1",
                f"3 - {i}",
                f"{i} + 2",
                f"({i} < 3 ? {i} : 3)",
                f"({i} > ({j} > 2 ? {j} : 2) ? {i} : ({j} > 2 ? {j} : 2))",
                f"(({j} < n ? {j} : n) > 4 ? ({j} < n ? {j} : n) : 4) + {i}",
                f"-{i} / 2 + 9",
                f"(-{i} >> 1) + 9",
                f"(n - {i} - 20) / 3 + 9",
                f"(2 - {i}) % 3 + 3",
                f"-{i} & 3",
                "u",
                "x++",
                "c++",
                f"{i} ^ 1",
                f"gc[{i}]",
                f"{i} + (n > 3)",
                f"abs({i} - 2)",
                f"clamp({i})",
                f"(unsigned char){i}",
                f"{i} % 4 * 4 + {j} % 4",
                f"-{i}",
                f"{i} + t",
                f"{i} + un",
                f"u - {i}",
                f"(unsigned){i} - 1 + 1",
                f"{i} * gk",
                f"m * {i} + x",
                f"{i} + 20",
                f"{i} == 2",
                f"({i} - n) % 7ul",
                f"(m - {i}) % (sizeof ga / sizeof ga[0] / 9)",
                f"({i} - x & 7ul) + 1",
                f"({i} - n) / 3ul % 11",
            )
        )

    def small(self) -> str:
        """A subscript of a dimension of sixteen."""
        i = self.iterator()
        return str(
            self.one(i, i, i, f"{i} + 1", f"{i} + 2", f"{i} / 2", f"{i} % 2", "0", "n", "3", f"({i} + 1) % 4")
        )

    def element(self, integer: bool = True, write: bool = False) -> str:
        for _ in range(6 if self.tame else 0):
            text = self._element(integer)
            root = text.strip("(*").split("[")[0].split(".")[0].split(" ")[0]
            if (root in self.written) == write or not self.apart:
                return text
        return self._element(integer)

    def _element(self, integer: bool) -> str:
        a, two = f"({self.subscript()})", f"[{self.small()}][{self.small()}]"
        if not integer:
            return str(self.one(f"r[{a}]", f"e[{a}]", f"gd[{a} + 10]", f"gx{two}", f"r[{a}]"))
        return str(
            self.one(
                f"p[{a}]",
                f"p[{a}]",
                f"q[{a}]",
                f"q[{a}]",
                f"ga[{a} + 10]",
                f"ga[{a} + 10]",
                f"gb[{a} + 10]",
                f"gm{two}",
                f"A{two}",
                f"A{two}",
                f"gu[{a} + 10]",
                f"gc[{a} + 10]",
                f"la[{a} + 10]",
                f"gs.v[{self.small()}]",
                f"gp[{self.small()}].x",
                f"gp[{self.small()}].y",
                f"*(p + {a})",
                f"w[{a}]",
                f"lb[{self.small()}][{self.small()}]",
                f"gp[{self.small()}].v[{self.small()}]",
                f"(p + {a})[1]",
                f"({self.small()})[gm[{self.small()}]]",
            )
        )

    def target(self) -> str:
        if self.chance(10 if self.tame else 30):
            return str(
                self.one(*_SCALARS, "gk", "gz", "gs.x", "gs.y", "*p", "*q", "gn" if self.chance(20) else "u")
            )
        return self.element(write=True)

    def value(self, depth: int = 0) -> str:
        i = self.iterator()
        if depth > 1 or self.chance(40):
            return str(
                self.one(
                    i,
                    "1",
                    "2",
                    "n",
                    "s",
                    "t",
                    "x",
                    "c",
                    "gk",
                    "k",
                    "j",
                    "u",
                    "gz",
                    self.element(),
                    self.element(),
                )
            )
        a, b = self.value(depth + 1), self.value(depth + 1)
        if self.tame and self.chance(60):
            return f"{a} {self.one(*'+-*')} {b}"
        return str(
            self.one(
                f"{a} + {b}",
                f"{a} + {b}",
                f"{a} - {b}",
                f"{a} * {b}",
                f"({a} > {b} ? {a} : {b})",
                f"twice({a})",
                f"({a} & {b})",
                f"({a}, {b})",
                f"({a} < {b})",
                f"({a} && {b})",
                f"-{a}",
                f"(int)({a})",
                f"{a} + {self.element()}",
                f"peek({a})" if self.chance(30) else a,
                f"tally({a})" if self.chance(15) else b,
                f"(c = {a})" if self.chance(30) else a,
                f"get(&q[{i}])" if self.chance(30) else b,
                "(x++)" if self.chance(25) else a,
            )
        )

    def condition(self) -> str:
        i = self.iterator()
        return str(
            self.one(
                f"{i} > 2",
                f"{i} == 0",
                f"{i} == n - 1",
                f"{i} % 2",
                f"{i} < m",
                f"{self.value()} > {self.value()}",
                f"{i} != {self.iterator()}",
                f"{self.element()} > 2",
                f"n > 3 && {i} > 1",
                f"{i} < 2 || {i} > 3",
                "m",
                "c",
                f"!{i}",
                f"{self.iterator()} > {i}",
                "n > 100",
                "(n & 1) == 0",
                "n < n / 2 * 2",
                "n - n / 2 * 2 == 1",
                f"{i} > n / 2",
                f"{i} < m / 3",
                f"{i} != un",
                f"{i} + 2 < un",
                f"{i} >= 1 && (t = {i})" if self.chance(30) else f"{i} < n",
            )
        )

    # Statements

    def statement(self, depth: int) -> str:
        if self.chance(65 if self.tame else 45):
            return f"{self.target()} = {self.value()};"
        options = [self.update, self.update, self.choice, self.choice, self.floating, self.scalar]
        if not self.tame or self.chance(15):
            options += [self.rare, self.pointer, self.row]
        if self.iterators and (not self.tame or self.chance(30)):
            options.append(self.jump)
        return str(self.random.choice(options)(depth))

    def update(self, depth: int) -> str:
        x, v = self.target(), self.value()
        op = self.one("+", "+", "+", "-", "*", "&", "|", "^")
        return str(
            self.one(
                f"{x} {op}= {v};",
                f"{x} {op}= {v};",
                f"{x} = {x} {op} {v};",
                f"{x} = {v} {op} {x};",
                f"{x}++;",
                f"--{x};",
                f"if ({v} > {x}) {x} = {v};",
                f"{x} = {v} < {x} ? {v} : {x};",
                f"{x} = {x} > {v} ? {x} : {v};",
                f"{x} = {x} && {v};",
                f"{x} = {x} || {v};",
                f"{x} = {x} - {v} + {self.value()};",
                f"if ({self.condition()}) {x} += {v};",
                f"{x} = {v} - {x};",
                f"if ({x} < {v}) {x} = {v};",
                f"{x} += {x};",
                f"{x} = {x} + {v} * {x};",
            )
        )

    def floating(self, depth: int) -> str:
        a, b = self.element(False, write=True), self.element(False)
        return str(
            self.one(
                f"{a} = {b} + {self.iterator()};",
                f"{a} = {a} * 2 + {b};",
                f"d += {a};",
                f"d = {a}; {b} = d;",
                f"{a} += {b};",
                f"dd = fmax(dd, {a});",
                f"if ({a} > dd) dd = {a};",
                f"s += {a};",
                f"{a} = {b} / 2;",
                f"d = d + {a} * dd;",
                f"gt += {a};",
            )
        )

    def scalar(self, depth: int) -> str:
        s, t, i = self.one(*_SCALARS), self.one(*_SCALARS), self.iterator()
        return str(
            self.one(
                f"{s} = {self.value()}; {self.target()} = {s} + 1;",
                f"{self.target()} = {s}; {s} = {self.value()};",
                f"if ({self.condition()}) {s} = {self.value()};\n{self.target()} = {s};",
                f"{s} = {i};",
                f"{s}++;",
                f"{s} += 2;",
                f"if ({self.condition()}) {s}++;",
                f"{s} = {t}; {t} = {i};",
                f"{self.condition()} && ({s} = 1);",
                f"u = {i}; v = u + 1;",
                f"{self.target()} = {s} = {self.value()};",
                f"u += {i};",
                f"{s} = {i}; {t} = {s} * 2; {self.element()} = {t};",
                f"for ({s} = 0; {s} < 3; {s}++) {self.element()} = {s};",
                f"k++; {self.element()} = k;",
                f"ga[c++] = {i};",
                f"p[x++] = {i};",
            )
        )

    def pointer(self, depth: int) -> str:
        i = self.iterator()
        return str(
            self.one(
                f"*w++ = {self.value()};",
                f"*w = {self.value()}; w++;",
                f"w = p + {i};\n*w = {self.value()};",
                "w = q;",
                "s += *w++;",
                f"w = &ga[{i}]; w[1] = {self.value()};",
                f"put(&p[{i}], {self.value()});",
                f"put(&ga[{i}], 1);",
                f"w += {i};",
                f"{self.target()} = *cw++;",
                f"w = p; w[{i}] = {self.value()};",
                f"if ({self.condition()}) w = q;\nw[{i}] = {self.value()};",
                f"w = {i} > 2 ? p : q; w[{i}] = 1;",
                f"*&s = {self.value()};",
                f"(&gs)->x = {self.value()};",
                f"w = &t; *w = {i};",
            )
        )

    def row(self, depth: int) -> str:
        """A pointer to a row, which may leave it."""
        row = self.one("A", "A", "gm", "V", "lb") + f"[{self.small()}]"
        s, i = self.one("s", "t", "x"), self.iterator()
        start = self.one(row, row, f"&{row}[{self.one(0, 1, 3, i)}]", f"{row} + {i}")
        return str(
            self.one(
                f"w = {start}; w[{self.subscript()}] = {self.value()};",
                f"w = {start}; {self.target()} = w[{self.subscript()}];",
                f"w = {start}; w[{i}] += {self.value()};",
                f"w = {start}; for ({s} = 0; {s} < {self.bound()}; {s}++) w[{s}] = {self.value()};",
                f"w = {start}; for ({s} = 0; {s} < {self.bound()}; {s}++) *w++ = {i};",
                f"fill({start}, {self.bound()}, {self.value()});",
                f"{self.target()} = total({start}, {self.bound()});",
                f"put({start}, {self.value()}); {self.target()} = A[{i}][{self.small()}];",
                f"memset({start}, 0, {self.bound()} * sizeof(int));",
            )
        )

    def choice(self, depth: int) -> str:
        a, b = self.statement(depth + 1), self.statement(depth + 1)
        i = self.iterator()
        return str(
            self.one(
                f"if ({self.condition()}) {{ {a} }}",
                f"if ({self.condition()}) {{ {a} }} else {{ {b} }}",
                f"{{ {a} {b} }}",
                f"if ({self.condition()}) {{ {a} }} else {{ {b} }}",
                f"switch ({i}{self.one('', ' % 3', ' & 1')}) {{ case 0: {a} {self.one('break;', '')}"
                f" case 1: {b} break; default: {self.statement(depth + 1)} }}",
            )
        )

    def jump(self, depth: int) -> str:
        self.labels += 1
        label = self.labels
        return str(
            self.one(
                f"if ({self.condition()}) continue;",
                f"if ({self.condition()}) continue;",
                f"if ({self.condition()}) {{ {self.statement(depth)} continue; }}",
                f"if ({self.condition()}) break;",
                f"if ({self.condition()}) goto skip{label};\n{self.statement(depth)}\nskip{label}: ;",
                f"if ({self.condition()}) return {self.iterator()};",
            )
            if self.chance(70)
            else f"if ({self.condition()}) continue;"
        )

    def rare(self, depth: int) -> str:
        i = self.iterator()
        return str(
            self.one(
                f"{self.element()} = {self.element()} = {self.value()};",
                f"{self.target()} = {self.value()}, {self.target()} = {self.value()};",
                f"{i}++;"
                if self.chance(15)
                else f"{self.element()} = {i}++ * 0;"
                if self.chance(15)
                else f"{self.element()} = {i};",
                "n--;" if self.chance(15) else ";",
                f"{self.element()} = sizeof(int);",
                f"s = {self.element()}; {self.element()} = s;",
                f"{{ int {self.one('s', 't', 'q2')} = {i}; {self.target()} = {self.value()}; }}",
                f"gn = {self.value()};" if self.chance(20) else ";",
                f"tally({i});" if self.chance(40) else ";",
                f"twice({self.value()});",
                f"la[5] = {self.value()}; {self.target()} = la[5];",
                f"la[{i}] = {self.value()};\n{self.target()} = la[{i}];",
                f"lb[{i}][0] = {i}; {self.target()} = lb[{i}][0];",
                f"p[{i}] = q[{i}]; q[{i}] = s;",
                f"s = p[{i}]; p[{i}] = p[n - 1 - {i}]; p[n - 1 - {i}] = s;",
            )
        )


def generated(seed: int) -> str:
    """The text of one function, `f<seed>`.

    Arrays of variable length are slow to compile, so they are kept together in every tenth hundred.
    """
    source = random.Random(seed)
    while True:
        text = Generator(source).function(f"f{seed}")
        if is_sequenced(text) and ("int V[" not in text or seed // 100 % 10 == 0):
            return text
