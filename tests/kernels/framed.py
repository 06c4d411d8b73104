"""Programs that call random functions and print a hash of what each leaves behind."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

_HEAD = """#include <stdio.h>
#include <stdlib.h>
{macros}
static unsigned seed = 1;

static int next(void)
{{
    seed = seed * 1664525u + 1013904223u;
    return (int)((seed >> 16) % {values}) - {values} / 2;
}}

static void show(const char *name, const void *array, size_t bytes)
{{
    unsigned long hash = 14695981039346656037ul;
    for (size_t at = 0; at < bytes; at++)
        hash = (hash ^ ((const unsigned char *)array)[at]) * 1099511628211ul;
    printf("%s %016lx\\n", name, hash);
}}
"""


class Function(Protocol):
    """`text` defines a function, and `<name>_try`, which calls it with n, m and p and shows its arrays."""

    name: str

    def text(self) -> str: ...


_DECOYS = """
struct decoy { _Bool n, m; float p; };
void decoys(_Bool n, _Bool m, float p);
static int n, m, p;
"""
_BLOCK = """        {
            _Bool m = 1;
            (void)m;
        }
"""
_GLOBAL = {
    "int n, int m, int p, ": "",
    "int n, int m, int p": "void",
    "(n, m, p, ": "(",
    "(n, m, p)": "()",
    "const int n =": "n =",
    ", m = atoi": "; m = atoi",
    ", p = atoi": "; p = atoi",
}


def framed(functions: Sequence[Function], values: int, macros: str = "", decoys: bool = False) -> str:
    """A program that takes n, m and p; `next()` gives one of so many values around zero.

    With `decoys`, n, m and p are variables of the file, and members and parameters of the same names stand
    before them; every other body of a loop has a block with another m.
    """
    calls = "".join(f"    {one.name}_try(n, m, p);\n" for one in functions)
    sizes = "    const int n = atoi(argv[1]), m = atoi(argv[2]), p = atoi(argv[3]);\n"
    check = "    if (argc < 4)\n        return 1;\n"
    main = f"\nint main(int argc, char **argv)\n{{\n{check}{sizes}{calls}    return 0;\n}}\n"
    texts = [one.text() for one in functions]
    if decoys:
        texts[::2] = [text.replace("\n    {\n", f"\n    {{\n{_BLOCK}", 1) for text in texts[::2]]
    text = "".join(texts) + main
    if decoys:
        for before, after in _GLOBAL.items():
            text = text.replace(before, after)
        text = _DECOYS + text
    return _HEAD.format(macros=macros, values=values) + text
