"""The sets by which a dependence is certain: executions, in one iteration of a loop and in a later one."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import takewhile

import islpy as isl

from species.dependence.exact.delinearise import Equation
from species.dependence.exact.dependence_test import Dependence
from species.loops.model import Reference
from species.sets.affine import Atom, Counter, Division
from species.sets.conditions import Condition
from species.sets.domains import Names, Printer, all_hold


@dataclass(frozen=True)
class Case:
    """Solutions over `dimensions`; `names` are those of what exists."""

    body: str
    dimensions: tuple[str, ...] = ()
    names: tuple[str, ...] = ()


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


class Query:
    """Sets over the counters of `exposed`, an execution that must see an older value, by parameters."""

    def __init__(self, loop: int, inner: frozenset[int], exposed: Reference) -> None:
        self._loop, self._inner, self._exposed = loop, inner, exposed
        self._own = inside(loop, exposed)
        self._names = Names()

    def _execution(self, letter: str) -> _Execution:
        return _Execution(self._names, self._inner, letter)

    def dependence(self, dependence: Dependence, pairs: Iterable[Equation]) -> Case:
        """The executions of `exposed` that meet the other end, in an iteration that comes later."""
        source, sink = self._execution("a"), self._execution("b")
        parts = [*source.all(dependence.source.conditions), *sink.all(dependence.sink.conditions)]
        parts += [f"{source.expression(a)} = {sink.expression(b)}" for a, b in pairs]
        parts.append(f"{sink.counter(self._loop)} >= {source.counter(self._loop)} + 1")
        here, there = (source, sink) if self._exposed is dependence.source else (sink, source)
        return self._case(here, there, parts)

    def killing(self, write: Reference, pairs: Iterable[Equation]) -> Case:
        """The executions that may see what `write` has written in the same iteration; rather too many."""
        there, here = self._execution("a"), self._execution("b")
        parts = [*there.all(write.conditions)]
        parts += [f"{there.expression(a)} = {here.expression(b)}" for a, b in pairs]
        parts.append(f"{there.counter(self._loop)} = {here.counter(self._loop)}")
        parts.append(self._earlier(there, here, write))
        return self._case(here, there, parts)

    def _earlier(self, there: _Execution, here: _Execution, write: Reference) -> str:
        """The write is executed before, in an iteration that is the same one."""
        shared = common(inside(self._loop, write)[1:], self._own[1:])
        same = [f"{there.counter(n)} = {here.counter(n)}" for n in shared]
        sooner = [f"{there.counter(n)} < {here.counter(n)}" for n in shared]
        cases = [" and ".join([*same[:depth], text]) for depth, text in enumerate(sooner)]
        if write.order < self._exposed.order:
            cases.append(all_hold(same))
        return f"({' or '.join(f'({case})' for case in cases)})" if cases else "1 = 0"

    def _case(self, here: _Execution, there: _Execution, parts: Iterable[str]) -> Case:
        dimensions = tuple(here.counter(number) for number in self._own)
        body = all_hold([*parts, *here.natural, *there.natural])
        names = [*there.variables, *(v for v in here.variables if v not in dimensions)]
        return Case(body, dimensions, tuple(names))

    def long_runs(
        self, around: Iterable[Condition], bounds: Sequence[Sequence[Condition]], more: int
    ) -> Case:
        """Both ends' loops make iterations that are so many apart."""
        parts: list[str] = [*self._execution("x").all(around)]
        names: list[str] = []
        for number, conditions in enumerate(bounds):
            first, last = self._execution(f"p{number}"), self._execution(f"q{number}")
            parts += [*first.all(conditions), *last.all(conditions)]
            parts.append(f"{last.counter(self._loop)} >= {first.counter(self._loop)} + {more}")
            parts += [*first.natural, *last.natural]
            names += [*first.variables, *last.variables]
        return Case(all_hold(parts), (), tuple(names))

    def holds(self, there: Case, killed: Sequence[Case], longs: Sequence[Case]) -> bool:
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

    def _set(self, case: Case) -> isl.Set:
        shared = ", ".join(name for _, name in self._names.items())
        body = all_hold([*self._names.natural(), case.body])
        exists = f"exists ({', '.join(case.names)} : {body})" if case.names else body
        return isl.Set(f"[{shared}] -> {{ [{', '.join(case.dimensions)}] : {exists} }}")


def inside(loop: int, reference: Reference) -> tuple[int, ...]:
    """The loop and those inside it that are around the reference, outermost first."""
    return reference.loops[reference.loops.index(loop) :]


def common(first: Sequence[int], second: Sequence[int]) -> list[int]:
    """The loops that both begin with."""
    pairs = takewhile(lambda pair: pair[0] == pair[1], zip(first, second, strict=False))
    return [number for number, _ in pairs]
