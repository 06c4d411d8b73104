"""What keeps a person from changing a size that is part of the numbers in generated code."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator
from functools import cached_property
from itertools import pairwise
from pathlib import PurePath
from typing import TYPE_CHECKING

from species.core.positions import Span
from species.source.text.chunks import Chunk, split_declarations
from species.source.text.code import code_tokens, matching, names_in
from species.source.text.edits import Edit
from species.source.text.macros import COMMAND_LINE, MacroDefinition
from species.source.text.tokens import Token, tokenize

if TYPE_CHECKING:
    from species.source import TranslationUnit

_NUMBER = re.compile(r"(?<![\w.])\d+(?![\w.])")
_INTEGER = re.compile(r"(0[xX][0-9a-fA-F]+|\d+)[uUlL]*")
_FIRST = frozenset("+-~!(")
_OPERATORS = _FIRST | frozenset("*/%<>&|^?:)") | {"<<", ">>", "<=", ">=", "==", "!=", "&&", "||"}
_TYPES = frozenset(("char", "short", "int", "long", "signed", "unsigned", "float", "double"))
_ENDS_NAME = frozenset("[,;=(){}:")  # what follows a name where it is declared
ALWAYS = frozenset({"0", "1"})  # numbers that say nothing of sizes


def new_numbers(text: str, original: str = "", *harmless: str) -> bool:
    """Has a text numbers that come neither from the original nor from what else it has as it is?"""
    others = ALWAYS.union(*map(_numbers, harmless))
    found = Counter(_numbers(text))
    found.subtract(_numbers(original))
    return any(count > 0 and number not in others for number, count in found.items())


def _numbers(text: str) -> list[str]:
    return [n for token in tokenize(text) if token.kind != "comment" for n in _NUMBER.findall(token.text)]


class Sizes:
    """The macros for numbers and types in one file, and the functions whose loops depend on them."""

    def __init__(self, unit: TranslationUnit) -> None:
        self._unit = unit

    def assertions(self, places: Iterable[int]) -> Iterator[Edit]:
        """That macros have the values that they had, where code at these places was made with them.

        A line stands before the function; at the end of the file where the macro is defined inside.
        """
        points: dict[MacroDefinition, int] = {}
        for place in sorted(places):
            for macro in self.behind(place):
                point = self._point(macro, place)
                if point is not None:
                    points.setdefault(macro, point)
        for point in sorted(set(points.values())):
            lines = [_assertion(macro) for macro, at in points.items() if at == point]
            if self._includes_itself and point == len(self._unit.source.text):
                lines = [
                    f"#ifdef {m.name}\n{_assertion(m)}\n#endif" for m, at in points.items() if at == point
                ]
            yield Edit(Span(point, point), "\n".join(lines) + "\n\n")

    @cached_property
    def _includes_itself(self) -> bool:
        """Might its end come before the macros are defined?"""
        name = re.escape(PurePath(self._unit.source.path).name)
        return re.search(rf"#\s*include\s*[\"<](.*/)?{name}[\">]", self._unit.source.text) is not None

    def copied(self, names: Iterable[str]) -> tuple[str, ...]:
        """Those of the names that are macros of the file for other things than sizes and types."""
        last = self._unit.source.line_count
        found = ((name, self._unit.macros.definition(name, last)) for name in names)
        return tuple(name for name, macro in found if macro is not None and _is_other(macro))

    def _point(self, macro: MacroDefinition, place: int) -> int | None:
        """Where the file can say what the macro was at a place."""
        source = self._unit.source
        start = self._unit.declaration_start(place, nearest=True)
        points = [*([start] if start is not None else []), len(source.text)]
        lines = ((point, source.position(point).line) for point in points)
        return next((p for p, line in lines if self._unit.macros.definition(macro.name, line) == macro), None)

    def behind(self, place: int) -> tuple[MacroDefinition, ...]:
        """The user's macros for numbers and types that the function around a place may depend on."""
        line = self._unit.source.position(place).line
        pending, seen = list(self._names_around(place)), set[str]()
        found: list[MacroDefinition] = []
        while pending:
            name = pending.pop(0)
            if name in seen:
                continue
            seen.add(name)
            macro = self._unit.macros.definition(name, line)
            if macro is not None and (_is_number(macro) or _is_type(macro)):
                found.append(macro)
            pending += [*self._beside.get(name, ()), *(names_in(macro.body) if macro is not None else ())]
        return tuple(found)

    def _names_around(self, place: int) -> tuple[str, ...]:
        text = self._unit.source.text
        around = (c for c in self._chunks(text) if c.start <= place < c.end)
        return tuple(n for c in around for n in (c.name or "", *names_in(text[c.start : c.end])))

    def _chunks(self, text: str) -> list[Chunk]:
        return self._split.setdefault(text, split_declarations(text))

    @cached_property
    def _split(self) -> dict[str, list[Chunk]]:
        return {}

    @cached_property
    def _beside(self) -> dict[str, tuple[str, ...]]:
        """Of what files declare: the names that its declaration mentions, and the arguments of its calls."""
        found: dict[str, list[str]] = {}
        texts = [source.text for source in self._unit.sources.values()]
        chunks = [(text, chunk) for text in texts for chunk in self._chunks(text)]
        for text, chunk in chunks:
            inside = text[chunk.start : chunk.end]
            for name in _declared(chunk, inside):
                found.setdefault(name, []).extend(names_in(inside))
        functions = {chunk.name for _, chunk in chunks if chunk.after_parameters is not None and chunk.name}
        bodies = [body for name in self._unit.macros.names for body in self._unit.macros.bodies(name)]
        for text in (*texts, *(body for body in bodies if functions & set(names_in(body)))):
            for name, arguments in _calls(text, functions):
                found.setdefault(name, []).extend(arguments)
        return {name: tuple(dict.fromkeys(names)) for name, names in found.items()}


def _declared(chunk: Chunk, text: str) -> tuple[str, ...]:
    """What an external declaration declares (and perhaps more)."""
    if chunk.after_parameters is not None:
        return (chunk.name,) if chunk.name else ()
    tokens = code_tokens(text)
    return tuple({a.text for a, b in pairwise(tokens) if a.kind == "identifier" and b.text in _ENDS_NAME})


def _calls(text: str, functions: set[str]) -> Iterator[tuple[str, tuple[str, ...]]]:
    tokens = code_tokens(text)
    for at, token in enumerate(tokens[:-1]):
        if token.text in functions and tokens[at + 1].text == "(":
            end = matching(tokens, at + 1)
            yield token.text, names_in(text[tokens[at + 1].start : tokens[end].end])


def _is_number(macro: MacroDefinition) -> bool:
    """Does it stand for an integer, written in numbers alone?"""
    tokens = code_tokens(macro.body)
    if not macro.user or macro.params is not None or not tokens:
        return False
    values = [_is_value(token) for token in tokens]
    depths = [sum((t.text == "(") - (t.text == ")") for t in tokens[:k]) for k in range(len(tokens) + 1)]
    whole = tokens[-1].text == ")" or values[-1]
    starts = values[0] or tokens[0].text in _FIRST | {"sizeof"}
    apart = not any(a and b for a, b in pairwise(values))
    known = all(v or t.text in _OPERATORS | _TYPES | {"sizeof"} for v, t in zip(values, tokens, strict=True))
    return any(values) and whole and starts and apart and known and min(depths) == depths[-1] == 0


def _is_other(macro: MacroDefinition) -> bool:
    changeable = macro.user and macro.params is None and macro.position.file not in COMMAND_LINE
    return changeable and not _is_number(macro) and not _is_type(macro)


def _is_value(token: Token) -> bool:
    return token.kind == "char" or (token.kind == "number" and _INTEGER.fullmatch(token.text) is not None)


def _is_type(macro: MacroDefinition) -> bool:
    """Does it stand for a type of C's own?"""
    words = [token.text for token in code_tokens(macro.body)]
    return macro.user and macro.params is None and bool(words) and set(words) <= _TYPES


def _where_defined(macro: MacroDefinition) -> str:
    return f"#ifdef {macro.name}\n{_assertion(macro)}\n#endif"


def _assertion(macro: MacroDefinition) -> str:
    name, tokens = macro.name, code_tokens(macro.body)
    body = " ".join(macro.body.split())
    alone = tokens[0].text == "(" and matching(tokens, 0) == len(tokens) - 1
    equal = f"{name} == {body}" if alone or len(tokens) == 1 else f"({name}) == ({body})"
    if _is_type(macro):
        equal = f"_Generic(({name})0, {body}: 1, default: 0)"
    why = f"this is compiled for one {name}: for another, run cuvier compile again with -D{name}=..."
    return f'_Static_assert({equal}, "{why}");'
