"""Schedules as trees: in which order the statements of a static control part run, and in which loops.

A tree says for every statement which loops run it and in which order they stand; isl makes the union map
of it, by which legality is decided, and the syntax tree, from which C is printed.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property

import islpy as isl

from skeletons.schedule.core.marks import AnyMark


@dataclass(frozen=True)
class Leaf:
    """One statement, by its name in the sets."""

    statement: str


@dataclass(frozen=True)
class Sequence:
    """One after the other."""

    children: tuple[Tree, ...]


@dataclass(frozen=True)
class Band:
    """A loop.

    `of` gives, for each statement inside, the loop's value: isl text over the statement's iterators.
    `marks` are what the printer, or a later pass, should know of it.
    """

    name: str
    of: Mapping[str, str]
    child: Tree
    marks: frozenset[AnyMark] = field(default=frozenset())
    options: str = ""  # how isl shall print it: an isl set

    def marked(self, *marks: AnyMark) -> Band:
        """The same loop with further marks."""
        return replace(self, marks=self.marks | set(marks))


@dataclass(frozen=True)
class Part:
    """Some of the iterations: isl sets, by the name of the statement.

    Stands in sequences only, whose parts have no iteration in common.
    """

    child: Tree
    where: Mapping[str, str]


Tree = Leaf | Sequence | Band | Part


def statements(tree: Tree) -> Iterator[str]:
    """The names of the statements in a tree, in their order."""
    match tree:
        case Leaf(statement):
            yield statement
        case Band() | Part():
            yield from statements(tree.child)
        case Sequence(children):
            yield from dict.fromkeys(name for child in children for name in statements(child))


def sequence(children: list[Tree]) -> Tree:
    """One after the other; a single one is itself, and sequences in it are merged."""
    flat: list[Tree] = []
    for child in children:
        flat += child.children if isinstance(child, Sequence) else (child,)
    return flat[0] if len(flat) == 1 else Sequence(tuple(flat))


def copied(tree: Tree) -> Tree:
    """The same tree of other objects: loops are told apart by identity, none may stand in a tree twice."""
    if isinstance(tree, Band | Part):
        return replace(tree, child=copied(tree.child))
    return Sequence(tuple(map(copied, tree.children))) if isinstance(tree, Sequence) else tree


def perfect(tree: Tree) -> tuple[tuple[Band, ...], Tree]:
    """The loops of which each directly holds the next, outermost first, and what the innermost repeats."""
    loops: list[Band] = []
    while isinstance(tree, Band):
        loops.append(tree)
        tree = tree.child
    return tuple(loops), tree


def any_marked(loops: Iterable[Band], *marks: AnyMark) -> bool:
    """Has one of the loops one of the marks?"""
    return any(loop.marks.intersection(marks) for loop in loops)


def nested(loops: tuple[Band, ...], inner: Tree) -> Tree:
    """Loops around something; each keeps what it says of the statements inside only."""
    names = set(statements(inner))
    for loop in reversed(loops):
        inner = replace(loop, child=inner, of={s: e for s, e in loop.of.items() if s in names})
    return inner


class Domains:
    """The statements of a static control part: their sets, by name."""

    def __init__(self, sets: Mapping[str, isl.Set], iterators: Mapping[str, tuple[str, ...]]) -> None:
        self.sets, self.iterators = sets, iterators

    @cached_property
    def parameters(self) -> str:
        """`[n, m] -> `, before the text of a relation: values of loops may be counted from parameters."""
        kind = isl.dim_type.param
        names = {own.get_dim_name(kind, k): 0 for own in self.sets.values() for k in range(own.dim(kind))}
        return f"[{', '.join(names)}] -> " if names else ""

    def tuple_of(self, statement: str) -> str:
        """`S0[i, j]`."""
        return f"{statement}[{', '.join(self.iterators[statement])}]"

    def union(self, names: Iterable[str]) -> isl.UnionSet:
        """The iterations of some statements together."""
        return _union(self.sets[name] for name in names)

    def part(self, where: Mapping[str, str]) -> isl.UnionSet:
        """The iterations of a part."""
        return _union(map(isl.Set, where.values()))

    def restricted(self, name: str, condition: str) -> isl.Set:
        """The iterations of a statement for which a condition holds."""
        return self.sets[name].intersect(self.where(name, condition))

    def where(self, name: str, condition: str) -> isl.Set:
        """All values of a statement's iterators for which a condition holds."""
        own = self.sets[name]
        count = own.dim(isl.dim_type.param)
        parameters = ", ".join(own.get_dim_name(isl.dim_type.param, k) for k in range(count))
        return isl.Set(f"[{parameters}] -> {{ {self.tuple_of(name)} : {condition} }}")

    def schedule(self, tree: Tree) -> isl.Schedule:
        """The tree as isl's schedule tree; marks of loops name their position among all loops (`L0`,
        `L1`, ...).
        """
        numbered = {id(band): f"L{k}" for k, band in enumerate(bands(tree))}
        text = f'{{ domain: "{self.union(statements(tree))}", child: {self._text(tree, numbered)} }}'
        return isl.Schedule.read_from_str(isl.DEFAULT_CONTEXT, text)

    def _text(self, tree: Tree, numbered: Mapping[int, str]) -> str:
        match tree:
            case Leaf():
                return "{ }"
            case Band():
                return self._band(tree, numbered)
            case Sequence(children):
                parts = (self._filter(child, numbered) for child in children)
                return f"{{ sequence: [ {', '.join(parts)} ] }}"
        raise TypeError(tree)

    def _filter(self, tree: Tree, numbered: Mapping[int, str]) -> str:
        filter_ = "{ " + "; ".join(self.tuple_of(name) for name in statements(tree)) + " }"
        if isinstance(tree, Part):
            filter_, tree = str(self.part(tree.where)), tree.child
        child = "" if isinstance(tree, Leaf) else f", child: {self._text(tree, numbered)}"
        return f'{{ filter: "{filter_}"{child} }}'

    def _band(self, band: Band, numbered: Mapping[int, str]) -> str:
        maps = "; ".join(f"{self.tuple_of(s)} -> [({band.of[s]})]" for s in statements(band.child))
        options = f', options: "{band.options}"' if band.options else ""
        child = "" if isinstance(band.child, Leaf) else f", child: {self._text(band.child, numbered)}"
        loop = f'{{ schedule: "{self.parameters}[{{ {maps} }}]"{options}{child} }}'
        return f'{{ mark: "{numbered[id(band)]}", child: {loop} }}'


def bands(tree: Tree) -> Iterator[Band]:
    """All loops of a tree, outer ones before inner ones."""
    match tree:
        case Band():
            yield tree
            yield from bands(tree.child)
        case Part(child):
            yield from bands(child)
        case Sequence(children):
            for child in children:
                yield from bands(child)


def _union(sets: Iterable[isl.Set]) -> isl.UnionSet:
    result = isl.UnionSet("{ }")
    for one in sets:
        result = result.union(isl.UnionSet.from_set(one))
    return result
