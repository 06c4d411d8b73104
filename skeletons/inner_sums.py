"""Sums in the inner loops of kernels for CPUs: marked, so that the compiler may use vectors for them."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise

from skeletons.ctext import block, code_tokens, line_indent, names_in
from skeletons.statements import Statement, hides_statements, read_statement
from skeletons.subject import Subject
from skeletons.vectors import ANY_ORDER, FLOATS
from species.positions import Span
from species.source.edits import Edit, apply_edits


def sums_in_any_order(subject: Subject, text: str) -> str:
    """The body `text`, in which loops that only add to a variable say that the order does not matter."""
    if not subject.reorder:
        return text
    if hides_statements(subject.macro_body(name) or "" for name in names_in(text)):
        return text
    return apply_edits(text, list(_edits(subject, read_statement(text), text)))


def _edits(subject: Subject, body: Statement, text: str) -> Iterator[Edit]:
    if len(body.sequence()) == 1 and _is_sum(subject, body.sequence()[0], text):
        yield Edit(body.span, _marked(body, text, ""))
    for loop in body.walk():
        inside = loop.parts[0].sequence() if loop.kind == "for" and loop.header else ()
        if loop.header and len(inside) == 1 and _is_sum(subject, inside[0], text):
            behind = Span(loop.header.end + 1, loop.parts[0].span.end)
            yield Edit(behind, " " + _marked(loop.parts[0], text, line_indent(text, loop.span.start)))


def _marked(body: Statement, text: str, pad: str) -> str:
    inner = f"\n{pad}    "
    return f"{{{inner}{ANY_ORDER}{inner}{block(body.sequence()[0].span.of(text), inner[1:])}\n{pad}}}"


def _is_sum(subject: Subject, statement: Statement, text: str) -> bool:
    """Is it `sum += ...` or `sum -= ...`, of a variable with a point that the rest does not name?"""
    words = [token.text for token in code_tokens(statement.span.of(text))]
    if statement.kind != "plain" or len(words) < 3 or words[1] not in ("+=", "-="):
        return False
    return words[0] not in words[2:] and _is_float(subject, words[0], text)


def _is_float(subject: Subject, name: str, text: str) -> bool:
    """Is it a variable of the kernel, or one that the body declares, of type `float` or `double`?"""
    types = {scalar.name: subject.declarations.canonical(scalar.ctype) for scalar in subject.kernel.scalars}
    if name in types and name not in subject.redeclared:
        return types[name] in FLOATS
    words = [token.text for token in code_tokens(text)]
    declared = [before for before, own in pairwise(words) if own == name]
    return len([word for word in declared if word in FLOATS]) == 1 and name not in types
