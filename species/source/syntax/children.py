"""Puts another node into a tree of pycparser's."""

from __future__ import annotations

from pycparser import c_ast


def replace_child(parent: c_ast.Node, name: str, child: c_ast.Node) -> None:
    """Sets a child by the name that `children` gives it: `expr`, or `exprs[2]`."""
    field, _, index = name.partition("[")
    if index:
        getattr(parent, field)[int(index[:-1])] = child
    else:
        setattr(parent, field, child)
