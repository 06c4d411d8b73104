"""Random programs of filters: loops over rows and columns around loops of a few taps.

How many taps there are is a number, a macro, an enumerator, a variable, a parameter (of one call or several)
or a member; sums are kept in memory or in a variable, some of them are what a statement sets on its way.
"""

from __future__ import annotations

from random import Random

EDGE = 40  # cells beyond both ends of what iterations go through
TYPES = ("int", "int", "unsigned", "long", "short", "float", "double")
_WAYS = ("number", "macro", "enumerator", "variable", "parameter", "several", "member")
_HEAD = f"""#include <stdio.h>
#include <stdlib.h>
#define EDGE {EDGE}
#define TAPS 3
enum {{ WIDE = 5 }};
struct options {{ int radius, step; }};
"""


class _Filter:
    """One function, its data, and calls of it."""

    def __init__(self, random: Random, name: str) -> None:
        self.random, self.name = random, name
        self.ctype = random.choice(TYPES)
        self.rows = random.random() < 0.5
        self.how = random.choice(_WAYS)
        self.numbers = [random.randint(1, 6)]
        if self.how == "several":
            self.numbers += [random.randint(1, 6) for _ in range(random.randint(1, 4))]
        self.taps = {
            "number": str(self.numbers[0]),
            "macro": "TAPS",
            "enumerator": "WIDE",
            "variable": "radius",
            "member": "o->radius",
        }.get(self.how, "radius")
        self.itype = random.choice(("int", "int", "long"))

    def text(self) -> str:
        own = f"  int radius = {self.numbers[0]};\n" if self.how == "variable" else ""
        given = ", int radius" if self.how in ("parameter", "several") else ""
        given += ", const struct options *o" if self.how == "member" else ""
        ctype, (loops, at) = self.ctype, self._outer()
        head = f"static void {self.name}({ctype} *y, const {ctype} *x, const {ctype} *w, int n{given})"
        return f"{head}\n{{\n  (void)w;\n{own}{loops}{self._body(at)}  }}\n}}\n"

    def calls(self) -> str:
        """What `main` does with it, and a hash of what it leaves behind."""
        name, size = self.name, f"(n + 2 * EDGE) * {'(n + 2 * EDGE)' if self.rows else '1'}"
        last = {"parameter": ", {}", "several": ", {}", "member": ", &opts"}.get(self.how, "")
        made = [f"{name}(y + first, x + first, w, n{last.format(number)});" for number in self.numbers]
        setting = f"opts.radius = {self.numbers[0]}; " if self.how == "member" else ""
        first = "EDGE * (n + 2 * EDGE) + EDGE" if self.rows else "EDGE"
        return f"""  {{
    size_t size = (size_t){size}, first = {first};
    {self.ctype} *x = calloc(size, sizeof *x), *y = calloc(size, sizeof *y), w[2 * EDGE];
    for (size_t i = 0; i < size; i++) {{ x[i] = ({self.ctype})(i * 7 % 11); y[i] = ({self.ctype})(i % 5); }}
    for (int i = 0; i < 2 * EDGE; i++) w[i] = ({self.ctype})(i % 3);
    {setting}for (int t = 0; t < 2; t++) {{ {" ".join(made)} }}
    double hash = 0;
    for (size_t i = 0; i < size; i++) hash = hash * 3 + y[i] - 1048573.0 * (long)(hash * 3 / 1048573.0);
    printf("{name} %.3f\\n", hash);
    free(x), free(y);
  }}
"""

    def _outer(self) -> tuple[str, str]:
        step = self.random.choice(("++", "++", "++", "--", " += 2"))
        first, test = ("0", "<") if step != "--" else ("n - 1", ">=")
        end = "n" if step != "--" else "0"
        inner = f"{self.itype} i = {first}; i {test} {end}; i{step}"
        if not self.rows:
            return f"  for ({inner}) {{\n", "i"
        return (
            f"  for (int r = 0; r < n; r++)\n    for ({inner}) {{\n",
            "r * (n + 2 * EDGE) + i",
        )

    def _body(self, at: str) -> str:
        random, taps = self.random, self.taps
        start, end = random.choice(((f"-{taps}", "k <= "), ("0", "k < "), ("0", "k <= "), ("1", "k < 2 * ")))
        end += taps
        moved = f"x[{at} + k]"
        header = f"int k = {start}; {end}; k++"
        if random.random() < 0.25 and at == "i":  # the window's ends move with it
            moved, header = "x[k]", f"{self.itype} k = i - {taps}; k <= i + {taps}; k++"
            weight = ""
        else:
            weight = random.choice(("", " * w[k + EDGE]", " * (k + 2)"))
        term, cell = f"{moved}{weight}", f"y[{at}]"
        form = random.choice(("memory", "variable", "set", "two", "choice"))
        if form == "memory":
            return f"    for ({header}) {cell} += {term};\n"
        if form == "two" and "x[k]" not in moved:
            inner = f"int l = 0; l < {random.choice((2, 3))}; l++"
            return f"    for ({header}) for ({inner}) {cell} += {term} + x[{at} - l];\n"
        after = {"set": f"t += {cell} = s;", "choice": f"{cell} = s > 3 ? s : 1;"}.get(form, f"{cell} = s;")
        extra = f" {self.ctype} t = 1;" if form == "set" else ""
        last = f" {cell} += t > 2;" if form == "set" else ""
        return f"    {self.ctype} s = 0;{extra}\n    for ({header}) s += {term};\n    {after}{last}\n"


def program(seed: int, functions: int = 4) -> str:
    """A program that takes n, and prints a hash for each function."""
    random = Random(seed)
    made = [_Filter(random, f"f{number}") for number in range(functions)]
    texts = "\n".join(each.text() for each in made)
    calls = "".join(each.calls() for each in made)
    return (
        f"{_HEAD}\n{texts}\nint main(int argc, char **argv)\n{{\n"
        "  int n = argc > 1 ? atoi(argv[1]) : 60;\n  struct options opts = { 1, 1 };\n  (void)opts.step;\n"
        f"{calls}  return 0;\n}}\n"
    )
