"""Variables that nothing in the host file uses any more, now that their loops are elsewhere."""

from __future__ import annotations

from collections import Counter

from skeletons.ctext import code_tokens
from skeletons.dialect import Refusal
from skeletons.outline import insertion_point, unlisted_iterators
from skeletons.subject import Subject
from species.positions import Span
from species.source.edits import Edit, apply_edits


def unused_variables(subject: Subject, edits: list[Edit]) -> tuple[str, ...]:
    """The kernel's private variables that the function, with `edits` made, mentions once: to declare them."""
    span = _function_span(subject)
    inside = [edit for edit in edits if span.start < edit.span.start < span.end]
    counts: Counter[str] = Counter()
    at = span.start
    for edit in sorted(inside, key=lambda edit: edit.span):
        counts.update(_names(subject.text[at : edit.span.start]) + _names(edit.replacement))
        at = edit.span.end
    counts.update(_names(subject.text[at : span.end]))
    private = (*subject.kernel.scalars, *unlisted_iterators(subject))
    names = (scalar.name for scalar in private if scalar.role == "private")
    return tuple(dict.fromkeys(name for name in names if counts[name] == 1))


def unused_functions(
    subject: Subject, emitted: tuple[tuple[str, str], ...], edits: list[Edit]
) -> tuple[str, ...]:
    """Those static functions of the file that, with `edits` made, nothing in it calls any more."""
    functions = subject.declarations.functions
    static = [name for name, _ in emitted if name in functions and "static" in functions[name].decl.storage]
    words = Counter(_names(apply_edits(subject.text, edits)))
    return tuple(name for name in static if words[name] == 1)


def _names(text: str) -> list[str]:
    return [token.text for token in code_tokens(text) if token.kind == "identifier"]


def _function_span(subject: Subject) -> Span:
    """The definition of the function around the kernel."""
    try:
        start = insertion_point(subject)
    except Refusal:
        start = subject.span.start
    depth = 0
    for token in code_tokens(subject.text[start:]):
        depth += (token.text == "{") - (token.text == "}")
        if depth == 0 and token.text == "}":
            return Span(start, start + token.end)
    return Span(start, len(subject.text))
