"""Updates of elements that data chooses, as in histograms: each waits for what was stored there last."""

from __future__ import annotations

from pycparser import c_ast

from species.source.tree import walk

_DATA = (c_ast.ArrayRef, c_ast.FuncCall)


def chosen_by_data(function: c_ast.FuncDef) -> frozenset[str]:
    """The variables that hold what was found in arrays or by calls, or what comes of it; no iterators."""
    sources: dict[str, list[c_ast.Node]] = {}
    iterators: set[str] = set()
    for node in walk(function.body):
        match node:
            case c_ast.Decl(init=init) if init is not None and node.name:
                sources.setdefault(node.name, []).append(init)
            case c_ast.Assignment(lvalue=c_ast.ID(name=name)):
                sources.setdefault(name, []).append(node.rvalue)
            case c_ast.For(next=step) if step is not None:
                iterators |= {each.name for each in walk(step) if isinstance(each, c_ast.ID)}
    found = frozenset[str]()
    while True:
        more = {n for n, texts in sources.items() if any(_is_data(text, found) for text in texts)} - iterators
        if more == found:
            return found
        found = frozenset(more)


def is_scattered(updated: c_ast.Node, chosen: frozenset[str]) -> bool:
    """Is what an operator updates (`counts[row[x]]++`) an element whose last subscript data chooses?"""
    while isinstance(updated, c_ast.StructRef):
        updated = updated.name
    return isinstance(updated, c_ast.ArrayRef) and _is_data(updated.subscript, chosen)


def _is_data(node: c_ast.Node, chosen: frozenset[str]) -> bool:
    return any(
        isinstance(each, _DATA)
        or (isinstance(each, c_ast.UnaryOp) and each.op == "*")
        or (isinstance(each, c_ast.ID) and each.name in chosen)
        for each in walk(node)
    )
