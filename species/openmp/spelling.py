"""How loops are spelt, where compilers take OpenMP's pragmas before some spellings only."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import takewhile

from species.loops.model import Loop
from species.source import TranslationUnit

_EXTENSION = "__extension__"


def hint_obstacle(unit: TranslationUnit, loop: Loop) -> str:
    """Why nothing may be put right before a loop; empty: it may."""
    if not unit.is_hinted(loop.node):
        return ""
    return "a hint to the compiler stands before it, which takes nothing but a loop"


def spelling_obstacle(unit: TranslationUnit, loop: Loop) -> str:
    """Why compilers take no pragma before a loop of which OpenMP does; empty: they take it."""
    hint = hint_obstacle(unit, loop)
    header = unit.header_words(loop.node) if not hint and loop.kind == "for" else ()
    if not header:
        return hint
    start, condition = _parts(header)[:2]
    if start[:1] in (("(",), (_EXTENSION,)):
        return f"its header does not begin with {'a type' if loop.declared_inside else 'the iterator'}"
    return "its condition stands in parentheses" if _is_enclosed(condition) else ""


def plainly_spelt(unit: TranslationUnit, loops: Iterable[Loop]) -> int:
    """How many of the loops, from the first on, compilers take a pragma before."""
    return sum(1 for _ in takewhile(lambda loop: not spelling_obstacle(unit, loop), loops))


def _parts(header: Sequence[str]) -> list[tuple[str, ...]]:
    """What is between the parentheses and semicolons of `for (a; b; c)`."""
    parts: list[list[str]] = [[]]
    depth = 0
    for word in header[2:-1]:
        depth += (word in ("(", "{", "[")) - (word in (")", "}", "]"))
        if word == ";" and depth == 0:
            parts.append([])
        else:
            parts[-1].append(word)
    return [tuple(part) for part in parts]


def _is_enclosed(words: Sequence[str]) -> bool:
    """Is the first word a parenthesis that the last one closes?"""
    if words[:1] != ("(",):
        return False
    depth = 0
    for place, word in enumerate(words):
        depth += (word == "(") - (word == ")")
        if depth == 0:
            return place == len(words) - 1
    return False
