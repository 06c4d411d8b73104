"""Conditions of loops around kernels, in front of which host code can ask: `while (reads(&e, 8), e > 1)`."""

from __future__ import annotations

from typing import Any

from pycparser import c_ast

from species.source import TranslationUnit, tokenize
from species.source.syntax.tree import walk
from species.source.text.for_headers import header_parts

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
    text = unit.source.text
    if isinstance(loop, c_ast.For):
        parts = header_parts(spans.header.of(text))
        return spans.header.start + parts[1].start if parts is not None else None
    start = spans.body.end if isinstance(loop, c_ast.DoWhile) else spans.header.start
    tokens = [token for token in tokenize(text[start : spans.whole.end]) if token.kind != "comment"][:2]
    return start + tokens[1].end if [token.text for token in tokens] == ["while", "("] else None
