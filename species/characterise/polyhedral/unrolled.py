"""Artificial structure loops for what was unrolled by hand (seed 003, section 3.2.3, figure 3.10).

`a[i-1] + a[i] + a[i+1]` is read as a loop over k from -1 to 1 that reads `a[i+k]`.  The seed looks for
such offsets in one statement; here they may stand anywhere in the body, as in the theory of references.
"""

from __future__ import annotations

from dataclasses import replace

from species.characterise.polyhedral.access import Access, Bounds, Row, total
from species.sets.affine import Affine


def rolled_up(accesses: list[Access]) -> list[Access]:
    """Joins accesses at consecutive offsets to a fixpoint; equal ones become one."""
    pending = list(dict.fromkeys(accesses))
    position = 0
    while position < len(pending):
        first = pending[position]
        for other in pending[position + 1 :]:
            joined = _joined(first, other)
            if joined is not None:
                pending.remove(other)
                pending[position], position = joined, -1
                break
        position += 1
    return pending


def _joined(a: Access, b: Access) -> Access | None:
    """Both as one; the one with more structure loops describes both."""
    if sum(len(row.structure) for row in b.rows) > sum(len(row.structure) for row in a.rows):
        a, b = b, a
    alike = (a.name, a.write, a.operator, a.base_bounds) == (b.name, b.write, b.operator, b.base_bounds)
    if not alike or len(a.rows) != len(b.rows):
        return None
    rows = []
    for one, other in zip(a.rows, b.rows, strict=True):
        row = _joined_row((one, dict(a.bounds)), (other, dict(b.bounds)))
        if row is None:
            return None
        rows.append(row)
    return replace(a, rows=tuple(rows), exact=a.exact and b.exact)


def _joined_row(a: tuple[Row, Bounds], b: tuple[Row, Bounds]) -> Row | None:
    """The first row, widened, if one base iteration leaves no hole between what the two touch.

    Offsets are with respect to base loops: without any, the two must have elements in common.
    """
    (low_a, high_a), (low_b, high_b) = _touched(*a), _touched(*b)
    before, beyond, gaps = low_b - low_a, high_b - high_a, (low_b - high_a, low_a - high_b)
    if a[0].base != b[0].base or not (before.is_constant and beyond.is_constant):
        return None
    nearest = bool(a[0].base)
    if any(gap.is_constant and gap.constant > nearest for gap in gaps):
        return None
    first, last = a[0].unrolled
    return replace(a[0], unrolled=(first + min(0, before.constant), last + max(0, beyond.constant)))


def _touched(row: Row, bounds: Bounds) -> tuple[Affine, Affine]:
    """The first and the last element of one base iteration, all counters of base loops being zero."""
    low, high = total(row.structure, bounds)
    return row.constant + low + row.unrolled[0], row.constant + high + row.unrolled[1]
