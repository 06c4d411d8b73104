"""Elements that data chooses, as in lookups and histograms: no vector is loaded from them, and an update
waits for what was stored there last.
"""

from __future__ import annotations

from pycparser import c_ast

from species.source.syntax.tree import walk


def chosen_by_data(function: c_ast.FuncDef) -> frozenset[str]:
    """The variables that hold what was found in arrays, or what comes of it; no iterators."""
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
        more = {n for n, texts in sources.items() if any(is_data(text, found) for text in texts)} - iterators
        if more == found:
            return found
        found = frozenset(more)


def is_scattered(node: c_ast.Node, chosen: frozenset[str]) -> bool:
    """Is this (`counts[row[x]]`, or a member of it) an element whose last subscript data chooses?"""
    while isinstance(node, c_ast.StructRef):
        node = node.name
    return isinstance(node, c_ast.ArrayRef) and is_data(node.subscript, chosen)


def scattered(node: c_ast.Node, chosen: frozenset[str]) -> int:
    """How many elements of arrays in an expression or a statement data chooses."""
    return sum(isinstance(each, c_ast.ArrayRef) and is_scattered(each, chosen) for each in walk(node))


def is_data(node: c_ast.Node, chosen: frozenset[str]) -> bool:
    """Does the value of an expression hang on what was found in arrays?"""
    return any(
        isinstance(each, c_ast.ArrayRef)
        or (isinstance(each, c_ast.UnaryOp) and each.op == "*")
        or (isinstance(each, c_ast.ID) and each.name in chosen)
        for each in walk(node)
    )
