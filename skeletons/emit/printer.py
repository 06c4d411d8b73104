"""Prints a schedule tree as C: isl finds the loops' bounds, the statements keep their texts."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Protocol

import islpy as isl

from skeletons.emit.expressions import Expressions
from skeletons.transform.model import ScopModel
from skeletons.transform.tree import Band, Tree, bands

Lines = list[str]


@dataclass(frozen=True)
class Header:
    """A loop as C: what it declares, and where it starts, ends and goes on."""

    band: Band
    start: str
    condition: str
    increment: str


@dataclass(frozen=True)
class State:
    """Where the printer is: C texts for isl's iterators, the loop that comes next, and whether one thread works."""

    names: Mapping[str, str]
    band: Band | None = None
    alone: bool = False  # inside of a loop whose iterations threads share, or of what one thread does for all


class Dialect(Protocol):
    """What the language makes of loops and statements."""

    def statement(self, name: str, values: tuple[str, ...]) -> str:
        """The text of a statement, given those of its iterators' values."""

    def loop(self, header: Header, body: Lines, state: State) -> Lines:
        """A loop around its body."""

    def bound(self, band: Band, text: str) -> str:
        """A condition of a loop, as a person would write it."""

    def lonely(self, lines: Lines, state: State) -> Lines:
        """Statements that stand where all threads come by, `state` says whether they do."""

    def enters(self, band: Band, state: State) -> bool:
        """Does one thread alone run what stands in the loop?"""


class Printer:
    """Prints the trees of one static control part."""

    def __init__(self, model: ScopModel, dialect: Dialect) -> None:
        self._model, self._dialect = model, dialect
        self._bands: dict[str, Band] = {}

    def lines(self, tree: Tree, state: State) -> Lines:
        """C lines, indented by four blanks per level."""
        build = isl.AstBuild.from_context(self._model.context)
        node = build.node_from_schedule(self._model.domains.schedule(tree))
        self._bands = {f"L{k}": band for k, band in enumerate(bands(tree))}
        return self._node(node, state)

    def _node(self, node: isl.AstNode, state: State) -> Lines:
        match node.get_type():
            case isl.ast_node_type.mark:
                band = self._bands[node.mark_get_id().get_name()]
                return self._node(node.mark_get_node(), replace(state, band=band))
            case isl.ast_node_type.block:
                return self._block(node, state)
            case isl.ast_node_type.for_:
                return self._for(node, state)
            case isl.ast_node_type.if_:
                return self._if(node, state)
        return self._dialect.lonely(self._user(node, state), state)

    def _block(self, node: isl.AstNode, state: State) -> Lines:
        """Neighbouring statements are one piece of work."""
        children, lines, run = node.block_get_children(), Lines(), Lines()
        for k in range(children.n_ast_node()):
            child = children.get_at(k)
            if child.get_type() == isl.ast_node_type.user:
                run += self._user(child, state)
                continue
            lines += self._dialect.lonely(run, state) + self._node(child, state)
            run = []
        return lines + self._dialect.lonely(run, state)

    def _for(self, node: isl.AstNode, state: State) -> Lines:
        assert state.band is not None
        band = state.band
        iterator = node.for_get_iterator().get_id().get_name()
        expressions = Expressions(state.names)
        start = expressions.text(node.for_get_init())
        if node.for_is_degenerate():
            return self._node(node.for_get_body(), replace(state, names={**state.names, iterator: start}))
        names = {**state.names, iterator: band.name}
        condition = self._dialect.bound(band, Expressions(names).text(node.for_get_cond()))
        step = expressions.text(node.for_get_inc())
        increment = f"{band.name}++" if step == "1" else f"{band.name} += {step}"
        alone = state.alone or self._dialect.enters(band, state)
        body = self._node(node.for_get_body(), State(names, None, alone))
        return self._dialect.loop(Header(band, start, condition, increment), body, state)

    def _if(self, node: isl.AstNode, state: State) -> Lines:
        condition = Expressions(state.names).text(node.if_get_cond())
        result = with_body(f"if ({condition})", self._node(node.if_get_then_node(), state))
        if node.if_has_else_node():
            result += with_body("else", self._node(node.if_get_else_node(), state))
        return result

    def _user(self, node: isl.AstNode, state: State) -> Lines:
        call, expressions = node.user_get_expr(), Expressions(state.names)
        arguments = [call.get_op_arg(k) for k in range(call.get_op_n_arg())]
        values = tuple(expressions.text(argument) for argument in arguments[1:])
        return self._dialect.statement(arguments[0].get_id().get_name(), values).split("\n")


def indented(lines: Lines) -> Lines:
    """The lines one level further in."""
    return ["    " + line if line else line for line in lines]


def with_body(header: str, body: Lines) -> Lines:
    """A loop or a condition with what it holds, in braces unless that is one plain statement."""
    if len(body) == 1 and body[0].endswith(";") and body[0].count(";") == 1 and not body[0].startswith("if"):
        return [header, *indented(body)]
    return [header + " {", *indented(body), "}"]
