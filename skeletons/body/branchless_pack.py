"""Packing without a branch: `if (c) b[k++] = a[i];` as `b[k] = a[i]; k += c;`.

What is not to be kept is overwritten by the next element that is.  So an element is stored, and its value
computed, where the source would do neither: only where the value is at hand anyway, and plain.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from skeletons.kernel.context import Subject
from species.source.text.code import code_tokens, matching, on_one_line
from species.source.text.tokens import Token

_LAZY = ("&&", "||", "?", "sizeof", "_Generic")
_ASSIGNING = ("=", "++", "--")


@dataclass(frozen=True)
class Packing:
    """`stores` are the assignments to the packed arrays, `condition` says whether they stay."""

    stores: tuple[str, ...]
    condition: str


def packing(subject: Subject, body: str, counter: str) -> Packing | None:
    """The kernel's packing if the body does nothing else, and can do it without a branch."""
    tokens = _without_braces(code_tokens(body))
    if len(tokens) < 2 or [t.text for t in tokens[:2]] != ["if", "("]:
        return None
    closing = matching(tokens, 1)
    condition, branch = tokens[2:closing], _statements(tokens[closing + 1 :])
    stores = None if branch is None else _stores(branch, counter)
    if stores is None or not all(_is_at_hand(subject, store, condition) for store in stores):
        return None
    return Packing(
        tuple(f"{store[0].text}[{counter}] = {_text(body, _value(store))};" for store in stores),
        _text(body, condition),
    )


def _text(body: str, tokens: Sequence[Token]) -> str:
    return on_one_line(body[tokens[0].start : tokens[-1].end])


def _without_braces(tokens: list[Token]) -> list[Token]:
    while tokens and tokens[0].text == "{" and matching(tokens, 0) == len(tokens) - 1:
        tokens = tokens[1:-1]
    return tokens


def _statements(tokens: list[Token]) -> list[list[Token]] | None:
    """The statements of a branch, without semicolons, if all are plain."""
    found: list[list[Token]] = [[]]
    for token in _without_braces(tokens):
        if token.text in ("{", "}") or token.kind == "keyword":
            return None
        if token.text == ";":
            found.append([])
        else:
            found[-1].append(token)
    return [statement for statement in found if statement]


def _words(tokens: Sequence[Token]) -> list[str]:
    return [token.text for token in tokens]


def _value(store: list[Token]) -> list[Token]:
    return store[_words(store).index("=") + 1 :]


def _stores(statements: list[list[Token]], counter: str) -> list[list[Token]] | None:
    """The assignments, if the counter moves on after all of them."""
    if len(statements) == 1 and _words(statements[0])[1:6] == ["[", counter, "++", "]", "="]:
        return statements
    steps = (
        [counter, "++"],
        ["++", counter],
        [counter, "+=", "1"],
        [counter, "=", counter, "+", "1"],
        [counter, "=", "1", "+", counter],
    )
    *stores, last = statements or [[]]
    if _words(last) not in steps or not stores:
        return None
    return stores if all(_words(s)[1:5] == ["[", counter, "]", "="] for s in stores) else None


def _is_at_hand(subject: Subject, store: list[Token], condition: list[Token]) -> bool:
    """Is the stored value one that the condition has read, a number or a variable, of a fitting type?"""
    value, array = _value(store), subject.arrays.get(store[0].text)
    if array is None or any(_is_lengthy_macro(subject, t) for t in (*value, *condition)):
        return False
    target = subject.declarations.canonical(array.element)
    found = _type_of(subject, value, condition)
    return target is not None and found is not None and _is_kept(target, found)


def _type_of(subject: Subject, value: list[Token], condition: list[Token]) -> str | None:
    """The type of a plain value; None for one that is not plain."""
    if len(value) == 1 and value[0].kind == "number":
        return "int" if value[0].text.isdigit() else "double"
    if len(value) == 1:
        name = value[0].text
        types = {s.name: s.ctype for s in subject.kernel.scalars}
        types |= {loop.iterator: loop.ctype for loop in subject.kernel.loops}
        return subject.declarations.canonical(types[name]) if name in types else None
    array = subject.arrays.get(value[0].text)
    if array is None or len(array.extent) != 1 or not _is_read(value, condition):
        return None
    return subject.declarations.canonical(array.element)


def _is_read(value: list[Token], condition: list[Token]) -> bool:
    """Is the value an element of an array that the condition reads, whatever it comes to?"""
    words, inside = _words(value), _words(condition)
    if len(value) < 4 or words[1] != "[" or matching(value, 1) != len(value) - 1:
        return False
    if any(word in _LAZY for word in inside) or any(word in _ASSIGNING for word in words):
        return False
    return any(_is_at(inside, k, words) for k in range(len(inside)))


def _is_at(inside: list[str], k: int, words: list[str]) -> bool:
    """Do the words stand at place `k`, as a whole operand whose value is used?"""
    end = k + len(words)
    before = inside[k - 1] if k else ""
    after = inside[end] if end < len(inside) else ""
    return inside[k:end] == words and before not in (".", "->", "&") and after not in ("[", ".", "->", "(")


def _is_lengthy_macro(subject: Subject, token: Token) -> bool:
    """Does it stand for more than one token?  What it hides is not known."""
    body = subject.macro_body(token.text) if token.kind == "identifier" else None
    return body is not None and len(code_tokens(body)) != 1


def _is_float(ctype: str | None) -> bool:
    return ctype in ("float", "double", "long double")


def _is_kept(target: str, found: str) -> bool:
    """May any value of the type `found` be converted to `target`?  (Integers are cut, which does no harm.)"""
    return target == found or not _is_float(found) or (found, target) == ("float", "double")
