"""Inner loops that may make no iteration while the nest around them runs: what only they touch need not be
there at all, `for (j = 0; j < m; j++) s += a[10 * i + j]` where m is 0.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence

import islpy as isl

from species.grammar.nodes import Range
from species.loops.model import FunctionModel, Loop, Reference, inner_loops
from species.regions.bounds import interval, set_text
from species.regions.c_printer import Renderer, Unprintable
from species.regions.quick import as_affine, at_least_zero, atoms_of, fixed_variables, itself
from species.regions.symbolic import exact_text
from species.sets.affine import Affine, Atom, Counter
from species.sets.conditions import Both, Compare, Condition, Fact, Unknown, atoms, is_affine
from species.sets.constraints import comparisons
from species.sets.domains import Names, Printer, implied, limited
from species.sets.elimination import Contradiction, Elimination, System, Undecided

Conditions = frozenset[Compare]
MOST_CASES = 3


class Entered:
    """Says under which conditions the references in a nest are made; the loops in `running` make at least one
    iteration whenever the nest is executed.
    """

    def __init__(self, model: FunctionModel, loop: Loop, running: Iterable[Loop]) -> None:
        self._model, self._loop = model, loop
        self._inner = inner_loops(loop)
        self._running = {known.number for known in running}
        first = (self.first(number) for number in self._running)
        self._natural = frozenset(Compare(Affine.of(Counter(number))) for number in self._inner)
        self._facts = (*loop.conditions, *(c for found in first for c in found), *self._natural)

    def conditions(self, reference: Reference, *, alone: bool = False) -> Conditions:
        """What holds if the reference is made at all, of values that the nest does not change.

        Of one that is `alone`, to an array of one dimension, bounds tell that branches leave it out.  Raises
        Undecided.
        """
        inside = reference.loops[reference.loops.index(self._loop.number) :]
        first = (c for number in inside if number not in self._running for c in self.first(number))
        tested = () if alone and self._is_told(reference) else self._tested(reference)
        found = (*first, *self._reaching(reference), *tested)
        best = (self._best(c) for c in found if not self._is_known(c))
        return frozenset(c for c in best if c is not None and not self._is_known(c))

    def _is_known(self, condition: Compare) -> bool:
        """Does it hold wherever the nest is executed?"""
        sides = (1, -1) if condition.equal else (1,)
        return all(implied(Compare(condition.expression.scaled(side)), self._facts) for side in sides)

    def _is_told(self, reference: Reference) -> bool:
        """Are its bounds those of one counter, that branches compare with what stays as it is?

        Where these leave out all iterations, the lower bound is above the upper one.
        """
        moving = {a for s in reference.place.subscripts for a in s.atoms() if a.loops & self._inner}
        if len(reference.place.subscripts) > 1 or len(moving) != 1 or any(_zeros(reference.conditions)):
            return False
        parts = self._branches(reference)
        plain = all(isinstance(part, Compare) for part in parts)
        compared = {a for part in parts for a in atoms(part) if a.loops & self._inner}
        return plain and compared <= moving and all(isinstance(a, Counter) for a in moving)

    def _branches(self, reference: Reference) -> list[Condition]:
        """What branches ask, each of several conditions by itself; not that counters start at 0."""
        own = [c for c in reference.conditions[len(self._loop.conditions) :] if c not in self._model.bounds]
        parts = [part for c in own for part in (c.parts if isinstance(c, Both) else (c,))]
        return [part for part in parts if part not in self._natural and not isinstance(part, Fact | Unknown)]

    def _tested(self, reference: Reference) -> Iterator[Compare]:
        """What must hold for the iterations in which branches come to the reference, all of them together."""
        if any(a.loops & self._inner for part in self._branches(reference) for a in atoms(part)):
            yield from _projected(reference.conditions, self._inner)

    def first(self, number: int) -> Iterator[Compare]:
        """What must hold for the first iteration of a loop."""
        loop = self._model.numbered[number]
        for limit in self._limits(loop):
            yield _at(limit, {loop.counter: Affine()})

    def _limits(self, loop: Loop) -> list[Compare]:
        """What the loop's bound says of all iterations."""
        parts = loop.bound.parts if isinstance(loop.bound, Both) else (loop.bound,)
        return [part for part in parts if isinstance(part, Compare) and not part.equal]

    def _reaching(self, reference: Reference) -> Iterator[Compare]:
        """What must hold for the iterations that the reference is made in alone, `if (k == 2) a[k]`."""
        for zero in _zeros(reference.conditions):
            for counter in zero.atoms():
                if not isinstance(counter, Counter) or counter.loop not in self._inner:
                    continue
                if zero.coefficient(counter):  # else it stands in a division
                    yield from self._where_zero(counter, zero)

    def _where_zero(self, counter: Counter, zero: Affine) -> Iterator[Compare]:
        """What must hold for the loop to make the iteration in which `zero` is 0."""
        factor = zero.coefficient(counter)
        limits = self._limits(self._model.numbered[counter.loop])
        for limit in (Affine.of(counter), *(part.expression for part in limits)):
            times = limit.coefficient(counter) * (1 if factor > 0 else -1)
            yield Compare(limit.scaled(abs(factor)) - zero.scaled(times))  # without the counter

    def _best(self, condition: Compare) -> Compare | None:
        """The condition where the loops around make it easiest; None where that cannot be told."""
        for counter in [a for a in condition.expression.atoms() if isinstance(a, Counter)]:
            if counter.loop not in self._inner:
                continue
            factor = condition.expression.coefficient(counter)
            if counter in {*(condition.expression - Affine.of(counter).scaled(factor)).atoms()}:
                return None  # it stands in a quotient, a remainder or a product, too
            place = Affine()
            if factor > 0:
                last = self._last(counter)
                if last is None:
                    return None
                place = last
            condition = _at(condition, {counter: place})
        return condition if not condition.expression.loops & self._inner else None

    def _last(self, counter: Counter) -> Affine | None:
        loop = self._model.numbered[counter.loop]
        own = tuple(c for c in (*loop.conditions, loop.bound) if is_affine(c))
        found = interval(Affine.of(counter), own, self._inner)
        return found[1].single if found else None


def _projected(conditions: Iterable[Condition], inner: frozenset[int]) -> list[Compare]:
    """What holds of values outside where all of the conditions do in some iteration; raises Undecided."""
    known = [c for c in conditions if not isinstance(c, Fact) and is_affine(c)]
    try:
        return _eliminated(known, inner)
    except Undecided:
        found = limited(lambda: _by_sets(known, inner), when_exhausted=None)
    if found is None:
        raise Undecided
    return found


def _by_sets(conditions: Sequence[Condition], inner: frozenset[int]) -> list[Compare] | None:
    """As `_projected`, by isl; None where it is no conjunction of comparisons."""
    text, fixed = set_text("", [], Printer(Names()), conditions, inner)
    cases = isl.Set(text).coalesce().get_basic_sets()
    if not cases:
        return [Compare(Affine(constant=-1))]
    found = comparisons(cases[0], fixed) if len(cases) == 1 else None
    return None if found is None else list(found)


def _eliminated(conditions: Sequence[Condition], inner: frozenset[int]) -> list[Compare]:
    """As `_projected`, by elimination."""
    system = System()
    try:
        for condition in conditions:
            system.add(condition, itself)
        for atom in atoms_of(system.numbers):
            if isinstance(atom, Counter) or atom.ctype.unsigned:
                at_least_zero(system, atom)
        if system.divisions:
            raise Undecided
        left, fixed = Elimination(system), fixed_variables(system.numbers, inner)
        left.eliminate(set(range(len(system.numbers))) - fixed.keys())
    except Contradiction:
        return [Compare(Affine(constant=-1))]
    if not left.exact:
        raise Undecided
    return [Compare(as_affine(row, constant, fixed)) for row, constant in left.rows.items() if any(row)]


def _zeros(conditions: Iterable[Condition]) -> Iterator[Affine]:
    """What is 0 where the conditions hold, as they say themselves."""
    parts = [p for c in conditions for p in (c.parts if isinstance(c, Both) else (c,))]
    found = [part for part in parts if isinstance(part, Compare)]
    least = {part.expression for part in found if not part.equal}
    yield from (part.expression for part in found if part.equal or -part.expression in least)


def guarded(
    references: Sequence[Reference],
    entered: Entered,
    renderer: Renderer,
    hull: Callable[[Sequence[Reference]], tuple[Range, ...] | None],
) -> tuple[Range, ...] | None:
    """The bounds of what those of the references touch that are made; none inside where no one is.

    `hull` finds the bounds of some of them, as if they were made.  None where there are too many cases.
    """
    cases: dict[Conditions, list[Reference]] = {}
    alone = len({reference.place for reference in references}) == 1
    for reference in references:
        cases.setdefault(entered.conditions(reference, alone=alone), []).append(reference)
    sure = cases.pop(frozenset(), [])
    if sure and hull(sure) == hull(references):
        return hull(references)
    if len(cases) > MOST_CASES:
        return None
    try:
        texts = {exact_text(case, renderer): found for case, found in cases.items()}
    except Unprintable:
        return None
    return _chosen(sure, sorted(texts.items()), hull, renderer.signed)


def _chosen(
    made: list[Reference],
    cases: list[tuple[str, list[Reference]]],
    hull: Callable[[Sequence[Reference]], tuple[Range, ...] | None],
    signed: Callable[[str], str],
) -> tuple[Range, ...] | None:
    """The bounds where `made` are made, and of `cases` those whose conditions hold."""
    if not cases:
        return hull(made) if made else ()
    (condition, references), *rest = cases
    one, other = (_chosen(r, rest, hull, signed) for r in ([*made, *references], made))
    if one is None or other is None:
        return None
    if not other:  # nothing is made
        return tuple(
            Range(r.low, f"({condition} ? {signed(r.high)} : {_before(signed(r.low))})")
            if d == 0 or r.low == r.high
            else r
            for d, r in enumerate(one)
        )  # a single column would be there, were rows without columns counted
    pairs = zip(one, other, strict=True)
    return tuple(
        Range(_either(condition, a.low, b.low), _either(condition, a.high, b.high)) for a, b in pairs
    )


def _before(low: str) -> str:
    return "-1" if low == "0" else f"{low}-1"


def _either(condition: str, one: str, other: str) -> str:
    return one if one == other else f"({condition} ? {one} : {other})"


def _at(condition: Compare, places: dict[Atom, Affine]) -> Compare:
    return Compare(condition.expression.substitute(lambda atom: places.get(atom)))
