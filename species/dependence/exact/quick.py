"""The quick path of the exact dependence test: by elimination, without isl."""

from __future__ import annotations

from collections.abc import Hashable
from itertools import product

from species.sets.affine import Affine, Atom, Counter, Value
from species.sets.conditions import Condition
from species.sets.elimination import Contradiction, Elimination, System, Undecided, alternatives

Interval = tuple[int | None, int | None]


class Meeting:
    """Two references with subscripts that must be equal, the second in a later iteration of `loop`."""

    def __init__(
        self, loop: int, inner: frozenset[int], equations: tuple[tuple[Affine, Affine], ...]
    ) -> None:
        self._loop, self._inner, self._equations = loop, inner, equations

    def distances(
        self, source: tuple[Condition, ...], sink: tuple[Condition, ...]
    ) -> tuple[bool, int | None]:
        """Can they meet, and at which one distance?  Raises `Undecided`."""
        found: list[Interval] = []
        sinks = list(alternatives(sink))
        for first, second in product(alternatives(source), sinks):
            try:
                found.append(self._interval(first, second))
            except Contradiction:
                continue
        lows, highs = {low for low, _ in found}, {high for _, high in found}
        single = lows == highs and len(lows) == 1
        return bool(found), lows.pop() if single else None

    def _interval(self, source: tuple[Condition, ...], sink: tuple[Condition, ...]) -> Interval:
        """The least and the greatest distance; raises `Contradiction` where they never meet."""
        system = System()
        distance = system.variable("distance")
        for condition in source:
            system.add(condition, _here)
        for condition in sink:
            system.add(condition, self._there)
        for a, b in self._equations:
            self._equate(system, a, b)
        self._measure(system, distance)
        for key, number in list(system.numbers.items()):
            if isinstance(key, tuple) and _at_least_zero(key[0]):
                system.inequalities.append(({number: 1}, 0))
        return _range(system, distance)

    def _there(self, atom: Atom) -> Hashable:
        return atom, bool(atom.loops & self._inner)

    def _equate(self, system: System, a: Affine, b: Affine) -> None:
        (left, j), (right, k) = system.linear(a, _here), system.linear(b, self._there)
        difference = {v: left.get(v, 0) - right.get(v, 0) for v in (*left, *right)}
        system.equations.append((difference, j - k))

    def _measure(self, system: System, distance: int) -> None:
        """`distance = later iteration - earlier iteration`, at least one."""
        counter = Counter(self._loop)
        earlier, later = system.variable(_here(counter)), system.variable(self._there(counter))
        system.equations.append(({later: 1, earlier: -1, distance: -1}, 0))
        system.inequalities.append(({distance: 1}, -1))


def _here(atom: Atom) -> Hashable:
    return atom, False


def _at_least_zero(atom: object) -> bool:
    return isinstance(atom, Counter) or (isinstance(atom, Value) and atom.ctype.unsigned)


def _range(system: System, distance: int) -> Interval:
    elimination = Elimination(system)
    elimination.eliminate(v for v in range(len(system.numbers)) if v != distance)
    low = max((-k for row, k in elimination.rows.items() if row[distance] > 0), default=None)
    high = min((k for row, k in elimination.rows.items() if row[distance] < 0), default=None)
    if low is not None and high is not None and low > high:
        raise Contradiction
    if not elimination.exact:
        raise Undecided
    return low, high


def fixed_distances(
    loops: tuple[int, ...], varying: frozenset[int], equations: tuple[tuple[Affine, Affine], ...]
) -> tuple[int, ...] | None:
    """Sink minus source in each loop, where subscripts such as `a[i][j]` and `a[i - 1][j]` settle them all.

    `varying` are the loops whose iterations may differ between the two.
    """
    found: dict[int, int] = {}
    for source, sink in equations:
        moving = [(atom, c) for atom, c in source.terms if atom.loops & varying]
        difference = source - sink
        if difference.terms or len(moving) != 1:
            continue
        [(counter, coefficient)] = moving
        if not isinstance(counter, Counter):
            continue
        if difference.constant % coefficient:
            return None  # they never meet
        distance = difference.constant // coefficient
        if found.setdefault(counter.loop, distance) != distance:
            return None
    return tuple(found[n] for n in loops) if found.keys() >= set(loops) else None
