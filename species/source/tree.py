"""Walking syntax trees."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from pycparser import c_ast

LEAVES = (c_ast.ID, c_ast.Constant, c_ast.IdentifierType)


def walk(node: Any) -> Iterator[Any]:
    """The node and all nodes below it, in the order of the text."""
    pending = [node]
    while pending:
        current = pending.pop()
        yield current
        if not isinstance(current, LEAVES):
            pending += reversed(list(current))
