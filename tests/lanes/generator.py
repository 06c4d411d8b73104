"""Random loops around inner loops that end when data says so, for `tests.lanes.fuzz`.

Nothing in them is undefined, and all ends after at most `STEPS` steps; but one step more than the program
makes may overflow, divide by zero, or read behind an array.
"""

from __future__ import annotations

from random import Random

STEPS = 14
SIZES = (0, 1, 2, 15, 16, 17, 32, 45)
LARGEST = max(SIZES)
ROWS = 3
CHAIN = 64  # elements of `next`, which lead to 0, and of `list`, which ends with 0

_HEAD = f"""#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#define SQUARE(v) ((v) * (v))
#define STEPS {STEPS}
enum {{ FEW = 3 }};
static double a[{LARGEST + 2}], res[{ROWS}][{LARGEST + 2}];
static int b[{LARGEST + 2}], out[{ROWS}][{LARGEST + 2}];
static int *next, *list;
static long total;
"""
_MAIN = """
static void clear(void)
{
    for (int j = 0; j < ROWS; j++)
        for (int i = 0; i < LARGEST + 2; i++)
            out[j][i] = -7, res[j][i] = 0.5;
    total = 0;
}

static void show(const char *name, int n)
{
    printf("%s %d: %ld", name, n, total);
    for (int j = 0; j < ROWS; j++)
        for (int i = 0; i < n + 2; i++)
            if (isnan(res[j][i]))
                printf(" %d nan", out[j][i]);
            else
                printf(" %d %a", out[j][i], res[j][i]);
    printf("\\n");
}

int main(void)
{
    static const int sizes[] = { SIZES };
    next = malloc(CHAIN * sizeof *next), list = malloc(CHAIN * sizeof *list);
    for (int i = 0; i < CHAIN; i++)
        next[i] = i * 3 / 4, list[i] = (i * 7 + 3) % 11 * (i + 1 < CHAIN);
    for (unsigned k = 0; k < sizeof sizes / sizeof *sizes; k++) {
        int n = sizes[k];
        for (int i = 0; i < LARGEST + 2; i++)
            a[i] = ((i * 37 + 11) % 101 - 40) / 16.0, b[i] = (i * 29 + 5) % 60;
CALLS    }
    free(next), free(list);
    return 0;
}
"""
_HEADERS = (
    "for (int i = 0; i < n; i++)",
    "for (int i = 0; i != n; i++)",
    "for (int i = 1; i <= n; i++)",
    "for (int i = n - 1; i >= 0; i--)",
    "for (int i = n; i > 0; i--)",
    "for (unsigned i = 0; i < (unsigned)n; i++)",
    "for (unsigned i = 1; i <= n; i++)",
    "for (long i = 0; i < n; i++)",
    "for (size_t i = 0; i < (size_t)n; ++i)",
    "for (i = 0; i < n; i++)",
    "for (int i = 0; i < n - 2; i += 1)",
    "for (int i = 2; n > i; i++)",
)
_STARTS = ("a[i]", "0.25", "a[i] * 0.5", "(double)b[i] / 8", "0", "1.5f")
_WHOLE = ("b[i]", "b[i] % 7", "3", "b[i] + 1", "0", "(int)i % 13 + 1")
_TESTS = ("x * x + y * y <= 4.0", "x < 3.0", "fabs(x - y) > 1e-3", "SQUARE(x) > 1e-6", "!(x > 2.5)",
          "x <= y + 4", "n_ != 1", "n_ > FEW", "n_ & 7", "n_ % 5 != 2", "(x < 2 || y < 0.5)",
          "m < 2147483500")  # fmt: skip
_STEPS = ("{{ double t{v} = x * x - y * y + c; y = 2.0 * x * y + c; x = t{v}; }}", "x = x * 0.75 + c;",
          "x = 0.5 * (x + c / x);", "y -= x * 0.125;", "t = x; x = y; y = t * 0.5;", "x = x < y ? y : x;",
          "y = sqrt(fabs(x)) + 0.25;", "x += n_;", "if (n_ % 2) n_ = 3 * n_ + 1; else n_ /= 2;",
          "n_ = n_ % 2 ? n_ * 3 + 1 : n_ >> 1;", "if (x > y) n_ += 3;", "n_ = next[n_ & 63];", "m += 90;",
          "u = u * 1664525u + 1013904223u;", "n_ = (n_ + (int)(u >> 28)) & 63;", "p = p + (list[p] != 0);",
          "{{ float f{v} = (float)x; y = f{v} * 0.5f + y; }}", "x = -x; y = y + 1 - SQUARE(c);", "w += 3;",
          "n_ = (int)(x * 0) + b[i];", "y += a[i];")  # fmt: skip
_TAILS = ("out{at} = k;", "res{at} = x;", "res{at} = x + y;", "out{at} = k * 64 + n_;", "total += k;",
          "if (k > 2) out{at} = p + n_; else res{at} = y;", "total += n_ + k;",
          "out{at} = (int)(u & 1023u) + m % 7;", "res{at} = (double)w * 0.5;",
          "if (k == 0) continue;\n    out{at} = k + 1;", "total += m % 5;")  # fmt: skip
_DECLARED = {"x": "double", "y": "double", "c": "double", "n_": "int", "k": "int", "m": "int", "p": "int",
             "u": "unsigned", "w": "long", "t": "double"}  # fmt: skip


class Escape:
    """The function number `seed`."""

    def __init__(self, seed: int) -> None:
        self.random, self.name = Random(seed), f"f{seed}"

    def text(self) -> str:
        """Its definition; it takes n and writes `out`, `res` and `total`."""
        random = self.random
        header = random.choice(_HEADERS)
        self.types = dict(_DECLARED)
        if random.random() < 0.3:
            self.types |= dict.fromkeys(("x", "y", "t", "c"), "float")
        self.types["k"] = random.choice(("int", "int", "unsigned", "long"))
        rows = random.random() < 0.4
        at = "[j][i]" if rows else "[1][i]"
        parts = self._inner()
        tails = [random.choice(_TAILS).format(at=at) for _ in range(random.choice((1, 1, 2)))]
        own, outside = self._declarations("\n".join((*parts, *tails)))
        around = ["for (int j = 0; j < ROWS; j++)"] if rows else []
        between = rows and random.random() < 0.4
        if between:
            around = ["for (int j = 0; j < ROWS; j++) {", "double scale = 1.0 + j;"]
            tails.append(f"res{at} *= scale;")
        outside += ["int i;"] if header.startswith("for (i =") else []
        lines = [*outside, *around, f"{header} {{", *own, *parts, *tails, "}", *(["}"] if between else [])]
        body = "".join(f"    {line}\n" for line in lines)
        return f"\nstatic void {self.name}(int n)\n{{\n{body}}}\n"

    def _declarations(self, text: str) -> tuple[list[str], list[str]]:
        """What is declared in the iteration and what outside, of all that the text mentions."""
        random, own, outside = self.random, list[str](), list[str]()
        for name, ctype in self.types.items():
            if name not in text.replace("n_", " n_ ").translate(_SPACES).split():
                continue
            value = self._start(name)
            if name == "t":
                (own if random.random() < 0.5 else outside).append(f"{ctype} t;")
            elif random.random() < 0.25:
                outside.append(f"{ctype} {name};")
                own.append(f"{name} = {value};")
            elif random.random() < 0.1:
                other = f"else {name} = {self._start(name)};"
                own += [f"{ctype} {name};", f"if (b[i] > 20) {name} = {value}; {other}"]
            else:
                const = "const " if name == "c" and random.random() < 0.5 else ""
                own.append(f"{const}{ctype} {name} = {value};")
        return own, outside

    def _start(self, name: str) -> str:
        if name in ("k", "p"):
            return "0"
        if name == "m":
            return "2147482000 + b[i]"
        return self.random.choice(_STARTS if name in ("x", "y", "c", "t") else _WHOLE)

    def _inner(self) -> list[str]:
        """The inner loop."""
        random = self.random
        steps = [random.choice(_STEPS).format(v=k) for k in range(random.choice((1, 2, 2, 3, 4)))]
        steps = [s for k, s in enumerate(steps) if "m +=" not in s or k == steps.index(s)]
        limit = random.choice(("STEPS", "STEPS", "STEPS", "FEW", "b[i] % STEPS"))
        test = self._test(limit)
        kind = random.choice(("while", "while", "for", "for", "do", "break", "first", "middle", "last"))
        count = random.choice(("k++;", "++k;", "k += 1;"))
        place = random.randrange(len(steps) + 1)
        unless = f"if ({self._condition()}) break;"
        if kind == "while":
            return [f"while ({test}) {{", *steps[:place], count, *steps[place:], "}"]
        if kind == "do":
            return ["do {", *steps[:place], count, *steps[place:], f"}} while ({test});"]
        if kind == "for":
            start = random.choice(("", "k = 0", "k = 1"))
            return [f"for ({start}; {test}; k++) {{", *steps, "}"]
        if kind == "break":
            return ["for (;;) {", f"if (!({test})) break;", *steps, count, "}"]
        place = {"first": 0, "last": len(steps)}.get(kind, place)
        header = f"for (; k < {limit}; k++)" if random.random() < 0.7 else f"while (k < {limit})"
        last = [] if header.startswith("for") else [count.replace("k += 1", "k++")]
        return [f"{header} {{", *steps[:place], unless, *steps[place:], *last, "}"]

    def _test(self, limit: str) -> str:
        condition = self._condition()
        if self.random.random() < 0.3:
            condition += f" && {self._condition()}"
        return f"k < {limit} && {condition}" if self.random.random() < 0.8 else f"{condition} && k < {limit}"

    def _condition(self) -> str:
        return self.random.choice(_TESTS)


_SPACES = {ord(sign): " " for sign in "()[]{};,+-*/%<>=!&|?:."}


def program(seeds: list[int]) -> str:
    """A program with the functions of these numbers."""
    functions = [Escape(seed) for seed in seeds]
    calls = "".join(f'        clear(), {f.name}(n), show("{f.name}", n);\n' for f in functions)
    main = _MAIN.replace("SIZES", ", ".join(map(str, SIZES))).replace("CALLS", calls)
    text = _HEAD + "".join(f.text() for f in functions) + main
    return text.replace("ROWS", str(ROWS)).replace("LARGEST", str(LARGEST)).replace("CHAIN", str(CHAIN))
