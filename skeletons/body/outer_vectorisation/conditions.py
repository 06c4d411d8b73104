"""Conditions without `&&` and `||`, of which gcc makes branches: both sides are tested, joined bit by bit."""

from __future__ import annotations

from skeletons.body.outer_vectorisation.types import RELATIONS
from species.core.refusal import Refusal
from species.source.text.code import code_tokens, matching
from species.source.text.tokens import Token

_JOINED = {"||": "|", "&&": "&"}  # those that bind least come first
_BRANCHES = frozenset((*_JOINED, "?"))


def bitwise(text: str) -> str:
    """A condition as an operand of `&`: 1 where it holds, else 0, all of it computed."""
    text = bare(text)
    for sign, joint in _JOINED.items():
        parts = _parts(text, sign)
        if len(parts) > 1:
            return f"({f' {joint} '.join(bitwise(part) for part in parts)})"
    tokens = code_tokens(text)
    words = {token.text for token in tokens}
    if tokens[0].text == "!" and tokens[1].text == "(" and matching(tokens, 1) == len(tokens) - 1:
        return f"!{bitwise(text[tokens[1].start :])}"
    if words & _BRANCHES:
        raise Refusal(f"the condition `{text}` is tested bit by bit only where `&&` and `||` stand outside")
    return f"({text})" if _is_comparison(tokens) else f"(({text}) != 0)"


def negated(text: str) -> str:
    """The opposite of a condition."""
    return f"!{bitwise(text)}"


def bare(text: str) -> str:
    """The condition without parentheses around it."""
    text = text.strip()
    tokens = code_tokens(text)
    while len(tokens) > 2 and tokens[0].text == "(" and matching(tokens, 0) == len(tokens) - 1:
        text = text[tokens[0].end : tokens[-1].start].strip()
        tokens = code_tokens(text)
    return text


def _outside(tokens: list[Token]) -> list[Token]:
    """The tokens that stand in no brackets."""
    found, place = list[Token](), 0
    while place < len(tokens):
        if tokens[place].text in ("(", "["):
            place = matching(tokens, place) + 1
            continue
        found.append(tokens[place])
        place += 1
    return found


def _parts(text: str, sign: str) -> list[str]:
    """What stands between the operators of a kind that are in no brackets."""
    places = [token for token in _outside(code_tokens(text)) if token.text == sign]
    starts = [0, *(token.end for token in places)]
    ends = [*(token.start for token in places), len(text)]
    return [text[start:end].strip() for start, end in zip(starts, ends, strict=True)]


def _is_comparison(tokens: list[Token]) -> bool:
    """Is the value 0 or 1?  Operators that bind less than comparisons must be none of it."""
    words = {token.text for token in _outside(tokens)}
    return bool(words & RELATIONS) and not words & {"&", "|", "^"}
