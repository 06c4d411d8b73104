"""Functions that headers of the system define and nobody calls: they need not be read.

<immintrin.h> alone has thousands; to read and follow them takes longer than the user's file does.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field

_TOKEN = re.compile(r""""(?:\\.|[^"\\\n])*"|'(?:\\.|[^'\\\n])*'|[A-Za-z_]\w*|[{}();=]""")
_WORD = re.compile(r"[A-Za-z_]\w*")
_TYPES = frozenset(("struct", "union", "enum"))  # after which braces hold members
_NO_NAMES = frozenset(("if", "for", "while", "switch", "__attribute__", "__asm__", "asm"))
MANY = 100  # definitions; fewer take no time, and headers that stay the same are parsed once for all files
_VISIBLE = re.compile(r"[^\n]")


@dataclass(frozen=True)
class _Definition:
    """Of a function: from its first word to behind its last brace."""

    name: str
    start: int
    end: int


def without_idle_functions(stretches: Sequence[tuple[bool, str]]) -> list[tuple[bool, str]]:
    """Preprocessed text without the functions that the system's headers define and nothing mentions, where
    there are many.

    The text comes in stretches, with whether they are the user's.  Every character that stays keeps its line
    and column.  What is no plain definition stays as it is.
    """
    defined = [[] if user else list(_definitions(text)) for user, text in stretches]
    known = {each.name for found in defined for each in found}
    if len(known) < MANY:
        return list(stretches)
    used, inside = set[str](), dict[str, set[str]]()
    outside = set[str]()
    for (user, text), found in zip(stretches, defined, strict=True):
        if user:
            used |= known.intersection(_WORD.findall(text))
            continue
        outside.update(_names(_between(text, found), known))
        for each in found:
            inside.setdefault(each.name, set()).update(_names([text[each.start : each.end]], known))
    used |= outside
    pending = list(used)
    while pending:
        new = inside.get(pending.pop(), set()) - used
        used |= new
        pending += new
    return [
        (user, _blank(text, [each for each in found if each.name not in used]))
        for (user, text), found in zip(stretches, defined, strict=True)
    ]


def _names(texts: Iterable[str], known: set[str]) -> Iterator[str]:
    return (name for text in texts for name in _WORD.findall(text) if name in known)


def _between(text: str, found: Sequence[_Definition]) -> Iterator[str]:
    """What stands outside of the definitions."""
    at = 0
    for each in found:
        yield text[at : each.start]
        at = each.end
    yield text[at:]


def _blank(text: str, idle: Sequence[_Definition]) -> str:
    """The text with blanks in the place of definitions."""
    parts, at = list[str](), 0
    for each in idle:
        parts += [text[at : each.start], _VISIBLE.sub(" ", text[each.start : each.end])]
        at = each.end
    return "".join([*parts, text[at:]])


def _definitions(text: str) -> Iterator[_Definition]:
    """The functions that are defined in a text; none behind a brace that is never closed."""
    reader = _Reader()
    for match in _TOKEN.finditer(text):
        found = reader.next(match.group(), match.start())
        if found is not None:
            yield found


@dataclass
class _Reader:
    """Reads declarations token by token: how deep in brackets, and what the present one has had so far."""

    round: int = 0
    curly: int = 0
    first: int = -1  # where it begins
    words: set[str] = field(default_factory=set)
    last: str = ""
    called: str = ""  # the word before its last pair of parentheses
    name: str = ""  # of the function whose body this is

    def next(self, token: str, at: int) -> _Definition | None:
        """The definition that ends with the token."""
        if self.curly:
            return self._within(token, at)
        self.first = at if self.first < 0 else self.first
        if token == "{":
            plain = self.last == ")" and not self.round and _WORD.fullmatch(self.called)
            is_function = plain and self.called not in _NO_NAMES and not self.words & _TYPES
            self.curly, self.name = 1, self.called if is_function else ""
            return None
        if token == "(" and not self.round:
            self.called = self.last
        self.round += (token == "(") - (token == ")")
        self.words.add(token)
        self.last = token
        if token == ";" and not self.round:
            self._begin()
        return None

    def _within(self, token: str, at: int) -> _Definition | None:
        self.curly += (token == "{") - (token == "}")
        if self.curly:
            return None
        found = _Definition(self.name, self.first, at + 1) if self.name else None
        if found is not None or self.words.isdisjoint({*_TYPES, "="}):
            self._begin()
        else:
            self.last = "}"  # members, or first values: the declaration goes on
        return found

    def _begin(self) -> None:
        self.first, self.words, self.last = -1, set(), ""
