"""What has to hold at run time so that different names in a static control part are different memory."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import combinations
from typing import Any

from species.dependence.aliases import Relation, relation
from species.dependence.judge import Judge
from species.dependence.judgement import Judgement
from species.loops.nest import FunctionModel, Loop, Reference
from species.loops.symbols import Symbol
from species.overlaps import disjointness
from species.scops.refused import Refused

Pair = tuple[Reference, Reference]


def conditions_of(
    model: FunctionModel, judge: Judge, tops: Sequence[Loop], accesses: Sequence[Reference]
) -> tuple[str, ...]:
    """C texts; raises Refused where none says it.  `accesses` are all references of the loops `tops`."""
    named: dict[tuple[Symbol, Any], list[Reference]] = {}
    for access in accesses:
        named.setdefault((access.symbol, access.place.base), []).append(access)
    found: list[str] = []
    for top in tops:
        trial = Judgement(top)
        writes = (next((a for a in accesses if a.write), None) for accesses in named.values())
        trial.overlaps += [(w, w) for w in writes if w is not None and w.symbol.table is not None]
        for first, second in combinations(list(named.values()), 2):
            met = next((p for p in _pairs(first, second) if _may_meet(p, top)), None)
            if met is not None:
                trial.overlaps.append(met)
        if trial.overlaps and len(tops) > 1:
            raise Refused("pointers of several nests may overlap")
        found += disjointness(model, judge, trial)
        if trial.findings:
            raise Refused(trial.findings[0].message)
    return tuple(found)


def _may_meet(pair: Pair, top: Loop) -> bool:
    return relation(pair[0].place, pair[1].place, top) is not Relation.NONE


def _pairs(first: list[Reference], second: list[Reference]) -> Iterator[Pair]:
    yield from ((a, b) for a in first for b in second if a.write or b.write)
