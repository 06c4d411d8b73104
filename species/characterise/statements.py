"""Statements by themselves: what one execution of each touches (seed 003, section 3.3.4, figure 3.22)."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import Any

from pycparser import c_ast

from species.facts.loops import Characterisation
from species.grammar.nodes import Range
from species.loops.model import FunctionModel, Loop, Reference
from species.regions.c_printer import Renderer, Unprintable
from species.source.syntax.tree import walk

TextOf = Callable[[Any], str]  # a syntax tree as C


def elementary(node: Any) -> Iterator[Any]:
    """The statements and conditions of a loop's body that are no compounds, loops inside it left out.

    Given a `for` itself: also its condition and its step.  The start of a loop inside belongs to the body.
    """
    match node:
        case None | c_ast.EmptyStatement() | c_ast.Pragma():
            return
        case c_ast.Compound():
            parts = node.block_items or []
        case c_ast.If():
            yield node.cond
            parts = [node.iftrue, node.iffalse]
        case c_ast.Switch():
            yield node.cond
            parts = [node.stmt]
        case c_ast.Case() | c_ast.Default():
            parts = node.stmts or []
        case c_ast.Label():
            parts = [node.stmt]
        case c_ast.For():
            parts = [node.init]
        case c_ast.While() | c_ast.DoWhile():
            return
        case _:
            yield node
            return
    for part in parts:
        yield from elementary(part)


def statements_of(loop: Loop) -> list[Any]:
    """The elementary statements of a loop, those of its own header first."""
    header = (loop.node.cond, getattr(loop.node, "next", None))
    return [part for part in (*header, *elementary(loop.node.stmt)) if part is not None]


def grouped(loop: Loop, references: Iterable[Reference]) -> list[tuple[Any, list[Reference]]]:
    """The statements directly in a loop's body, each with its references.

    Left out are statements without any, unless what they call may make some.
    """
    own = [r for r in references if r.loops[-1] == loop.number]
    statements = statements_of(loop)
    owners = {id(n): k for k, statement in enumerate(statements) for n in walk(statement)}
    groups: dict[int, list[Reference]] = {}
    for reference in own:
        if id(reference.node) in owners:
            groups.setdefault(owners[id(reference.node)], []).append(reference)
    return [
        (s, groups.get(k, [])) for k, s in enumerate(statements) if k in groups or calls_into(s, loop, own)
    ]


def calls_into(statement: Any, loop: Loop, references: Iterable[Reference]) -> bool:
    """May the statement make references of its loop that stand elsewhere, in a function that it calls?"""
    if not any(isinstance(n, c_ast.FuncCall) for n in walk(statement)):
        return False
    inside = {id(n) for n in walk(loop.node)}
    return any(loop.number in r.loops and id(r.node) not in inside for r in references)


class StatementCharacteriser:
    """Characterises the references of single statements of one loop."""

    def __init__(self, model: FunctionModel, loop: Loop, text_of: TextOf) -> None:
        self._renderer, self._text_of = Renderer(model, loop), text_of

    def characterisation(self, reference: Reference) -> Characterisation | None:
        """One element, at the subscripts as they are there, no loop considered; None if they have no name."""
        subscripts = self._subscripts(reference)
        if subscripts is None:
            return None
        domain = tuple(Range(text, text) for text in subscripts) or (Range("0", "0"),)
        elements = ("1",) * len(domain)
        return Characterisation(reference.place.name, "w" if reference.write else "r", domain, elements, ())

    def _subscripts(self, reference: Reference) -> list[str] | None:
        if reference.place.loose:
            return None
        try:
            return [self._renderer.text(s) for s in reference.place.subscripts]
        except Unprintable:
            return self._as_written(reference)

    def _as_written(self, reference: Reference) -> list[str] | None:
        """The subscripts as the source has them, if the array is named there and they have no effects."""
        node, written = reference.node, []
        while isinstance(node, c_ast.ArrayRef):
            written.append(node.subscript)
            node = node.name
        named = isinstance(node, c_ast.ID) and node.name == reference.symbol.name
        if not named or len(written) != len(reference.place.path) or any(map(_has_effect, written)):
            return None
        return [self._text_of(s) for s in reversed(written)]


def _has_effect(node: Any) -> bool:
    return any(
        isinstance(n, c_ast.Assignment | c_ast.FuncCall)
        or (isinstance(n, c_ast.UnaryOp) and ("++" in n.op or "--" in n.op))
        for n in walk(node)
    )
