"""Compares the records of two programs, variable by variable and bit by bit (all NaNs are one value)."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace

from cuvier.verification.record import Record, Slot, values_of
from cuvier.verification.result import Difference, Item
from species.core.positions import Position

Value = float | int | bytes
_STEP = 1 << 13  # elements: what is equal is passed over in pieces


@dataclass(frozen=True)
class Places:
    """Where two states of a variable differ; `index` counts the values of `values_of`."""

    final: frozenset[int] = frozenset()  # after the last execution
    first: frozenset[int] = frozenset()  # after the first
    between: frozenset[int] = frozenset()  # executions whose states are gone: their hashes differ
    shape: str = ""  # what the two have not in common, in words

    def __bool__(self) -> bool:
        return bool(self.final or self.first or self.between or self.shape)


@dataclass(frozen=True)
class Found:
    """One variable after one kernel, in both programs, and where it differs."""

    key: tuple[str, str]
    item: Item
    original: Slot | None
    generated: Slot | None
    places: Places = field(default_factory=Places)


def compare_records(
    original: Record, generated: Record, positions: Mapping[str, Position]
) -> tuple[Found, ...]:
    """One for each variable and kernel that either program recorded; `positions` by kernel name."""
    keys = list(original.slots) + [key for key in generated.slots if key not in original.slots]
    return tuple(_compared(key, original.slots.get(key), generated.slots.get(key), positions) for key in keys)


def _compared(
    key: tuple[str, str], ours: Slot | None, theirs: Slot | None, positions: Mapping[str, Position]
) -> Found:
    known = ours or theirs
    assert known is not None
    item = Item(
        kernel=None if known.site == "-" else known.site,
        name=known.name,
        position=positions.get(known.site),
        executions=known.executions,
        elements=len(known.final) // max(known.element, 1),
        compared=len(known.recorded),
    )
    if not item.elements:
        why = "these are addresses" if known.kind == "p" else "its size is not known"
        item = replace(item, note=f"not compared: {why}")
    return Found(key, item, ours, theirs, differing(ours, theirs))


def differing(ours: Slot | None, theirs: Slot | None) -> Places:
    """Where two records of a variable differ."""
    if ours is None or theirs is None:
        return Places() if ours is theirs else Places(shape=_missing(ours))
    return Places(
        final=frozenset(differing_values(ours, ours.final, theirs.final)),
        first=frozenset(differing_values(ours, ours.first, theirs.first) if ours.last else ()),
        between=frozenset(_differing_hashes(ours, theirs)),
        shape=_shape(ours, theirs),
    )


def _missing(ours: Slot | None) -> str:
    return f"reached by the {'generated' if ours is None else 'original'} program only"


def _shape(ours: Slot, theirs: Slot) -> str:
    if ours.executions != theirs.executions:
        return f"the kernel was executed {ours.executions} and {theirs.executions} times"
    if len(ours.final) != len(theirs.final) or len(ours.first) != len(theirs.first):
        return f"the sizes differ: {len(ours.final)} and {len(theirs.final)} bytes"
    return ""


def _differing_hashes(ours: Slot, theirs: Slot) -> Iterator[int]:
    for execution in ours.recorded[1:-1]:
        if execution in theirs.hashes and ours.hashes[execution] != theirs.hashes[execution]:
            yield execution


def differing_values(slot: Slot, ours: bytes, theirs: bytes) -> Iterator[int]:
    """The places of values that differ, in states of one size."""
    if ours == theirs or len(ours) != len(theirs):
        return
    step = _STEP * max(slot.element, 1)
    for at in range(0, len(ours), step):
        a, b = ours[at : at + step], theirs[at : at + step]
        if a != b:
            base = at // max(slot.element, 1) * slot.per_element
            pairs = zip(values_of(slot, a), values_of(slot, b), strict=False)
            yield from (base + k for k, (x, y) in enumerate(pairs) if not same(x, y))


def difference(slot: Slot, place: int, ours: bytes, theirs: bytes) -> Difference:
    """The element at a place, in both states."""
    size, element = max(slot.element, 1), place // slot.per_element
    index = () if len(ours) == slot.element and not slot.lengths else slot.index(element)
    pieces = (state[element * size : (element + 1) * size] for state in (ours, theirs))
    a, b = (values_of(slot, piece) for piece in pieces)
    return Difference(index, *(_text(slot, values, place % slot.per_element) for values in (a, b)))


def _text(slot: Slot, values: Sequence[Value], place: int) -> str:
    if slot.kind in "FDL":
        return f"{_shown(slot, values[0])} + {_shown(slot, values[1])}i"
    return _shown(slot, values[place])


def _shown(slot: Slot, value: Value) -> str:
    if isinstance(value, bytes):
        return value.hex()
    return f"{value:.9g}" if slot.kind in "fF" else repr(value)


def same(a: Value, b: Value) -> bool:
    """Equal bits, or two NaNs."""
    if isinstance(a, float) and isinstance(b, float):
        return (a == b and math.copysign(1.0, a) == math.copysign(1.0, b)) or (
            math.isnan(a) and math.isnan(b)
        )
    return a == b
