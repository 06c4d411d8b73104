"""Pointers that are one of two: into the same object, or to rows of one table, `r ? row[r - 1] : row[r]`."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

from species.loops import expressions as ex
from species.loops.environment import Known
from species.loops.model import PathStep, Place, Pointer
from species.sets.affine import Affine


@dataclass(frozen=True)
class Alternatives:
    """`chosen` is one of two numbers, if it has a name, and `value` what is in a place of memory."""

    chosen: Callable[[Affine, Affine], Affine | None]
    value: Callable[[Place], Known]
    of_one_length: ex.Lengths

    def pointer(self, left: Pointer, right: Pointer) -> Pointer | None:
        """Either pointer; None where they lead to different objects."""
        if left.reach != right.reach or not ex.is_same_type(left.target, right.target, self.of_one_length):
            return None
        place, offset = self._place(left.place, right.place), self._step(left.offset, right.offset)
        if place is None or not isinstance(offset, Affine):
            return None
        return ex.retyped(replace(left, place=place, offset=offset), right.target)

    def _place(self, left: Place, right: Place) -> Place | None:
        if left.loose or right.loose or len(left.path) != len(right.path):
            return None
        steps = [self._step(a, b) for a, b in zip(left.path, right.path, strict=True)]
        path = tuple(step for step in steps if step is not None)
        if len(path) < len(steps):
            return None
        if replace(left, path=right.path) == right:
            return replace(left, path=path)
        return self._behind(left, right, path)

    def _behind(self, left: Place, right: Place, path: tuple[PathStep, ...]) -> Place | None:
        """The part of what either of two pointers in memory leads to, if they were read at the same time."""
        one, other = _read_from(left), _read_from(right)
        if one is None or other is None or one[0] != other[0] or left.ctype != right.ctype:
            return None
        table = self._place(one[1], other[1])
        found = self.value(table) if table is not None and table.ctype.kind == "pointer" else None
        read = _read_from(found.place) if isinstance(found, Pointer) else None
        if not isinstance(found, Pointer) or read is None or read[0] != one[0]:
            return None
        return replace(found.place, path=path, ctype=left.ctype)

    def _step(self, left: PathStep, right: PathStep) -> PathStep | None:
        if left == right:
            return left
        if isinstance(left, str) or isinstance(right, str):
            return None
        return self.chosen(left, right)


def _read_from(place: Place) -> tuple[object, Place] | None:
    """For what a pointer in memory leads to: when it was read, and the pointer's place."""
    key = place.base.key if place.base is not None else ()
    if key[:1] != ("entry",) or len(key) != 4 or not isinstance(key[2], Place):
        return None
    return key[1], key[2]
