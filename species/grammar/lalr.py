"""Lark at work: `species.lark` compiled on first use, and its errors in the user's words."""

from __future__ import annotations

from functools import cache
from pathlib import Path

from lark import Lark
from lark.exceptions import UnexpectedCharacters, UnexpectedInput, UnexpectedToken
from lark.lexer import PatternStr

from species.grammar.actions import Actions, Node, RangeCountError
from species.grammar.errors import SpeciesSyntaxError

_IN_WORDS = {
    "NAME": ("a name",),
    "INTEGER": ("an integer",),
    "NUMBER": ("an integer",),
    "KIND_PLAIN": ("'element'", "'full'"),
    "OPERATOR": ("an operator",),
    "CHARACTERS": ("an expression",),
    "KIND_RANGED": ("'neighbourhood(...)'", "'chunk(...)'"),
    "ASSUME": ("'assume'",),
    "$END": ("the end",),
}


def parse(text: str, start: str) -> Node:
    """The node that `text` spells; `start` is "species" or "pragma".  Raises `SpeciesSyntaxError`."""
    try:
        return _lark().parse(text, start=start)  # type: ignore[return-value]  # `Actions` sees to it
    except UnexpectedInput as error:
        raise _in_words(text, error) from None
    except RangeCountError as error:
        raise SpeciesSyntaxError(text, error.column, error.found, (error.expected,)) from None


@cache
def _lark() -> Lark:
    grammar = Path(__file__).with_name("species.lark").read_text(encoding="utf-8")
    return Lark(
        grammar, parser="lalr", start=["species", "pragma"], transformer=Actions(), maybe_placeholders=False
    )


def _in_words(text: str, error: UnexpectedInput) -> SpeciesSyntaxError:
    match error:
        case UnexpectedToken(token=token) if token.type != "$END":
            offset, found, terminals = token.start_pos or 0, repr(str(token)), error.accepts or error.expected
        case UnexpectedToken():
            offset, found, terminals = len(text), "the end", error.accepts or error.expected
        case UnexpectedCharacters():
            offset, found, terminals = error.pos_in_stream or 0, repr(error.char), error.allowed
    return SpeciesSyntaxError(text, offset + 1, found, _expected(terminals))


def _expected(terminals: set[str]) -> tuple[str, ...]:
    words = {word for terminal in terminals for word in _spell(terminal)}
    return tuple(sorted(words, key=lambda word: (word.startswith("'"), word)))


def _spell(terminal: str) -> tuple[str, ...]:
    if terminal in _IN_WORDS:
        return _IN_WORDS[terminal]
    pattern = _lark().get_terminal(terminal).pattern
    assert isinstance(pattern, PatternStr)
    return (f"'{pattern.value}'",)
