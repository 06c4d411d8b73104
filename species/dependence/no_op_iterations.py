"""Iterations that store nothing: of `if (d[i][k] + d[k][j] < d[i][j]) d[i][j] = ..`, that of i = k.

The others read the row k.  It stays as it is where `d[k][k]` is not negative: then a sum of it and a number
is no less than that number (R. W. Floyd, Algorithm 97, 1962).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from species.dependence.exact.dependence_test import Dependence
from species.dependence.findings import Finding
from species.dependence.guards import Guards
from species.loops.model import Loop, Reference


@dataclass(frozen=True)
class Idle:
    """An iteration that stores nothing if what `read` finds, before the loop, compares so with zero.

    `relation`: ">=" or "<=".  The `dependences` are all with that iteration; `finding` if it cannot be asked.
    """

    read: Reference
    relation: str
    dependences: tuple[Dependence, ...]
    finding: Finding


def idle(
    loop: Loop, dependences: Sequence[Dependence], references: Sequence[Reference], finding: Finding
) -> list[Idle]:
    """What makes the iterations idle that the dependences are with; nothing where another one may store."""
    guards = [*Guards(loop, references).found()]
    found: dict[tuple[object, str], Idle] = {}
    for dependence in dependences:
        guard = next((g for g in guards if g.explains(loop, dependence)), None)
        if guard is None:
            return []
        key = guard.read.place, guard.relation
        before = found[key].dependences if key in found else ()
        found[key] = Idle(guard.read, guard.relation, (*before, dependence), finding)
    return list(found.values())
