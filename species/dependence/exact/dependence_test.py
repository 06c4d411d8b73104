"""The exact dependence test: integer sets decide whether two references meet in different iterations."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace

import islpy as isl

from species.core.memo import remembered, take
from species.dependence.exact.delinearise import later, later_condition, split, strides
from species.dependence.exact.digits import digits
from species.dependence.exact.gcd_banerjee import EXACT, Pair, may_meet
from species.dependence.exact.quick import Meeting
from species.dependence.exact.strided import by_iteration, strides_in
from species.loops.model import Loop, Place, Reference, ancestors, inner_loops, nested
from species.sets.affine import Affine, Atom, Counter, Value, constant, order
from species.sets.conditions import Compare, Condition, atoms, leaves
from species.sets.domains import Names, Printer, all_hold, implied, limited
from species.sets.elimination import Undecided
from species.sets.products import factors
from species.sets.quotients import quotients
from species.sets.relevance import relevant
from species.sets.witness import values

PER_PAIR = 50  # steps
PER_SEARCH = 1_000


@dataclass(frozen=True)
class Dependence:
    """`sink` meets in a later iteration of the loop what `source` touched.

    `distance` is the number of iterations between them where it is always the same, else None;
    `exact` is False where the references were not decided but only could not be told apart.
    """

    source: Reference
    sink: Reference
    distance: int | None
    exact: bool = True

    @property
    def kind(self) -> str:
        """flow, anti or output."""
        if not self.sink.write:
            return "flow"
        return "output" if self.source.write else "anti"


def carried(
    loop: Loop,
    inner: frozenset[int],
    source: Reference,
    sink: Reference,
    tests: tuple[str, ...] = (EXACT,),
) -> Dependence | None:
    """The dependence from `source` to `sink` in a later iteration of `loop`, if there may be one.

    `inner` are the numbers of the loop and of all loops inside it.  Both references name the same object.
    Without the exact test, what none of the named `tests` refutes counts as a dependence.
    """
    ends = [_informed(reference) for reference in (source, sink)]
    found = _carried(loop, inner, ends[0], ends[1], tests)
    strides = strides_in(loop) if found is not None else {}
    if strides:
        first, second = (by_iteration(reference, strides) for reference in ends)
        found = found if _carried(loop, inner, first, second, tests) is not None else None
    return replace(found, source=source, sink=sink) if found is not None else None


def _informed(reference: Reference) -> Reference:
    """The reference with what is known of the quotients and remainders in its conditions, too."""
    known = _quotients(reference.conditions)
    return replace(reference, conditions=(*reference.conditions, *known)) if known else reference


@remembered(20_000)
def _quotients(conditions: tuple[Condition, ...]) -> tuple[Condition, ...]:
    return tuple(quotients(conditions))


def _carried(
    loop: Loop, inner: frozenset[int], source: Reference, sink: Reference, tests: tuple[str, ...]
) -> Dependence | None:
    take(PER_PAIR)
    equations = meeting(source.place, sink.place)
    if equations is not None and EXACT not in tests:
        pair = Pair(loop.number, inner, tuple(equations), source.conditions, sink.conditions)
        return Dependence(source, sink, None, False) if may_meet(pair, tests) else None
    if equations is None or refuting(loop, inner, equations):
        return None
    whole = equations
    vague = loop.strided or _is_vague(source.place, sink.place)
    exact = not vague and not any(map(_is_opaque, _factors(whole)))
    has_strides = any(strides(e, inner) for e in whole)
    if has_strides and _distances_differ(_pair(loop, inner, tuple(whole), source, sink)):
        return Dependence(source, sink, None, exact)
    equations = [
        part for e in whole for part in split(e, inner, source.conditions, sink.conditions).equations
    ]
    # The sizes that subscripts are split by do not stand in them any more.
    hidden = any(disguised(e, loop, source, sink) for e in (*whole, *equations))
    pair = _pair(loop, inner, tuple(equations), source, sink)
    if refuting(loop, inner, equations) or not may_meet(pair):
        return Dependence(source, sink, None, False) if hidden else None
    possible, distance = _solve(pair)
    if loop.strided:
        distance = None  # counters are no iterations
    if possible:
        return Dependence(source, sink, distance, exact)
    return Dependence(source, sink, None, False) if hidden else None


def _factors(equations: Iterable[tuple[Affine, Affine]]) -> Iterator[Atom]:
    return (f for equation in equations for side in equation for a in side.atoms() for f in factors(a))


@remembered(20_000)
def _distances_differ(pair: Pair) -> bool:
    """Do the references meet in iterations that are more or less apart?  Shown by numbers: that is fast."""
    if digits(pair):
        return False
    take(PER_SEARCH)
    counter = Affine.of(Counter(pair.loop))
    distance = later(counter, pair.inner) - counter
    facts = (*pair.source, *(later_condition(c, pair.inner) for c in pair.sink), Compare(distance - 1))
    met = (Compare(a - later(b, pair.inner), True) for a, b in pair.equations)
    return len(values(distance, (*facts, *met))) > 1


def _pair(
    loop: Loop, inner: frozenset[int], equations: tuple[tuple[Affine, Affine], ...], *ends: Reference
) -> Pair:
    """The question with what bears on it: other conditions have alternatives, too, all to be tried."""
    questions = (*(side for equation in equations for side in equation), Affine.of(loop.counter))
    source, sink = bearing(questions, *ends)
    return Pair(loop.number, inner, equations, source, sink)


def bearing(questions: tuple[Affine, ...], *ends: Reference) -> list[tuple[Condition, ...]]:
    """The conditions of both ends that bear on the questions, or on whether both ends are executed."""
    first, second = (frozenset(r.conditions) for r in ends)
    if first - second and second - first:  # each may hold, but never both, as in `if (flag) ... else ...`
        compared = (leaf for c in first ^ second for leaf in leaves(c) if isinstance(leaf, Compare))
        questions = (*questions, *(leaf.expression for leaf in compared))
    kept = frozenset(relevant(questions, tuple(c for r in ends for c in r.conditions)))
    return [tuple(c for c in r.conditions if c in kept) for r in ends]


def disguised(equation: tuple[Affine, Affine], loop: Loop, source: Reference, sink: Reference) -> list[Value]:
    """Offsets of type `size_t` and the like that may be negative numbers in disguise.

    With them, `i + k` wraps around as `i - 5` does.  A number that loops count up to is none, nor is one
    that the conditions bound, by another number or by one that loops count up to.
    """
    inside = inner_loops(loop)
    fixed = (a for a, _ in (equation[0] - equation[1]).terms if not a.loops & inside)
    moving = (a for side in equation for a, _ in side.terms if a.loops & inside)
    parts = dict.fromkeys(f for a in (*fixed, *moving) for f in factors(a))
    values = (a for a in parts if isinstance(a, Value) and a.key[0] != "sizeof")
    wide = [a for a in values if a.ctype.unsigned and a.ctype.bits == 64]
    if not wide:
        return []
    around = {*source.loops, *sink.loops}
    loops = [n for n in (*ancestors(loop), *nested(loop)) if n.number in around]
    counts = {a for n in loops for a in atoms(n.bound) if isinstance(a, Value) and _counts_to(n, a)}
    limits = [constant(2**62), *map(Affine.of, sorted(counts, key=order))]
    ends = (source.conditions, sink.conditions)  # of two iterations: each by itself
    others = [a for a in wide if a not in counts]
    questions = {a: [Compare(limit - Affine.of(a)) for limit in limits] for a in others}
    return [a for a in others if not any(implied(q, end) for q in questions[a] for end in ends)]


def _counts_to(loop: Loop, number: Value) -> bool:
    """Does the loop end at the number, or a little before or behind it, and nowhere else?"""
    bound = loop.bound.expression if isinstance(loop.bound, Compare) else None
    if bound is None or loop.ends_early or loop.strided or loop.assumed or not loop.exact:
        return False
    others = [a for a in bound.atoms() if a not in (number, loop.counter)]
    narrow = all(isinstance(a, Counter) or (isinstance(a, Value) and a.ctype.bits < 64) for a in others)
    return narrow and bound.coefficient(number) > 0 and -(2**16) < bound.coefficient(loop.counter) < 0


def _is_vague(first: Place, second: Place) -> bool:
    """Is one of them just somewhere in the object?"""
    loose = first.loose or second.loose
    return loose and (first.linear is None or second.linear is None)


def meeting(first: Place, second: Place) -> list[tuple[Affine, Affine]] | None:
    """Pairs of numbers that must be equal for two places of an object to overlap; None: different members."""
    if first.flat is not None or second.flat is not None:
        numbers = (first.linear, second.linear)
        return [(numbers[0], numbers[1])] if numbers[0] is not None and numbers[1] is not None else []
    pairs = []
    for a, b in zip(first.path, second.path, strict=False):
        if isinstance(a, Affine) and isinstance(b, Affine):
            pairs.append((a, b))
        elif a != b:
            return None if isinstance(a, str) and isinstance(b, str) else pairs
    return pairs


def refuting(
    loop: Loop, inner: frozenset[int], equations: Iterable[tuple[Affine, Affine]]
) -> tuple[Affine, Affine] | None:
    """The quick answer: a subscript that is the same on both sides and moves with this loop alone."""
    for a, b in equations:
        if a == b and a.coefficient(loop.counter):
            others = frozenset().union(*(atom.loops for atom, _ in a.terms if atom != loop.counter))
            if not others & inner:
                return a, b
    return None


def _is_opaque(atom: Atom) -> bool:
    return isinstance(atom, Value) and bool(atom.loops)


@remembered(20_000)
def _solve(pair: Pair) -> tuple[bool, int | None]:
    """May the references meet, and if so at which distance?"""
    if digits(pair):
        return _by_sets(pair)
    try:
        return Meeting(pair.loop, pair.inner, pair.equations).distances(pair.source, pair.sink)
    except Undecided:
        return (True, None) if _distances_differ(pair) else _by_sets(pair)


def _by_sets(pair: Pair) -> tuple[bool, int | None]:
    """As `_solve`, by isl."""
    text = _relation(pair)
    unknown: tuple[bool, int | None] = (True, None)
    return limited(lambda: _numbers(isl.Set(text)), when_exhausted=unknown)


def _numbers(found: isl.Set) -> tuple[bool, int | None]:
    """Are there numbers in the set?  Which, if there is one alone?

    (By the least and the greatest value: as expressions, they would be no better and take far longer.)
    """
    if found.is_empty():
        return False, None
    low, high = found.dim_min_val(0), found.dim_max_val(0)
    return True, int(low.to_python()) if low.is_int() and low.eq(high) else None


def _relation(pair: Pair) -> str:
    """The distances `d > 0` between iterations in which the references meet, as isl text."""
    names = Names()
    here, there = Printer(names), Printer(names, pair.inner)
    counter = Counter(pair.loop)
    parts = [here.condition(c) for c in pair.source] + [there.condition(c) for c in pair.sink]
    parts += [f"{here.expression(a)} = {there.expression(b)}" for a, b in pair.equations]
    parts += [_differ(here, there, *each) for each in digits(pair)]
    parts.append(f"d = {names.name(counter, True)} - {names.name(counter)} and d >= 1")
    parts += names.natural()
    variables = ", ".join(name for _, name in names.items())
    return f"{{ [d] : exists ({variables} : {all_hold(parts)}) }}"


def _differ(here: Printer, there: Printer, *values: Value) -> str:
    """That one of some values is another one in another iteration."""
    names = (Affine.of(value) for value in values)
    return f"({' or '.join(f'{here.expression(n)} != {there.expression(n)}' for n in names)})"
