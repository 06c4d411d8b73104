"""Bounds of subscripts such as `i*n + j`, whose strides are values that the loops do not change."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import product

from species.loops.model import Reference
from species.regions.bounds import Extreme, interval
from species.sets.affine import GREATEST, LEAST, Affine, Atom, Counter, Value, constant, operation
from species.sets.conditions import Both, Compare, Condition, Either, Fact, atoms
from species.sets.domains import implied
from species.sets.products import ONE, Polynomial, added, affine, factors, multiplied, polynomial, replaced
from species.symbols.types import LONG

Moving = Atom | Affine  # what moves in a subscript: a counter or value, or several that move as one
Corner = dict[Moving, Affine]  # where a subscript is smallest or largest
MAX_OPTIONS = 4


@dataclass(frozen=True)
class Span:
    """A subscript is `fixed + sum of coefficient * moving part`; the parts lie between two corners.

    For the parts in `unsigned` nobody knows which corner makes the subscript small.
    """

    fixed: Polynomial
    coefficients: dict[Moving, Polynomial]
    low: Corner
    high: Corner
    unsigned: tuple[Moving, ...]

    def at(self, corner: Corner) -> Affine:
        total = self.fixed
        for atom, coefficient in self.coefficients.items():
            total = added(total, multiplied(coefficient, polynomial(corner[atom])))
        return affine(total)

    def ends(self, corner: Corner) -> list[Affine]:
        """The values at a corner, and at those that differ from it in the atoms of unknown sign."""
        choices = product(*([self.low[a], self.high[a]] for a in self.unsigned))
        return [self.at({**corner, **dict(zip(self.unsigned, c, strict=True))}) for c in choices]


class Flattened:
    """The subscripts of references to one object in one dimension, over the loops in `inner`; the conditions
    in `provided` hold when these loops run.

    With `extremes`, the end of what moves may be the least or greatest of some expressions; else one of them
    has to do, which it does not reach, perhaps.
    """

    def __init__(
        self,
        references: Sequence[Reference],
        dimension: int,
        inner: frozenset[int],
        provided: tuple[Condition, ...] = (),
        *,
        extremes: bool = False,
    ) -> None:
        self._inner, self._provided, self._extremes = inner, provided, extremes
        self.has_extremes = False  # is an end the least or greatest of some expressions?
        self._facts: list[Condition] = []  # of least and greatest expressions
        self._own: dict[int, list[Condition]] = {}  # besides, where a reference is made, by its id
        self._choices: list[Condition] = []  # and which ones they are
        self._spans = [(r, self._span(r, r.place.subscripts[dimension])) for r in references]

    @property
    def span(self) -> Span | None:
        """That of the first reference."""
        return self._spans[0][1]

    def signs(self) -> Iterator[Compare]:
        """That strides of unknown sign are not negative."""
        for span in (span for _, span in self._spans if span is not None):
            yield from (Compare(affine(span.coefficients[atom])) for atom in span.unsigned)

    def limits(self) -> tuple[Extreme, Extreme] | None:
        """The least and the greatest subscript; None if no bounds are found."""
        spans = [(r, span) for r, span in self._spans if span is not None]
        if len(spans) != len(self._spans):
            return None
        choices = tuple(self._choices)
        lows = _least([(self._known(r), low) for r, span in spans for low in span.ends(span.low)], choices)
        highs = _least(
            [(self._known(r), -high) for r, span in spans for high in span.ends(span.high)], choices
        )
        highs = [-high for high in highs]
        if max(len(lows), len(highs)) > MAX_OPTIONS:
            return None
        return Extreme("min", tuple(lows)), Extreme("max", tuple(highs))

    def is_exact(self) -> bool:
        """Does every reference that is made at all reach both of its ends?"""
        return all(
            span is not None
            and not span.unsigned
            and self._reaches(r, span.low)
            and self._reaches(r, span.high)
            for r, span in self._spans
        )

    def is_filled(self, limits: tuple[Extreme, Extreme]) -> bool:
        """Does one of the references touch everything between the limits?"""
        return any(
            span is not None
            and [limits[0].single, limits[1].single] == [span.at(span.low), span.at(span.high)]
            and self._is_box(r, span)
            and _is_dense(span)
            for r, span in self._spans
        )

    def _known(self, reference: Reference) -> tuple[Condition, ...]:
        """What holds where a reference is made."""
        return (*reference.conditions, *self._provided, *self._facts, *self._own.get(id(reference), ()))

    def _span(self, reference: Reference, subscript: Affine) -> Span | None:
        coefficients: dict[Moving, Polynomial] = {}
        fixed: Polynomial = {}
        for monomial, factor in polynomial(subscript).items():
            moving = [a for a in monomial if a.loops & self._inner]
            if len(moving) > 1:
                return None
            rest = tuple(a for a in monomial if not a.loops & self._inner)
            if moving:
                coefficients[moving[0]] = added(coefficients.get(moving[0], {}), {rest: factor})
            else:
                fixed = added(fixed, {rest: factor})
        each = self._between(reference, fixed, coefficients)
        if each is not None and self._reaches(reference, each.low) and self._reaches(reference, each.high):
            return each
        return self._between(reference, fixed, _joined(coefficients)) or each

    def _between(
        self, reference: Reference, fixed: Polynomial, coefficients: dict[Moving, Polynomial]
    ) -> Span | None:
        low: Corner = {}
        high: Corner = {}
        unsigned = []
        for atom, coefficient in coefficients.items():
            moving = atom if isinstance(atom, Affine) else Affine.of(atom)
            ends = self._ends(moving, reference)
            if ends is None:
                return None
            first, last = low[atom], high[atom] = ends
            sign = _sign(affine(coefficient), self._known(reference))
            if sign < 0:
                low[atom], high[atom] = last, first
            if sign == 0:
                unsigned.append(atom)
        return Span(fixed, coefficients, low, high, tuple(unsigned))

    def _ends(self, moving: Affine, reference: Reference) -> tuple[Affine, Affine] | None:
        """Between what it lies; where that has gaps, as with `i != k`, as if there were none, and where what
        is known of chosen values, or of others that move, makes it many cases, as if nothing were.
        """
        conditions = reference.conditions
        dense = tuple(c for c in conditions if isinstance(c, Fact) or not isinstance(c, Either))
        plain = tuple(c for c in dense if not isinstance(c, Fact))
        parts = frozenset(moving.atoms())
        own = tuple(c for c in dense if {a for a in atoms(c) if a.loops & self._inner} <= parts)
        for known in dict.fromkeys((conditions, dense, plain, own)):
            found = interval(moving, known, self._inner)
            first, last = self._both(reference, moving, *found) if found else (None, None)
            if first is not None and last is not None:
                return first, last
        return None

    def _both(
        self, reference: Reference, moving: Affine, low: Extreme, high: Extreme
    ) -> tuple[Affine | None, Affine | None]:
        self.has_extremes |= low.single is None or high.single is None
        if not self._extremes:
            return _valid(low, "max"), _valid(high, "min")
        return self._end(reference, moving, low, GREATEST), self._end(reference, moving, high, LEAST)

    def _end(self, reference: Reference, moving: Affine, end: Extreme, operator: str) -> Affine | None:
        """The least or greatest of the expressions, as a value of which that is known."""
        wanted = "max" if operator == GREATEST else "min"
        sign = 1 if operator == GREATEST else -1
        large = any(_is_large(option.scaled(sign)) for option in end.options)
        if end.single is not None or end.operator != wanted or large:
            return _valid(end, wanted)
        value = operation(operator, LONG, *sorted(end.options, key=str))
        for side in end.options:
            self._facts.append(Compare((value - side).scaled(sign)))
        self._own.setdefault(id(reference), []).append(Compare((moving - value).scaled(sign)))
        self._choices.append(Either(tuple(Compare(value - side, equal=True) for side in end.options)))
        return value

    def _reaches(self, reference: Reference, corner: Corner) -> bool:
        """Is the reference made at the corner whenever it is made anywhere?"""
        if not all(isinstance(a, Counter) for a in corner):
            return False
        known = self._known(reference)
        return all(
            isinstance(c, Compare)
            and _holds(Compare(c.expression.substitute(lambda a: corner.get(a)), c.equal), known)
            for c in _each(reference.conditions)
            if not isinstance(c, Compare) or c.expression.loops & self._inner
        )

    def _is_box(self, reference: Reference, span: Span) -> bool:
        """Is it made for all values of the counters between the corners?"""
        if not all(isinstance(a, Counter) for a in span.low):
            return False
        sides = [(Affine.of(a), span.low[a], span.high[a]) for a in span.low if isinstance(a, Counter)]
        within = tuple(Compare(e) for t, a, b in sides for e in _between(t, a, b))
        outside = tuple(
            c
            for c in _each(reference.conditions)
            if isinstance(c, Compare) and not c.expression.loops & self._inner
        )
        return all(
            isinstance(c, Compare) and not c.equal and implied(c, (*outside, *within))
            for c in _each(reference.conditions)
            if not isinstance(c, Compare) or c.expression.loops & self._inner
        )


def _each(conditions: Iterable[Condition]) -> Iterator[Condition]:
    """The conditions that decide where a reference is made, each of several by itself; what is known of
    values does not.
    """
    for condition in conditions:
        if isinstance(condition, Both):
            yield from _each(condition.parts)
        elif not isinstance(condition, Fact):
            yield condition


def _joined(coefficients: dict[Moving, Polynomial]) -> dict[Moving, Polynomial]:
    """What moves the subscript by multiples of one value, as one: `32*n*t + n*s` is `n*(32*t + s)`.

    So the counters of blocks and of what is in a block are bounded together, in all dimensions.
    """
    groups: list[tuple[Affine, Polynomial]] = []
    for atom, coefficient in coefficients.items():
        moving = atom if isinstance(atom, Affine) else Affine.of(atom)
        for place, (others, unit) in enumerate(groups):
            times, parts = _times(coefficient, unit), _times(unit, coefficient)
            if times is not None:
                groups[place] = others + moving.scaled(times), unit
                break
            if parts is not None:
                groups[place] = others.scaled(parts) + moving, coefficient
                break
        else:
            groups.append((moving, coefficient))
    blocked = any(len(moving.terms) > 1 and unit.keys() != {ONE} for moving, unit in groups)
    return dict(groups) if blocked else coefficients


def _times(coefficient: Polynomial, unit: Polynomial) -> int | None:
    """How many of `unit` the coefficient is, if that is a whole number."""
    if not unit or coefficient.keys() != unit.keys():
        return None
    times = {divmod(coefficient[m], unit[m]) for m in unit}
    quotient, rest = times.pop()
    return quotient if not times and not rest else None


def _sign(coefficient: Affine, known: tuple[Condition, ...]) -> int:
    """1: not negative, -1: not positive, 0: nobody knows."""
    if implied(Compare(coefficient), known):
        return 1
    return -1 if implied(Compare(-coefficient), known) else 0


def _between(atom: Affine, one: Affine, other: Affine) -> Iterator[Affine]:
    """The counter is between its corners, whichever of them is the larger: it starts at zero."""
    least, greatest = (one, other) if one == constant(0) else (other, one)
    yield atom - least
    yield greatest - atom


def _valid(extreme: Extreme, weaker: str) -> Affine | None:
    """One expression that is a bound: any of several whose least (greatest) bounds from above (below)."""
    if extreme.single is not None:
        return extreme.single
    narrow = [o for o in extreme.options if not any(map(_is_wide, o.atoms()))]
    found = sorted(narrow, key=lambda option: not option.is_constant)
    return found[0] if found and extreme.operator == weaker else None


def _is_large(option: Affine) -> bool:
    """Might it, or what is computed on the way to it, be larger or smaller than any `long`?

    A limit of LONG_MAX says that there is none: `limit - 1` is computed, as an upper end (here with another
    sign), `limit + 1` is not.
    """
    if any(not isinstance(a, Value) or (a.ctype.unsigned and a.ctype.bits >= 64) for a in option.atoms()):
        return True
    wide = any(map(_is_wide, option.atoms()))
    one = len(option.terms) == 1 and all(abs(times) == 1 for _, times in option.terms)
    return wide and (not one or option.constant < 0)


def _is_wide(atom: Atom) -> bool:
    """May it be as large as to say that there is no limit?"""
    return isinstance(atom, Value) and atom.ctype.bits >= 64


def _least(
    found: list[tuple[tuple[Condition, ...], Affine]], choices: tuple[Condition, ...] = ()
) -> list[Affine]:
    """Expressions one of which is the least, whichever of them count: each does where its conditions hold.

    By the `choices`, which hold everywhere, values in them are one of some expressions.
    """
    kept: dict[Affine, list[tuple[tuple[Condition, ...], Affine]]] = {}
    for known, value in found:
        kept.setdefault(value, []).append((known, value))
    order = sorted(kept, key=_is_of_part) if choices else list(kept)
    # What counts in some parts only, first below what all of them have.
    for above in (True, False) if choices else (False,):
        for value in order:
            others = (o for o in order if o in kept and o != value and _is_of_part(o) >= _is_of_part(value))
            others = (o for o in others if not above or _is_of_part(o) > _is_of_part(value))
            chosen = next((o for o in others if value in kept and _is_below(o, kept[value], choices)), None)
            if chosen is not None:
                kept[chosen] += kept.pop(value)
    return list(kept)


def _is_below(
    one: Affine, others: list[tuple[tuple[Condition, ...], Affine]], choices: tuple[Condition, ...]
) -> bool:
    """Is it the lesser one of each, or as large, where that counts?"""
    return all(_is_less(one, value, known, choices) for known, value in others)


def _is_of_part(value: Affine) -> bool:
    """Is a part of a loop's iterations named in it?  Else it may count in some parts only."""
    found = [f for atom in value.atoms() for f in factors(atom)]
    named = any(isinstance(f, Value) and f.key[:1] == ("iterator",) for f in found)
    return named or any(_is_of_part(each) for f in found if isinstance(f, Value) for each in f.parts)


def _is_less(
    one: Affine, other: Affine, known: tuple[Condition, ...], choices: tuple[Condition, ...]
) -> bool:
    """Is it the lesser one, or as large?  In products, what is 0 or 1, or one of the expressions of which it
    is the least or the greatest, counts as that.
    """
    if _is_natural(other - one, known):
        return True
    if not choices:
        return False
    plain = (*(c for c in _each(known) if isinstance(c, Compare)), *choices)
    difference = other - one
    for value in {f for a in difference.atoms() for f in factors(a) if len(factors(a)) > 1}:
        for each in (constant(0), constant(1), *(value.parts if isinstance(value, Value) else ())):
            apart = Affine.of(value) - each
            if implied(Compare(apart), plain) and implied(Compare(-apart), plain):
                difference = replaced(difference, value, each)
                break
    return difference != other - one and _is_natural(difference, known)


def _is_natural(difference: Affine, known: tuple[Condition, ...]) -> bool:
    """Is it at least zero?  Where all terms have a factor, it and what is left are asked about."""
    if implied(Compare(difference), known):
        return True
    monomials = polynomial(difference)
    for common in set.intersection(*map(set, monomials)) if monomials else ():
        rest: dict[tuple[Atom, ...], int] = {}
        for monomial, coefficient in monomials.items():
            place = monomial.index(common)
            rest[(*monomial[:place], *monomial[place + 1 :])] = coefficient
        if implied(Compare(Affine.of(common)), known) and implied(Compare(affine(rest)), known):
            return True
    return False


def _holds(compare: Compare, known: tuple[Condition, ...]) -> bool:
    inequalities = (compare.expression, -compare.expression) if compare.equal else (compare.expression,)
    return all(implied(Compare(e), known) for e in inequalities)


def _is_dense(span: Span) -> bool:
    """Are the coefficients 1, T1, T1*T2, ... for counters that take T1, T2, ... values?"""
    unit: Polynomial = {ONE: 1}
    left = dict(span.coefficients)
    while left:
        atom = next((a for a, c in left.items() if dict(c) == dict(unit)), None)
        if atom is None:
            return False
        values = span.high[atom] - span.low[atom] + 1
        unit = multiplied(unit, polynomial(values))
        del left[atom]
    return True
