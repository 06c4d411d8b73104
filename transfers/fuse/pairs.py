"""Kernels that stand in one block, and what of the statements between them can stand before both."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any

from pycparser import c_ast

from species.core.positions import Span
from species.facts.loops import Kernel, LoopFacts, UnitFacts
from species.loops.walk import Names
from species.source import TranslationUnit
from species.source.syntax.tree import only_statement, walk
from species.source.text.rewriting import Rewriting
from species.symbols.symbols import Symbol
from transfers.fuse.guards import Guard, guard
from transfers.fuse.names import words

MOST_KERNELS = 2  # between two kernels that are looked at
MOST_BETWEEN = 6  # statements there
_MOVING = ("++", "--", "p++", "p--", "&")
_SIMPLE = (
    c_ast.ID,
    c_ast.Constant,
    c_ast.BinaryOp,
    c_ast.UnaryOp,
    c_ast.Cast,
    c_ast.Typename,
    c_ast.TypeDecl,
)


@dataclass(frozen=True)
class Part:
    """A loop that is a kernel: its nodes, outermost first, and its facts."""

    nodes: tuple[c_ast.For, ...]
    facts: LoopFacts
    kernel: Kernel
    guard: Guard | None = None

    @property
    def body(self) -> Any:
        """What the innermost base loop repeats."""
        return self.nodes[-1].stmt

    @property
    def span(self) -> Span:
        """Where it stands in the file."""
        assert self.facts.spans is not None
        return self.facts.spans.whole

    @property
    def node(self) -> Any:
        """The statement of the block that it is: the loop, or the `if` around it."""
        return self.guard.node if self.guard else self.nodes[0]

    @property
    def region(self) -> Span:
        """Where that stands."""
        return self.guard.span if self.guard else self.span


@dataclass(frozen=True)
class Neighbours:
    """Two kernels of one block, the second behind the first, and the statements between them: those that can
    stand before both (`moved`), and those that cannot.  `adjoining`: no other kernel is among these.
    """

    first: Part
    second: Part
    moved: tuple[Any, ...] = ()
    staying: tuple[Any, ...] = ()
    adjoining: bool = True

    @property
    def region(self) -> Span:
        """From the first one to the end of the second."""
        return Span(self.first.region.start, self.second.region.end)

    @property
    def lines(self) -> tuple[int, int]:
        """The lines on which they begin."""
        return self.first.facts.position.line, self.second.facts.position.line


class Surroundings:
    """The kernels of a file and what stands around them."""

    def __init__(self, unit: TranslationUnit, facts: UnitFacts, names: Names, made: Rewriting) -> None:
        """`made` has the fusions that the text of the file comes from."""
        self.unit, self.names, self._made = unit, names, made
        self.symbols: Mapping[int, Symbol] = names.resolution.symbols
        own = (f for f in facts.loops if f.position.file == unit.source.path and f.spans)
        self._facts = {f.spans.whole: f for f in own if f.spans}
        calls = unit.all_of(c_ast.FuncCall)
        self.freed = {id(call.args) for call in calls if getattr(call.name, "name", None) == "free"}

    def neighbours(self) -> Iterator[Neighbours]:
        """All pairs of kernels in one block with not too much between them."""
        for function in self.names.resolution.functions.values():
            yield from self._within(function.body)

    def _within(self, node: Any) -> Iterator[Neighbours]:
        if self._loop(node) is not None:
            return  # what is inside of a kernel is no kernel
        if isinstance(node, c_ast.Compound):
            yield from self._of_block(node.block_items or [])
        for _, child in node.children():
            yield from self._within(child)

    def _of_block(self, items: list[Any]) -> Iterator[Neighbours]:
        kernels = [(k, part) for k, item in enumerate(items) if (part := self.part(item)) is not None]
        for at, (one, first) in enumerate(kernels):
            for many, (other, second) in enumerate(kernels[at + 1 : at + MOST_KERNELS + 2]):
                if other - one - 1 <= MOST_BETWEEN:
                    yield self._pair(first, second, items[one + 1 : other], adjoining=not many)

    def _pair(self, first: Part, second: Part, between: list[Any], *, adjoining: bool) -> Neighbours:
        moved: list[Any] = []
        staying: list[Any] = []
        for statement in between:
            ahead = self.movable(statement, first.node) and self.movable(statement, *staying)
            (moved if ahead else staying).append(statement)
        return Neighbours(first, second, tuple(moved), tuple(staying), adjoining)

    def part(self, node: Any) -> Part | None:
        """The kernel that a statement is, where accelerators can run it."""
        if not isinstance(node, c_ast.If):
            return self._loop(node)
        span = self.unit.statement_span(node)
        made = span is not None and self._made.edit_at(span.start) is not None and node.iffalse is not None
        found, inside = guard(node, self.unit, made=made), self._loop(only_statement(node.iftrue))
        return replace(inside, guard=found) if found and inside else None

    def _loop(self, node: Any) -> Part | None:
        spans = self.unit.loop_spans(node) if isinstance(node, c_ast.For) else None
        facts = self._facts.get(spans.whole) if spans else None
        kernel = facts.kernel if facts else None
        if facts is None or facts.users or kernel is None or kernel.obstacles or kernel.pattern:
            return None
        nodes = [node]
        for _ in kernel.loops[1:]:
            inner = only_statement(nodes[-1].stmt)
            if not isinstance(inner, c_ast.For):
                return None
            nodes.append(inner)
        return Part(tuple(nodes), facts, kernel)

    def used(self, node: Any) -> set[Symbol]:
        """The variables that a piece of code names, but those that it declares."""
        own = {
            id(self.symbols[id(n)]) for n in walk(node) if isinstance(n, c_ast.Decl) and id(n) in self.symbols
        }
        found = (self.symbols.get(id(n)) for n in walk(node) if isinstance(n, c_ast.ID))
        return {symbol for symbol in found if symbol is not None and id(symbol) not in own}

    def written(self, node: Any) -> set[Symbol]:
        """The scalars that it assigns, or hands out the address of."""
        places = [n.lvalue for n in walk(node) if isinstance(n, c_ast.Assignment)]
        places += [n.expr for n in walk(node) if isinstance(n, c_ast.UnaryOp) and n.op in _MOVING]
        found = (self.symbols.get(id(place)) for place in places if isinstance(place, c_ast.ID))
        return {symbol for symbol in found if symbol is not None}

    def movable(self, statement: Any, *others: Any) -> bool:
        """Is it an assignment of a scalar, of nothing that is in memory, that does the same before others?"""
        if _is_mention(statement):
            return all(statement.expr.name not in names_declared(other) for other in others)
        if not isinstance(statement, c_ast.Assignment | c_ast.Decl) or not self._is_plain(statement):
            return False
        name = getattr(statement, "name", None) or statement.lvalue.name
        changed = {symbol for other in others for symbol in self.written(other)}
        hidden = {name for other in others for name in names_declared(other)}
        if any(name in words(other) for other in others) or hidden & words(statement):
            return False
        return not self.used(statement) & changed

    def _is_plain(self, statement: Any) -> bool:
        """Does it give a variable of the function's own a value that only such variables have a part in?"""
        value = statement.init if isinstance(statement, c_ast.Decl) else statement.rvalue
        target = self.symbols.get(id(statement if isinstance(statement, c_ast.Decl) else statement.lvalue))
        if target is None or not target.is_scalar or target.address_taken or target.outlives_function:
            return False
        if target.ctype.volatile or target.peculiar:
            return False
        if isinstance(statement, c_ast.Decl) and (statement.storage or statement.bitsize):
            return False
        if value is not None and not all(_is_simple(n) for n in walk(value)):
            return False
        return not any(s.outlives_function or s.address_taken for s in self.used(statement))


def names_declared(statement: Any) -> set[str]:
    """The name that a declaration among the statements of a block gives to something."""
    return {statement.name} if isinstance(statement, c_ast.Decl) and statement.name else set()


def _is_mention(statement: Any) -> bool:
    """Is it `(void)x;`, which does nothing?"""
    void = isinstance(statement, c_ast.Cast) and isinstance(statement.expr, c_ast.ID)
    return (
        void
        and "void" in words(statement.to_type)
        and not any(isinstance(n, c_ast.PtrDecl) for n in walk(statement.to_type))
    )


def _is_simple(node: Any) -> bool:
    if isinstance(node, c_ast.UnaryOp):
        return node.op in ("+", "-", "~", "!")
    return isinstance(node, (*_SIMPLE, c_ast.IdentifierType))
