"""Assembly statements as calls of a function of which nothing is known.

What such a statement may write is handed to the call by its address, what it reads by its value: so it does
to its operands what an unknown function does to its arguments.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass

from species.source.text.tokens import Token, tokenize

KEYWORDS = ("asm", "__asm", "__asm__")
_OUTPUTS, _INPUTS = 1, 2  # the sections behind the template
_IN_MEMORY = re.compile("[moVQ<>]")
_NAME = re.compile(r"[A-Za-z_.$][\w.$]*")
_ESCAPED = re.compile(r"\\.")


@dataclass
class _Operand:
    """`constraint` is where its string begins, `start` and `end` where the parenthesised expression does."""

    section: int
    constraint: int
    letters: str
    start: int
    end: int

    @property
    def is_object(self) -> bool:
        """Is it written, or in memory where its neighbours can be reached?"""
        return self.section == _OUTPUTS or _IN_MEMORY.search(self.letters) is not None


def as_call(statement: str, plain: Callable[[str], str]) -> str:
    """The statement, from its keyword to the closing parenthesis, as a call that is as long.

    `plain` brings the expressions of its operands into the parser's language, without changing lengths.
    """
    characters = [c if c == "\n" else " " for c in statement]

    def put(at: int, text: str) -> None:
        characters[at : at + len(text)] = text

    put(0, "asm")
    put(statement.index("("), "(")
    for number, operand in enumerate(_operands(statement)):
        put(operand.constraint, "," if number else " ")
        put(operand.constraint + 1, "&" if operand.is_object else " ")
        put(operand.start, plain(statement[operand.start : operand.end]))
    put(len(statement) - 1, ")")
    return "".join(characters)


def _operands(statement: str) -> Iterator[_Operand]:
    """Those that are written, then those that are read."""
    section, depth = 0, 0
    constraint: Token | None = None
    letters, start = "", 0
    for token in _inside(statement):
        if depth == 0 and token.text in (":", "::", ","):
            section, constraint, letters = section + token.text.count(":"), None, ""
        elif depth == 0 and token.kind == "string":
            constraint, letters = constraint or token, letters + token.text
        elif token.text in ("(", "["):
            start, depth = (start if depth else token.start), depth + 1
        elif token.text in (")", "]"):
            depth -= 1
            wanted = depth == 0 and token.text == ")" and section in (_OUTPUTS, _INPUTS)
            if wanted and constraint is not None:
                yield _Operand(section, constraint.start, letters, start, token.end)


def _inside(statement: str) -> list[Token]:
    """The tokens between the parentheses."""
    tokens = tokenize(statement)
    first = next(k for k, token in enumerate(tokens) if token.text == "(")
    return tokens[first + 1 : -1]


def named_in_assembly(text: str) -> frozenset[str]:
    """All words of the assembly in a text: by their names, it may access what all functions can."""
    if "asm" not in text:
        return frozenset()
    tokens = tokenize(text)
    found: set[str] = set()
    for at in (k for k, token in enumerate(tokens) if token.text in KEYWORDS):
        found.update(_words(tokens, at))
    return frozenset(found)


def _words(tokens: list[Token], at: int) -> Iterator[str]:
    """The words of the template of the assembly that begins with token `at`."""
    for token in tokens[at + 1 :]:
        if token.text in (":", "::", ")", ";"):
            return
        if token.kind == "string":
            for word in _NAME.findall(_ESCAPED.sub(" ", token.text)):
                yield from (word, word.removeprefix("_"))
