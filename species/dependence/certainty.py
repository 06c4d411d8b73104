"""Is a dependence there for certain?  Then the iterations must run in order; else that is only not excluded.

The dependence tests over-approximate: a reference under a condition on data, a subscript that a value of the
program decides, and a cell that the iteration may have written itself before it reads it count as dependent.
Here it is the other way round: a dependence is certain where it exists for all values of the parameters, as
soon as the loops around its two references make enough iterations.  Integer sets (isl) decide: the parameters
of long runs are a subset of those with the dependence.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial
from itertools import takewhile

import islpy as isl

from species.budget import conservatively, early
from species.dependence.delinearise import Equation, split
from species.dependence.exact import Dependence, meeting
from species.loops.affine import Atom, Counter, Division, Value
from species.loops.conditions import Condition, Unknown, atoms, leaves, rewritten
from species.loops.domains import Names, Printer, limited
from species.loops.nest import FunctionModel, Loop, Reference, inner_loops

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
        if _is_accumulated(dependence):
            return False
        return all(self._is_executed(end) for end in (dependence.source, dependence.sink))

    def _is_executed(self, reference: Reference) -> bool:
        """Do its conditions say all of when it is executed, in terms of what the loop does not change?"""
        if not all(_is_known(self._model.numbered[n]) for n in self._own(reference)):
            return False
        inside = reference.conditions[len(self._loop.conditions) :]
        if any(isinstance(leaf, Unknown) for condition in inside for leaf in leaves(condition)):
            return False
        return not any(self._is_moving(atom) for condition in inside for atom in atoms(condition))

    def _is_moving(self, atom: Atom) -> bool:
        return isinstance(atom, Value) and bool(atom.loops & self._inner)

    def _own(self, reference: Reference) -> tuple[int, ...]:
        return _inside(self._loop.number, reference)

    def _is_certain(self, dependence: Dependence) -> bool:
        exposed = dependence.source if dependence.kind == "anti" else dependence.sink
        before = self._may_come_before(exposed)
        if any(w.symbol is not exposed.symbol or w.place.base != exposed.place.base for w in before):
            return False
        pairs = self._pairs(dependence.source, dependence.sink)
        if pairs is None or any(self._is_moving(a) for pair in pairs for side in pair for a in side.atoms()):
            return False
        met = [(w, self._pairs(w, exposed)) for w in before]
        query = _Query(self._loop.number, self._inner, exposed)
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
            if w.order < read.order or _common(self._own(w)[1:], self._own(read)[1:])
        ]

    def _bounds(self, dependence: Dependence) -> list[list[Condition]]:
        """For each end, the bounds of the loops around it, as its conditions have them."""
        return [
            [self._bound(self._model.numbered[number]) for number in self._own(end)]
            for end in (dependence.source, dependence.sink)
        ]

    def _bound(self, loop: Loop) -> Condition:
        return rewritten(loop.bound, lambda e: self._model.origins.before(e, self._loop.number))


def _is_accumulated(dependence: Dependence) -> bool:
    """Do both ends belong to updates that may be made in another order, if only somebody could name them?"""
    one, other = dependence.source.update, dependence.sink.update
    return one is not None and other is not None and one.operator == other.operator


def _is_known(loop: Loop) -> bool:
    """Is it known exactly which iterations the loop makes?"""
    return loop.counted and loop.exact and not (loop.assumed or loop.strided or loop.ends_early)


def written_everywhere(loop: Loop, write: Reference) -> Reference:
    """The write as one that every iteration makes, where that is known of all writes together."""
    return replace(write, conditions=(*loop.conditions, loop.bound), loops=loop.path)


@dataclass(frozen=True)
class _Case:
    """Solutions over `dimensions`; `inside` are the names of what exists."""

    body: str
    dimensions: tuple[str, ...] = ()
    inside: tuple[str, ...] = ()


class _Execution(Printer):
    """Prints what one execution of a reference sees: what the loops move has names of its own."""

    def __init__(self, names: Names, inner: frozenset[int], letter: str) -> None:
        super().__init__(names)
        self._inner, self._letter, self.own = inner, letter, Names()

    def atom(self, atom: Atom) -> str:
        if isinstance(atom, Division) or not atom.loops & self._inner:
            return super().atom(atom)
        return self._letter + self.own.name(atom)

    def counter(self, number: int) -> str:
        return self.atom(Counter(number))

    def all(self, conditions: Iterable[Condition]) -> Iterator[str]:
        return (self.condition(c) for c in conditions)

    @property
    def variables(self) -> list[str]:
        return [self._letter + name for _, name in self.own.items()]

    @property
    def natural(self) -> list[str]:
        return [self._letter + text for text in self.own.natural()]


class _Query:
    """Sets over the counters of `exposed`, an execution that must see an older value, by parameters."""

    def __init__(self, loop: int, inner: frozenset[int], exposed: Reference) -> None:
        self._loop, self._inner, self._exposed = loop, inner, exposed
        self._own = _inside(loop, exposed)
        self._names = Names()

    def _execution(self, letter: str) -> _Execution:
        return _Execution(self._names, self._inner, letter)

    def dependence(self, dependence: Dependence, pairs: Iterable[Equation]) -> _Case:
        """The executions of `exposed` that meet the other end, in an iteration that comes later."""
        source, sink = self._execution("a"), self._execution("b")
        parts = [*source.all(dependence.source.conditions), *sink.all(dependence.sink.conditions)]
        parts += [f"{source.expression(a)} = {sink.expression(b)}" for a, b in pairs]
        parts.append(f"{sink.counter(self._loop)} >= {source.counter(self._loop)} + 1")
        here, there = (source, sink) if self._exposed is dependence.source else (sink, source)
        return self._case(here, there, parts)

    def killing(self, write: Reference, pairs: Iterable[Equation]) -> _Case:
        """The executions that may see what `write` has written in the same iteration; rather too many."""
        there, here = self._execution("a"), self._execution("b")
        parts = [*there.all(write.conditions)]
        parts += [f"{there.expression(a)} = {here.expression(b)}" for a, b in pairs]
        parts.append(f"{there.counter(self._loop)} = {here.counter(self._loop)}")
        parts.append(self._earlier(there, here, write))
        return self._case(here, there, parts)

    def _earlier(self, there: _Execution, here: _Execution, write: Reference) -> str:
        """The write is executed before, in an iteration that is the same one."""
        shared = _common(_inside(self._loop, write)[1:], self._own[1:])
        same = [f"{there.counter(n)} = {here.counter(n)}" for n in shared]
        sooner = [f"{there.counter(n)} < {here.counter(n)}" for n in shared]
        cases = [" and ".join([*same[:depth], text]) for depth, text in enumerate(sooner)]
        if write.order < self._exposed.order:
            cases.append(" and ".join(same) or "1 = 1")
        return f"({' or '.join(f'({case})' for case in cases)})" if cases else "1 = 0"

    def _case(self, here: _Execution, there: _Execution, parts: Iterable[str]) -> _Case:
        dimensions = tuple(here.counter(number) for number in self._own)
        body = " and ".join([*parts, *here.natural, *there.natural])
        inside = [*there.variables, *(v for v in here.variables if v not in dimensions)]
        return _Case(body, dimensions, tuple(inside))

    def long_runs(
        self, around: Iterable[Condition], bounds: Sequence[Sequence[Condition]], more: int
    ) -> _Case:
        """Both ends' loops make iterations that are so many apart."""
        parts: list[str] = [*self._execution("x").all(around)]
        inside: list[str] = []
        for number, conditions in enumerate(bounds):
            first, last = self._execution(f"p{number}"), self._execution(f"q{number}")
            parts += [*first.all(conditions), *last.all(conditions)]
            parts.append(f"{last.counter(self._loop)} >= {first.counter(self._loop)} + {more}")
            parts += [*first.natural, *last.natural]
            inside += [*first.variables, *last.variables]
        return _Case(" and ".join(parts), (), tuple(inside))

    def holds(self, there: _Case, killed: Sequence[_Case], longs: Sequence[_Case]) -> bool:
        """Is something left of `there` in all runs that are long?"""
        left = self._set(there)
        for case in killed:
            left = left.subtract(self._set(case))
        found = left.params()
        for case in longs:
            runs = self._set(case).params()
            if not runs.is_empty():
                return bool(runs.is_subset(found))
        return False

    def _set(self, case: _Case) -> isl.Set:
        shared = ", ".join(name for _, name in self._names.items())
        body = " and ".join([case.body or "1 = 1", *self._names.natural()])
        exists = f"exists ({', '.join(case.inside)} : {body})" if case.inside else body
        return isl.Set(f"[{shared}] -> {{ [{', '.join(case.dimensions)}] : {exists} }}")


def _inside(loop: int, reference: Reference) -> tuple[int, ...]:
    """The loop and those inside it that are around the reference, outermost first."""
    return reference.loops[reference.loops.index(loop) :]


def _common(first: Sequence[int], second: Sequence[int]) -> list[int]:
    """The loops that both begin with."""
    pairs = takewhile(lambda pair: pair[0] == pair[1], zip(first, second, strict=False))
    return [number for number, _ in pairs]
