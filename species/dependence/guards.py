"""Branches that a sum guards, `if (d[i][k] + d[k][j] < d[i][j])`: one term is the element itself at i = k."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from pycparser import c_ast

from species.dependence.exact.delinearise import split
from species.dependence.exact.dependence_test import Dependence, meeting
from species.loops.model import Loop, Reference, inner_loops
from species.sets.affine import Affine
from species.sets.conditions import rewritten
from species.sets.products import replaced
from species.source.syntax.tree import walk
from species.symbols.types import INT

_NOTHING = c_ast.EmptyStatement()  # what a variable holds before it is set
MOST_STEPS = 8  # through variables that hold parts of a sum


@dataclass(frozen=True)
class Guard:
    """A branch that is not taken in the iteration `at` (of the counter) if `read` compares with zero so."""

    branch: Any
    at: Affine
    read: Reference
    relation: str

    def explains(self, loop: Loop, dependence: Dependence) -> bool:
        """Is one of its ends a store of this branch in that iteration, and in no other?"""
        pairs = [*_equations(dependence.source, dependence.sink, inner_loops(loop))]
        ends = ((dependence.source, pairs), (dependence.sink, [(b, a) for a, b in pairs]))
        return any(self._stores(r) and self.at in (_fixed(loop, *p) for p in equal) for r, equal in ends)

    def _stores(self, reference: Reference) -> bool:
        return reference.write and _is_in(self.branch, reference)


class Guards:
    """The branches of a loop that a sum of an element and something else guards."""

    def __init__(self, loop: Loop, references: Sequence[Reference]) -> None:
        self._loop, self._inner = loop, inner_loops(loop)
        self._references = [r for r in references if not r.write and not r.place.is_variable]
        self._writes = [r for r in references if r.write]
        self._reads = {id(r.node): r for r in self._references}
        self._held = _held(loop.node)
        self._types = {r.symbol.name: r.place.ctype for r in references if r.write and r.place.is_variable}
        self._through: set[str] = set()  # the variables that were looked through

    def found(self) -> Iterator[Guard]:
        for node in walk(self._loop.node):
            if isinstance(node, c_ast.If):
                for sum_, kept, relation in _comparisons(node.cond):
                    yield from self._of(node.iftrue, sum_, kept, relation)

    def _of(self, branch: Any, sum_: Any, kept: Any, relation: str) -> Iterator[Guard]:
        """`if (sum_ < kept)`, where one term of the sum is `kept` itself in one iteration."""
        self._through = set()
        own, terms = self._read(kept), [self._read(term) for term in self._terms(sum_)]
        if own is None or len(terms) != 2 or not self._keeps_values(own, *terms):
            return
        for same, other in (terms, reversed(terms)):
            at = self._meets(own, same) if same is not None else None
            read = self._in(other, at) if at is not None and other is not None else None
            if at is not None and read is not None and self._changes_only(branch, own, read):
                yield Guard(branch, at, read, relation)

    def _changes_only(self, branch: Any, *read: Reference | None) -> bool:
        """Are all stores to what the comparison reads in the branch, so that nothing changes it before?"""
        symbols = {each.symbol for each in read if each is not None}
        return all(_is_in(branch, write) for write in self._writes if write.symbol in symbols)

    def _read(self, node: Any) -> Reference | None:
        return self._reads.get(id(self._value(node)))

    def _value(self, node: Any) -> Any:
        """What a variable holds that the loop sets once."""
        for _ in range(MOST_STEPS):
            if not isinstance(node, c_ast.ID) or self._held.get(node.name) is None:
                break
            self._through.add(node.name)
            node = self._held[node.name]
        return node

    def _keeps_values(self, *parts: Reference | None) -> bool:
        """Are the sum and its terms numbers that no addition, and no variable on the way, makes less?"""
        types = [part.place.ctype for part in parts if part is not None]
        held = [self._types.get(name) for name in self._through]
        known = [*types, *(ctype for ctype in held if ctype is not None)]
        alike = {(ctype.kind, ctype.is_integer and ctype.unsigned) for ctype in known}
        if len(types) != len(parts) or len(known) != len(types) + len(held) or len(alike) != 1:
            return False
        widest = max(INT.bits, *(ctype.bits for ctype in known))
        wide = all(ctype.bits == widest for ctype in known[len(types) :])
        return wide and types[0].is_number and alike == {(types[0].kind, False)}

    def _terms(self, node: Any) -> Iterator[Any]:
        node = self._value(node)
        if isinstance(node, c_ast.BinaryOp) and node.op == "+":
            yield from self._terms(node.left)
            yield from self._terms(node.right)
        else:
            yield node

    def _meets(self, own: Reference, other: Reference) -> Affine | None:
        """In which one iteration are both the same element, whatever the loops inside do?"""
        alike = own.symbol is other.symbol and own.place.base == other.place.base
        if not alike or own.loops != other.loops or own.place.loose or other.place.loose:
            return None
        pairs = [*_equations(own, other, self._inner)]
        found = {_fixed(self._loop, a, b) for a, b in pairs if a != b}
        return found.pop() if len(found) == 1 else None

    def _in(self, reference: Reference, at: Affine) -> Reference | None:
        """What the iteration reads there, if no loop inside moves it."""

        def change(expression: Affine) -> Affine:
            return replaced(expression, self._loop.counter, at)

        alike = (r for r in self._references if r.place == reference.place)
        first = min(alike, key=lambda r: len(r.conditions))
        path = tuple(change(s) if isinstance(s, Affine) else s for s in first.place.path)
        place = replace(first.place, path=path)
        conditions = tuple(rewritten(c, change) for c in first.conditions)
        moves = place.loops & self._inner or place.loose
        return None if moves else replace(first, place=place, conditions=conditions)


def _is_in(branch: Any, reference: Reference) -> bool:
    """Does the reference stand in the text of the branch?"""
    return reference.inlining is None and any(node is reference.node for node in walk(branch))


def _equations(a: Reference, b: Reference, inner: frozenset[int]) -> Iterator[tuple[Affine, Affine]]:
    for equation in meeting(a.place, b.place) or ():
        yield from split(equation, inner, a.conditions, b.conditions).equations


def _fixed(loop: Loop, moving: Affine, other: Affine) -> Affine | None:
    """The iteration of the loop in which both are equal, if the loops inside move neither."""
    step, inner = moving.coefficient(loop.counter), inner_loops(loop)
    rest = moving - Affine.of(loop.counter, step)
    if abs(step) != 1 or rest.loops & inner or other.loops & inner:
        return None
    return (other - rest).scaled(step)


def _comparisons(condition: Any) -> Iterator[tuple[Any, Any, str]]:
    """Of the comparisons that must all hold: the two sides, and what a term must be so that one does not."""
    if isinstance(condition, c_ast.BinaryOp) and condition.op == "&&":
        yield from _comparisons(condition.left)
        yield from _comparisons(condition.right)
    elif isinstance(condition, c_ast.BinaryOp) and condition.op in ("<", ">"):
        less, more = (condition.left, condition.right)[:: 1 if condition.op == "<" else -1]
        yield less, more, ">="
        yield more, less, "<="


def _held(loop: Any) -> Mapping[str, Any]:
    """By name: what the variables hold that are set in one place in a loop; None: in several."""
    found: dict[str, Any] = {}
    for node in walk(loop):
        match node:
            case c_ast.Decl(init=value) if node.name:
                found[node.name] = None if node.name in found else value or _NOTHING
            case c_ast.Assignment(lvalue=c_ast.ID(name=name)):
                is_first = found.get(name, _NOTHING) is _NOTHING
                found[name] = node.rvalue if node.op == "=" and is_first else None
            case c_ast.UnaryOp(op="++" | "p++" | "--" | "p--" | "&", expr=c_ast.ID(name=name)):
                found[name] = None
    return found
