"""Nests whose arrays and sizes are members of a structure: `g->A[(i + 6) * g->row + j]`."""

from __future__ import annotations

import random
import re

from species.source.text.code import names_in, rename

_HEAD = re.compile(r"void f\d+\(int n, int m, ([^()]*)\)\n\{\n")


def in_structure(seed: int, text: str, arguments: tuple[str, ...]) -> tuple[str, tuple[str, ...]]:
    """A function `void f(int n, int m, ...)` that has its other parameters in a structure instead, and what
    it is called with besides `n` and `m`.

    They are named as such, or by macros; `n` and `m` may be members, too.
    """
    rng = random.Random(f"members {seed}")
    head = _HEAD.match(text)
    assert head is not None
    fields = [each.strip() for each in head[1].split(",")]
    names = [names_in(each.replace("restrict ", ""))[-1] for each in fields]
    structure, owner, here = f"struct g{seed}", f"g{seed}", rng.choice(("g->", "g->", "(*g).", "g[0]."))
    sizes = ["n", "m"] if rng.random() < 0.5 else []
    ways = {name: f"{here}{name}" for name in (*names, *sizes)}
    macros = ""
    for name in names:
        if rng.random() < 0.2:
            macros += f"#define {name}_{owner} {rng.choice((f'({ways[name]})', ways[name]))}\n"
            ways[name] = f"{name}_{owner}"
    members = "".join(f"{each}; " for each in (*fields, *(f"int {name}" for name in sizes)))
    before = "".join(f"  g->{name} = {name};\n" for name in sizes)
    body = rename(text[head.end() :], ways)
    made = (
        f"{structure} {{ {members}}};\n{macros}void f{seed}(int n, int m, {structure} *g)\n{{\n{before}{body}"
    )
    return made, tuple(f", &({structure}){{ {each.removeprefix(', ')} }}" for each in arguments)
