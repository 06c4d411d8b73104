"""Prints a schedule tree as C: isl finds the loops' bounds, the statements keep their texts."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Protocol

import islpy as isl

from skeletons.schedule.core.marks import Mark
from skeletons.schedule.core.model import ScopModel, parts_around
from skeletons.schedule.core.tree import Band, Part, Tree, bands, statements
from skeletons.schedule.emit.lines import Lines, with_body
from skeletons.schedule.emit.updates import Piece
from species.sets.isl_to_c import Expressions


@dataclass(frozen=True)
class Header:
    """A loop as C: what it declares, and where it starts, ends and goes on."""

    band: Band
    start: str
    condition: str
    increment: str
    nonempty: bool  # it surely makes an iteration


@dataclass(frozen=True)
class State:
    """Where the printer is: C texts for isl's iterators, and the loop that comes next."""

    names: Mapping[str, str]
    band: Band | None = None
    alone: bool = False  # inside of a loop whose iterations threads share, or of what one thread does for all
    types: Mapping[str, str] = field(default_factory=dict)  # of the variables of loops around
    repeated: frozenset[str] = frozenset()  # statements that the nests have at several places


class Dialect(Protocol):
    """What the language makes of loops and statements."""

    def statement(self, name: str, values: tuple[str, ...], state: State) -> str:
        """The text of a statement, given those of its iterators' values."""

    def loop(self, header: Header, body: Lines, state: State) -> Lines:
        """A loop around its body."""

    def updates(self, header: Header, pieces: list[Piece], state: State) -> Lines | None:
        """An innermost loop over some statements, cells kept in variables; None where that is of no use."""

    def bound(self, band: Band, text: str) -> str:
        """A condition of a loop, as a person would write it."""

    def lonely(self, lines: Lines, state: State) -> Lines:
        """Statements that stand where all threads come by, `state` says whether they do."""

    def loop_name(self, band: Band) -> str:
        """The name of a loop's variable: none that its statements use for something else."""

    def type_of(self, band: Band) -> str:
        """The type of the loop's variable."""

    def enters(self, band: Band, state: State) -> bool:
        """Does one thread alone run what stands in the loop?"""


def _repeated(root: isl.AstNode) -> frozenset[str]:
    """The statements at several places: isl writes iterations apart that it cannot count through."""
    found = Counter[str]()

    def count(node: isl.AstNode) -> bool:
        if node.get_type() == isl.ast_node_type.user:
            found[_name(node)] += 1
        return True

    root.foreach_descendant_top_down(count)
    return frozenset(name for name, places in found.items() if places > 1)


def _name(node: isl.AstNode) -> str:
    """The statement of a node."""
    return str(node.user_get_expr().get_op_arg(0).get_id().get_name())


class Printer:
    """Prints the trees of one static control part."""

    def __init__(self, model: ScopModel, dialect: Dialect) -> None:
        self._model, self._dialect = model, dialect
        self._bands: dict[str, Band] = {}
        self._tree: Tree | None = None

    def lines(self, tree: Tree, state: State) -> Lines:
        """C lines, indented by four blanks per level."""
        build = isl.AstBuild.from_context(self._model.context)
        node = build.node_from_schedule(self._model.domains.schedule(tree))
        self._tree = tree
        self._bands = {f"L{k}": band for k, band in enumerate(bands(tree))}
        return self._node(node, replace(state, repeated=_repeated(node)))

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
        band = origin = state.band
        assert origin is not None and band is not None
        iterator = node.for_get_iterator().get_id().get_name()
        expressions = Expressions(state.names)
        start = expressions.text(node.for_get_init())
        if node.for_is_degenerate():
            return self._node(node.for_get_body(), replace(state, names={**state.names, iterator: start}))
        name = self._dialect.loop_name(band)
        while name in state.names.values():
            name += "_"  # a loop around it has the name
        band = band if name == band.name else replace(band, name=name)
        step = expressions.text(node.for_get_inc())
        if self._counts_down(node, band):
            names = {**state.names, iterator: f"-{name}"}
            start = expressions.negated(node.for_get_init())
            relation = ">=" if node.for_get_cond().get_op_type() == isl.ast_expr_op_type.le else ">"
            condition = f"{name} {relation} {expressions.negated(node.for_get_cond().get_op_arg(1))}"
            increment = f"{name}--" if step == "1" else f"{name} -= {step}"
        else:
            names = {**state.names, iterator: name}
            condition = self._dialect.bound(band, Expressions(names).text(node.for_get_cond()))
            increment = f"{name}++" if step == "1" else f"{name} += {step}"
        types = {**state.types, name: self._dialect.type_of(band)}
        alone = state.alone or self._dialect.enters(band, state)
        inner = replace(state, names=names, band=None, alone=alone, types=types)
        header = Header(band, start, condition, increment, self._is_nonempty(origin))
        asked = bool(band.marks & {Mark.ACCUMULATE, Mark.UNROLLED, Mark.JAMMED, Mark.SIMD})
        pieces = self._pieces(node.for_get_body(), inner) if asked else None
        kept = self._dialect.updates(header, pieces, state) if pieces else None
        return kept or self._dialect.loop(header, self._node(node.for_get_body(), inner), state)

    def _counts_down(self, node: isl.AstNode, band: Band) -> bool:
        """Is the loop's value the negative of an iterator in all statements, and its end a single
        comparison?
        """
        condition = node.for_get_cond()
        plain = condition.get_op_type() in (isl.ast_expr_op_type.le, isl.ast_expr_op_type.lt)
        plain = plain and condition.get_op_arg(0).get_type() == isl.ast_expr_type.id
        return plain and all(value.startswith("-") and value[1:].isidentifier() for value in band.of.values())

    def _pieces(self, node: isl.AstNode, state: State) -> list[Piece] | None:
        """The statements of an innermost loop, copies included; None if there is anything else."""
        match node.get_type():
            case isl.ast_node_type.mark:
                band = self._bands[node.mark_get_id().get_name()]
                return self._pieces(node.mark_get_node(), replace(state, band=band))
            case isl.ast_node_type.block:
                children = node.block_get_children()
                parts = [self._pieces(children.get_at(k), state) for k in range(children.n_ast_node())]
                return None if None in parts else [p for part in parts for p in part or ()]
            case isl.ast_node_type.user:
                return [Piece(_name(node), "\n".join(self._user(node, state)))]
            case isl.ast_node_type.for_:
                return self._copies(node, state)
        return None

    def _copies(self, node: isl.AstNode, state: State) -> list[Piece] | None:
        """The copies of what a jammed loop repeats a known number of times."""
        count = self._count(node, state)
        if count is None:
            return None
        iterator = node.for_get_iterator().get_id().get_name()
        start, found = Expressions(state.names).text(node.for_get_init()), []
        for k in range(count):
            names = {**state.names, iterator: f"{start} + {k}" if k else start}
            pieces = self._pieces(node.for_get_body(), replace(state, names=names, band=None))
            if pieces is None:
                return None
            found += pieces
        return found

    def _count(self, node: isl.AstNode, state: State) -> int | None:
        """How many iterations a jammed loop makes, if it runs over a whole block."""
        if state.band is None or Mark.JAM not in state.band.marks or node.for_is_degenerate():
            return None
        start, condition = node.for_get_init(), node.for_get_cond()
        last = condition.get_op_arg(1)
        if condition.get_op_type() != isl.ast_expr_op_type.le or last.get_type() != isl.ast_expr_type.op:
            return None
        parts = last.get_op_type() == isl.ast_expr_op_type.add and last.get_op_n_arg() == 2
        if not parts or not last.get_op_arg(0).is_equal(start):
            return None
        more = last.get_op_arg(1)
        return int(more.get_val().to_python()) + 1 if more.get_type() == isl.ast_expr_type.int else None

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
        return self._dialect.statement(arguments[0].get_id().get_name(), values, state).split("\n")

    def _is_nonempty(self, band: Band) -> bool:
        """Does the loop make an iteration wherever the loops around it do?  (isl may leave conditions to
        it.)
        """
        assert self._tree is not None
        parts = parts_around(self._tree, band)
        return all(self._runs(name, band.of[name], parts) for name in statements(band))

    def _runs(self, name: str, value: str, parts: list[Part]) -> bool:
        domain, iterators = self._model.domains.sets[name], self._model.domains.iterators[name]
        for part in parts:
            domain = domain.intersect(isl.Set(part.where[name]))
        if value not in iterators:
            return False
        position = iterators.index(value)
        inner = len(iterators) - position
        kind = isl.dim_type.set
        outer = domain.drop_constraints_involving_dims(kind, position, inner)
        outer = outer.drop_constraints_not_involving_dims(kind, 0, position)
        return bool(
            outer.intersect_params(self._model.context).is_subset(domain.eliminate(kind, position, inner))
        )
