"""Executes the loops that were called parallel as threads would, in a random order."""

from __future__ import annotations

import operator
import random
from collections.abc import Callable
from typing import Any

from tests.oracle.claims import BIG, Cells, Claims
from tests.oracle.memory import POISON, DisagreementError, Machine, Object, Type
from tests.oracle.statements import CONTINUE, LoopCode
from tests.oracle.watch import Conflicts, Tracker

_COMBINE: dict[str, Callable[[Any, Any], Any]] = {
    "+": operator.add,
    "*": operator.mul,
    "&": operator.and_,
    "|": operator.or_,
    "^": operator.xor,
    "min": min,
    "max": max,
    "&&": lambda a, b: int(a and b),
    "||": lambda a, b: int(a or b),
}


def identity(symbol: str, ctype: Type) -> Any:
    """What an OpenMP thread starts its copy of a reduction variable with."""
    wide = ctype.kind != "int" or (ctype.signed and ctype.bits >= 32)
    most = BIG if wide else (1 << (ctype.bits - ctype.signed)) - 1
    least = -BIG if wide else (-most - 1 if ctype.signed else 0)
    fixed = {"+": 0, "*": 1, "|": 0, "^": 0, "&&": 1, "||": 0, "min": most, "max": least}
    return fixed.get(symbol, -1 if ctype.signed else most)


class Observer:
    """Runs one loop of a program in order, each time that it is reached, and checks what is said of it."""

    def __init__(self, target: str) -> None:
        self.target = target
        self.busy = False
        self.seen = 0

    def __call__(self, loop: LoopCode, m: Machine, f: Any) -> Any:
        if loop.facts.facts.id != self.target or self.busy or not _holds(loop.facts, m, f):
            return loop.sequential(m, f)
        claims: Claims = loop.facts
        objects = _private_objects(claims, m, f)
        tracker = Tracker(claims, m, f, objects, _reduced(claims, m, f))
        self.busy = True
        self.seen += 1
        m.watches.append(tracker)
        result = loop.sequential(m, f)
        m.watches.remove(tracker)
        self.busy = False
        tracker.finish()
        return result


class Shuffler:
    """Runs one loop of a program, each time that it is reached, in another order."""

    def __init__(self, target: str, seed: int) -> None:
        self.target, self.random = target, random.Random(seed)
        self.busy = False

    def __call__(self, loop: LoopCode, m: Machine, f: Any) -> Any:
        if loop.facts.facts.id != self.target or self.busy or not _holds(loop.facts, m, f):
            return loop.sequential(m, f)
        self.busy = True
        self._shuffle(loop, loop.facts, m, f)
        self.busy = False
        return None

    def _shuffle(self, loop: LoopCode, claims: Claims, m: Machine, f: Any) -> None:
        private = [get(m, f) for get in claims.private]
        last = [get(m, f) for get in claims.lastprivate]
        reductions = [
            (op, _type_of(box), sorted(box.cells(m, f), key=lambda c: c[1])) for op, box in claims.reductions
        ]
        loop.init(m, f)
        iterator = loop.iterator(m, f)  # type: ignore[misc]
        values = []
        while loop.condition(m, f):
            m.spend()
            values.append(iterator.cells[0])
            loop.step(m, f)
        final = iterator.cells[0]
        conflicts = Conflicts({*private, *last, iterator}, {c for _, _, cells in reductions for c in cells})
        threads = _Threads(private, last, reductions)
        order = list(range(len(values)))
        if self.random.random() < 0.5:
            order.reverse()
        else:
            self.random.shuffle(order)
        for k in order:
            threads.begin()
            iterator.cells[0] = values[k]
            conflicts.iteration = k
            m.watches.append(conflicts)
            result = loop.body(m, f)
            m.watches.remove(conflicts)
            if result is not None and result is not CONTINUE:
                raise DisagreementError("an iteration leaves the loop")
            if iterator.cells[0] != values[k]:
                raise DisagreementError("the iterator is changed")
            threads.end(k == len(values) - 1)
        threads.join(bool(values))
        iterator.cells[0] = final if claims.keeps_iterator else POISON


class _Threads:
    """The private copies of variables: poisoned before each iteration, merged after it."""

    def __init__(self, private: list[Object], last: list[Object], reductions: list[Any]) -> None:
        self._private, self._last, self._reductions = private, last, reductions
        self._before = [list(o.cells) for o in last]
        self._final: list[list[Any]] = []
        self._totals = [[o.cells[k] for o, k in cells] for _, _, cells in reductions]

    def begin(self) -> None:
        for target in (*self._private, *self._last):
            target.cells = [POISON] * len(target.cells)
        for symbol, ctype, cells in self._reductions:
            for target, index in cells:
                target.cells[index] = identity(symbol, ctype)

    def end(self, is_last: bool) -> None:
        if is_last:
            self._final = [list(o.cells) for o in self._last]
        for totals, (symbol, ctype, cells) in zip(self._totals, self._reductions, strict=True):
            for position, (target, index) in enumerate(cells):
                if isinstance(totals[position], int | float) or hasattr(totals[position], "numerator"):
                    combined = _COMBINE[symbol](totals[position], target.cells[index])
                    totals[position] = combined if ctype.signed else combined % (1 << ctype.bits)

    def join(self, any_iteration: bool) -> None:
        for totals, (_, _, cells) in zip(self._totals, self._reductions, strict=True):
            for value, (target, index) in zip(totals, cells, strict=True):
                target.cells[index] = value
        for target in self._private:
            target.cells = [POISON] * len(target.cells)
        for target, cells in zip(self._last, self._final if any_iteration else self._before, strict=True):
            target.cells = cells


def _holds(claims: Claims, m: Machine, f: Any) -> bool:
    return claims.parallel and all(c(m, f) for c in claims.conditions)


def _private_objects(claims: Claims, m: Machine, f: Any) -> set[Object]:
    return {get(m, f) for get in (*claims.private, *claims.lastprivate)}


def _reduced(claims: Claims, m: Machine, f: Any) -> Cells:
    return set().union(*(box.cells(m, f) for _, box in claims.reductions))


def _type_of(box: Any) -> Type:
    ctype = box.ctype
    while ctype.target is not None:
        ctype = ctype.target
    return ctype  # type: ignore[no-any-return]
