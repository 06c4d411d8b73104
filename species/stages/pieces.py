"""The statements of a loop's body, inner ones too: what each is in the tree and in the text."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any

from pycparser import c_ast

from species.core.positions import Span
from species.loops.model import Inlining
from species.source import TranslationUnit
from species.source.syntax.statement_tree import Statement, read_statement
from species.source.syntax.tree import walk

LOOPS = (c_ast.For, c_ast.While, c_ast.DoWhile)
_KINDS = {
    c_ast.Compound: "block",
    c_ast.For: "for",
    c_ast.While: "while",
    c_ast.DoWhile: "do",
    c_ast.If: "if",
}


@dataclass(frozen=True, eq=False)
class Opened:
    """A call whose callee is analysed in its place, its definition in the file, and where its body begins."""

    inlining: Inlining
    definition: Span
    body: int


Opening = Callable[[Any], Opened | None]  # what a node calls, if its body is to be looked at


@dataclass(eq=False)
class Piece:
    """A statement: its `node`, where it stands in the file, the statements in it, and the one it is in.

    The body of a function that is called in it is one of its parts: `opened`.
    """

    node: Any
    span: Span
    around: Piece | None = None
    parts: list[Piece] = field(default_factory=list)
    opened: Opened | None = None

    @property
    def function(self) -> Opened | None:
        """The function in whose body it stands, unless that is the loop's own."""
        return next((piece.opened for piece in self.outwards() if piece.opened is not None), None)

    def walk(self) -> Iterator[Piece]:
        """The statement and all in it."""
        yield self
        for part in self.parts:
            yield from part.walk()

    def outwards(self) -> Iterator[Piece]:
        """The statement and those around it."""
        yield self
        if self.around is not None:
            yield from self.around.outwards()

    def own_nodes(self) -> Iterator[Any]:
        """The nodes that are in none of its parts: of a loop or a branch, what controls it."""
        parts = {id(part.node) for part in self.parts}
        yield from _outside(self.node, parts)


def _outside(node: Any, left: set[int]) -> Iterator[Any]:
    if id(node) in left:
        return
    yield node
    for child in node:
        yield from _outside(child, left)


def pieces(unit: TranslationUnit, node: Any, body: Span, opening: Opening) -> Piece | None:
    """The statements of a loop's body `node`, at `body` in the file; None: macros or directives make some."""
    text = body.of(unit.source.text)
    if "#" in text:
        return None
    return _Reader(unit, body.start, opening).read(node, read_statement(text), None)


@dataclass(frozen=True)
class _Reader:
    """Pairs the tree and the text of a body that begins at `start`."""

    unit: TranslationUnit
    start: int
    opening: Opening

    def read(self, node: Any, statement: Statement, around: Piece | None) -> Piece | None:
        span = Span(self.start + statement.span.start, self.start + statement.span.end)
        piece = Piece(node, span, around)
        kind = _KINDS.get(type(node), "plain")
        if kind != statement.kind or not self._stands_in(node, span):
            return None
        for child, part in self._children(node, statement) or ():
            found = self.read(child, part, piece)
            if found is None:
                return None
            piece.parts.append(found)
        if len(piece.parts) != len(_statements(node)):
            return None
        for each in [*piece.own_nodes()]:
            opened = self.opening(each) if isinstance(each, c_ast.FuncCall) else None
            body = self._body(opened, piece) if opened is not None else None
            piece.parts += [body] if body is not None else []
        return piece

    def _body(self, opened: Opened, around: Piece) -> Piece | None:
        text = self.unit.source.text[opened.body : opened.definition.end]
        reader = _Reader(self.unit, opened.body, lambda _: None)
        found = reader.read(opened.inlining.body, read_statement(text), around) if "#" not in text else None
        if found is not None:
            found.opened = opened
        return found

    def _children(self, node: Any, statement: Statement) -> list[tuple[Any, Statement]] | None:
        """Each statement of the tree with its text; several variables that are declared together have one."""
        nodes = _statements(node)
        if not isinstance(node, c_ast.Compound):
            return list(zip(nodes, statement.parts, strict=False))
        found: list[tuple[Any, Statement]] = []
        parts, at = statement.parts, 0
        for child in nodes:
            while at < len(parts) and not self._stands_in(child, self._moved(parts[at].span)):
                at += 1
            if at == len(parts):
                return None
            found.append((child, parts[at]))
        return found if {id(part) for _, part in found} == {*map(id, parts)} else None

    def _moved(self, span: Span) -> Span:
        return Span(self.start + span.start, self.start + span.end)

    def _stands_in(self, node: Any, span: Span) -> bool:
        """Does the tree say of a statement that it stands at a place in the file?"""
        if node.coord is None:
            return isinstance(node, c_ast.Compound)
        position = self.unit.position(node.coord)
        if position.file != self.unit.source.path:
            return False
        return span.start <= self.unit.source.offset(position.line, position.column) < span.end


def _statements(node: Any) -> list[Any]:
    """The statements that a statement consists of."""
    if isinstance(node, c_ast.Compound):
        return list(node.block_items or ())
    if isinstance(node, c_ast.If):
        return [each for each in (node.iftrue, node.iffalse) if each is not None]
    return [node.stmt] if isinstance(node, LOOPS) else []


def leaves(node: Any) -> bool:
    """May a jump lead out of a statement, other than by ending a loop or an iteration in it?"""
    if any(isinstance(each, c_ast.Goto | c_ast.Return | c_ast.Label | c_ast.Case) for each in walk(node)):
        return True
    return _jumps(node, (c_ast.Break, c_ast.Continue))


def _jumps(node: Any, kinds: tuple[type, ...]) -> bool:
    if isinstance(node, kinds):
        return True
    if isinstance(node, LOOPS):
        return False
    left = (c_ast.Continue,) if isinstance(node, c_ast.Switch) else kinds
    return any(_jumps(child, left) for child in node)
