"""Finding the ends of statements in a sequence of tokens without directives and comments."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

OPEN = {"(": ")", "[": "]", "{": "}"}
HEADED = ("if", "for", "while", "switch")


@dataclass(frozen=True)
class LoopShape:
    """Token indices of a loop: the keyword, the header's last, the body's first and last, the last of all."""

    keyword: int
    header_end: int
    body_start: int
    body_end: int
    end: int


class UnbalancedError(Exception):
    """The tokens are not a complete statement."""


def loop_shape(words: Sequence[str], keyword: int) -> LoopShape:
    """The shape of the loop whose keyword is `words[keyword]`; raises UnbalancedError."""
    if words[keyword] == "do":
        body_end = statement_end(words, keyword + 1)
        return LoopShape(keyword, keyword, keyword + 1, body_end, _do_end(words, body_end + 1))
    header_end = group_end(words, keyword + 1)
    end = statement_end(words, header_end + 1)
    return LoopShape(keyword, header_end, header_end + 1, end, end)


def statement_end(words: Sequence[str], start: int) -> int:
    """The index of the last token of the statement (or declaration) that begins at `start`."""
    start = _after_labels(words, start)
    word = _at(words, start)
    if word == "{":
        return group_end(words, start)
    if word == "do":
        return _do_end(words, statement_end(words, start + 1) + 1)
    if word == "if":
        return _if_end(words, start)
    if word in HEADED:
        return statement_end(words, group_end(words, start + 1) + 1)
    return _semicolon(words, start)


def _at(words: Sequence[str], index: int) -> str:
    if index >= len(words):
        raise UnbalancedError
    return words[index]


def _if_end(words: Sequence[str], start: int) -> int:
    # a loop, not a recursion: chains of `else if` get long
    while True:
        end = statement_end(words, group_end(words, start + 1) + 1)
        if end + 1 >= len(words) or words[end + 1] != "else":
            return end
        start = end + 2
        if _at(words, start) != "if":
            return statement_end(words, start)


def _do_end(words: Sequence[str], at: int) -> int:
    if _at(words, at) != "while":
        raise UnbalancedError
    end = group_end(words, at + 1) + 1
    if _at(words, end) != ";":
        raise UnbalancedError
    return end


def _after_labels(words: Sequence[str], at: int) -> int:
    while True:
        word = _at(words, at)
        if word == "case":
            at = _case_colon(words, at) + 1
        elif (word == "default" or word[0].isalpha() or word[0] == "_") and _is_colon(words, at + 1):
            at += 2
        else:
            return at


def _is_colon(words: Sequence[str], at: int) -> bool:
    return at < len(words) and words[at] == ":"


def _case_colon(words: Sequence[str], at: int) -> int:
    questions = 0
    while True:
        word = _at(words, at)
        if word == ":" and questions == 0:
            return at
        questions += (word == "?") - (word == ":")
        at = group_end(words, at) + 1 if word in OPEN else at + 1


def _semicolon(words: Sequence[str], at: int) -> int:
    while True:
        word = _at(words, at)
        if word == ";":
            return at
        if word in (")", "]", "}"):
            raise UnbalancedError
        at = group_end(words, at) + 1 if word in OPEN else at + 1


def group_end(words: Sequence[str], at: int) -> int:
    """The index of the token that closes what `words[at]` opens."""
    if _at(words, at) not in OPEN:
        raise UnbalancedError
    expected = []
    while True:
        word = _at(words, at)
        if word in OPEN:
            expected.append(OPEN[word])
        elif word in (")", "]", "}") and expected.pop() != word:
            raise UnbalancedError
        if not expected:
            return at
        at += 1
