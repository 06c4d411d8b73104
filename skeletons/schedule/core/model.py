"""A static control part with its dependences: the ground on which transformations are decided."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import replace
from functools import cached_property

import islpy as isl

from models.machine import DEFAULT, Machine
from skeletons.schedule.core.tree import (
    Band,
    Domains,
    Leaf,
    Part,
    Sequence,
    Tree,
    bands,
    sequence,
    statements,
)
from skeletons.schedule.core.walk import places
from species.facts import Scop, ScopAccess, ScopLoop, ScopNode, ScopStatement

Counts = Callable[[ScopStatement, ScopAccess], bool]


class ScopModel:
    """Statements, the original tree, and all pairs of iterations whose order counts."""

    def __init__(
        self,
        scop: Scop,
        machine: Machine = DEFAULT,
        wanted: frozenset[str] = frozenset(),
        ignored: frozenset[str] = frozenset(),
    ) -> None:
        """`wanted` are the transformations that are to be made whatever their measures say, `ignored` arrays
        that no statement is to be thought to touch.
        """
        self.scop, self.machine, self.wanted, self.ignored = scop, machine, wanted, ignored
        self.statements = {s.name: s for s in scop.statements()}
        self._origins: dict[str, str] = {}  # of statements that are parts of others
        self.context = isl.Set(scop.context)
        sets = {
            name: isl.Set(s.domain).coalesce().intersect_params(self.context)
            for name, s in self.statements.items()
        }
        self.domains = Domains(sets, {name: s.iterators for name, s in self.statements.items()})

    def ignoring(self, arrays: frozenset[str]) -> ScopModel:
        """The same, as if no statement touched these arrays."""
        new = ScopModel(self.scop, self.machine, self.wanted, arrays)
        new.statements, new.domains, new._origins = self.statements, self.domains, self._origins
        new.order = self.order
        return new

    def divided(self, name: str, other: str, part: isl.Set) -> ScopModel:
        """The same, with a part of the iterations of a statement in another one that does the same."""
        new = ScopModel(self.scop, self.machine, self.wanted, self.ignored)
        new._origins = {**self._origins, other: self._origins.get(name, name)}
        rest, moved = self.domains.sets[name].subtract(part).coalesce(), part.coalesce().set_tuple_name(other)
        sets = {**self.domains.sets, name: rest, other: moved}
        one = self.statements[name]
        new.statements = self.statements | {
            name: replace(one, domain=str(rest)),
            other: replace(
                one, name=other, domain=str(moved), accesses=tuple(_of(other, a) for a in one.accesses)
            ),
        }
        new.domains = Domains(sets, {n: s.iterators for n, s in new.statements.items()})
        names = isl.UnionMap.from_map(part.identity().set_tuple_name(isl.dim_type.out, other))
        for each in self.statements:
            names = names.union(isl.UnionMap.from_map(sets[each].identity()))
        new.order = self.order.intersect_domain(self.domains.union(self.statements)).apply_domain(names)
        return new

    def united(self, statement: ScopStatement, other: str, moved: isl.Map) -> ScopModel:
        """The same, with iterations of another statement in a statement of ours: `moved` says as which."""
        new = ScopModel(self.scop, self.machine, self.wanted, self.ignored)
        new._origins = self._origins
        new.statements = {n: s for n, s in self.statements.items() if n != other} | {
            statement.name: statement
        }
        sets = {n: self.domains.sets[n] for n in new.statements}
        sets[statement.name] = isl.Set(statement.domain).intersect_params(self.context)
        new.domains = Domains(sets, {name: s.iterators for name, s in new.statements.items()})
        names = isl.UnionMap.from_map(moved)
        for name in new.statements:
            names = names.union(isl.UnionMap.from_map(self.domains.sets[name].identity()))
        new.order = self.order.intersect_domain(self.domains.union(self.statements)).apply_domain(names)
        return new

    @cached_property
    def order(self) -> isl.UnionMap:
        """The order of all iterations in the source."""
        return self.schedule_map(self.original)

    @cached_property
    def original(self) -> Tree:
        """The loops and statements as they are in the source."""
        return sequence([_tree(node, ()) for node in self.scop.nodes])

    def loops_around(self, name: str) -> tuple[ScopLoop, ...]:
        """The loops of the source around a statement, outermost first."""
        known = self._origins.get(name, name)
        return next(path for node in self.scop.nodes if (path := _path(node, known)) is not None)

    @cached_property
    def loops(self) -> dict[str, ScopLoop]:
        """A loop of the source for every iterator's name (the first one)."""
        found: dict[str, ScopLoop] = {}
        pending = list(self.scop.nodes)
        while pending:
            node = pending.pop(0)
            if isinstance(node, ScopLoop):
                found.setdefault(node.iterator, node)
                pending += node.children
        return found

    def schedule_map(self, tree: Tree) -> isl.UnionMap:
        """The order of all iterations under a tree."""
        return self.domains.schedule(tree).get_map()

    @cached_property
    def dependences(self) -> isl.UnionMap:
        """Pairs of iterations, the first before the second, that touch a cell which one of them writes."""
        return self.dependences_of(lambda statement, access: True)

    def dependences_of(self, counts: Counts) -> isl.UnionMap:
        """As `dependences`, between the accesses for which `counts(statement, access)` says so."""
        return self._in_order(self._pairs(counts, counts))

    def dependences_between(self, first: Counts, second: Counts) -> isl.UnionMap:
        """As `dependences`, between accesses of one kind and those of another."""
        pairs = self._pairs(first, second)
        return self._in_order(pairs.union(pairs.reverse()))

    def _pairs(self, first: Counts, second: Counts) -> isl.UnionMap:
        """Iterations that touch a common cell, the first one or the second one writing it."""
        reads, writes = self.accesses(first, write=False), self.accesses(first, write=True)
        others = self.accesses(second, write=True)
        everything = others.union(self.accesses(second, write=False))
        return writes.apply_range(everything.reverse()).union(reads.apply_range(others.reverse()))

    def _in_order(self, pairs: isl.UnionMap) -> isl.UnionMap:
        result = isl.UnionMap("{ }")
        for pair, first, second in _timed(pairs, self.order):
            result = result.union(isl.UnionMap.from_map(pair.intersect(first.lex_lt_map(second))))
        return result.coalesce()

    def accesses(self, counts: Counts = lambda *_: True, *, write: bool) -> isl.UnionMap:
        """The cells that iterations read, or write, by the accesses for which `counts(statement, access)`."""
        result = isl.UnionMap("{ }")
        for name, statement in self.statements.items():
            for access in statement.accesses:
                if access.array in self.ignored:
                    continue
                if access.write == write and counts(statement, access):
                    relation = isl.Map(access.relation).intersect_domain(self.domains.sets[name])
                    result = result.union(isl.UnionMap.from_map(relation))
        return result

    def written(self, array: str, names: Iterable[str] | None = None) -> isl.Set:
        """The cells of an array that are written, by all statements or by some."""
        writers = [self.statements[name] for name in names] if names is not None else self.statements.values()
        accesses = ((s, a) for s in writers for a in s.accesses if a.write and a.array == array)
        cells = [isl.Map(a.relation).intersect_domain(self.domains.sets[s.name]).range() for s, a in accesses]
        result = cells[0]
        for other in cells[1:]:
            result = result.union(other)
        return result

    def is_legal(self, tree: Tree, dependences: isl.UnionMap | None = None) -> bool:
        """Does every iteration still run after all those that it depends on?"""
        pairs = self.dependences if dependences is None else dependences
        timed = _timed(pairs, self.schedule_map(tree))
        return all(pair.intersect(first.lex_ge_map(second)).is_empty() for pair, first, second in timed)

    def is_parallel(self, tree: Tree, loop: Band, dependences: isl.UnionMap | None = None) -> bool:
        """May the iterations of one of the tree's loops run at the same time?"""
        pairs = self._within(tree, loop, self.dependences if dependences is None else dependences)
        return bool(pairs.is_subset(_equal(self._values(loop, set(statements(loop))))))

    def goes_forward(self, tree: Tree, loop: Band, values: Mapping[str, str]) -> bool:
        """Does no dependence within a run of a loop of the tree lead to a smaller one of the `values`?

        These are isl text over the iterators of each statement that the loop runs.
        """
        timed = self._values(replace(loop, of=values), set(values))
        later = timed.apply_range(isl.UnionMap("{ [a] -> [b] : b >= a }")).apply_range(timed.reverse())
        return bool(self._within(tree, loop, self.dependences).is_subset(later))

    def _within(self, tree: Tree, loop: Band, pairs: isl.UnionMap) -> isl.UnionMap:
        """Those of the pairs of which both run in one run of a loop of the tree."""
        outer_loops = around(tree, loop)
        assert outer_loops is not None and sum(band is loop for band in bands(tree)) == 1
        inside, names = self.inside(tree, loop), set(statements(loop))
        pairs = pairs.intersect_domain(inside).intersect_range(inside)
        for outer in outer_loops:
            pairs = pairs.intersect(_equal(self._values(outer, names)))
        return pairs

    def inside(self, tree: Tree, loop: Band) -> isl.UnionSet:
        """The iterations that a loop of a tree runs: not all of its statements', within parts."""
        result = self.domains.union(statements(loop))
        for part in parts_around(tree, loop):
            result = result.intersect(self.domains.part(part.where))
        return result

    def repeats(self, loop: Band) -> bool:
        """Can the loop have more than one value?"""
        values = self.values_of(loop)
        return not values.is_singleton() and not values.is_empty()

    def values_of(self, loop: Band) -> isl.Set:
        """The values that a loop runs through, whatever the loops around it are."""
        values = self._values(loop, set(loop.of)).intersect_domain(self.domains.union(loop.of)).range()
        return isl.Set("{ [value] : false }") if values.is_empty() else isl.Set.from_union_set(values)

    def _values(self, band: Band, names: set[str]) -> isl.UnionMap:
        parts = [f"{self.domains.tuple_of(s)} -> [({e})]" for s, e in band.of.items() if s in names]
        return isl.UnionMap(f"{self.domains.parameters}{{ {'; '.join(parts)} }}")


def _of(statement: str, access: ScopAccess) -> ScopAccess:
    """An access as that of another statement with the same iterators."""
    return replace(access, relation=str(isl.Map(access.relation).set_tuple_name(isl.dim_type.in_, statement)))


def _timed(pairs: isl.UnionMap, order: isl.UnionMap) -> Iterator[tuple[isl.Map, isl.Map, isl.Map]]:
    """For every two statements the pairs of their iterations, and when those of either one run.

    (To look at two statements at a time is far less work for isl than to look at all at once.)
    """
    times = {time.get_tuple_name(isl.dim_type.in_): time for time in _maps(order)}
    for pair in _maps(pairs):
        ends = (pair.get_tuple_name(kind) for kind in (isl.dim_type.in_, isl.dim_type.out))
        first, second = map(times.get, ends)
        if first is not None and second is not None:
            yield pair, first, second


def _maps(union: isl.UnionMap) -> list[isl.Map]:
    found: list[isl.Map] = []
    union.foreach_map(found.append)
    return found


def _equal(values: isl.UnionMap) -> isl.UnionMap:
    return values.apply_range(values.reverse())


def around(tree: Tree, loop: Band) -> tuple[Band, ...] | None:
    """The loops around a loop of the tree."""
    if tree is loop:
        return ()
    if isinstance(tree, Part):
        return around(tree.child, loop)
    if isinstance(tree, Band):
        found = around(tree.child, loop)
        return None if found is None else (tree, *found)
    if isinstance(tree, Sequence):
        return next((f for c in tree.children if (f := around(c, loop)) is not None), None)
    return None


def _tree(node: ScopNode, loops: tuple[ScopLoop, ...]) -> Tree:
    if isinstance(node, ScopStatement):
        return Leaf(node.name)
    child = sequence([_tree(part, (*loops, node)) for part in node.children])
    sign = "-" if node.step < 0 else ""
    return Band(node.iterator, dict.fromkeys(statements(child), f"{sign}{node.iterator}"), child)


def parts_around(tree: Tree, loop: Band) -> list[Part]:
    """The parts that a loop of the tree stands in."""
    return [p for p, _ in places(tree) if isinstance(p, Part) and around(p.child, loop) is not None]


def _path(node: ScopNode, name: str) -> tuple[ScopLoop, ...] | None:
    if isinstance(node, ScopStatement):
        return () if node.name == name else None
    found = next((path for child in node.children if (path := _path(child, name)) is not None), None)
    return None if found is None else (node, *found)
