"""Arrays that only carry values from the one loop to the other: in a fused loop, a variable does."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from pycparser import c_ast

from species.source import Edit, apply_edits
from species.source.syntax.tree import subscripted, walk
from species.symbols.symbols import Symbol
from transfers.fuse.headers import Form, Level, form
from transfers.fuse.names import declared, elements_in, fresh
from transfers.fuse.pairs import Neighbours, Part, Surroundings

_SCALARS = ("int", "float")
_ASKING = ("==", "!=", "!")


@dataclass(frozen=True)
class Contraction:
    """An array, and the variable that takes its place."""

    symbol: Symbol
    variable: str
    loose: bool  # its declaration stays, for nobody

    @property
    def declaration(self) -> str:
        """That of the variable."""
        return f"{_element(self.symbol).text} {self.variable};"

    def applied(self, body: str) -> str:
        """The text of a body with the variable for the array's elements."""
        spans = elements_in(body, self.symbol.name)
        ends = ("".join(re.findall(r"\r?\n", span.of(body))) for span in spans)  # lines stay where they are
        return apply_edits(body, [Edit(s, self.variable + e) for s, e in zip(spans, ends, strict=True)])


def contractions(
    pair: Neighbours, around: Surroundings, way: tuple[Level, ...], storages: Sequence[str]
) -> tuple[Contraction, ...]:
    """The arrays of which every iteration of the fused loop needs but the one element that it writes first,
    and that are used nowhere else.  `storages` are those of which somebody else could not see that.
    """
    if any(level.guarded for level in way):
        return ()
    both = around.used(pair.first.body) & around.used(pair.second.body)
    own = (s for s in both if s.storage in storages and _is_own(s))
    found = sorted((s for s in own if _is_fit(s, pair, around, way)), key=lambda s: s.name)
    return tuple(Contraction(s, fresh(s.name, around.unit), s.ctype.kind == "array") for s in found)


def _element(symbol: Symbol) -> Any:
    return symbol.ctype.element if symbol.ctype.kind == "array" else symbol.ctype.target


def _is_own(symbol: Symbol) -> bool:
    """Is it the function's or the file's alone, an array or memory that the function allocates?"""
    if symbol.address_taken or symbol.peculiar:
        return False
    element = _element(symbol)
    if element is None or element.kind not in _SCALARS or element.volatile or element.const:
        return False
    if symbol.ctype.kind == "array":
        return isinstance(symbol.node, c_ast.Decl) and symbol.node.init is None
    return symbol.ctype.kind == "pointer" and symbol.storage == "local" and symbol.is_single_allocation


def _is_fit(symbol: Symbol, pair: Neighbours, around: Surroundings, way: tuple[Level, ...]) -> bool:
    places: set[tuple[Form | None, ...]] = set()
    counted: set[int] = set()
    for part, is_second in ((pair.first, False), (pair.second, True)):
        found = list(_references(symbol, part, around))
        if not _are_literal(found, symbol, part, around):
            return False
        counted |= {id(list(subscripted(node))[-1].name) for node in found}
        places |= {_place(node, way, is_second=is_second) for node in found}
    changed = around.written(pair.first.body) | around.written(pair.second.body)
    if len(places) != 1 or None in next(iter(places)):
        return False
    names = {name for f in next(iter(places)) if f is not None for name in f.names}
    own = declared(pair.first.body) | declared(pair.second.body)  # they mean something else there
    if names & (own | {s.name for s in changed}) or _has_memory(symbol, pair.first, around):
        return False
    others = any(id(use) not in counted for use in _uses(symbol, around))
    return not others and _starts_with_it(symbol, pair.first, around)


def _are_literal(references: list[Any], symbol: Symbol, part: Part, around: Surroundings) -> bool:
    """Does the text of the body name the elements where the code does, in no macro?"""
    source, body = around.unit.source, part.kernel.loops[-1].spans.body
    spans = elements_in(body.of(source.text), symbol.name)
    written = sorted(source.position(body.start + span.start) for span in spans)
    return written == sorted(around.unit.position(list(subscripted(r))[-1].name.coord) for r in references)


def _uses(symbol: Symbol, around: Surroundings) -> Iterator[Any]:
    """Where it is named, but for what allocates it, frees it, or asks whether it is there."""
    open_ = [around.unit.ast]
    while open_:
        node = open_.pop()
        if getattr(node, "op", None) == "sizeof" and around.symbols.get(id(_root(node.expr))) is symbol:
            continue  # of the array, an element: it is not evaluated
        for _, child in node.children():
            open_.append(child)
            is_it = isinstance(child, c_ast.ID) and around.symbols.get(id(child)) is symbol
            if is_it and not _is_harmless(child, node, around):
                yield child


def _root(node: Any) -> Any:
    while isinstance(node, c_ast.ArrayRef | c_ast.UnaryOp):
        node = node.name if isinstance(node, c_ast.ArrayRef) else node.expr
    return node


def _is_harmless(name: Any, parent: Any, around: Surroundings) -> bool:
    if isinstance(parent, c_ast.Assignment):
        return parent.lvalue is name and parent.op == "="  # its one definition
    if isinstance(parent, c_ast.UnaryOp | c_ast.BinaryOp):
        return parent.op in _ASKING
    return isinstance(parent, c_ast.ExprList) and id(parent) in around.freed


def _references(symbol: Symbol, part: Part, around: Surroundings) -> Iterator[Any]:
    """The elements that a body names; what is more or less than an element is counted as another use."""
    rank = _rank(symbol)
    inner: set[int] = set()
    for node in walk(part.body):
        if isinstance(node, c_ast.ArrayRef) and id(node) not in inner:
            chain = list(subscripted(node))
            inner |= {id(n) for n in chain}
            base = chain[-1].name
            if len(chain) == rank and around.symbols.get(id(base)) is symbol:
                yield node


def _rank(symbol: Symbol) -> int:
    if symbol.ctype.kind == "pointer":
        return 1
    rank, ctype = 0, symbol.ctype
    while ctype.kind == "array" and ctype.target is not None:
        rank, ctype = rank + 1, ctype.target
    return rank


def _place(node: Any, way: tuple[Level, ...], *, is_second: bool) -> tuple[Form | None, ...]:
    """The subscripts, over the first loop's iterators."""
    renamed = {level.second.loop.iterator: level.first.loop.iterator for level in way} if is_second else {}
    moved = (level for level in way if level.shift and is_second)
    shifts = {level.first.loop.iterator: level.shift for level in moved}
    subscripts = (form(part.subscript, renamed).shifted(shifts) for part in subscripted(node))
    return tuple(subscripts)


def _has_memory(symbol: Symbol, part: Part, around: Surroundings) -> bool:
    """Do its subscripts depend on more than the values of names?"""
    known = (c_ast.ID, c_ast.Constant, c_ast.BinaryOp)
    subscripts = (p.subscript for node in _references(symbol, part, around) for p in subscripted(node))
    return any(not isinstance(n, known) for subscript in subscripts for n in walk(subscript))


def _starts_with_it(symbol: Symbol, part: Part, around: Surroundings) -> bool:
    """Does every iteration assign the element before it does anything else with it?"""
    for item in _statements(part.body):
        uses = [n for n in walk(item) if isinstance(n, c_ast.ID) and around.symbols.get(id(n)) is symbol]
        if uses:
            assigns = isinstance(item, c_ast.Assignment) and item.op == "=" and len(uses) == 1
            chain = list(subscripted(item.lvalue)) if assigns else []
            return bool(chain) and chain[-1].name is uses[0]
    return False


def _statements(body: Any) -> Iterator[Any]:
    """Those of a block, and of blocks in it."""
    if isinstance(body, c_ast.Compound):
        for item in body.block_items or []:
            yield from _statements(item)
    else:
        yield body
