"""The parts of a `for` loop's header, as they stand in the text."""

from __future__ import annotations

from species.core.positions import Span
from species.source.text.tokens import tokenize


def header_parts(header: str) -> tuple[Span, Span, Span] | None:
    """Where a, b and c stand in `for (a; b; c)`, blanks included; None where macros make some of it."""
    tokens = [token for token in tokenize(header) if token.kind != "comment"]
    if [token.text for token in tokens[:2]] != ["for", "("]:
        return None
    depth, starts, ends = 0, [], []
    for token in tokens[1:]:
        if token.text in ("(", "[", "{"):
            depth += 1
            if depth == 1:
                starts.append(token.end)
        elif token.text in (")", "]", "}"):
            depth -= 1
            if depth == 0:
                ends.append(token.start)
        elif token.text == ";" and depth == 1:
            ends.append(token.start)
            starts.append(token.end)
    if len(starts) != 3 or len(ends) != 3:
        return None
    first, second, third = map(Span, starts, ends)
    return first, second, third


def header_texts(header: str) -> tuple[str, str, str] | None:
    """`start`, `b` and `c` of `for (i = start; b; c)`; None where macros make some of it."""
    parts = header_parts(header)
    if parts is None:
        return None
    first, condition, step = (part.of(header) for part in parts)
    _, equals, start = first.partition("=")
    return (start.strip(), condition.strip(), step.strip()) if equals else None
