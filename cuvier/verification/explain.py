"""Tells rounding, undefined values and programs that differ from themselves from errors.

Each rule takes what is left of the places where a variable differs, and gives back what it does not explain.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

from cuvier.verification.compare import Found, Places, difference, differing
from cuvier.verification.evidence import Evidence
from cuvier.verification.record import FLOATING, Record, Slot, values_of
from cuvier.verification.result import Cause, Item
from cuvier.verification.sensitivity import Sensitivity
from cuvier.verification.trial import Trial


@dataclass(frozen=True)
class Tolerance:
    """What sums may differ by if `--strict-fp` makes them equal: times the element, or the largest around."""

    relative: float
    floor: float


TOLERANCES = {"f": Tolerance(1e-4, 1e-6), "d": Tolerance(1e-9, 1e-12), "l": Tolerance(1e-9, 1e-12)}
_FILLS = (0xC7, 0xFE)  # what guard.c and the compiler put into memory that was never written


class Explainer:
    """For the records of two programs."""

    def __init__(self, original: Record, evidence: Evidence) -> None:
        self._original, self._evidence = original, evidence

    def item(self, found: Found) -> Item:
        """What became of the variable."""
        if not found.places:
            return found.item
        return _Explanation(self._original, self._evidence, found).item()


class _Explanation:
    """Of one variable."""

    def __init__(self, original: Record, evidence: Evidence, found: Found) -> None:
        self._original, self._evidence, self._found = original, evidence, found
        self._tolerance: float | None = None
        self._note = found.item.note

    def item(self) -> Item:
        """The item with the causes of what differs, or with the first place that no rule explains."""
        left, causes = self._found.places, []
        rounding = (self._functions, self._sums)
        if self._evidence.accelerator and self._evidence.hosted:
            rounding = (self._sums, self._functions)
        for rule in (*rounding, self._itself, self._unwritten, self._strict, self._compiler):
            if not left:
                break
            cause, rest = rule(left)
            causes += [cause] if rest != left and cause not in causes else []
            left = rest
        item = replace(
            self._found.item,
            differing=len({place // self._per_element for place in self._found.places.final}),
            causes=tuple(causes),
            tolerance=self._tolerance,
            note=self._note,
        )
        return self._wrong(item, left) if left else item

    @property
    def _per_element(self) -> int:
        return self._found.original.per_element if self._found.original else 1

    @property
    def _slots(self) -> tuple[Slot, Slot] | None:
        """Both, where their states can be compared."""
        ours, theirs = self._found.original, self._found.generated
        return (ours, theirs) if ours is not None and theirs is not None else None

    def _wrong(self, item: Item, left: Places) -> Item:
        item = replace(item, ok=False, causes=(*item.causes, Cause.ERROR), note=left.shape)
        if left.shape or self._slots is None:
            return item
        ours, theirs = self._slots
        for places, a, b, note in (
            (left.final, ours.final, theirs.final, ""),
            (left.first, ours.first, theirs.first, "after the first execution; equal after the last"),
        ):
            if places:
                count = len({place // ours.per_element for place in places})
                return replace(item, differing=count, first=difference(ours, min(places), a, b), note=note)
        execution = min(left.between) + 1
        note = f"differs after execution {execution} of {ours.executions}; equal after the last"
        return replace(item, note=note)

    # Rounding

    def _functions(self, left: Places) -> tuple[Cause, Places]:
        """What other mathematical functions may differ by."""
        return Cause.FUNCTIONS, self._rounding(left, self._evidence.functions, lambda: self._reaches)

    def _sums(self, left: Places) -> tuple[Cause, Places]:
        """What sums in another order may differ by."""
        return Cause.SUMS, self._rounding(left, self._evidence.sums, lambda: False)

    def _rounding(self, left: Places, trials: Sequence[Trial], reaches: Callable[[], bool]) -> Places:
        """What is not explained by how far other roundings have reached in trials."""
        samples = _slots(self._found.key, trials)
        if self._slots is None or not samples or not self._rounded(self._slots[0].executions - 1):
            return left
        ours, theirs = self._slots
        shape = "" if any(differing(ours, each).shape for each in samples) else left.shape
        states = [each.final for each in samples]
        final, first = self._measured(left.final, ours.final, theirs.final, states, reaches), left.first
        if self._rounded(ours.recorded[0]):
            states = [each.first for each in samples]
            first = self._measured(first, ours.first, theirs.first, states, reaches)
        between = left.between
        if between and (any(differing(ours, each) for each in samples) or reaches()):
            between = frozenset(k for k in between if not self._rounded(k))
        return Places(final, first, between, shape)

    def _measured(
        self,
        places: frozenset[int],
        state: bytes,
        theirs: bytes,
        samples: Sequence[bytes],
        reaches: Callable[[], bool],
    ) -> frozenset[int]:
        """The places that are not explained by what samples differ by."""
        if not places or self._found.original is None:
            return places
        found = Sensitivity(self._found.original, state, samples)
        explained = found.explain(places, theirs)
        if explained.left and reaches():
            explained = found.explain(places, theirs, depends=True)
        if len(explained.left) < len(places):
            self._tolerance = max(self._tolerance or 0.0, explained.tolerance)
            if found.depends and found.says_little(explained.tolerance):
                self._note = "rounding decides what it holds, so this says little"
        return explained.left

    def _rounded(self, execution: int) -> bool:
        """May the values that this execution left differ by rounding at all?"""
        assert self._slots is not None
        return execution >= min(each.rounded for each in self._slots)

    @cached_property
    def _reaches(self) -> bool:
        """Does the variable depend on mathematical functions, if only on errors too small to show?"""
        large = self._evidence.exaggerated
        samples = _slots(self._found.key, [large] if large is not None else [])
        return any(differing(self._found.original, each) for each in samples)

    # Programs that are not defined

    def _itself(self, left: Places) -> tuple[Cause, Places]:
        """A variable that differs when the original is run twice is not compared."""
        again = self._evidence.again
        if again is None or again.record is None:
            return Cause.ITSELF, left
        differs = differing(self._found.original, again.record.slots.get(self._found.key))
        return Cause.ITSELF, Places() if differs else left

    def _unwritten(self, left: Places) -> tuple[Cause, Places]:
        """Elements that depend on what is in memory that nobody has written."""
        filled = self._evidence.filled
        if filled is None or filled.record is None or self._slots is None:
            return Cause.UNWRITTEN, left
        ours = self._slots[0]
        theirs = filled.record.slots.get(self._found.key)
        undefined = differing(ours, theirs)
        if undefined.shape:
            return Cause.UNWRITTEN, Places()
        return Cause.UNWRITTEN, Places(
            left.final - self._undefined(ours, undefined.final, ours.final),
            left.first - self._undefined(ours, undefined.first, ours.first),
            left.between - undefined.between,
            left.shape,
        )

    def _undefined(self, ours: Slot, places: frozenset[int], state: bytes) -> frozenset[int]:
        """The places; on a host, what the generated program alone has written is no excuse."""
        if self._evidence.accelerator:
            return places
        size = max(ours.element, 1)
        pieces = ((place, place // ours.per_element * size) for place in places)
        return frozenset(place for place, at in pieces if not _is_fill(state[at : at + size]))

    # What it takes other builds to know

    def _strict(self, left: Places) -> tuple[Cause, Places]:
        """Sums that are near each other, and equal if they are computed in order."""
        if self._slots is None or left.shape or not self._rounded(self._slots[0].executions - 1):
            return Cause.SUMS, left
        ours, theirs = self._slots
        near = all(
            self._near(ours, place, a, b)
            for places, a, b in (
                (left.final, ours.final, theirs.final),
                (left.first, ours.first, theirs.first),
            )
            for place in places
        )
        if not near or not all(map(self._rounded, left.between)):
            return Cause.SUMS, left
        if self._evidence.threads_add or (self._evidence.sums and self._evidence.strict):
            self._tolerance = max(self._tolerance or 0.0, self._largest * _tolerance(ours).relative)
            return Cause.SUMS, Places()
        return Cause.SUMS, left

    def _near(self, ours: Slot, place: int, state: bytes, other: bytes) -> bool:
        size = max(ours.element, 1)
        at, k = place // ours.per_element * size, place % ours.per_element
        a, b = (values_of(ours, each[at : at + size])[k] for each in (state, other))
        if not isinstance(a, float) or not isinstance(b, float):
            return False
        tolerance = _tolerance(ours)
        return close(a, b, tolerance.relative, tolerance.floor * self._largest)

    @cached_property
    def _largest(self) -> float:
        """The largest finite number that the kernel's variables hold."""
        slots = [s for s in self._original.slots.values() if s.site == self._found.key[0]]
        values = (v for s in slots for state in (s.first, s.last) for v in _numbers(s, state))
        return max((abs(v) for v in values if math.isfinite(v)), default=0.0)

    def _compiler(self, left: Places) -> tuple[Cause, Places]:
        """The original leaves the same as the generated program, if it is built in another way."""
        for trial in self._evidence.rebuilt:
            if trial.record is not None:
                theirs = trial.record.slots.get(self._found.key)
                if not differing(self._found.generated, theirs):
                    return Cause.COMPILER, Places()
        return Cause.COMPILER, left


def _slots(key: tuple[str, str], trials: Iterable[Trial]) -> list[Slot]:
    found = (trial.record.slots.get(key) for trial in trials if trial.record is not None)
    return [slot for slot in found if slot is not None]


def _numbers(slot: Slot, state: bytes) -> Iterable[float]:
    if slot.kind in FLOATING or slot.numbers:
        return (v for v in values_of(slot, state) if isinstance(v, float))
    return ()


def _tolerance(slot: Slot) -> Tolerance:
    return TOLERANCES.get(slot.kind.lower(), TOLERANCES["d"])


def _is_fill(piece: bytes) -> bool:
    return len(set(piece)) == 1 and piece[0] in _FILLS


def close(a: float, b: float, relative: float, least: float = 0.0) -> bool:
    """Whether two finite numbers are near each other (infinite ones and NaNs must be the same)."""
    if not (math.isfinite(a) and math.isfinite(b)):
        return a == b or (math.isnan(a) and math.isnan(b))
    return abs(a - b) <= max(relative * max(abs(a), abs(b)), least)
