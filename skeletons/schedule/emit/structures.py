"""Copies of structures for threads: what nests only read of them stays in registers (scalar replacement).

    __typeof__(*t) t_own = *t;
    #pragma omp parallel firstprivate(t_own)

What threads share by its address may be written by a store to any number of its type, as far as a compiler
knows: it would load members again in every iteration.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable

from skeletons.schedule.emit.lines import Lines, braced
from species.core.positions import Span
from species.source.text.code import code_tokens, names_in
from species.source.text.edits import Edit, apply_edits

_PARALLEL = re.compile(r"(\s*#pragma omp parallel(?: for)?(?: simd)?)(.*)")
_OTHERS = frozenset({".", "->", "struct", "union", "enum"})  # before names that are of no variable


def with_copies(lines: Lines, structures: Iterable[str], fresh: Callable[[str], str]) -> Lines:
    """The lines of nests with copies of `structures` (C: `s`, `*p`) for the threads of each region.

    Of a variable, the clause makes the copies.
    """
    text, names, made = "\n".join(lines), list[str](), list[str]()
    if not any(map(_PARALLEL.match, lines)):
        return lines
    for each in structures:
        if not each.startswith("*"):
            names += [each] if each in names_in(text) else []
            continue
        name = fresh(f"{each[1:]}_own")
        changed = _renamed(text, each[1:], name)
        if changed != text:
            text, names = changed, [*names, name]
            made.append(f"__typeof__({each}) {name} = {each};")
    if not names:
        return lines
    clause = rf"\1 firstprivate({', '.join(names)})\2"
    copied = [_PARALLEL.sub(clause, line) for line in text.split("\n")]
    return braced([*made, *copied]) if made else copied


def _renamed(text: str, pointer: str, name: str) -> str:
    """The text with a copy in the place of what a pointer leads to."""
    tokens, edits = code_tokens(text), list[Edit]()
    for before, token, after in zip([None, *tokens], tokens, [*tokens[1:], None], strict=False):
        if token.text != pointer or (before is not None and before.text in _OTHERS):
            continue
        if after is not None and after.text == "->":
            edits.append(Edit(Span(token.start, after.end), f"{name}."))
        else:
            edits.append(Edit(Span(token.start, token.end), f"(&{name})"))
    return apply_edits(text, edits)
