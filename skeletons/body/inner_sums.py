"""Sums in the inner loops of kernels for CPUs: marked, so that the compiler may use vectors for them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence, Set
from itertools import pairwise

from skeletons.body.simd_sums import ANY_ORDER, FEW, FLOATS
from skeletons.body.unroll import iterations
from skeletons.kernel.context import Subject
from species.core.positions import Span
from species.source.syntax.statement_tree import Statement, hides_statements, read_statement
from species.source.text.code import block, code_tokens, line_indent, names_in, starts_line
from species.source.text.edits import Edit, apply_edits

_INTERLEAVED = "#pragma clang loop interleave_count(4)"  # one sum would wait for itself
# What binds less than a sum does.
_OTHERS = frozenset(("?", ",", "<", ">", "<=", ">=", "==", "!=", "&&", "||", "&", "^", "|", "<<", ">>"))


def sums_in_any_order(subject: Subject, text: str) -> str:
    """The body `text`, in which loops that only add to a variable say that the order does not matter."""
    if not subject.reorder:
        return text
    if hides_statements(subject.macro_body(name) or "" for name in names_in(text)):
        return text
    edits = sorted(_edits(subject, read_statement(text), text), key=lambda edit: edit.span)
    return apply_edits(text, edits)


def sums_in_loops(subject: Subject, text: str) -> frozenset[Span]:
    """The statements of inner loops that only add to a variable, where the order does not matter."""
    if not subject.reorder:
        return frozenset()
    return frozenset(each.span for _, sums in _loops(subject, read_statement(text), text) for each in sums)


def marked(sum_text: str) -> str:
    """A sum whose order does not matter, as a statement among others."""
    return f"{{ {ANY_ORDER} {sum_text} }}"


def _edits(subject: Subject, body: Statement, text: str) -> Iterator[Edit]:
    if len(body.sequence()) == 1 and list(_sums(body.sequence(), _floats(subject, body, text), text)):
        yield Edit(body.span, _marked(body, text, ""))
    for loop, sums in _loops(subject, body, text):
        assert loop.header is not None
        pad = line_indent(text, loop.span.start)
        before = "" if starts_line(text, loop.span.start) else "\n"
        yield Edit(Span(loop.span.start, loop.span.start), f"{before}{_INTERLEAVED}\n{pad}")
        if len(loop.parts[0].sequence()) == 1:
            behind = Span(loop.header.end + 1, loop.parts[0].span.end)
            yield Edit(behind, " " + _marked(loop.parts[0], text, pad))
        else:
            yield from (Edit(each.span, marked(each.span.of(text))) for each in sums)


def _loops(subject: Subject, body: Statement, text: str) -> Iterator[tuple[Statement, list[Statement]]]:
    """The loops of many iterations that have such sums, and these."""
    floats = _floats(subject, body, text)
    for loop in body.walk():
        is_long = loop.kind == "for" and iterations(subject, loop, text) > FEW
        sums = list(_sums(loop.parts[0].sequence() if is_long else (), floats, text))
        if loop.header and sums:
            yield loop, sums


def _marked(body: Statement, text: str, pad: str) -> str:
    inner = f"\n{pad}    "
    return f"{{{inner}{ANY_ORDER}{inner}{block(body.sequence()[0].span.of(text), inner[1:])}\n{pad}}}"


def _sums(statements: Sequence[Statement], floats: Set[str], text: str) -> Iterator[Statement]:
    """Those that only add to a variable with a point that none of the others names."""
    named = [set(names_in(statement.span.of(text))) for statement in statements]
    for at, statement in enumerate(statements):
        variable = _summed(statement, text)
        if variable in floats and not any(variable in named[k] for k in range(len(named)) if k != at):
            yield statement


def _summed(statement: Statement, text: str) -> str | None:
    """The variable, in `sum += ...`, `sum -= ...`, `sum = sum + ...` or `sum = ... + sum`, if it is named
    nowhere else.
    """
    words = [token.text for token in code_tokens(statement.span.of(text))]
    if statement.kind != "plain" or len(words) < 4:
        return None
    if words[1] == "=" and not _OTHERS & set(words[2:]):
        if words[2] == words[0] and words[3] in ("+", "-"):
            words[1:4] = ["+="]
        elif words[-3:] == ["+", words[0], ";"] and words[2:-3]:
            words[1:] = ["+=", *words[2:-3]]
    return words[0] if words[1] in ("+=", "-=") and words[0] not in words[2:] else None


def _floats(subject: Subject, body: Statement, text: str) -> Set[str]:
    """Variables of the kernel of type `float` or `double`, and those that the body declares.

    Nothing is lost where one of them is hidden by another variable: the order of integers does not matter.
    """
    scalars = subject.kernel.scalars
    found = {each.name for each in scalars if subject.declarations.canonical(each.ctype) in FLOATS}
    for statement in body.walk():
        words = [token.text for token in code_tokens(statement.span.of(text))]
        if statement.kind == "plain" and words and words[0] in FLOATS:
            found |= {own for before, own in pairwise(words) if before in (*FLOATS, ",")}
    return found
