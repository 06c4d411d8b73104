"""Short inner loops in kernels for CPUs: unrolled, so that the loop around them can become vectors."""

from __future__ import annotations

import re
from collections.abc import Iterator
from math import inf

from models.sizes.amounts import Amounts
from skeletons.body.simd_sums import FEW
from skeletons.kernel.context import Subject
from species.core.positions import Span
from species.source.syntax.statement_tree import Statement, hides_statements, read_statement
from species.source.text.code import line_indent, names_in, starts_line
from species.source.text.edits import Edit, apply_edits
from species.source.text.for_headers import header_texts

MOST = FEW * FEW  # iterations of such loops within such loops
_UPWARDS = re.compile(r"\s*\w+\s*(<=?)(?!<)(.+)", re.DOTALL)


def unrolled(subject: Subject, text: str) -> str:
    """The body `text`, in which such loops ask the compiler to unroll them."""
    if hides_statements(subject.macro_body(name) or "" for name in names_in(text)):
        return text
    body = read_statement(text)
    return apply_edits(text, sorted(_edits(subject, body, text), key=lambda edit: edit.span))


def is_short(subject: Subject, loop: Statement, text: str) -> bool:
    """Does a loop, with the loops in it, make so few iterations that all may be written out?"""
    return _all(subject, loop, text) <= MOST


def iterations(subject: Subject, loop: Statement, text: str) -> float:
    """How many a `for` loop makes that counts upwards by one, as far as numbers tell; else infinity."""
    parts = header_texts(f"for ({loop.header.of(text)})") if loop.header else None
    condition = _UPWARDS.fullmatch(parts[1]) if parts else None
    if loop.kind != "for" or parts is None or condition is None or "++" not in parts[2]:
        return inf
    amounts = Amounts(subject.macro_body, inf)
    count = amounts.of(condition[2]) - amounts.of(parts[0]) + (condition[1] == "<=")
    return count if count >= 0 and not amounts.taken else inf


def _edits(subject: Subject, body: Statement, text: str) -> Iterator[Edit]:
    for loop in body.walk():
        if loop.kind == "for" and is_short(subject, loop, text):
            start = loop.span.start
            before = "" if starts_line(text, start) else "\n"
            yield Edit(Span(start, start), f"{before}#pragma unroll\n{line_indent(text, start)}")


def _all(subject: Subject, loop: Statement, text: str) -> float:
    """The iterations of a loop and the loops in it together; infinitely many where one of them is long."""
    own = iterations(subject, loop, text)
    inner = [_all(subject, each, text) for part in loop.parts for each in _loops(part)]
    return inf if own > FEW else max(1, own) * max([1.0, *inner])


def _loops(statement: Statement) -> Iterator[Statement]:
    """The outermost loops of a statement."""
    if statement.kind in ("for", "while", "do"):
        yield statement
        return
    for part in statement.parts:
        yield from _loops(part)
