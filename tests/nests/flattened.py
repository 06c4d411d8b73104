"""Nests whose arrays are flattened: `A[(i + 6) * row + j]` over a pointer, where only the run knows how long
rows are.

Rows are also shorter than what is subscripted, so that cells of different rows are the same, and pointers
without `restrict` also point into one another's memory.
"""

from __future__ import annotations

import random
from collections.abc import Mapping

from species.source.text.code import accesses, names_in
from species.source.text.edits import Edit, apply_edits

LENGTH, LENGTH_3D = "row", "row_3d"
HALO = "(n + 12)"  # also the length of a row


def flattened(
    seed: int, text: str, ranks: Mapping[str, int], types: Mapping[str, str], extents: Mapping[int, int]
) -> tuple[str, tuple[str, ...]]:
    """A function `void f(int n, int m)` over some of its arrays as pointers, and what it is called with
    besides `n` and `m`.

    `ranks` are the dimensions of all arrays, `types` those of elements that are not unsigned; `extents` are
    the lengths of each dimension of the arrays, by their rank.
    """
    rng = random.Random(f"flattened {seed}")
    used = [name for name in ranks if ranks[name] > 1 and name in names_in(text) and rng.random() < 0.8]
    lengths = {name: rng.choice((LENGTH, LENGTH, LENGTH, HALO)) for name in used}
    for name in used:
        text = _rewritten(rng, text, name, lengths[name])
    restrict = "restrict " if rng.random() < 0.6 else ""
    pointers = "".join(f", {types.get(name, 'unsigned')} *{restrict}{name}" for name in used)
    text = text.replace("(int n, int m)", f"(int n, int m, int {LENGTH}, int {LENGTH_3D}{pointers})", 1)
    calls = [_call(used, used, types, extents[2], extents[3])]
    calls.append(_call(used, used, types, rng.choice((0, 1, 7, 30, 50)), rng.choice((1, 9, 20))))
    flat = [name for name in used if ranks[name] == 2 and name not in types and lengths[name] == LENGTH]
    if not restrict and len(flat) > 1:
        shared = [flat[0] if name == flat[-1] else name for name in used]
        offset = rng.choice((0, 7, 40))
        calls.append(_call(used, shared, types, 100, extents[3], offset))
    return text, tuple(calls)


def _rewritten(rng: random.Random, text: str, name: str, length: str) -> str:
    nested = rng.random() < 0.5
    edits = []
    for access in accesses(text, name):
        *rows, column = (f"({s})" for s in access.subscripts)
        cell = rng.choice((f"{rows[0]} * {length} + {column}", f"{length} * {rows[0]} + {column}"))
        if len(rows) == 2 and nested:
            cell = f"({rows[0]} * {LENGTH_3D} + {rows[1]}) * {LENGTH_3D} + {column}"
        elif len(rows) == 2:
            cell = f"{rows[0]} * {LENGTH_3D} * {LENGTH_3D} + {rows[1]} * {LENGTH_3D} + {column}"
        edits.append(Edit(access.span, f"{name}[{cell}]"))
    return apply_edits(text, edits)


def _call(
    used: list[str], given: list[str], types: Mapping[str, str], length: int, length_3d: int, offset: int = 0
) -> str:
    """The arguments; an array that is given for another one is moved by an offset."""
    pointers = (
        f", ({types.get(name, 'unsigned')} *){of}" + (f" + {offset}" if name != of else "")
        for name, of in zip(used, given, strict=True)
    )
    return f", {length}, {length_3d}{''.join(pointers)}"
