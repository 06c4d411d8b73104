"""What has to hold at run time so that different names in a static control part are different memory."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from itertools import combinations, permutations
from typing import Any

from species.dependence.aliases import Relation, relation
from species.dependence.judge import Judge
from species.dependence.judgement import Judgement
from species.kernels.overlap_conditions import Reach, disjointness, reach
from species.loops.model import FunctionModel, Loop, Reference, nested
from species.scops.refused import Refused
from species.symbols.symbols import Symbol

Pair = tuple[Reference, Reference]
Objects = Mapping[tuple[Symbol, Any], list[Reference]]
MOST_NESTS, MOST_TESTS = 8, 16  # that are tested together, before them


def conditions_of(
    model: FunctionModel, judge: Judge, tops: Sequence[Loop], accesses: Sequence[Reference]
) -> tuple[str, ...]:
    """C texts; raises Refused where none says it.  `accesses` are all references of the loops `tops`."""
    found: list[str] = []
    for top in tops:
        trial = Judgement(top)
        objects = _objects(top, accesses)
        writes = (next((a for a in own if a.write), None) for own in objects.values())
        trial.overlaps += [(w, w) for w in writes if w is not None and w.symbol.table is not None]
        trial.overlaps += _meeting(objects, objects, (top,))
        if any(r.symbol.table is not None for pair in trial.overlaps for r in pair) and len(tops) > 1:
            raise Refused("rows of several nests may overlap")
        found += disjointness(model, judge, trial)
        if trial.findings:
            raise Refused(trial.findings[0].message)
    if len(tops) > 1:
        found += _between(model, judge, tops, accesses)
        _check(found, judge, tops)
    return tuple(dict.fromkeys(found))


def _objects(top: Loop, accesses: Sequence[Reference]) -> Objects:
    named: dict[tuple[Symbol, Any], list[Reference]] = {}
    for access in accesses:
        own = named.setdefault((access.symbol, access.place.base), [])
        if top.number in access.loops:
            own.append(access)
    return named


def _meeting(objects: Objects, others: Objects, tops: Sequence[Loop]) -> Iterator[Pair]:
    """For two different objects each a pair of references that may be to the same memory."""
    names = list(objects)  # the same in the others
    for first, second in combinations(names, 2):
        pairs = _pairs(objects[first], others[second])
        met = next((p for p in pairs if any(_may_meet(p, top) for top in tops)), None)
        if met is not None:
            yield met


def _between(
    model: FunctionModel, judge: Judge, tops: Sequence[Loop], accesses: Sequence[Reference]
) -> Iterator[str]:
    """That what one nest writes is not what another one touches by another name."""
    found: dict[tuple[int, Symbol, Any], Reach | None] = {}
    for one, other in permutations(tops, 2):
        for pair in _meeting(_objects(one, accesses), _objects(other, accesses), (one, other)):
            if len(tops) > MOST_NESTS:
                raise Refused("pointers of many nests may overlap")
            sides = []
            for top, reference in zip((one, other), pair, strict=True):
                key = (top.number, reference.symbol, reference.place.base)
                if key not in found:
                    found[key] = reach(model, judge, top, reference)
                sides.append(found[key])
            first, second = sides
            if first is None or second is None:
                raise Refused("pointers of several nests may overlap")
            yield first.apart(second)


def _check(tests: Sequence[str], judge: Judge, tops: Sequence[Loop]) -> None:
    """Raises Refused where tests that stand before all nests may not mean there what they do at each."""
    if len(set(tests)) > MOST_TESTS:
        raise Refused("there would be too much to test before several nests")
    references = (r for top in tops for r in judge.references(top))
    changed = {r.symbol.name for r in references if r.write and r.place.is_variable}
    changed |= {loop.iterator.name for top in tops for loop in nested(top) if loop.iterator is not None}
    for text in tests:
        if changed & set(re.findall(r"\w+", text)) or "[" in text:
            raise Refused("what pointers of several nests reach is not known before them")


def _may_meet(pair: Pair, top: Loop) -> bool:
    return relation(pair[0].place, pair[1].place, top) is not Relation.NONE


def _pairs(first: list[Reference], second: list[Reference]) -> Iterator[Pair]:
    yield from ((a, b) for a in first for b in second if a.write or b.write)
