"""For which values of its parameters does a loop carry no dependence?  ("parallel if n >= 300")"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace

import islpy as isl

from species.dependence.exact.delinearise import Split, later, later_condition, least, split, strides
from species.dependence.exact.dependence_test import Dependence, disguised, meeting, refuting
from species.dependence.exact.short_conditions import has_rounding, short
from species.dependence.exact.strided import by_iteration, strides_in
from species.dependence.windows import linear, usually_met
from species.loops.model import Loop, Reference
from species.sets.affine import Affine, Atom, Value, constant, order
from species.sets.conditions import Both, Compare, Condition, Either, Fact, Unknown, atoms, negated
from species.sets.domains import Names, Printer, implied, limited
from species.sets.products import factors
from species.sets.quotients import is_rest, is_whole, quotients

MAX_PAIRS, MAX_DEPENDENCES = 64, 8
LARGEST = constant(2**31 - 1)  # of an offset that might be a negative number in disguise
MANY = 64  # a condition under which a loop makes fewer iterations, though it could make more, is of no use


def harmless(loop: Loop, inner: frozenset[int], dependences: Sequence[Dependence]) -> Condition | None:
    """A simple condition on values that the loop does not change, under which none of them exists.

    None if there is none, or none that is worth a test at run time.  Where the condition fails
    there may be dependences or not.
    """
    steps = strides_in(loop)
    ends = [[by_iteration(r, steps) for r in (d.source, d.sink)] for d in dependences if steps]
    counted = [replace(d, source=a, sink=b) for d, (a, b) in zip(dependences, ends, strict=bool(steps))]
    found = (_harmless(loop, inner, counted) if counted else None) or _harmless(loop, inner, dependences)
    return None if found is not None and _is_of_no_size(found) else found


def _is_of_no_size(condition: Condition) -> bool:
    """Does it hold only where a product of sizes, as that of a row and a column, is 0 or less?"""
    match condition:
        case Both(parts):
            return any(map(_is_of_no_size, parts))
        case Either(parts):
            return bool(parts) and all(map(_is_of_no_size, parts))
        case Compare(e) if e.terms and e.constant <= 0:
            return all(c < 0 and len(factors(a)) > 1 for a, c in e.terms)
    return False


def _harmless(loop: Loop, inner: frozenset[int], dependences: Sequence[Dependence]) -> Condition | None:
    if len(dependences) > MAX_PAIRS or any(map(_is_regular, dependences)):
        return None
    different = {(_split(loop, inner, d), _known(d.source), _known(d.sink)): d for d in dependences}
    splits = [parts for parts, _, _ in different]
    if all(_is_refuted(loop, inner, parts, d) for (parts, *_), d in different.items()):
        needed = [_fixed(e, inner, d) for (parts, *_), d in different.items() for e in parts.assumed]
        known = dict.fromkeys(e for e in needed if e is not None)
        far = _strides(inner, different.values())
        simple = usually_met(loop, map(linear, known), far) if None not in needed else None
        if simple is not None:
            return simple
    hopeless = (_is_hopeless(parts, inner, different[key]) for key in different for parts in key[:1])
    if len(splits) > MAX_DEPENDENCES or any(hopeless):
        return None
    found = list(different.values())
    rests = frozenset(filter(is_rest, _atoms(found)))
    short = limited(lambda: _Query(loop, inner, rests).harmless(found, splits), when_exhausted=None)
    if short is not None or not rests:
        return short
    return limited(lambda: _Query(loop, inner).harmless(found, splits), when_exhausted=None)


def _strides(inner: frozenset[int], dependences: Iterable[Dependence]) -> set[Atom]:
    """What rows are apart."""
    equations = [e for d in dependences for e in meeting(d.source.place, d.sink.place) or ()]
    found = (stride for e in equations for stride in strides(e, inner))
    return {atom for stride in found for monomial in stride for atom in monomial}


def _is_refuted(loop: Loop, inner: frozenset[int], parts: Split, dependence: Dependence) -> bool:
    """Do the equations contradict one another, or what holds in the iterations?"""
    if refuting(loop, inner, parts.equations):
        return True
    facts = _facts(inner, dependence)
    apart = [later(b, inner) - a for a, b in parts.equations]
    return any(implied(Compare(side - 1), facts) for e in apart for side in (e, -e))


def _facts(inner: frozenset[int], dependence: Dependence) -> tuple[Condition, ...]:
    """What holds at both ends."""
    sink = (later_condition(c, inner) for c in dependence.sink.conditions)
    return (*dependence.source.conditions, *sink)


def _fixed(expression: Affine, inner: frozenset[int], dependence: Dependence) -> Affine | None:
    """What bounds the expression from below and no loop changes; None: nothing is known to."""
    moving = inner | {-number for number in inner}
    if not any(atom.loops & moving for atom in expression.atoms()):
        return expression
    return least(expression, inner, _facts(inner, dependence))


def _atoms(dependences: Iterable[Dependence]) -> Iterator[Atom]:
    """The values that the conditions of dependences name."""
    for dependence in dependences:
        for condition in (*dependence.source.conditions, *dependence.sink.conditions):
            yield from atoms(condition)


def excluding(
    loop: Loop, inner: frozenset[int], executed: Sequence[Condition], bad: Sequence[Condition]
) -> Condition | None:
    """A simple condition on values that the loops in `inner` do not change, under which none of `bad` holds
    in any iteration that one of `executed` does hold in.

    None as for `harmless`; `loop` is the one that would be worth it.
    """
    return limited(lambda: _Query(loop, inner).excluding(executed, bad), when_exhausted=None)


def _known(reference: Reference) -> tuple[Condition, ...]:
    """The conditions of a reference, those on data aside, of which integer sets know nothing."""
    return tuple(c for c in reference.conditions if not isinstance(c, Unknown))


def _is_regular(dependence: Dependence) -> bool:
    """At a distance that is known, it is there whenever the loop is long enough to be worth it."""
    return dependence.exact and dependence.distance is not None and dependence.distance < MANY


def _split(loop: Loop, inner: frozenset[int], dependence: Dependence) -> Split:
    source, sink = dependence.source, dependence.sink
    equations = meeting(source.place, sink.place) or []
    parts = [split(e, inner, source.conditions, sink.conditions, True) for e in equations]
    found = tuple(e for part in parts for e in part.equations)
    positive = (
        LARGEST - Affine.of(v) for e in (*equations, *found) for v in disguised(e, loop, source, sink)
    )
    never = refuting(loop, inner, found)  # then nothing has to be known of the others
    return Split((never,) if never else found, (*(e for part in parts for e in part.assumed), *positive))


def _is_hopeless(parts: Split, inner: frozenset[int], dependence: Dependence) -> bool:
    """Do the equations hold values of which nothing is known but that the loop changes them, or none that it
    does not know?
    """
    conditions = (*dependence.source.conditions, *dependence.sink.conditions)
    known = {condition.value for condition in conditions if isinstance(condition, Fact)}
    found = {a for equation in parts.equations for side in equation for a in side.atoms()}
    return not parts.equations or any(isinstance(a, Value) and a.loops & inner for a in found - known)


class _Query:
    """Sets of parameters: of the values that the loops in `inner` leave alone, but for those in `any_`."""

    def __init__(self, loop: Loop, inner: frozenset[int], any_: frozenset[Atom] = frozenset()) -> None:
        self._loop, self._inner, self._any = loop, inner, any_
        self._moving = inner | {-number for number in inner}
        self._names = Names()
        self._printer = Printer(self._names)

    def harmless(self, dependences: Sequence[Dependence], splits: Sequence[Split]) -> Condition | None:
        """As the function above; raises `isl.Error`."""
        executed = [self._both(d) for d in dependences]
        bad = [
            Both((both, meets))
            for both, parts in zip(executed, splits, strict=True)
            for meets in self._meetings(parts)
        ]
        return self.excluding(executed, bad)

    def excluding(self, executed: Sequence[Condition], bad: Sequence[Condition]) -> Condition | None:
        """As the function above; raises `isl.Error`."""
        harm = self._parameters(bad)  # first: this names all values
        context = self._parameters(executed)
        plain = self._outside(harm.remove_divs(), context.remove_divs(), executed)
        if plain is not None or not any(map(has_rounding, (harm, context))):
            return plain
        return self._outside(harm.compute_divs(), context.compute_divs(), executed)

    def _outside(self, harm: isl.Set, context: isl.Set, executed: Sequence[Condition]) -> Condition | None:
        good = context.subtract(harm)
        if good.is_empty() or not self._is_worth(good):
            return None
        named = {n: a for (a, _), n in self._names.items()}
        found = short(good.gist(context).coalesce(), named, executed)
        whole = _convex(good, context) if found is None else None
        return short(whole, named, executed) if whole is not None else found

    def _both(self, dependence: Dependence) -> Condition:
        """The source is executed, and in a later iteration the sink."""
        counter = Affine.of(self._loop.counter)
        order = Compare(later(counter, self._inner) - counter - 1)
        ends = (dependence.source.conditions, dependence.sink.conditions)
        source, sink = ((*conditions, *quotients(conditions)) for conditions in ends)
        return Both((*source, *(later_condition(c, self._inner) for c in sink), order))

    def _meetings(self, parts: Split) -> list[Condition]:
        """The ways in which both may be one cell: equal subscripts, or an assumption that fails."""
        equal = tuple(Compare(a - later(b, self._inner), True) for a, b in parts.equations)
        return [Both(equal), *(negated(Compare(e)) for e in parts.assumed)]

    def _parameters(self, cases: Iterable[Condition]) -> isl.Set:
        """The parameters for which one of the cases has a solution."""
        return self._solutions(list(cases), "").params()

    def _solutions(self, cases: Sequence[Condition], dimension: str) -> isl.Set:
        """The solutions as a set over the parameters and the atom named `dimension`."""
        body = self._printer.condition(Either(tuple(cases)))
        known = self._names.natural()
        named = [(a, n) for (a, _), n in self._names.items() if n != dimension]
        outside = [(a, n) for a, n in named if not (a.loops & self._moving or a in self._any or is_whole(a))]
        fixed = [n for _, n in sorted(outside, key=lambda pair: order(pair[0]))]
        moving = [n for _, n in named if n not in fixed]
        body = " and ".join([body, *known])
        exists = f"exists ({', '.join(moving)} : {body})" if moving else body
        return isl.Set(f"[{', '.join(fixed)}] -> {{ [{dimension}] : {exists} }}")

    def _is_worth(self, good: isl.Set) -> bool:
        """May the loop make many iterations (or all that it ever makes) where the parameters are good?"""
        own = self._names.name(self._loop.counter)
        run = self._solutions([Both((*self._loop.conditions, self._loop.bound))], own)
        last = _last(run)
        if self._loop.stride is not None:  # it skips numbers: is there a second iteration?
            second = self._loop.bound, Compare(Affine.of(self._loop.counter) - self._loop.stride, True)
            return not self._parameters([Both((*self._loop.conditions, *second))]).intersect(good).is_empty()
        wanted = MANY - 1 if last is None else min(last, MANY - 1)
        found = _last(run.intersect_params(good))
        return wanted > 0 and (found is None or found >= wanted)


def _convex(good: isl.Set, context: isl.Set) -> isl.Set | None:
    """What is good, in one piece, where all that lies between its pieces is outside of the context."""
    hull = good.polyhedral_hull()
    if not isl.Set.from_basic_set(hull).intersect(context).is_subset(good):
        return None
    return isl.Set.from_basic_set(hull.gist(context.polyhedral_hull()))


def _last(run: isl.Set) -> int | None:
    """The largest value of the only dimension, over all parameters; None: there is none. -1: it is empty."""
    values = run.project_out(isl.dim_type.param, 0, run.dim(isl.dim_type.param))
    if values.is_empty():
        return -1
    if not values.dim_has_upper_bound(isl.dim_type.set, 0):
        return None
    highest = values.dim_max_val(0)  # isl may not find the end that it says is there
    return int(highest.to_python()) if highest.is_int() else None
