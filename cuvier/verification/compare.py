"""Compares the records of two programs, variable by variable.

Everything is compared bit by bit (all NaNs are one value), except floating-point values that are recorded
after a kernel has combined floating-point numbers in another order (or, on an accelerator, called a
function of its own mathematical library).  These may differ by `Tolerance`: relative to the element, or
by a much smaller part of the largest value that the kernel's variables hold, for sums that cancel.
Integers and bytes are exact always.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from cuvier.verification.record import FLOATING, Record, Slot, values_of
from cuvier.verification.result import Difference, Item
from species.positions import Position

Value = float | int | bytes


@dataclass(frozen=True)
class Tolerance:
    """Largest differences that rounding explains: times the element, and times the largest value around."""

    relative: float
    floor: float


TOLERANCES = {
    "f": Tolerance(1e-4, 1e-6),
    "d": Tolerance(1e-9, 1e-12),
    "l": Tolerance(1e-9, 1e-12),
}


def compare_records(
    original: Record, generated: Record, positions: Mapping[str, Position]
) -> tuple[Item, ...]:
    """One item per variable and kernel that either program recorded; `positions` by kernel name."""
    keys = list(original.slots) + [key for key in generated.slots if key not in original.slots]
    return tuple(_compare_key(key, original, generated, positions) for key in keys)


def _compare_key(
    key: tuple[str, str], original: Record, generated: Record, positions: Mapping[str, Position]
) -> Item:
    ours, theirs = original.slots.get(key), generated.slots.get(key)
    known = ours or theirs
    assert known is not None
    item = Item(
        kernel=None if known.site == "-" else known.site,
        name=known.name,
        position=positions.get(known.site),
        executions=known.executions,
        elements=len(known.final) // max(known.element, 1),
        exact=True,
    )
    if ours is None or theirs is None:
        which = "original" if theirs is None else "generated"
        return replace(item, ok=False, note=f"reached by the {which} program only")
    return _Comparison(ours, theirs, _magnitude_around(ours.site, original)).fill(item)


@dataclass(frozen=True)
class _Magnitude:
    """The largest finite value at a kernel, computed when it is asked for."""

    slots: tuple[Slot, ...]

    def value(self) -> float:
        found = 0.0
        for slot in self.slots:
            for state in (slot.first, slot.last):
                finite = (abs(v) for v in _numbers(slot, state) if math.isfinite(v))
                found = max(found, max(finite, default=0.0))
        return found


def _magnitude_around(site: str, record: Record) -> _Magnitude:
    return _Magnitude(tuple(s for s in record.slots.values() if s.site == site and s.kind in FLOATING))


def _numbers(slot: Slot, state: bytes) -> Iterator[float]:
    return (v for v in values_of(slot, state) if isinstance(v, float))


@dataclass(frozen=True)
class _Comparison:
    original: Slot
    generated: Slot
    magnitude: _Magnitude

    def fill(self, item: Item) -> Item:
        """The item with the findings: the last state counts; then the first, then the hashes between."""
        if self.original.executions != self.generated.executions:
            counts = f"{self.original.executions} and {self.generated.executions}"
            return replace(item, ok=False, note=f"the kernel was executed {counts} times")
        if len(self.original.final) != len(self.generated.final):
            sizes = f"{len(self.original.final)} and {len(self.generated.final)}"
            return replace(item, ok=False, note=f"the sizes differ: {sizes} bytes")
        item = replace(item, exact=not self._tolerant(self.original.executions - 1))
        if not item.elements:
            known = "these are addresses" if self.original.kind == "p" else "its size is not known"
            return replace(item, note=f"not compared: {known}")
        rounded = self.original.hashes != self.generated.hashes
        equal = replace(item, note="equal but for rounding") if rounded else item
        return self._last(item) or self._first(item) or self._between(item) or equal

    def _tolerant(self, execution: int) -> bool:
        rounded = min(self.original.rounded, self.generated.rounded)
        return self.original.kind in FLOATING and execution >= rounded

    def _last(self, item: Item) -> Item | None:
        places = self._differing(self.original.final, self.generated.final, item.exact)
        return self._wrong(item, places, self.original.final, self.generated.final, "")

    def _first(self, item: Item) -> Item | None:
        ours, theirs = self.original.first, self.generated.first
        places = self._differing(ours, theirs, not self._tolerant(0))
        return self._wrong(item, places, ours, theirs, "after the first execution; equal after the last")

    def _wrong(self, item: Item, places: list[int], ours: bytes, theirs: bytes, note: str) -> Item | None:
        if not places:
            return None
        first = self._difference(places[0], values_of(self.original, ours), values_of(self.generated, theirs))
        return replace(item, ok=False, differing=len(places), first=first, note=note)

    def _between(self, item: Item) -> Item | None:
        """Executions whose states are gone: their hashes tell, where values must be exact."""
        for k in range(1, self.original.executions - 1):
            if self._tolerant(k):
                return None
            if self.original.hashes[8 * k : 8 * k + 8] != self.generated.hashes[8 * k : 8 * k + 8]:
                note = f"differs after execution {k + 1} of {item.executions}; equal after the last"
                return replace(item, ok=False, note=note)
        return None

    def _differing(self, ours: bytes, theirs: bytes, exact: bool) -> list[int]:
        """The places of values that differ (element places, for complex kinds too)."""
        if ours == theirs:
            return []
        pairs = zip(values_of(self.original, ours), values_of(self.generated, theirs), strict=False)
        suspects = [(k, a, b) for k, (a, b) in enumerate(pairs) if not same(a, b)]
        if exact:
            places = [k for k, _, _ in suspects]
        else:
            tolerance = TOLERANCES[self.original.kind.lower()]
            places = _beyond(suspects, tolerance, self.magnitude)
        per_element = 2 if self.original.kind in "FDL" else 1
        return sorted({place // per_element for place in places})

    def _difference(self, place: int, ours: Sequence[Value], theirs: Sequence[Value]) -> Difference:
        scalar = self.original.executions and len(self.original.final) == self.original.element
        index = () if scalar and not self.original.lengths else self.original.index(place)
        return Difference(index, self._text(ours, place), self._text(theirs, place))

    def _text(self, values: Sequence[Value], place: int) -> str:
        if self.original.kind in "FDL":
            return f"{self._shown(values[2 * place])} + {self._shown(values[2 * place + 1])}i"
        return self._shown(values[place])

    def _shown(self, value: Value) -> str:
        if isinstance(value, bytes):
            return value.hex()
        return f"{value:.9g}" if self.original.kind in "fF" else repr(value)


def same(a: Value, b: Value) -> bool:
    """Equal bits, or two NaNs."""
    if isinstance(a, float) and isinstance(b, float):
        return (a == b and math.copysign(1.0, a) == math.copysign(1.0, b)) or (
            math.isnan(a) and math.isnan(b)
        )
    return a == b


def _beyond(
    suspects: list[tuple[int, Value, Value]], tolerance: Tolerance, magnitude: _Magnitude
) -> list[int]:
    far = [
        (k, a, b)
        for k, a, b in suspects
        if isinstance(a, float) and isinstance(b, float) and not close(a, b, tolerance.relative)
    ]
    least = tolerance.floor * magnitude.value() if far else 0.0
    return [k for k, a, b in far if not abs(a - b) <= least]


def close(a: float, b: float, relative: float, least: float = 0.0) -> bool:
    """Whether two finite numbers are near each other (infinite ones and NaNs must be the same)."""
    if not (math.isfinite(a) and math.isfinite(b)):
        return a == b or (math.isnan(a) and math.isnan(b))
    return abs(a - b) <= max(relative * max(abs(a), abs(b)), least)
