"""Names in a text that mean another thing than around it: those of macros, and what is declared there."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from species.source.text.code import code_tokens, matching, names_in
from species.source.text.tokens import Token

Macro = Callable[[str], str]  # the text of a macro, empty for what is none

_STATEMENTS = frozenset({"return", "goto", "else", "do", "case", "if", "while", "switch", "for", "sizeof"})
_WITH_ARGUMENT = frozenset({"typeof", "__typeof__", "_Alignas", "_Atomic", "__attribute__"})
_OPEN, _CLOSE = "([{", ")]}"
_DEEPEST = 20  # macros inside of macros


def all_names(text: str, macro: Macro) -> set[str]:
    """All names in a text, and those that its macros mention."""
    return set(names_in(text)) | hidden(text, macro)


def hidden(text: str, macro: Macro) -> set[str]:
    """The names that macros in the text mention."""
    return {name for body in _bodies(text, macro) for name in names_in(body)}


def pastes(text: str, macro: Macro) -> bool:
    """Is there a macro that makes something else of the names that it is given?"""
    return any("#" in body for body in _bodies(text, macro))


def _bodies(text: str, macro: Macro, depth: int = 0) -> set[str]:
    found = {body for name in names_in(text) if (body := macro(name))}
    return found.union(*(_bodies(body, macro, depth + 1) for body in found if depth < _DEEPEST))


def declared_in(text: str) -> set[str]:
    """The names of variables that the text declares (or more)."""
    tokens = code_tokens(text)
    starts = [at + 1 for at, t in enumerate(tokens) if t.text in (";", "{", "}") or _is_header(tokens, at)]
    return {name for start in (0, *starts) for name in _declared(tokens, start)}


def _is_header(tokens: list[Token], at: int) -> bool:
    return tokens[at].text == "(" and at > 0 and tokens[at - 1].text == "for"


def _declared(tokens: list[Token], at: int) -> Iterator[str]:
    """The names of a declaration, if one begins there."""
    first = at
    while at < len(tokens) and _is_word(tokens[at]):
        argument = tokens[at].text in _WITH_ARGUMENT and at + 1 < len(tokens)
        at = matching(tokens, at + 1) + 1 if argument else at + 1
    if tokens[first : first + 1] and tokens[first].text in (*_STATEMENTS, "*"):
        return
    if at - first < 2:
        inner = tokens[at + 1 : matching(tokens, at)] if _is_in_parentheses(tokens, first, at) else []
        yield from (token.text for token in inner if token.kind == "identifier")
        return
    yield tokens[at - 1].text
    yield from _others(tokens, at)


def _is_in_parentheses(tokens: list[Token], first: int, at: int) -> bool:
    """`int (*rows)[4]`?"""
    return at < len(tokens) and at > first and tokens[first].kind == "keyword" and tokens[at].text == "("


def _others(tokens: list[Token], at: int) -> Iterator[str]:
    """What a declaration declares after its first variable."""
    depth, in_value = 0, False
    for before, token in zip(tokens[at - 1 :], tokens[at:], strict=False):
        depth += (token.text in _OPEN) - (token.text in _CLOSE)
        if depth < 0 or (token.text == ";" and depth == 0):
            return
        if depth == 0 and token.text in ("=", ","):
            in_value = token.text == "="
        if depth == 0 and not in_value and token.kind == "identifier" and before.text in ("*", ","):
            yield token.text


def _is_word(token: Token) -> bool:
    return token.kind in ("identifier", "keyword") or token.text == "*"
