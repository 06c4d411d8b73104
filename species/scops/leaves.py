"""Takes the body of a loop apart: loops that stand free, and stretches in between that stay together."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from enum import Enum
from typing import Any

from pycparser import c_ast

from species.loops.model import Reference
from species.source.syntax.tree import walk
from species.symbols.symbols import Symbol


@dataclass(frozen=True)
class Leaf:
    """Consecutive items of a block that run together; loops among them included."""

    items: tuple[Any, ...]

    def holds(self) -> frozenset[int]:
        """The identities of all nodes inside."""
        return frozenset(id(n) for item in self.items for n in walk(item))


class Use(Enum):
    """What an item does with a variable: it may read a value from before, or only values of its own, the last
    of which takes the place of all older ones, or may do so.
    """

    READS = "reads"
    BEGINS = "begins"
    MAY_BEGIN = "may begin"


def parts(body: Any, is_free: Callable[[int], bool], shared: Callable[[Any], Mapping[Any, Use]]) -> list[Any]:
    """A loop's body as `For` nodes, where `is_free` says so of their identities, and leaves.

    Items that pass on a value of one of the variables that `shared` gives stay together, with all between
    them: it is another one in every iteration, so that nothing of it may be moved apart.
    """
    items = [i for i in items_of(body) if not isinstance(i, c_ast.EmptyStatement)]
    groups = _joined([shared(item) for item in items])
    found: list[Any] = []
    for first, last in groups:
        alone = first == last and isinstance(items[first], c_ast.For) and is_free(id(items[first]))
        found.append(items[first] if alone else Leaf(tuple(items[first : last + 1])))
    return found


def items_of(body: Any) -> list[Any]:
    """The statements and declarations of a block, or the one statement that there is."""
    if isinstance(body, c_ast.Compound):
        return list(body.block_items or [])
    return [body] if body is not None else []


def _joined(uses: list[Mapping[Any, Use]]) -> list[tuple[int, int]]:
    """Ranges of positions, such that no value goes from one to another."""
    groups: list[tuple[int, int]] = []
    since: dict[Any, int] = {}  # where the oldest value was written that a variable may still have
    for position, used in enumerate(uses):
        start = position
        for name, use in used.items():
            if use is Use.BEGINS:
                since[name] = position
            elif use is Use.READS:
                start = min(start, since.get(name, position))
            since.setdefault(name, position)
        while groups and groups[-1][1] >= start:
            start = min(start, groups.pop()[0])
        groups.append((start, position))
    return groups


def operator_of(references: list[Reference], relation: Callable[[Reference], str]) -> str | None:
    """The operator with which a statement combines one cell, if it writes nothing else.

    Other cells that it reads must not have the same `relation`: nobody could tell them from the one cell.
    """
    writes = [r for r in references if r.write]
    update = writes[0].update if len(writes) == 1 else None
    if update is None or update.is_place:
        return None
    place = writes[0].place
    same = [r for r in references if r.symbol is place.symbol and r.place.is_variable == place.is_variable]
    others = [r for r in same if r.place != place]
    if any(relation(other) == relation(writes[0]) for other in others):
        return None
    return update.operator if all(r in others or r.update == update for r in same) else None


def sums_of(references: Iterable[Reference]) -> Iterator[tuple[Reference, str]]:
    """The variables that a statement only combines with values, and the operators."""
    named: dict[Symbol, list[Reference]] = {}
    for reference in references:
        named.setdefault(reference.symbol, []).append(reference)
    for own in named.values():
        operators = {r.update.operator if r.update and not r.update.is_place else None for r in own}
        operator = operators.pop()
        if operator is not None and not operators and all(r.place.is_variable for r in own):
            yield own[0], operator
