"""How far rounding reaches, measured: what the original leaves when its roundings are made others.

A sample is a state of a variable in a run of the original whose mathematical functions, or sums, were off by
as much as those of a device or of another order may be (perturb.c).  What never differs in a sample does not
depend on them, and must be equal.  Of what differs, an element may differ by `MARGIN` times

- what it differs by in the samples, or
- what nearly all elements of the variable differ by, absolutely and relative to themselves.

Where rounding decides (a comparison, a conversion to an integer), few elements differ by much: no more than
`MARGIN` times as many as in the samples may, and by no more than those do.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property

from cuvier.verification.compare import Value, same
from cuvier.verification.record import Slot, values_of

MARGIN = 4
_NEARLY_ALL = 0.95
_CHAOS = 0.1  # values that differ by more than this, relative to themselves, have no digits left to compare
_MOST = 100_000  # values that are looked at to find out what nearly all differ by
_ULPS = {"f": 2 * 2.0**-23, "d": 2 * 2.0**-52, "l": 2 * 2.0**-52}


@dataclass(frozen=True)
class Explained:
    """What rounding does not explain, and the largest difference that was allowed for what it does."""

    left: frozenset[int]
    tolerance: float


class Sensitivity:
    """Of one state of a variable."""

    def __init__(self, slot: Slot, state: bytes, samples: Sequence[bytes]) -> None:
        self._slot, self._state = slot, state
        self._decoded: dict[int, Sequence[Value]] = {}  # by the identity of a state
        self._samples = [each for each in samples if len(each) == len(state) and each != state]

    @property
    def depends(self) -> bool:
        """Does any sample differ?"""
        return bool(self._samples)

    def says_little(self, tolerance: float) -> bool:
        """Is a tolerance of the size of the values themselves?"""
        sizes = (size for each in self._deviations for _, size in each)
        return tolerance >= 0.1 * max(sizes, default=0.0) > 0

    def explain(self, places: frozenset[int], theirs: bytes, *, depends: bool = False) -> Explained:
        """Which of the places, at which another state differs, it does not explain.

        With `depends`, the variable is known to depend on what was perturbed, though no sample may show it.
        """
        if not (self._samples or depends) or len(theirs) != len(self._state):
            return Explained(places, 0.0)
        allowed = 0.0
        far: list[int] = []
        for place, ours, other in self._pairs(places, theirs):
            tolerance = self._tolerance(place, ours)
            if distance(ours, other) <= tolerance:
                allowed = max(allowed, tolerance)
            else:
                far.append(place)
        few = [place for place in far if self._is_decision(place, theirs)]
        if few and len(few) == len(far) <= MARGIN * self._decisions + (MARGIN if self._decisions else 0):
            return Explained(frozenset(), max(allowed, self._largest))
        return Explained(frozenset(far), allowed)

    def _pairs(self, places: Iterable[int], theirs: bytes) -> Iterator[tuple[int, Value, Value]]:
        for place in sorted(places):
            yield place, self._value(self._state, place), self._value(theirs, place)

    def _value(self, state: bytes, place: int) -> Value:
        """The value at a place; states of plain numbers are decoded once."""
        if self._slot.kind not in "lLb":
            key = id(state)
            if key not in self._decoded:
                self._decoded[key] = values_of(self._slot, state)
            return self._decoded[key][place]
        size, per = max(self._slot.element, 1), self._slot.per_element
        at = place // per * size
        return values_of(self._slot, state[at : at + size])[place % per]

    def _tolerance(self, place: int, value: Value) -> float:
        if isinstance(value, bytes):
            return 0.0
        own = max((distance(value, self._value(s, place)) for s in self._samples), default=0.0)
        size = abs(value) if math.isfinite(value) else 0.0
        usual = _bound(self._usual[place % self._slot.per_element], size) if self._samples else 0.0
        last = _ULPS.get(self._slot.kind.lower(), _ULPS["d"]) * size if isinstance(value, float) else 0.0
        return MARGIN * max(own if math.isfinite(own) else 0.0, usual) + last

    def _is_decision(self, place: int, theirs: bytes) -> bool:
        """Does it differ by no more than others do where rounding decides?"""
        found = distance(self._value(self._state, place), self._value(theirs, place))
        return found <= MARGIN * self._largest

    @cached_property
    def _deviations(self) -> list[list[tuple[float, float]]]:
        """Distance and size of the values that are looked at, of each number of a structure by itself."""
        found: list[tuple[float, float]] = []
        for at, size in self._pieces() if self._samples else ():
            ours = values_of(self._slot, self._state[at : at + size])
            others = [values_of(self._slot, each[at : at + size]) for each in self._samples]
            found += map(_deviation, ours, *others)
        return [found[k :: self._slot.per_element] for k in range(self._slot.per_element)]

    def _pieces(self) -> Iterator[tuple[int, int]]:
        """Offset and bytes of parts of the state: all of it, or some of it all over."""
        element = max(self._slot.element, 1)
        count = len(self._state) // element
        step = 64 if count * self._slot.per_element > _MOST else max(count, 1)
        skip = max(1, count * self._slot.per_element // _MOST)
        for at in range(0, count, step * skip):
            yield at * element, step * element

    @cached_property
    def _skipped(self) -> int:
        count = len(self._state) // max(self._slot.element, 1) * self._slot.per_element
        return max(1, count // _MOST)

    @cached_property
    def _usual(self) -> list[tuple[float, float]]:
        """What nearly all values differ by: absolutely, and relative to themselves."""
        return [_most_differ(each) for each in self._deviations]

    @cached_property
    def _unusual(self) -> list[float]:
        pairs = zip(self._usual, self._deviations, strict=True)
        return [d for usual, each in pairs for d, size in each if _is_unusual(usual, d, size)]

    @property
    def _decisions(self) -> int:
        """How many values differ by more than usual."""
        return len(self._unusual) * self._skipped

    @property
    def _largest(self) -> float:
        return max(self._unusual, default=0.0)


def _bound(usual: tuple[float, float], size: float) -> float:
    absolute, relative = usual
    return absolute if relative > _CHAOS else min(absolute, relative * size)


def _is_unusual(usual: tuple[float, float], deviation: float, size: float) -> bool:
    """Is it more than nearly all values differ by, absolutely and relative to themselves?"""
    absolute, relative = usual
    return deviation > MARGIN * (absolute if relative > _CHAOS else max(absolute, relative * size))


def distance(a: Value, b: Value) -> float:
    """Between two numbers; infinite where one is none and they are not the same."""
    if same(a, b):
        return 0.0
    if isinstance(a, bytes) or isinstance(b, bytes):
        return math.inf
    found = abs(a - b)
    return float(found) if math.isfinite(found) else math.inf


def _deviation(ours: Value, *others: Value) -> tuple[float, float]:
    size = 0.0 if isinstance(ours, bytes) or not math.isfinite(ours) else abs(float(ours))
    return max(distance(ours, other) for other in others), size


def _most_differ(deviations: Sequence[tuple[float, float]]) -> tuple[float, float]:
    absolute = [distance for distance, _ in deviations]
    relative = [d / size if size else (math.inf if d else 0.0) for d, size in deviations]
    return _quantile(absolute), _quantile(relative)


def _quantile(values: Sequence[float]) -> float:
    ordered = sorted(values)
    return ordered[min(len(ordered) - 1, int(_NEARLY_ALL * len(ordered)))] if ordered else 0.0
