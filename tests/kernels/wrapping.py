"""Random programs whose functions count with unsigned numbers near both ends of their range."""

from __future__ import annotations

from random import Random

from tests.support.wrapping_loops import HEADERS, Loops, Shape, argument, loops

CELLS = 150
_VECTORS, _MATRICES = ("x", "y", "z"), ("A", "B")


def program(seed: int, functions: int) -> str:
    """A program without arguments; arrays have others next to them, which nobody may touch."""
    rng, shape = Random(seed), Shape(_VECTORS, _MATRICES, CELLS)
    made = [loops(rng, shape) for _ in range(functions)]
    texts = "".join(_function(f"f{number}", each) for number, each in enumerate(made))
    calls = "".join(_calls(f"f{number}", each) for number, each in enumerate(made))
    return f"{_head()}{texts}int main(void)\n{{\n{calls}    return 0;\n}}\n"


def _head() -> str:
    arrays = [*(f"{v}[{CELLS}]" for v in _VECTORS), *(f"{m}[{CELLS}][{CELLS}]" for m in _MATRICES)]
    declared = "".join(f"static unsigned {array};\n" for array in arrays)
    names = (*_VECTORS, *_MATRICES)
    fill = "".join(f"    fill((unsigned *){n}, sizeof {n} / 4, {k}u);\n" for k, n in enumerate(names, 1))
    show = "".join(f"    h = sum((const unsigned *){n}, sizeof {n} / 4, h);\n" for n in names)
    return f"""#include <stdio.h>
{HEADERS}{declared}static unsigned s;
static void fill(unsigned *a, unsigned count, unsigned seed)
{{
    for (unsigned k = 0; k < count; k++) {{
        seed = seed * 1664525u + 1013904223u;
        a[k] = seed >> 12;
    }}
}}
static unsigned sum(const unsigned *a, unsigned count, unsigned h)
{{
    for (unsigned k = 0; k < count; k++)
        h = h * 31u + a[k];
    return h;
}}
static void start(void)
{{
{fill}    s = 7;
}}
static void show(const char *name)
{{
    unsigned h = s;
{show}    printf("%s %u\\n", name, h);
}}
"""


def _function(name: str, made: Loops) -> str:
    body = "".join(f"    {line}\n" for line in made.lines)
    parameters = ", ".join(f"{made.ctype} {p}" for p in "abc")
    return f"static void {name}({parameters})\n{{\n    (void)a, (void)b, (void)c;\n{body}}}\n"


def _calls(name: str, made: Loops) -> str:
    lines = []
    for values in made.calls:
        given = ", ".join(argument(value, made.ctype) for value in values)
        lines.append(f'    start();\n    {name}({given});\n    show("{name}{values}");\n')
    return "".join(lines)
