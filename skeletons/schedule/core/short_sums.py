"""Sums over a few neighbours, `for (k = i - 2; k <= i + 2; k++) b[i] += a[k]`: compilers unroll such loops,
keep the cell in a register, and make vectors of the loop around them.  Another order only makes more loops.
"""

from __future__ import annotations

from collections.abc import Sequence

from skeletons.schedule.core.model import ScopModel
from skeletons.schedule.core.reductions import cell, is_update, stays
from skeletons.schedule.core.shapes import position_of, trips
from skeletons.schedule.core.tree import Band, statements

MOST, LONGEST = 32, 17  # values, and iterations of a loop: as many as compilers unroll


def short_sums(model: ScopModel, loops: Sequence[Band]) -> int:
    """How many of the innermost loops of a perfect nest, together, add up a few values."""
    values, count = 1, 0
    for loop in reversed(loops):
        added = [_added(model, name, loop) for name in statements(loop)]
        if not added or not all(each is not None and each <= LONGEST for each in added):
            break
        values, count = values * max(each for each in added if each is not None), count + 1
    return count if values <= MOST else 0


def _added(model: ScopModel, name: str, loop: Band) -> int | None:
    """How many values a loop adds to a cell, whatever the loops around it; None where that is no number."""
    statement, position = model.statements[name], position_of(model, loop, name)
    if position is None or not is_update(statement) or not stays(cell(statement), statement, loop):
        return None
    return trips(model.domains.sets[name], position)
