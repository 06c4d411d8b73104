"""Macros replaced in a text, as the preprocessor replaces them (C17, 6.10.3)."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from species.core.positions import Span
from species.source.text.edits import Edit, apply_edits
from species.source.text.macros import MacroDefinition
from species.source.text.tokens import Token, code_tokens

Definition = Callable[[str], MacroDefinition | None]


class Inexpressible(Exception):
    """A macro makes tokens of its own (`#`, `##`), or is used otherwise than it is defined."""


def expanded(text: str, definition: Definition, is_wanted: Callable[[MacroDefinition], bool]) -> str:
    """`text` with the macros replaced that are wanted; those inside of what they stand for, too.

    `definition` says what a name stands for where the text is.  Raises Inexpressible.
    """
    return _Expansion(definition, is_wanted).of(text, frozenset())


def names_behind(macro: MacroDefinition, definition: Definition) -> frozenset[str]:
    """All names that come with a macro, by way of other macros, too."""
    found, pending = set[str](), [macro]
    while pending:
        body = pending.pop().body
        for token in code_tokens(body):
            if token.kind == "identifier" and token.text not in found:
                found.add(token.text)
                inner = definition(token.text)
                pending += [inner] if inner is not None else []
    return frozenset(found)


class _Expansion:
    def __init__(self, definition: Definition, is_wanted: Callable[[MacroDefinition], bool]) -> None:
        self._definition, self._is_wanted = definition, is_wanted

    def of(self, text: str, inside: frozenset[str]) -> str:
        """`inside` are the macros that the text comes from, which are not replaced again."""
        return apply_edits(text, self._edits(text, code_tokens(text), inside))

    def _edits(self, text: str, tokens: list[Token], inside: frozenset[str]) -> Iterator[Edit]:
        at = 0
        while at < len(tokens):
            token, at = tokens[at], at + 1
            is_member = at > 1 and tokens[at - 2].text in (".", "->")
            is_name = token.kind == "identifier" and not is_member and token.text not in inside
            macro = self._definition(token.text) if is_name else None
            if macro is None or not self._is_wanted(macro):
                continue
            body, end = macro.body, token.end
            if macro.params is not None:
                if at >= len(tokens) or tokens[at].text != "(":
                    continue  # the name alone
                arguments, at = _arguments(text, tokens, at)
                body, end = _filled(macro, [self.of(each, inside) for each in arguments]), tokens[at - 1].end
            _check(body)
            yield Edit(Span(token.start, end), self.of(body, inside | {token.text}))


def _arguments(text: str, tokens: list[Token], at: int) -> tuple[list[str], int]:
    """The arguments in the parentheses that open at `at`, and the place behind them."""
    found, start, depth = list[str](), tokens[at].end, 0
    for place in range(at, len(tokens)):
        token = tokens[place]
        depth += (token.text in "([{") - (token.text in ")]}")
        if depth == 0 or (depth == 1 and token.text == ","):
            found.append(text[start : token.start].strip())
            start = token.end
        if depth == 0:
            return found, place + 1
    raise Inexpressible


def _filled(macro: MacroDefinition, arguments: list[str]) -> str:
    """What a macro stands for with these arguments."""
    params = macro.params or ()
    if len(arguments) != len(params) and not (not params and arguments == [""]):
        raise Inexpressible
    values = dict(zip(params, arguments, strict=False))
    used = (token for token in code_tokens(macro.body) if token.text in values)
    return apply_edits(macro.body, [Edit(Span(t.start, t.end), values[t.text]) for t in used])


def _check(body: str) -> None:
    if "#" in body:
        raise Inexpressible
