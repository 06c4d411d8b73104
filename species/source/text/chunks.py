"""Splitting preprocessed text into external declarations, by tokens and brackets alone."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import takewhile

from species.source.text.tokens import Token, tokenize, tokens_of

_WORD = re.compile(r"[A-Za-z_]\w*")
_ESCAPED = re.compile(r"\\.")
_BEHIND = ("__attribute__", "__attribute", "asm", "__asm__", "__asm")  # parameters, in any style
_SPECIFIERS = (  # with something in parentheses, which declares nothing
    *("__declspec", "typeof", "__typeof", "__typeof__", "typeof_unqual", "__typeof_unqual__"),
    *("_Alignas", "alignas", "_Atomic", "_BitInt", "_Static_assert"),
)
_OPEN, _CLOSE = ("(", "[", "{"), (")", "]", "}")


@dataclass(frozen=True)
class Chunk:
    """An external declaration: `text[start:end]`.

    For a function definition, `after_parameters` is where the token after its parameter list begins.
    `balanced` is False where brackets do not match, so that the end is a guess.
    """

    start: int
    end: int
    name: str | None
    after_parameters: int | None
    balanced: bool

    @property
    def description(self) -> str:
        """What to call it in a message."""
        if self.after_parameters is not None and self.name:
            return f"function '{self.name}'"
        return f"the declaration of '{self.name}'" if self.name else "a declaration"

    def prototype(self, text: str) -> str | None:
        """The function's declaration without a body; None for anything else."""
        return None if self.after_parameters is None else text[self.start : self.after_parameters] + ";"

    def declared(self, text: str) -> frozenset[str]:
        """All names that it may define: those before a body, or any where nobody knows what it is."""
        words = tokenize(text[self.start : self.end])
        if self.balanced:
            words = list(takewhile(lambda token: token.text != "{", words))
        return frozenset(token.text for token in words if token.kind == "identifier")

    def words(self, text: str) -> frozenset[str]:
        """All names in it, those in strings too: attributes name other variables there."""
        quoted = " ".join(t.text for t in tokenize(text[self.start : self.end]) if t.kind == "string")
        return self.declared(text) | frozenset(_WORD.findall(_ESCAPED.sub(" ", quoted)))

    def without_body(self) -> Chunk:
        """The chunk when only its prototype is left."""
        return replace(self, after_parameters=None, balanced=True)


def split_declarations(text: str) -> list[Chunk]:
    """All external declarations of `text`, in order; every token is in one of them."""
    tokens = tokens_of(text)
    chunks, at = [], 0
    while at < len(tokens):
        end = _declaration_end(text, tokens, at)
        chunks.append(_chunk(tokens[at:end]))
        at = end
    return chunks


def _chunk(tokens: Sequence[Token]) -> Chunk:
    parameters = _parameters(tokens)
    body = next((i for i, token in enumerate(tokens) if token.text == "{"), None)
    after = None
    if parameters and body and parameters[1] < body and tokens[-1].text != ";":
        after = tokens[parameters[1] + 1].start
    depth = sum((token.text in _OPEN) - (token.text in _CLOSE) for token in tokens)
    return Chunk(tokens[0].start, tokens[-1].end, _name(tokens, parameters), after, depth == 0)


def _name(tokens: Sequence[Token], parameters: tuple[int, int] | None) -> str | None:
    until = (
        parameters[0]
        if parameters
        else next(
            (i for i, token in enumerate(tokens) if token.text in (";", "=", "[", "{", ",")), len(tokens)
        )
    )
    depth, name = 0, None
    for token in tokens[:until]:
        depth += (token.text in _OPEN) - (token.text in _CLOSE)
        if depth == 0 and token.kind == "identifier" and token.text not in _BEHIND:
            name = token.text
    return name


def _parameters(tokens: Sequence[Token]) -> tuple[int, int] | None:
    """The first and last token of the first parenthesised group at depth 0, but for those of attributes."""
    depth, start = 0, None
    for index, token in enumerate(tokens):
        if token.text in _OPEN:
            if depth == 0 and start is None and _opens_parameters(tokens, index):
                start = index
            depth += 1
        elif token.text in _CLOSE:
            depth -= 1
            if depth == 0 and start is not None:
                return start, index
        elif depth == 0 and token.text in ("=", ";"):
            return None
    return None


def _opens_parameters(tokens: Sequence[Token], at: int) -> bool:
    """Does a bracket open the parameters of something, and not the words of an attribute or specifier?"""
    before = tokens[at - 1].text if at else ""
    return tokens[at].text == "(" and before not in (*_BEHIND, *_SPECIFIERS)


def _declaration_end(text: str, tokens: Sequence[Token], at: int) -> int:
    """One past the last token of the declaration that begins at `at`."""
    depth, start, function, old_style, parameters = 0, at, False, False, False
    while at < len(tokens):
        word = tokens[at].text
        if depth == 0 and word == "(":
            parameters = _opens_parameters(tokens, at) and at > start
        if depth == 0 and word == "{":
            function = _opens_body(tokens, start, at)
        if depth == 0 and parameters and tokens[at - 1].text == ")":
            old_style = old_style or (tokens[at].kind in ("identifier", "keyword") and word not in _BEHIND)
        depth += (word in _OPEN) - (word in _CLOSE)
        at += 1
        if depth < 0 or (depth == 0 and ((word == ";" and not old_style) or (word == "}" and function))):
            return at
    return _guess_end(text, tokens, start)


def _opens_body(tokens: Sequence[Token], start: int, brace: int) -> bool:
    """Is this brace a function's body, and not an initialiser or the members of a type?"""
    before = [token.text for token in tokens[max(start, brace - 2) : brace]]
    if any(word in ("struct", "union", "enum") for word in before):
        return False
    return not before or before[-1] in (")", ";")


def _guess_end(text: str, tokens: Sequence[Token], start: int) -> int:
    """Where brackets do not match: after the next closing brace at the beginning of a line."""
    for index in range(start + 1, len(tokens)):
        if tokens[index].text == "}" and text[tokens[index].start - 1] == "\n":
            return index + 1
    return len(tokens)
