"""Lines of C, and what stands around them."""

from __future__ import annotations

import re

Lines = list[str]

_OPEN = re.compile(r"(if|_Static_assert|static_assert)\b")  # takes an `else`, or is a declaration


def indented(lines: Lines) -> Lines:
    """The lines one level further in."""
    return ["    " + line if line else line for line in lines]


def with_body(header: str, body: Lines) -> Lines:
    """A loop or a condition with what it holds, in braces unless that is one plain statement."""
    if len(body) == 1 and body[0].endswith(";") and body[0].count(";") == 1 and not _OPEN.match(body[0]):
        return [header, *indented(body)]
    if body and body[0] == "{" and "}" in body and body.index("}") == len(body) - 1:
        return [header + " {", *body[1:]]  # it has braces already
    return [header + " {", *indented(body), "}"]


def braced(lines: Lines) -> Lines:
    """The lines as a block."""
    return ["{", *indented(lines), "}"]
