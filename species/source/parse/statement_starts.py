"""Finding the beginnings of statements in a sequence of tokens without directives and comments."""

from __future__ import annotations

from collections.abc import Sequence

from species.source.text.statements import HEADED, OPEN, UnbalancedError, group_end
from species.source.text.tokens import KEYWORDS

_CLOSE = (")", "]", "}")
_ATTRIBUTES = ("__attribute__", "__attribute")
# Before the brace of a block; a `(` makes it an expression.
_BEFORE_BLOCK = (";", "}", "(", ":", "else", "do")


def statement_start(words: Sequence[str], inside: int) -> int:
    """The index of the first token of the expression statement or declaration around `words[inside]`."""
    at = inside
    while at > 0 and not _ends_another(words, at - 1):
        at = _opening(words, at - 1) if words[at - 1] in _CLOSE else at - 1
    return at


def _ends_another(words: Sequence[str], at: int) -> bool:
    """Does a statement begin behind a token, for one that is further on in the same?"""
    match words[at]:
        case ";" | "else" | "do":
            return True
        case "{":
            return _is_block(words, at)
        case "}":
            return _is_block(words, _opening(words, at))
        case ")":
            opening = _opening(words, at)
            return opening > 0 and words[opening - 1] in HEADED
        case ":":
            return _ends_label(words, at)
    return False


def _ends_label(words: Sequence[str], colon: int) -> bool:
    """Is it the colon of a label, rather than of `a ? b : c` or of `_Generic`?"""
    at, colons = colon, 0
    while at > 0:
        word = words[at - 1]
        if word in ("(", "[") or (word == "?" and colons == 0):
            return False
        if word in (";", "{", "case", "else", "do") or (word == "}" and _ends_another(words, at - 1)):
            return True
        colons += (word == ":") - (word == "?")
        at = _opening(words, at - 1) if word in _CLOSE else at - 1
    return True


def _is_block(words: Sequence[str], brace: int) -> bool:
    """Does a brace open a block of statements, rather than initialisers or the members of a type?"""
    before = brace - 1
    while before >= 0 and words[before] == ")":
        opening = _opening(words, before)
        owner = words[opening - 1] if opening else ""
        if owner not in _ATTRIBUTES:
            return owner in HEADED or _is_name(owner) or (owner == ")" and _has_statements(words, brace))
        before = opening - 2
    if before < 0 or words[before] in _BEFORE_BLOCK:
        return True
    if words[before] == "{":
        return _is_block(words, before)
    return words[before] == "]" and _has_statements(words, brace)  # `int (*f(void))[3] { ... }`


def _is_name(word: str) -> bool:
    """Of a function, perhaps: a type in parentheses may stand behind all other words."""
    return (word[:1].isalpha() or word[:1] == "_") and word not in (*KEYWORDS, "__extension__")


def _has_statements(words: Sequence[str], brace: int) -> bool:
    return ";" in words[brace : group_end(words, brace)]


def _opening(words: Sequence[str], at: int) -> int:
    depth = 0
    while at >= 0:
        depth += (words[at] in _CLOSE) - (words[at] in OPEN)
        if depth == 0:
            return at
        at -= 1
    raise UnbalancedError
