"""Is a dependence there for certain?  Then the iterations must run in order; else that is only not excluded.

The dependence tests over-approximate: a reference under a condition on data, a subscript that a value of the
program decides, and a cell that the iteration may have written itself before it reads it count as dependent.
Here it is the other way round: a dependence is certain where it exists for all values of the parameters, as
soon as the loops around its two references make enough iterations.  Integer sets (isl) decide: the parameters
of long runs are a subset of those with the dependence.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from functools import partial

from species.core.budget import conservatively, early
from species.dependence.certainty.sets import Query, common, inside
from species.dependence.exact.delinearise import Equation, split
from species.dependence.exact.dependence_test import Dependence, meeting
from species.loops.model import FunctionModel, Loop, Reference, inner_loops
from species.sets.affine import Atom, Value
from species.sets.conditions import Condition, Unknown, atoms, leaves, rewritten
from species.sets.domains import limited

MOST_WRITES = 32  # that may come before a read in its iteration
MOST_TRIED = 16  # of the dependences of one object
SLACK = 8  # iterations more than the distance that make a run long


class Certainty:
    """Asks of dependences between the references of one loop, given what else may be written in it.

    `others` are writes to objects that may be the same memory.
    """

    def __init__(
        self,
        model: FunctionModel,
        loop: Loop,
        references: Sequence[Reference],
        others: Sequence[Reference] = (),
    ) -> None:
        self._model, self._loop, self._others = model, loop, others
        self._inner = inner_loops(loop)
        self._writes = [r for r in references if r.write]

    def any_certain(self, dependences: Iterable[Dependence]) -> bool:
        """Is one of them certain?  The plainest are tried; with little budget left, none is."""
        plain = [d for d in dependences if self._is_plain(d)]
        plain.sort(key=lambda d: (d.kind != "flow", d.distance is None, d.distance or 0))
        tried = plain[:MOST_TRIED] if early() else ()
        return any(conservatively(partial(self._is_certain, d), otherwise=False) for d in tried)

    def _is_plain(self, dependence: Dependence) -> bool:
        """Does a value move from one end to the other, and are both executed whenever integer sets say so?"""
        if not dependence.exact or dependence.kind == "output" or not _is_known(self._loop):
            return False  # (of what is only written, copies for every iteration might do)
        return all(self._is_executed(end) for end in (dependence.source, dependence.sink))

    def _is_executed(self, reference: Reference) -> bool:
        """Do its conditions say all of when it is executed, in terms of what the loop does not change?"""
        if not all(_is_known(self._model.numbered[n]) for n in self._own(reference)):
            return False
        own = reference.conditions[len(self._loop.conditions) :]
        if any(isinstance(leaf, Unknown) for condition in own for leaf in leaves(condition)):
            return False
        return not any(self._is_moving(atom) for condition in own for atom in atoms(condition))

    def _is_moving(self, atom: Atom) -> bool:
        return isinstance(atom, Value) and bool(atom.loops & self._inner)

    def _own(self, reference: Reference) -> tuple[int, ...]:
        return inside(self._loop.number, reference)

    def _is_certain(self, dependence: Dependence) -> bool:
        exposed = dependence.source if dependence.kind == "anti" else dependence.sink
        before = self._may_come_before(exposed)
        if any(w.symbol is not exposed.symbol or w.place.base != exposed.place.base for w in before):
            return False
        if len(before) > MOST_WRITES:
            return False
        pairs = self._pairs(dependence.source, dependence.sink)
        if pairs is None or any(self._is_moving(a) for pair in pairs for side in pair for a in side.atoms()):
            return False
        met = [(w, self._pairs(w, exposed)) for w in before]
        query = Query(self._loop.number, self._inner, exposed)
        there = query.dependence(dependence, pairs)
        killed = [query.killing(w, self._decided(e)) for w, e in met if e is not None]
        distance = dependence.distance or 1
        longs = [
            query.long_runs(self._loop.conditions, self._bounds(dependence), n)
            for n in (distance + SLACK, distance)
        ]
        return limited(lambda: query.holds(there, killed, longs), when_exhausted=False)

    def _pairs(self, first: Reference, second: Reference) -> list[Equation] | None:
        """What must be equal where both are one cell, flattened subscripts taken apart; None: never."""
        met = meeting(first.place, second.place)
        if met is None:
            return None
        ends = (first.conditions, second.conditions)
        return [part for equation in met for part in split(equation, self._inner, *ends).equations]

    def _decided(self, pairs: Iterable[Equation]) -> list[Equation]:
        return [pair for pair in pairs if not any(self._is_moving(a) for side in pair for a in side.atoms())]

    def _may_come_before(self, read: Reference) -> list[Reference]:
        """The writes of which some may be executed before the read in one iteration of the loop."""
        return [
            w
            for w in (*self._writes, *self._others)
            if w.order < read.order or common(self._own(w)[1:], self._own(read)[1:])
        ]

    def _bounds(self, dependence: Dependence) -> list[list[Condition]]:
        """For each end, the bounds of the loops around it, as its conditions have them."""
        return [
            [self._bound(self._model.numbered[number]) for number in self._own(end)]
            for end in (dependence.source, dependence.sink)
        ]

    def _bound(self, loop: Loop) -> Condition:
        return rewritten(loop.bound, lambda e: self._model.origins.before(e, self._loop.number))


def _is_known(loop: Loop) -> bool:
    """Is it known exactly which iterations the loop makes?"""
    return loop.counted and loop.exact and not (loop.assumed or loop.strided or loop.ends_early)


def written_everywhere(loop: Loop, write: Reference) -> Reference:
    """The write as one that every iteration makes, where that is known of all writes together."""
    return replace(write, conditions=(*loop.conditions, loop.bound), loops=loop.path)
