"""Which calls of a file's functions may execute which others, and what is true of all of them together."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from functools import cached_property
from typing import Generic, TypeVar

T = TypeVar("T")  # what is told apart: copies of functions


class CallGraph(Generic[T]):
    """`inner` gives the instances that the calls in one may start; None where others may be."""

    def __init__(self, instances: Iterable[T], inner: Callable[[T], set[T] | None]) -> None:
        self._inner = {each: inner(each) for each in instances}

    def executed(self, started: Iterable[T]) -> set[T] | None:
        """The instances that calls of some may execute, themselves included; None where others may be."""
        found = {*started}
        pending = [*found]
        while pending:
            inner = self._inner[pending.pop()]
            if inner is None:
                return None
            pending += inner - found
            found |= inner
        return found

    def is_cycle(self, one: T, other: T) -> bool:
        """May an instance lead to another one that leads to it?"""
        return self._component[one] == self._component[other]

    def leads_back(self, instance: T) -> bool:
        """May an instance lead to itself, or to what nobody knows?"""
        inner = self._inner[instance]
        known = self.joined(lambda _: 0)[instance] is not None
        return inner is None or not known or any(self.is_cycle(instance, each) for each in inner)

    def joined(self, value: Callable[[T], int | None]) -> dict[T, int | None]:
        """The bits of all that each instance may execute, itself included; None where one has none."""
        found: dict[T, int | None] = {}
        for component in self._components:
            bits: int | None = 0
            for member in component:
                inner = self._inner[member]
                others = (found.get(each, 0) for each in inner) if inner is not None else (None,)
                for more in (value(member), *others):
                    bits = bits | more if bits is not None and more is not None else None
            found.update(dict.fromkeys(component, bits))
        return found

    @cached_property
    def _component(self) -> dict[T, int]:
        return {member: k for k, each in enumerate(self._components) for member in each}

    @cached_property
    def _components(self) -> list[list[T]]:
        """Groups of instances that lead to each other, each behind those that it leads to (Sharir 1981)."""
        forward = {each: inner or set() for each, inner in self._inner.items()}
        backward: dict[T, set[T]] = {each: set() for each in forward}
        for each, inner in forward.items():
            for callee in inner:
                backward[callee].add(each)
        seen = set[T]()
        order = [each for root in forward for each in _last_first(root, forward, seen)]
        seen = set()
        groups = [[*_last_first(each, backward, seen)] for each in reversed(order)]
        return [group for group in reversed(groups) if group]


def _last_first(start: T, edges: dict[T, set[T]], seen: set[T]) -> Iterator[T]:
    """What an instance leads to that has not been seen, each behind what it leads to itself."""
    pending = [(start, False)]
    while pending:
        each, is_left = pending.pop()
        if is_left:
            yield each
        elif each not in seen:
            seen.add(each)
            pending.append((each, True))
            pending += [(other, False) for other in edges[each]]
