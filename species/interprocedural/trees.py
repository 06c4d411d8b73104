"""Syntax trees as plain values for JSON, and back.  What is read is data: no code runs because of it.

A node is `[class, place, value, ...]`, a list in a node `{"": [...]}`; a place is what the caller makes of
it.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from pycparser import c_ast

Tree = list[Any]
NO_NAMES: Mapping[int, str] = {}

_CLASSES = {each.__name__: each for each in c_ast.Node.__subclasses__()}
_NO_FIELDS = ("coord", "__weakref__")


def encoded(node: c_ast.Node, place: Callable[[Any], Any], renamed: Mapping[int, str] = NO_NAMES) -> Tree:
    """The tree; `place` makes a value for JSON of a coordinate, or None.

    Nodes with these ids have these names instead of their own.
    """
    fields = {name: getattr(node, name) for name in _fields(type(node))}
    if id(node) in renamed:
        fields["name"] = renamed[id(node)]
    values = (_value(each, place, renamed) for each in fields.values())
    return [type(node).__name__, place(node.coord), *values]


def _fields(kind: type[c_ast.Node]) -> list[str]:
    return [name for name in kind.__slots__ if name not in _NO_FIELDS]


def _value(value: Any, place: Callable[[Any], Any], renamed: Mapping[int, str]) -> Any:
    if isinstance(value, c_ast.Node):
        return encoded(value, place, renamed)
    if isinstance(value, list | tuple):
        return {"": [_value(each, place, renamed) for each in value]}
    assert value is None or isinstance(value, str | int), value
    return value


def decoded(tree: Tree, coord: Callable[[Any], Any]) -> Any:
    """The node; `coord` makes a coordinate of what `place` gave."""
    name, place, *values = tree
    kind = _CLASSES[name]
    fields = {field: _field(each, coord) for field, each in zip(_fields(kind), values, strict=True)}
    return kind(**fields, coord=coord(place))


def _field(value: Any, coord: Callable[[Any], Any]) -> Any:
    if isinstance(value, list):
        return decoded(value, coord)
    if isinstance(value, dict):
        return [_field(each, coord) for each in value[""]]
    return value
