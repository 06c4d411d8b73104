"""Variables whose value does not leave an iteration of a loop: each iteration may have its own."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping

from species.loops.model import Reference
from species.symbols.symbols import Symbol

IsPrivate = Callable[[Symbol, int], bool]  # has every iteration of a loop, by number, its own?


class Temporaries:
    """Variables that are declared inside of a loop, or written before they are read in every iteration.

    One that is used again and again may be such in several loops.
    """

    def __init__(
        self,
        declared: Mapping[Symbol, tuple[int, ...]],
        inside: Collection[int],
        references: Collection[Reference],
        is_private: IsPrivate,
    ) -> None:
        """`declared` gives the loops around declarations, `inside` the loops of the nests."""
        self._inside, self._is_private = inside, is_private
        local = {s: around for s, around in declared.items() if set(around) & set(inside)}
        self._loops = {s: frozenset(around[-1:]) for s, around in local.items()}
        for symbol in dict.fromkeys(r.symbol for r in references if r.write and r.symbol.is_scalar):
            own = [r for r in references if r.symbol is symbol and r.place.is_variable]
            if symbol not in self._loops and own:
                self._loops[symbol] = frozenset(self._found(symbol, [r.loops for r in own]))

    def _found(self, symbol: Symbol, paths: list[tuple[int, ...]]) -> Iterator[int]:
        """The innermost loops in each of which it is one, `paths` being the loops around its references."""
        for group in _groups(paths, 0):
            yield from self._cover(symbol, group)

    def _cover(self, symbol: Symbol, paths: list[tuple[int, ...]]) -> list[int]:
        """Loops in which it is one, that hold as many of the references as possible; they begin alike.

        Where it is used in a loop as well as in loops inside of that, it may be one in each of them.
        """
        common = _common(paths)
        parts = [self._cover(symbol, g) for g in _groups(paths, len(common))]
        found = [number for part in parts for number in part]
        if common not in paths and parts and all(parts):
            return found
        if common[-1] in self._inside and self._is_private(symbol, common[-1]):
            return [common[-1], *(found if common in paths else ())]
        return found if common not in paths else []

    def of(self, loop: int) -> tuple[Symbol, ...]:
        """Those of which every iteration of a loop has its own."""
        return tuple(symbol for symbol, loops in self._loops.items() if loop in loops)

    def __iter__(self) -> Iterator[Symbol]:
        return iter(self._loops)

    def holds(self, reference: Reference) -> bool:
        """Is the reference, or what it goes through, to such a variable?"""
        return bool(self._loops.get(reference.symbol, frozenset()) & set(reference.loops))


def _groups(paths: list[tuple[int, ...]], depth: int) -> list[list[tuple[int, ...]]]:
    """Paths with the same next loop together; those that end are left out."""
    groups: dict[int, list[tuple[int, ...]]] = {}
    for path in paths:
        if len(path) > depth:
            groups.setdefault(path[depth], []).append(path)
    return list(groups.values())


def _common(paths: list[tuple[int, ...]]) -> tuple[int, ...]:
    """The longest common beginning."""
    shortest = min(paths, key=len)
    for position, number in enumerate(shortest):
        if any(path[position] != number for path in paths):
            return shortest[:position]
    return shortest
