"""Distance vectors: how far apart, loop by loop, the iterations are that depend on each other.

Of the iterations that touch one element, only neighbours in time count (seed 001, table 3.1: the write
before a read, the write after a read, the next write): all other dependences follow from these.  Where
it is not certain that the references are executed, or what they touch, all iterations count.
"""

from __future__ import annotations

from collections.abc import Callable, Collection
from dataclasses import dataclass

import islpy as isl

from species.core.budget import conservatively, early
from species.core.memo import remembered
from species.dependence.exact.dependence_test import bearing, meeting
from species.dependence.exact.quick import fixed_distances
from species.loops.model import Reference
from species.sets.affine import Affine, Counter, Value
from species.sets.conditions import Compare, Condition, Unknown, leaves
from species.sets.domains import Names, Printer, all_hold, limited

MOST_LOOPS = 12  # around a reference, from the top: every query takes isl a second where there are forty


@dataclass(frozen=True)
class Vector:
    """`distance` per loop (by number, outermost first) that is around both references of a dependence.

    None stands for a distance that varies.  A vector is lexicographically positive.
    """

    loops: tuple[int, ...]
    distance: tuple[int | None, ...]

    @property
    def is_constant(self) -> bool:
        return None not in self.distance

    def varying_in(self, strided: Collection[int]) -> Vector:
        """The vector where counters of these loops are no iterations, so that only zero is a distance."""
        pairs = zip(self.loops, self.distance, strict=True)
        return Vector(self.loops, tuple(None if d and n in strided else d for n, d in pairs))


def vector(source: Reference, sink: Reference, top: int, levels: frozenset[int]) -> Vector:
    """The distances from `source` to `sink` over their common loops from the loop `top` inwards.

    `levels` are the loops that carry the dependence.  In nests deeper than `MOST_LOOPS` nothing is known.
    """
    own = tuple(r.loops[r.loops.index(top) :] for r in (source, sink))
    common = tuple(a for a, b in zip(*own, strict=False) if a == b)
    unknown = (None,) * len(common)
    if max(map(len, own)) > MOST_LOOPS or not early():
        return Vector(common, unknown)
    equations = tuple(meeting(source.place, sink.place) or ())
    certain = _is_certain((source.conditions, sink.conditions), equations)
    nearest = ("sink" if not source.write else "source") if certain else None
    counters = (Affine.of(Counter(n)) for n in {*own[0], *own[1]})
    questions = (*(side for equation in equations for side in equation), *counters)
    conditions = tuple(bearing(questions, source, sink))
    question = _Question(own, len(common), levels, conditions, equations, nearest)
    return Vector(common, conservatively(lambda: _distances(question), unknown))


def _is_certain(
    conditions: tuple[tuple[Condition, ...], ...], equations: tuple[tuple[Affine, Affine], ...]
) -> bool:
    """Is the domain of both references known, and what they touch?"""
    known = [leaf for group in conditions for c in group for leaf in leaves(c)]
    if any(isinstance(leaf, Unknown) for leaf in known):
        return False
    compared = [leaf.expression for leaf in known if isinstance(leaf, Compare)]
    expressions = [*compared, *(side for pair in equations for side in pair)]
    return not any(isinstance(a, Value) and a.loops for e in expressions for a in e.atoms())


@dataclass(frozen=True)
class _Question:
    """Loops around source and sink (the first `common` are the same), where they meet, and which count.

    `nearest` "sink": of every source, the next sink; "source": of every sink, the source before it.
    """

    loops: tuple[tuple[int, ...], ...]
    common: int
    levels: frozenset[int]
    conditions: tuple[tuple[Condition, ...], ...]
    equations: tuple[tuple[Affine, Affine], ...]
    nearest: str | None


@remembered(20_000)
def _distances(question: _Question) -> tuple[int | None, ...]:
    loops = question.loops[0][: question.common]
    fixed = fixed_distances(loops, frozenset(question.loops[0] + question.loops[1]), question.equations)
    if fixed is not None and _is_carried(fixed, loops, question.levels):
        return fixed
    unknown = (None,) * question.common
    return limited(_query(question), when_exhausted=unknown)


def _is_carried(distances: tuple[int, ...], loops: tuple[int, ...], levels: frozenset[int]) -> bool:
    """Is the first distance that is not zero positive, and that of a loop that carries the dependence?"""
    first = next(((n, d) for n, d in zip(loops, distances, strict=True) if d), None)
    return first is not None and first[1] > 0 and first[0] in levels


def _query(question: _Question) -> Callable[[], tuple[int | None, ...]]:
    def query() -> tuple[int | None, ...]:
        deltas = _deltas(isl.Map(_text(question)), question.common, question.nearest)
        return tuple(_constant(deltas, k) for k in range(question.common))

    return query


def _deltas(pairs: isl.Map, common: int, nearest: str | None) -> isl.Set:
    """Sink minus source over the common loops."""
    if nearest == "source":
        pairs = pairs.reverse()
    pairs = _shortened(pairs, isl.dim_type.out, common)
    if nearest is not None:
        pairs = pairs.lexmin() if nearest == "sink" else pairs.lexmax()
    pairs = _shortened(pairs, isl.dim_type.in_, common)
    deltas = (pairs.reverse() if nearest == "source" else pairs).deltas()
    return deltas.project_out(isl.dim_type.param, 0, deltas.dim(isl.dim_type.param))


def _shortened(pairs: isl.Map, side: isl.dim_type, length: int) -> isl.Map:
    return pairs.project_out(side, length, pairs.dim(side) - length)


def _constant(deltas: isl.Set, dimension: int) -> int | None:
    low, high = deltas.dim_min_val(dimension), deltas.dim_max_val(dimension)
    return int(low.to_python()) if low.is_int() and low.eq(high) else None


def _text(question: _Question) -> str:
    """The pairs of iterations that touch one element, as isl's text."""
    inner = frozenset(question.loops[0] + question.loops[1])
    names = Names()
    printers = Printer(names), Printer(names, inner)
    here, there = (
        [names.name(Counter(n), primed) for n in loops]
        for loops, primed in zip(question.loops, (False, True), strict=True)
    )
    parts = [p.condition(c) for p, group in zip(printers, question.conditions, strict=True) for c in group]
    parts += [f"{printers[0].expression(a)} = {printers[1].expression(b)}" for a, b in question.equations]
    parts.append(_later(question, here, there))
    parts += names.natural()
    others = [(a, n) for (a, _), n in names.items() if n not in here and n not in there]
    fixed = ", ".join(n for a, n in others if not a.loops & inner)
    moving = ", ".join(n for a, n in others if a.loops & inner)
    condition = all_hold(parts)
    if moving:
        condition = f"exists ({moving} : {condition})"
    return f"[{fixed}] -> {{ [{', '.join(here)}] -> [{', '.join(there)}] : {condition} }}"


def _later(question: _Question, here: list[str], there: list[str]) -> str:
    """The sink is later in a loop that carries the dependence, and in the same iteration of those around."""
    cases = []
    for level in range(question.common):
        if question.loops[0][level] in question.levels:
            equal = [f"{here[k]} = {there[k]}" for k in range(level)]
            cases.append(" and ".join([*equal, f"{there[level]} > {here[level]}"]))
    return f"({' or '.join(f'({c})' for c in cases)})"
