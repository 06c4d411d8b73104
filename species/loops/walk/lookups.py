"""Tables of constants: what is looked up in `static const int dx[] = { -1, 0, 1 };` is between -1 and 1."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from pycparser import c_ast

from species.loops.model import Place
from species.sets.affine import Affine, Value
from species.symbols.symbols import Symbol

MOST = 4096  # numbers of a table


def table_of(value: object) -> Symbol | None:
    """The array of constant numbers that a value was read from; None: it was not."""
    atom = next(iter(value.atoms()), None) if isinstance(value, Affine) else None
    if not isinstance(atom, Value) or value != Affine.of(atom) or len(atom.key) < 3:
        return None
    place = atom.key[2]
    if not isinstance(place, Place) or place.base is not None or not place.path:
        return None
    element = place.symbol.ctype.element
    numbers = place.symbol.ctype.kind == "array" and element.is_integer and element.const
    fixed = numbers and not element.volatile and not place.symbol.replaceable
    return place.symbol if fixed and place.symbol.storage != "parameter" else None


def limits_of(table: Symbol, number: Callable[[Any], int | None]) -> tuple[int, int] | None:
    """The least and the greatest number of a table; `number` tells what a constant expression is.

    Those that its initialiser leaves out are zero (C11 6.7.9p21), and all are looked at as if some were.
    """
    initialiser = getattr(table.node, "init", None)
    if not isinstance(initialiser, c_ast.InitList):
        return None
    found = [0]
    for item in _items(initialiser):
        value = number(item)
        if value is None or len(found) > MOST:
            return None
        found.append(value)
    return min(found), max(found)


def _items(initialiser: c_ast.InitList) -> Iterator[Any]:
    for item in initialiser.exprs or ():
        inner = item.expr if isinstance(item, c_ast.NamedInitializer) else item
        if isinstance(inner, c_ast.InitList):
            yield from _items(inner)
        else:
            yield inner
