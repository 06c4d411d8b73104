"""Takes the body of a loop apart: loops that stand free, and stretches in between that stay together."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from pycparser import c_ast

from species.source.tree import walk


@dataclass(frozen=True)
class Leaf:
    """Consecutive items of a block that run together; loops among them included."""

    items: tuple[Any, ...]

    def holds(self) -> frozenset[int]:
        """The identities of all nodes inside."""
        return frozenset(id(n) for item in self.items for n in walk(item))


def parts(body: Any, is_free: Callable[[int], bool], shared: Callable[[Any], frozenset[Any]]) -> list[Any]:
    """A loop's body as `For` nodes, where `is_free` says so of their identities, and leaves.

    Items that name a common variable of those that `shared` gives stay together, with all between them:
    it has another value in every iteration, so that nothing of it may be moved apart.
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


def _joined(named: list[frozenset[Any]]) -> list[tuple[int, int]]:
    """Ranges of positions, such that what is named in one is named in no other."""
    groups: list[tuple[int, int]] = []
    for position, names in enumerate(named):
        start = position
        for name in names:
            start = min(start, next(k for k, other in enumerate(named) if name in other))
        while groups and groups[-1][1] >= start:
            start = min(start, groups.pop()[0])
        groups.append((start, position))
    return groups
