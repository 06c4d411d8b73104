"""Sums in a variable that end in a cell of an array: the cell itself can be added to from the start.

`double s = 0; for (...) s += e; C[i][j] = s;` becomes `C[i][j] = 0; for (...) C[i][j] += e;`: statements
that stand free.  Where the last assignment is `C[i][j] = p + q * s`, what is added is `q * (e)`, which rounds
differently.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from pycparser import c_ast

from species.loops.model import Reference
from species.scops.sums import Linear, assignment, conditional, linear, mentions, names_in, renamed, same
from species.source.syntax.tree import walk
from species.symbols.symbols import Symbol
from species.symbols.types import number_name

_FLOATS = frozenset({"float", "double"})
_RINGS = frozenset({"float", "double", "unsigned int", "unsigned long"})  # but for rounding
_ZEROS = ("0", "0.0", "0.", "0.f", "0.0f")
Text = Callable[[Any], str | None]  # of a statement, None where it comes from a macro
Types = Mapping[int, str]  # of references (`number_name`), by the identity of their nodes
IsApart = Callable[[Reference, Reference], bool]  # never to one cell in an iteration of the loop around?
IsAtom = Callable[[str], bool]  # stands a name for itself, or for what binds as tightly?


@dataclass(frozen=True)
class Accumulator:
    """A variable that stands for a cell: where it is declared, begins and ends, all items of one block.

    `start` and `finish` are the statements that stand there instead (None: none is needed).
    """

    symbol: Symbol
    declaration: Any | None
    first: Any
    last: Any
    target: Reference
    cell: str
    start: str | None
    finish: str | None
    term: Linear | None  # of what is added to the cell; None: the cell stands wherever the variable stood

    def rewritten(self, items: Sequence[Any], text: str, types: Types) -> str | None:
        """Items that name the variable, whose text is given, with the cell in its stead; an empty text where
        nothing is left to do, None where that fails.
        """
        if items[0] is self.declaration:
            return ""
        if items[0] is self.first:
            return self.start or ""
        if items[0] is self.last:
            return self.finish or ""
        return self._between(items, text, types)

    def _between(self, items: Sequence[Any], text: str, types: Types) -> str | None:
        name = self.symbol.name
        if mentions(text, name) != sum(_named(item, name) for item in items):
            return None  # a macro hides it
        if self.term is None:
            chosen = conditional(text) if len(items) == 1 and self._keeps_value(items[0], types) else None
            if chosen is not None and chosen[1] == name:  # the cell is written anyway, so it may always be
                text = f"{name} = {chosen[0]} ? ({chosen[2]}) : {name};"
            return renamed(text, name, self.cell)
        parts = assignment(text)
        if parts is None or parts[0] != name or parts[1] not in ("+=", "-=") or mentions(parts[2], name):
            return None
        negative = (parts[1] == "-=") != self.term.negative
        factors, ctype = self.term.factors, number_name(self.symbol.ctype)
        if factors:  # the products have the type of the variable
            own = isinstance(items[0], c_ast.Assignment) and _type_of(items[0].rvalue, ctype, types) == ctype
            factors += " * " if own else f" * ({self.symbol.ctype.text})"
        return f"{self.cell} {'-=' if negative else '+='} {factors}({parts[2]});"

    def _keeps_value(self, item: Any, types: Types) -> bool:
        """In `if (...) variable = value`, may both be converted to one type and back?"""
        ctype = number_name(self.symbol.ctype)
        inside = [n for n in walk(item) if isinstance(n, c_ast.Assignment)]
        alone = len(inside) == 1 and isinstance(item, c_ast.If) and item.iffalse is None
        return alone and (ctype in _FLOATS or _type_of(inside[0].rvalue, ctype, types) == ctype)


def accumulator(
    symbol: Symbol,
    items: Sequence[Any],
    references: Iterable[Reference],
    text: Text,
    is_atom: IsAtom,
    is_apart: IsApart,
) -> Accumulator | None:
    """What `symbol`, which no other code needs, is in a block with these items; None if it is no accumulator.

    `references` are all those of the nests.
    """
    own = [item for item in items if _named(item, symbol.name)]
    declaration = own.pop(0) if own and isinstance(own[0], c_ast.Decl) and own[0].init is None else None
    if len(own) < 3 or not all(isinstance(item, c_ast.For) for item in own[1:-1]):
        return None
    first, last = own[0], own[-1]
    target = next((r for r in references if r.write and r.node is getattr(last, "lvalue", None)), None)
    if target is None or not _is_start(first, symbol) or not _is_same_type(symbol, target):
        return None
    texts = text(first), text(last)
    parts = [assignment(each) if each else None for each in texts]
    if parts[0] is None or parts[1] is None or "," in parts[0][0]:
        return None
    inside = {id(n) for item in items[items.index(first) : items.index(last) + 1] for n in walk(item)}
    within = [r for r in references if id(r.node) in inside]
    written = {r.symbol.name for r in within if r.write and r.symbol not in (symbol, target.symbol)}
    if any(_named(last, name) for name in written | _declared(items, first)):
        return None  # what the cell or the sum depends on has no value yet where the sum begins
    others = [r for r in within if r.symbol is target.symbol and r is not target and not _is_its_name(r)]
    found = symbol, declaration, first, last, target
    before = {id(n) for n in walk(first)}  # it is read there before anything is written
    met = [r for r in others if id(r.node) not in before and (r.write or not is_apart(target, r))]
    whole = None if met else _whole(*found, parts[0], parts[1])
    if whole is not None or not all(map(is_atom, names_in(parts[1][2]))):
        return whole
    at_end = {id(n) for n in walk(last)}
    if not all(r.place == target.place if id(r.node) in at_end else is_apart(target, r) for r in others):
        return None
    return _linear(*found, parts[0], parts[1])


def _is_its_name(reference: Reference) -> bool:
    """Is it no cell, but the array or the pointer that leads there?"""
    led = reference.symbol.ctype.kind in ("array", "pointer")
    return led and reference.place.is_variable and not reference.write


def _whole(
    symbol: Symbol, declaration: Any, first: Any, last: Any, target: Reference,
    start: tuple[str, str, str], end: tuple[str, str, str],
) -> Accumulator | None:  # fmt: skip
    """The cell is not touched while it holds what the variable would."""
    name = symbol.name
    if end[1] != "=" or mentions(end[2], name) != _named(last, name):
        return None
    finish = None if end[2] == name else f"{end[0]} = {renamed(end[2], name, end[0])};"
    begin = None if same(start[2], end[0]) else f"{end[0]} = {start[2]};"
    return Accumulator(symbol, declaration, first, last, target, end[0], begin, finish, None)


def _linear(
    symbol: Symbol, declaration: Any, first: Any, last: Any, target: Reference,
    start: tuple[str, str, str], end: tuple[str, str, str],
) -> Accumulator | None:  # fmt: skip
    """The cell's old value is part of the new one, and the sum a multiple of the variable."""
    cell, operator, value = end
    if start[2] not in _ZEROS:
        return None
    if number_name(symbol.ctype) not in _RINGS or mentions(value, symbol.name) != 1:
        return None
    found = linear(value, symbol.name)
    if found is None or (operator != "=" and (operator not in ("+=", "-=") or found.rest)):
        return None
    if target.symbol.name in names_in(found.factors):
        return None  # the factor changes with the sum
    term = replace(found, negative=(operator == "-=") != found.negative)
    begin = None if operator != "=" or same(found.rest, cell) else f"{cell} = {found.rest or '0'};"
    return Accumulator(symbol, declaration, first, last, target, cell, begin, None, term)


def _type_of(node: Any, wanted: str, types: Types) -> str:
    """The type of a calculation with values of one type and whole numbers; empty for anything else."""
    match node:
        case c_ast.BinaryOp(op="+" | "-" | "*" | "/"):
            sides = {_type_of(side, wanted, types) for side in (node.left, node.right)}
            return "" if "" in sides else wanted if wanted in sides else "int"
        case c_ast.Constant(type="int"):
            return "int"
        case c_ast.ArrayRef() | c_ast.ID():
            return wanted if types.get(id(node)) == wanted else ""
    return ""


def _is_start(item: Any, symbol: Symbol) -> bool:
    if isinstance(item, c_ast.Decl):
        return _named(item.init, symbol.name) == 0
    plain = isinstance(item, c_ast.Assignment) and item.op == "=" and isinstance(item.lvalue, c_ast.ID)
    return plain and item.lvalue.name == symbol.name and _named(item.rvalue, symbol.name) == 0


def _is_same_type(symbol: Symbol, target: Reference) -> bool:
    types = {number_name(symbol.ctype), number_name(target.place.ctype.element)}
    return len(types) == 1 and "" not in types and bool(target.place.path)


def _declared(items: Sequence[Any], first: Any) -> set[str]:
    """What is declared behind the start of the sum."""
    return {item.name for item in items[items.index(first) + 1 :] if isinstance(item, c_ast.Decl)}


def _named(node: Any, name: str) -> int:
    """How often a tree names a variable, declarations included."""
    return sum(
        (isinstance(n, c_ast.ID) and n.name == name) or (isinstance(n, c_ast.Decl) and n.name == name)
        for n in walk(node)
    )
