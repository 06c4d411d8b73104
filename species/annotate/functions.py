"""The functions of ours that a file's pragmas call: tests of rows, and long conditions.

They are there for OpenMP alone (`#ifdef _OPENMP`), so that other builds do not warn of unused ones.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import replace
from itertools import combinations, pairwise

from species.annotate.choice import Mark
from species.annotate.layout import Layout, Place
from species.annotate.markers import CONDITION, ROWS, in_stripped, marked_lines, our_lines, strip, unmarked
from species.annotate.named_conditions import Named, NamedConditions
from species.core.positions import Span
from species.facts.loops import LoopFacts
from species.row_tests import NAMES, called_in, functions
from species.source import Edit, TranslationUnit
from species.source.text.tokens import code_tokens

_OURS = "cuvier_"
_WORDS = r"(?:/\* (?:(?!\*/)[^\n])* \*/\n)?"
_FUNCTION = _WORDS + r"static int cuvier_\w+\(([^()\n]*)\)\n\{\n    return ([^;]*);\n\}\n"
_FUNCTIONS = re.compile(rf"(?:#ifdef _OPENMP\n(?:{_FUNCTION})+#endif\n)*")
_COMPARED = frozenset(("<=", ">=", "==", "!="))


class Room:
    """Where functions of ours can stand in a file: nowhere, where they would mean something else."""

    def __init__(self, unit: TranslationUnit) -> None:
        own = {token.text for token in code_tokens(functions(NAMES, sorting=False))}
        names = {token.text for token in code_tokens(strip(unit.source.text))}
        taken = own.intersection(unit.macros.users) or any(name.startswith(_OURS) for name in names)
        self._unit, self._is_there = unit, not taken
        self._named = NamedConditions(unit)

    def start(self, offset: int) -> int | None:
        """Where the external declaration begins that holds an offset of the main file."""
        return self._unit.declaration_start(offset, nearest=True) if self._is_there else None

    def named(self, loop: LoopFacts, pragma: str, name: str) -> Named:
        """The pragma with calls in the place of long conditions."""
        return self._named.called(loop, loop.conditions if self._is_there else (), pragma, name)


def are_known(text: str) -> bool:
    """Are the functions of ours in an annotated text what `annotate` puts into one, if there are any?"""
    rows, conditions = unmarked(text, ROWS), unmarked(text, CONDITION)
    chosen = (names for k in range(len(NAMES)) for names in combinations(NAMES, k + 1))
    made = (_guarded(functions(names, sorting=False)) for names in chosen)
    if rows and rows not in made:
        return False
    found = re.findall(_FUNCTION, conditions)
    plain = all(_is_declarations(head) and _is_condition(returned) for head, returned in found)
    return plain and _FUNCTIONS.fullmatch(conditions) is not None


def with_rows(
    layout: Layout, text: str, chosen: list[Mark], loops: Mapping[Span, LoopFacts], room: Room | None
) -> tuple[list[Mark], list[Edit]]:
    """The marks, and the functions that test rows, before the declaration (and its comment) that holds the
    first loop whose mark calls one.  Without room, no such marks.  `loops` are those of the marks' spans.
    """
    calling = [mark for mark in chosen if called_in(mark.before)]
    places = [whole.start for mark in calling if (whole := loops[mark.loop].whole) is not None]
    start = room.start(min(places)) if places and room is not None else None
    point = layout.above(_in_stripped(text, start)) if start is not None else None
    if point is None or point.split:
        return [mark for mark in chosen if not called_in(mark.before)], []
    code = functions(called_in("\n".join(mark.before for mark in calling)), sorting=False)
    return chosen, [_edit(layout, point, code, ROWS)]


def with_names(
    layout: Layout, text: str, chosen: Iterable[Mark], loops: Mapping[Span, LoopFacts], room: Room
) -> tuple[list[Mark], list[Edit]]:
    """The marks with calls in the place of long conditions, and the functions that are called."""
    marks, codes, used = list[Mark](), dict[Place, str](), set[str]()
    for mark in chosen:
        loop = loops[mark.loop]
        name = _OURS + re.sub(r"\W", "_", loop.id)
        while name in used:
            name += "_"
        found = room.named(loop, mark.before, name)
        point = layout.above(_in_stripped(text, found.offset), outside=False) if found.functions else None
        if point is not None and not point.split:
            codes[point] = codes.get(point, "") + found.functions.replace("\n\n", "\n")
            mark = replace(mark, before=found.text)
            used.add(name)
        marks.append(mark)
    return marks, [_edit(layout, point, code, CONDITION) for point, code in codes.items()]


def _edit(layout: Layout, point: Place, code: str, what: str) -> Edit:
    at = Span(point.offset, point.offset)
    return Edit(at, marked_lines(_guarded(code), what, layout.newline(at)))


def _in_stripped(text: str, offset: int) -> int:
    return in_stripped(Span(offset, offset), our_lines(text)).start


def _guarded(code: str) -> str:
    return f"#ifdef _OPENMP\n{code}#endif\n"


def _is_declarations(head: str) -> bool:
    return all(t.kind in ("identifier", "keyword") or t.text in ("*", ",") for t in code_tokens(head))


def _is_condition(text: str) -> bool:
    """Does it change nothing, and call nothing but tests of rows?"""
    tokens = code_tokens(text)
    called = (a.text for a, b in pairwise(tokens) if a.kind == "identifier" and b.text == "(")
    calls = any(name not in NAMES for name in called)
    changed = any(t.text in ("++", "--", ";", "{", "}") or _assigns(t.text) for t in tokens)
    return not calls and not changed and all(t.kind not in ("string", "char", "directive") for t in tokens)


def _assigns(operator: str) -> bool:
    return operator.endswith("=") and operator not in _COMPARED
