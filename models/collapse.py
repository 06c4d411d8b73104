"""How many perfectly nested loops a directive joins (OpenMP 5.0, section 2.9.2: `collapse`)."""

from __future__ import annotations

from collections.abc import Iterator
from math import prod

from pycparser import c_ast

from models.nests import FunctionLoops
from species.source.syntax.tree import only_statement

FEW_EACH = 8  # iterations for every core; where the outermost loop has fewer, directives join loops


def joined(node: c_ast.Node, functions: FunctionLoops, most: int, cores: int) -> int:
    """Of the `most` loops from this one inwards that may be joined, enough for all cores; the innermost only
    as a last resort, as joined loops hinder vectors.
    """
    counts = list(_nested(node, functions, most))
    for number in range(1, max(2, len(counts))):
        if prod(counts[:number]) >= FEW_EACH * cores:
            return number
    outer = max(1, len(counts) - 1)
    return outer if prod(counts[:outer]) >= cores else max(1, len(counts))


def _nested(node: c_ast.Node, functions: FunctionLoops, most: int) -> Iterator[float]:
    """The trip counts of perfectly nested loops, outermost first, `most` of them."""
    for _ in range(most):
        if id(node) not in functions.chains:
            return
        yield functions.chains[id(node)][-1].trips
        node = only_statement(node.stmt)
