"""Finding definitions of functions in a sequence of tokens without directives and comments."""

from __future__ import annotations

from collections.abc import Sequence

from species.source.text.statements import UnbalancedError, group_end

_DEEPER = {"(": 1, "[": 1, "{": 1, "<%": 1, "<:": 1, ")": -1, "]": -1, "}": -1, "%>": -1, ":>": -1}
_SKIPPED = ("__attribute__", "__attribute", "asm", "__asm__", "__asm")
_NO_BODY = (";", ",", "=", ")")


def defines(words: Sequence[str], name: str) -> bool:
    """Is there the definition of a function of this name, outside of all others?"""
    depth = 0
    for at, word in enumerate(words[:-1]):
        if word == name and depth == 0 and words[at + 1] == "(" and _has_body(words, at + 1):
            return True
        depth += _DEEPER.get(word, 0)
    return False


def _has_body(words: Sequence[str], parameters: int) -> bool:
    """Does a body follow the parameters, perhaps after their types (in the old style)?"""
    try:
        at = group_end(words, parameters) + 1
        while at < len(words) and words[at] in _SKIPPED:
            at = group_end(words, at + 1) + 1
    except UnbalancedError:
        return False
    return at < len(words) and words[at] not in _NO_BODY
