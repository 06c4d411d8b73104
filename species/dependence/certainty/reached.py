"""What stands where in the body of a loop: which code is always executed, and which under which `if`s."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

from pycparser import c_ast

from species.source.syntax.tree import walk

_JUMPS = (c_ast.Break, c_ast.Continue, c_ast.Return, c_ast.Goto, c_ast.Label, c_ast.Case, c_ast.Default)


class Body:
    """A loop, or the body of a function that is called in one; asked about the nodes inside."""

    def __init__(self, body: Any) -> None:
        self._body = body
        self._around = {id(child): (node, child) for node in walk(body) for child in node}
        last = body.block_items[-1] if isinstance(body, c_ast.Compound) and body.block_items else None
        self._jumps = any(isinstance(node, _JUMPS) for node in walk(body) if node is not last)

    def __contains__(self, node: Any) -> bool:
        return node is self._body or id(node) in self._around

    def always(self, node: Any) -> bool:
        """Is the node inside, and executed whenever the body is?  (Inner loops make iterations.)"""
        if self._jumps or node not in self:
            return False
        return all(id(child) in _executed_with(around) for around, child in self._path(node))

    def guards(self, node: Any) -> Iterator[c_ast.If]:
        """The `if`s inside in whose branches the node stands, innermost first."""
        for around, child in self._path(node):
            if isinstance(around, c_ast.If) and child is not around.cond:
                yield around

    def _path(self, node: Any) -> Iterator[tuple[Any, Any]]:
        """From the node outwards, what is around it, and of that the part that it stands in."""
        while node is not self._body and id(node) in self._around:
            around, child = self._around[id(node)]
            yield around, child
            node = around


def _executed_with(node: Any) -> Iterable[int]:
    """The ids of the children that are executed with the node."""
    match node:
        case c_ast.If() | c_ast.TernaryOp() | c_ast.Switch():
            return [id(node.cond)]
        case c_ast.BinaryOp(op="&&" | "||"):
            return [id(node.left)]
    return [id(child) for child in node]
