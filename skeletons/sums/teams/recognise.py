"""Does every iteration of a kernel add up in one inner loop, whose steps several threads can share?

`before; for (depth) { x += ...; y -= ...; } after`: each thread of a team adds up some of the steps from zero
on; one of them then does what stands before, adds what all have found, and does what stands after.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from pycparser import c_ast

from skeletons.kernel.context import Subject
from skeletons.sums.tiled_reduction.checks import (
    COUNTERS,
    check_bounds,
    check_counter,
    check_element,
    check_iterations,
)
from skeletons.sums.tiled_reduction.model import DepthLoop
from skeletons.sums.tiled_reduction.names import Names
from skeletons.sums.tiled_reduction.nest import Parts, assignments, parts, read_loop
from skeletons.sums.tiled_reduction.recognise import variables
from species.core.refusal import Refusal
from species.source.syntax.expressions import (
    FLOATS,
    NotPlain,
    array_of,
    check_plain,
    elements,
    names,
    parse_statement,
    steps_by_one,
    subscripts,
    text_of,
    type_of,
    walk,
)
from species.source.text.code import names_in

FEWEST = 32  # steps for a team to share
_SUMMED = (*FLOATS, *COUNTERS)


@dataclass(frozen=True)
class TeamSum:
    """`target += ...`, its canonical type, and the tree of the statement with the target's nodes."""

    target: str
    ctype: str
    statement: Any
    places: frozenset[int]  # ids of the nodes that are the target


@dataclass(frozen=True)
class TeamSums:
    """The parts of an iteration; `along`: neighbouring steps, not iterations, read neighbours in memory."""

    before: str
    after: str
    depth: DepthLoop
    sums: tuple[TeamSum, ...]
    along: bool

    @property
    def has_point(self) -> bool:
        """Is a floating-point number summed up?"""
        return any(each.ctype in FLOATS for each in self.sums)


def recognise(subject: Subject) -> TeamSums:
    """The sums; Refusal says why the kernel has none that a team could make.

    The analysis has shown that the iterations of the base loop are independent of each other.
    """
    if len(subject.kernel.loops) != 1 or len(subject.spread) != 1:
        raise Refusal("it takes one base loop")
    check_iterations(subject)
    reason = "no inner loop sums"
    for found in parts(subject.body):
        try:
            return _Recogniser(subject, found).sums()
        except NotPlain as obstacle:
            reason = str(obstacle)
    raise Refusal(reason)


class _Recogniser:
    def __init__(self, subject: Subject, found: Parts) -> None:
        self.subject, self.found = subject, found
        self.names = Names(subject, found)
        self.base = subject.kernel.loops[0].iterator

    def sums(self) -> TeamSums:
        self.depth, statements = read_loop(self.names.plain_nest(), self.names.privates)
        self.inner = {self.depth.iterator: self.depth.ctype}
        types = dict[str, str]()
        for statement in statements:
            types |= self.names.types(statement.lvalue, self.inner)
        self._check_depth(types)
        found = tuple(self._sum(statement, types) for statement in statements)
        self._check_targets(found)
        self._check_stores(found)
        return TeamSums(self.found.before, self.found.after, self.depth, found, self._is_along(found))

    # The loop that is shared

    def _check_depth(self, types: Mapping[str, str]) -> None:
        loop = self.depth
        if loop.iterator in self.subject.iterators or self.base in self.subject.redeclared:
            raise NotPlain("two loops share an iterator")
        late = {*names_in(self.found.after), *self.subject.macro_names(self.found.after)}
        if loop.iterator in late and loop.iterator in self.names.privates:
            raise NotPlain(f"{loop.iterator} is used after the inner loop")
        check_counter(loop)
        check_bounds(loop, self._bound(loop.lower, types), self._bound(loop.bound, types))
        if loop.lower.isdecimal() and loop.bound.isdecimal() and self._steps() < FEWEST:
            raise NotPlain(f"{self._steps()} steps are too few for a team")

    def _steps(self) -> int:
        return (int(self.depth.bound) - int(self.depth.lower)) // self.depth.step

    def _bound(self, text: str, types: Mapping[str, str]) -> str:
        """The type of a bound, which no iteration of the inner loop changes."""
        tree = parse_statement(text)
        if any(True for _ in elements(tree)):
            raise NotPlain(f"the bounds of {self.depth.iterator} are found in an array")
        self._check_names(set(names(tree)))
        return type_of(tree, types)

    # What is summed up

    def _sum(self, statement: Any, types: Mapping[str, str]) -> TeamSum:
        target = text_of(statement.lvalue)
        check_plain(statement.lvalue)
        check_plain(statement.rvalue, choices=True)
        self._check_target(statement.lvalue)
        ctype = type_of(statement.lvalue, types)
        if ctype not in _SUMMED:
            raise NotPlain(f"{target} is {ctype}")
        places = {id(node) for node in walk(statement.rvalue) if text_of(node) == target}
        if statement.op == "=" and not self._adds(statement.rvalue, target):
            raise NotPlain(f"`{text_of(statement)}` does not add to {target}")
        if statement.op not in ("=", "+=", "-=") or len(places) != (statement.op == "="):
            raise NotPlain(f"`{text_of(statement)}` does not only add")
        for part in walk(statement.rvalue):
            if (
                isinstance(part, c_ast.BinaryOp)
                and part.op in ("/", "%")
                and type_of(part, types) not in FLOATS
            ):
                raise NotPlain(f"`{text_of(part)}` divides whole numbers")
        for element in elements(statement.rvalue):
            check_element(self.subject, element)
        self._check_names(set(variables(statement.rvalue)) - {target, *self.inner})
        return TeamSum(target, ctype, statement, frozenset({*places, id(statement.lvalue)}))

    def _adds(self, node: Any, target: str) -> bool:
        """Is the target one of the terms that `node` adds up?"""
        if isinstance(node, c_ast.BinaryOp) and node.op in ("+", "-"):
            return self._adds(node.left, target) or (node.op == "+" and self._adds(node.right, target))
        return text_of(node) == target

    def _check_target(self, target: Any) -> None:
        if isinstance(target, c_ast.ID):
            return
        if not isinstance(target, c_ast.ArrayRef):
            raise NotPlain(f"`{text_of(target)}` is neither an element nor a variable")
        check_element(self.subject, target)
        if any(True for subscript in subscripts(target) for _ in elements(subscript)):
            raise NotPlain(f"`{text_of(target)}` is found through another array")
        if self.base not in names(target) or set(self.inner) & names(target):
            raise NotPlain(f"`{text_of(target)}` is no element of the iteration")
        self._check_names(set(variables(target)))

    def _check_names(self, used: set[str]) -> None:
        """They are no arrays, and have one value in all of an iteration."""
        for name in sorted(used - {self.base}):
            if name in self.subject.arrays:
                raise NotPlain(f"{name} is used without subscripts")
            if not self.names.is_fixed(name):
                raise NotPlain(f"{name} is no variable that keeps its value")

    # What the parts have to do with each other

    def _check_targets(self, found: tuple[TeamSum, ...]) -> None:
        """Nothing but the sums themselves uses what is added to."""
        for each in found:
            name = _base_name(each.statement.lvalue)
            for other in found:
                own = other.places if other is each else frozenset[int]()
                if name in _names_but(other.statement, own):
                    raise NotPlain(f"{name} is used beside the sum {each.target}")
            if name in names_in(f"{self.depth.lower} {self.depth.bound}"):
                raise NotPlain(f"{name} is used beside the sum {each.target}")

    def _check_stores(self, found: tuple[TeamSum, ...]) -> None:
        """What stands before the loop is done after it: it stores to nothing that the loop reads."""
        read = {array_of(e) for each in found for e in elements(each.statement.rvalue)}
        read -= {_base_name(each.statement.lvalue) for each in found}
        written = {name for name in read if self.subject.arrays[name].writes is not None}
        if written & _stored(self.found.before, written):
            raise NotPlain(f"{', '.join(sorted(written))} may be written before the inner loop")

    def _is_along(self, found: tuple[TeamSum, ...]) -> bool:
        """Do more elements follow the inner loop in memory than follow the base loop?"""
        read = [element for each in found for element in elements(each.statement.rvalue)]
        moved = [e for e in read if {self.base, self.depth.iterator} <= names(e)]
        down = sum(steps_by_one(element, self.base) for element in moved)
        return sum(steps_by_one(element, self.depth.iterator) for element in moved) >= down


def _base_name(node: Any) -> str:
    return str(node.name) if isinstance(node, c_ast.ID) else array_of(node)


def _names_but(node: Any, left_out: frozenset[int]) -> set[str]:
    """The identifiers under `node`, those of some of its parts left out."""
    if id(node) in left_out:
        return set()
    own = {str(node.name)} if isinstance(node, c_ast.ID) else set[str]()
    return own.union(*(_names_but(child, left_out) for _, child in node.children()))


def _stored(text: str, arrays: set[str]) -> set[str]:
    """Those of the arrays that statements may store to; all of them where one cannot tell."""
    if not arrays & set(names_in(text)):
        return set()
    found = set[str]()
    for node in _assigned(text):
        if node is None:
            return arrays
        found |= {part.name for part in walk(node) if isinstance(part, c_ast.ID)}
    return found & arrays


def _assigned(text: str) -> Iterator[Any]:
    """What statements assign to; None where that is not known."""
    try:
        yield from assignments(text)
    except NotPlain:
        yield None
