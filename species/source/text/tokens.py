"""A complete C tokenizer for original and preprocessed text; it accepts any characters."""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache

KEYWORDS = frozenset(
    (
        *("auto", "break", "case", "char", "const", "continue", "default", "do", "double", "else", "enum"),
        *("extern", "float", "for", "goto", "if", "inline", "int", "long", "register", "restrict", "return"),
        *("short", "signed", "sizeof", "static", "struct", "switch", "typedef", "union", "unsigned", "void"),
        *("volatile", "while", "_Alignas", "_Alignof", "_Atomic", "_Bool", "_Complex", "_Generic"),
        *("_Imaginary", "_Noreturn", "_Static_assert", "_Thread_local"),
    )
)

_SPLICE = r"\\[ \t\f\v]*\r?\n"
_WORD = r"[A-Za-z_$\x80-\U0010ffff]"
_TOKEN = re.compile(
    rf"""(?P<space>(?:[\s\ufeff\0]|{_SPLICE})+)
    |(?P<comment>/\*(?s:.*?)(?:\*/|\Z)|//(?:{_SPLICE}|[^\n])*)
    |(?P<string>(?:u8|[LuU])?"(?:\\(?:\r\n|(?s:.))|[^"\\\n])*(?:"|(?=\n)|\Z))
    |(?P<char>(?:u8|[LuU])?'(?:\\(?:\r\n|(?s:.))|[^'\\\n])*(?:'|(?=\n)|\Z))
    |(?P<identifier>{_WORD}(?:[0-9]|{_WORD}|{_SPLICE}(?=[0-9]|{_WORD}))*)
    |(?P<number>\.?[0-9](?:[eEpP][+-]|[0-9.]|{_WORD}|'(?=\w)|{_SPLICE}(?=[.0-9]|{_WORD}))*)
    |(?P<punctuation>%:%:|\.\.\.|<<=|>>=|->|\+\+|--|<<|>>|<=|>=|==|!=|&&|\|\||\#\#|[-*/%+&^|]=|::
        |<:|:>|<%|%>|%:|(?s:.))""",
    re.VERBOSE,
)
_DIRECTIVE = re.compile(
    rf"""(?:\#|%:)(?:{_SPLICE}|/\*(?s:.*?)(?:\*/|\Z)|//(?:{_SPLICE}|[^\n])*
    |"(?:\\[^\n]|[^"\\\n])*"|'(?:\\[^\n]|[^'\\\n])*'|[^\n])*""",
    re.VERBOSE,
)
_SPLICES = re.compile(_SPLICE)
DIGRAPHS = {"<:": "[", ":>": "]", "<%": "{", "%>": "}"}


@dataclass(frozen=True, slots=True)
class Token:
    """`text` is `source[start:end]`, but for digraphs: of `<:` it is `[`.

    kind: comment, directive (a whole logical line, without its newline), identifier, keyword, number,
    string, char or punctuation; a character that C does not know is punctuation.
    """

    kind: str
    text: str
    start: int
    end: int

    @property
    def spelling(self) -> str:
        """The text as the compiler sees it, without line continuations inside."""
        return _SPLICES.sub("", self.text) if "\n" in self.text else self.text


def tokenize(text: str) -> list[Token]:
    """All tokens of `text`, white space left out."""
    return list(tokens_of(text))


def tokens_of(text: str) -> tuple[Token, ...]:
    """The same tokens, for looking only.

    The same names, statements and versions of a file are asked for again and again: they are remembered.
    """
    return next(tokens for length, tokens in _REMEMBERED if len(text) <= length)(text)


def _scan(text: str) -> Iterator[Token]:
    at, line_start = 0, True
    while at < len(text):
        match = _TOKEN.match(text, at)
        assert match is not None and match.lastgroup is not None
        kind, word = match.lastgroup, match.group()
        if kind == "punctuation" and line_start and word in ("#", "%:"):
            match = _DIRECTIVE.match(text, at)
            assert match is not None
            kind, word = "directive", match.group().rstrip("\r")
        elif kind == "identifier" and word in KEYWORDS:
            kind = "keyword"
        length = len(word)
        word = DIGRAPHS.get(word, word)
        if kind == "space":
            line_start = line_start or has_newline(word)
        else:
            yield Token(kind, word, at, at + length)
            line_start = line_start and kind == "comment"
        at += length


# Names and statements, functions, and files: of how many characters, and how many are remembered.
_REMEMBERED = tuple(
    (length, lru_cache(maxsize=count)(lambda text: tuple(_scan(text))))
    for length, count in ((400, 4096), (20_000, 32), (sys.maxsize, 2))
)


def has_newline(space: str) -> bool:
    """Does white space end a logical line (a continuation does not)?"""
    return "\n" in space and "\n" in _SPLICES.sub("", space)


def outside_conditionals(text: str, point: int) -> int:
    """`point`, or where the outermost `#if` begins that it stands under."""
    opened: list[int] = []
    for token in tokens_of(text[:point]):
        word = token.text.lstrip("#% :\t") if token.kind == "directive" else ""
        if word.startswith("if"):
            opened.append(token.start)
        elif word.startswith("endif") and opened:
            opened.pop()
    return opened[0] if opened else point


def is_pragma(token: Token) -> bool:
    """Is it a line `#pragma ...`?"""
    return token.kind == "directive" and token.text.lstrip("#% :\t").startswith("pragma")


def above_pragmas(text: str, point: int) -> int:
    """`point`, or where the first of the pragmas begins that stand before it, and speak of what follows.

    (Comments may stand between them.)
    """
    if "ragma" not in text[max(0, point - 4000) : point]:
        return point
    at, tokens = point, list(tokens_of(text[:point]))
    while tokens:
        words = [token.text for token in tokens[-4:]]
        if is_pragma(tokens[-1]):
            at = tokens.pop().start
        elif words[:2] == ["_Pragma", "("] and words[3:] == [")"]:
            at = tokens[-4].start
            del tokens[-4:]
        elif tokens[-1].kind == "comment":
            tokens.pop()
        else:
            break
    return at


def code_tokens(text: str) -> list[Token]:
    """The tokens of `text` without comments and directives."""
    return [token for token in tokens_of(text) if token.kind not in ("comment", "directive")]


def names_in(text: str) -> tuple[str, ...]:
    """The identifiers of `text` in order of appearance, members (`.x`, `->x`) left out, each once."""
    tokens = code_tokens(text)
    found = [
        token.text
        for before, token in zip([None, *tokens], tokens, strict=False)
        if token.kind == "identifier" and (before is None or before.text not in (".", "->"))
    ]
    return tuple(dict.fromkeys(found))


def words_in(text: str) -> frozenset[str]:
    """All identifiers and keywords of `text`."""
    return frozenset(token.text for token in code_tokens(text) if token.kind in ("identifier", "keyword"))


def directives(text: str) -> tuple[Token, ...]:
    """The preprocessor lines of `text`."""
    return tuple(token for token in tokenize(text) if token.kind == "directive")
