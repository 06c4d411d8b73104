"""Bounds of 64 bits without a sign: are they the integers that the analysis takes them for?

It computes with integers, generated code with signed numbers; in C, `n - k` with n < k, and `base + 20` near
the end of the range, wrap around.  Where the end that a loop is nearer to zero at is moderate, the other end
is, too: a program that gets there would not come to an end in a lifetime.  All that is left must be asked.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import TypeGuard

from species.loops.model import FunctionModel, Loop, Reference
from species.sets.affine import Affine, Atom, Value
from species.sets.conditions import Compare, Condition, atoms, leaves
from species.sets.domains import implied
from species.sets.products import factors

MODERATE = 2**44  # more cells than an array has; sums of a few such numbers do not leave `long`
LARGEST = 2**31 - 1  # of a value that may be a negative one in disguise, such as a stride; of factors, too
_ALMOST_ALL = 2**62  # no constant is that large that is no negative number in disguise


@dataclass(frozen=True)
class _Ends:
    """Where a loop begins or ends: `near` is smaller, where the loop makes any iteration."""

    near: Affine
    far: Affine


class Unclear(Exception):
    """No question tells whether the bounds are integers."""


class UnsignedBounds:
    """What must be asked of the bounds of some loops; the loops in `inside` run, the others stand still."""

    def __init__(self, model: FunctionModel, inside: frozenset[int], facts: tuple[Condition, ...]) -> None:
        """`facts` hold before the loops."""
        self._model, self._inside, self._facts = model, inside, facts

    def asked(self, loops: Iterable[Loop]) -> dict[Value, int]:
        """Values, and what they must be less than; raises Unclear."""
        return _least(question for loop in loops for question in self._of(loop))

    def of_conditions(self, conditions: Iterable[Condition], around: Iterable[Loop]) -> dict[Value, int]:
        """As `asked`, for conditions that are tested inside of the loops `around`."""
        found = (leaf.expression for c in conditions for leaf in leaves(c) if isinstance(leaf, Compare))
        return self._without(self._plain(around), found)

    def of_subscripts(self, references: Iterable[Reference]) -> dict[Value, int]:
        """As `asked`, for subscripts."""
        asked: dict[Value, int] = {}
        for reference in references:
            around = [self._model.numbered[n] for n in reference.loops if n in self._inside]
            steps = [step for step in reference.place.path if isinstance(step, Affine)]
            asked |= self._without(self._plain(around), steps)
        return asked

    def starts_far(self, loop: Loop) -> bool:
        """May the loop start at another number in each iteration around it, one that wraps around?"""
        moving = (a for a in loop.lower.atoms() if isinstance(a, Value) and a.loops & self._inside)
        huge = (a for a in moving if a.ctype.unsigned and a.ctype.bits >= 64)
        return loop.step > 0 and any(not self._is_moderate(a, loop.conditions) for a in huge)

    def _is_moderate(self, value: Value, facts: tuple[Condition, ...], most: int = MODERATE) -> bool:
        return implied(Compare(-Affine.of(value) + (most - 1)), facts)

    def relied_on(self, loops: Iterable[Loop]) -> list[Value]:
        """Values in sums that are the near ends of loops, where what is known besides says something of them:
        were there a wrap-around, it would not follow for the iterators.
        """
        found: dict[Value, None] = {}
        for loop in loops:
            known = {atom for condition in loop.conditions for atom in atoms(condition)}
            for near in (ends.near for ends in _ends(loop)):
                if self._is_assumed(near - 1, loop.conditions):
                    values = [a for a in near.atoms() if isinstance(a, Value)]
                    found |= dict.fromkeys(v for v in values if known.intersection(values))
        return list(found)

    def slack(self, loops: Iterable[Loop]) -> Mapping[Value, int]:
        """How much is added to ends that are one value: it may be that near to the end of its range."""
        found: dict[Value, int] = {}
        for loop in loops:
            for ends in _ends(loop):
                value = self._single(ends.far)
                if value is not None and self._is_assumed(ends.far):
                    found[value] = max(found.get(value, 0), ends.far.constant + 1)
        return found

    def _without(self, plain: frozenset[Value], found: Iterable[Affine]) -> dict[Value, int]:
        return {v: m for e in found for v, m in self._questions(e) if v not in plain}

    def _of(self, loop: Loop) -> Iterator[tuple[Value, int]]:
        for ends in _ends(loop):
            if max(abs(ends.near.constant), abs(ends.far.constant)) >= _ALMOST_ALL:
                raise Unclear
            yield from self._questions(ends.near)
            if self._single(ends.far) is None or (self._is_assumed(ends.far) and self._moves(ends.far)):
                yield from self._questions(ends.far)

    def _plain(self, loops: Iterable[Loop]) -> frozenset[Value]:
        """The values that are as large as a loop makes iterations, about."""
        found = (self._single(ends.far) for loop in loops for ends in _ends(loop))
        return frozenset(value for value in found if value is not None)

    def _single(self, far: Affine) -> Value | None:
        """The only wide value in an end, where it stands there once."""
        found = [(atom, c) for atom, c in far.terms if self._is_wide(atom)]
        return found[0][0] if [c for _, c in found] == [1] else None

    def _questions(self, expression: Affine) -> Iterator[tuple[Value, int]]:
        for atom in expression.atoms():
            parts = factors(atom)
            most = MODERATE if len(parts) == 1 else LARGEST + 1
            for part in parts:
                if self._is_wide(part) and not self._is_moderate(part, self._facts, most):
                    yield part, most

    def _is_wide(self, atom: Atom) -> TypeGuard[Value]:
        """May it be a number that `long` does not hold?  (What moves inside is a number of its type.)"""
        if not isinstance(atom, Value) or atom.loops & self._inside:
            return False
        return atom.ctype.unsigned and atom.ctype.bits >= 64

    def _moves(self, end: Affine) -> bool:
        return bool(end.loops & self._inside)

    def _is_assumed(self, end: Affine, facts: tuple[Condition, ...] | None = None) -> bool:
        """Is it a sum, or one less than a sum, that C may compute with a wrap-around?"""
        known = self._facts if facts is None else facts
        sums = (each for each in (end, end + 1) if each in self._model.assumed)
        return any(not implied(Compare(-each + (2**64 - 1)), known) for each in sums)


def _least(questions: Iterable[tuple[Value, int]]) -> dict[Value, int]:
    found: dict[Value, int] = {}
    for value, most in questions:
        found[value] = min(most, found.get(value, most))
    return found


def _ends(loop: Loop) -> Iterator[_Ends]:
    """The start of a loop, and each value that its bound compares with."""
    if loop.iterator is None:
        return
    for leaf in leaves(loop.bound):
        if not isinstance(leaf, Compare) or leaf.equal:
            continue
        scale, rest = divmod(-leaf.expression.coefficient(loop.counter), loop.step)
        if not scale or rest:
            continue
        distance = leaf.expression.substitute(lambda a: Affine() if a == loop.counter else None)
        start, end = loop.lower, distance + loop.lower.scaled(scale)
        if loop.step > 0:
            yield _Ends(start, end)
        else:
            yield _Ends(-end if scale < 0 else end, start)
