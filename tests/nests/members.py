"""Nests whose arrays and sizes are members of a structure: `g->A[i * g->row + j]`, or `*at_A(g, ..)`."""

from __future__ import annotations

import random
import re
from collections.abc import Mapping
from itertools import pairwise

from species.source.text.code import accesses, names_in, rename
from species.source.text.edits import Edit, apply_edits

_HEAD = re.compile(r"void f\d+\(int n, int m, ([^()]*)\)\n\{\n")


def in_structure(seed: int, text: str, arguments: tuple[str, ...]) -> tuple[str, tuple[str, ...]]:
    """A function `void f(int n, int m, ...)` that has its other parameters in a structure instead, and what
    it is called with besides `n` and `m`.

    They are named as such, by macros, or by functions; `n` and `m` may be members, too.  Numbers may come
    from a second structure behind the first.
    """
    rng = random.Random(f"members {seed}")
    head = _HEAD.match(text)
    assert head is not None
    fields = [each.strip() for each in head[1].split(",")]
    names = [names_in(each.replace("restrict ", ""))[-1] for each in fields]
    structure, owner, here = f"struct g{seed}", f"g{seed}", rng.choice(("g->", "g->", "(*g).", "g[0]."))
    sizes = ["n", "m"] if rng.random() < 0.5 else []
    ways = {name: f"{here}{name}" for name in (*names, *sizes)}
    if rng.random() < 0.3:
        ways |= {n: f"g[1].{n}" for n, each in zip(names, fields, strict=True) if "*" not in each}
    body, helpers = _by_functions(rng, text[head.end() :], dict(zip(names, fields, strict=True)), owner)
    for name in names:
        if rng.random() < 0.2:
            helpers += f"#define {name}_{owner} {rng.choice((f'({ways[name]})', ways[name]))}\n"
            ways[name] = f"{name}_{owner}"
    members = "".join(f"{each}; " for each in (*fields, *(f"int {name}" for name in sizes)))
    before = "".join(f"  g->{name} = {name};\n" for name in sizes)
    start = f"{structure} {{ {members}}};\n{helpers}void f{seed}(int n, int m, {structure} *g)\n{{\n{before}"
    values = (each.removeprefix(", ") for each in arguments)
    return start + rename(body, ways), tuple(f", ({structure}[]){{ {{ {v} }}, {{ {v} }} }}" for v in values)


def _by_functions(rng: random.Random, text: str, fields: Mapping[str, str], owner: str) -> tuple[str, str]:
    """The text with functions that lead to the elements of some arrays, and these functions."""
    functions = ""
    for name, field in fields.items():
        uses, function = accesses(text, name), f"at_{name}_{owner}"
        nested = any(one.span.end > other.span.start for one, other in pairwise(uses))
        if "*" not in field or nested or rng.random() < 0.6 or any(len(u.subscripts) != 1 for u in uses):
            continue
        text = apply_edits(text, [Edit(u.span, f"(*{function}(g, {u.subscripts[0]}))") for u in uses])
        head = f"static {field.split('*')[0].strip()} *{function}(const struct {owner} *g, long k)"
        functions += f"{head} {{ return &g->{name}[k]; }}\n"
    return text, functions
