"""Conditions of loops around kernels, in front of which host code can ask: `while (reads(&e, 8), e > 1)`."""

from __future__ import annotations

from typing import Any

from pycparser import c_ast

from species.loops.updates import walk
from species.source import Token, TranslationUnit, tokenize

_CHANGING = ("++", "--", "p++", "p--", "&")


def is_still(condition: Any) -> bool:
    """Does evaluating it change nothing?  (Then its parts mean the same in front of it.)"""
    kinds = (c_ast.Assignment, c_ast.FuncCall, c_ast.Compound)
    return not any(
        isinstance(n, kinds) or (isinstance(n, c_ast.UnaryOp) and n.op in _CHANGING) for n in walk(condition)
    )


def condition_start(unit: TranslationUnit, loop: Any) -> int | None:
    """Where in its file a loop's condition begins; None where that cannot be told."""
    spans = unit.loop_spans(loop)
    if spans is None or loop.cond is None:
        return None
    text, start = unit.source.text, spans.whole.start
    if isinstance(loop, c_ast.DoWhile):
        start = spans.body.end
        tokens = _tokens(text[start : spans.whole.end])
        words = [token.text for token in tokens[:2]]
    else:
        tokens = _tokens(spans.header.of(text))
        words = [token.text for token in tokens[:2]]
    if words == ["while", "("]:
        return start + tokens[1].end
    return start + at if words == ["for", "("] and (at := _behind_first_part(tokens)) is not None else None


def _tokens(text: str) -> list[Token]:
    return [token for token in tokenize(text) if token.kind != "comment"]


def _behind_first_part(tokens: list[Token]) -> int | None:
    """Where the second part of `(a; b; c)` begins, if there are three."""
    depth, ends = 0, []
    for token in tokens:
        depth += (token.text in ("(", "[", "{")) - (token.text in (")", "]", "}"))
        if token.text == ";" and depth == 1:
            ends.append(token.end)
    return ends[0] if len(ends) == 2 else None
