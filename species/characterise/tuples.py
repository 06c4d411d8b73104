"""Array reference characterisations: domain, elements, step and repetition (theory.md section 1)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from fractions import Fraction

from species.characterise.strides import Step, flattened, stride_of
from species.loops.counting import value_at
from species.loops.model import FunctionModel, Loop, Place, Reference
from species.regions.bounds import Extreme, Interval, interval
from species.sets.affine import Affine, Atom, Counter, Division, Value, constant
from species.sets.conditions import Compare, Condition, Fact, Unknown, leaves
from species.sets.domains import always
from species.sets.products import has_strides
from species.symbols.symbols import Symbol

Vector = tuple[Step, ...]


@dataclass(frozen=True)
class Dimension:
    """One dimension of a reference; `offset` is where an iteration starts, from its base iterators on."""

    domain: Interval
    elements: Affine
    offset: Affine | None


@dataclass(frozen=True)
class Tuple:
    """A characterisation whose parts are still expressions.

    `steps` are the 6-tuple's, one vector (a number per dimension) per loop of the nest; `trips` the
    trip counts of these loops.  `base` says which of the loops are base loops.
    """

    name: str
    write: bool
    dimensions: tuple[Dimension, ...]
    loops: tuple[int, ...]
    steps: tuple[Vector, ...]
    trips: tuple[Affine | None, ...]
    base: tuple[bool, ...]
    why: tuple[str, ...] = ()
    operator: str | None = None  # with which the iterations combine what they write

    @property
    def exact(self) -> bool:
        return not self.why

    def base_steps(self, dimension: int) -> list[Step]:
        """The steps of the base loops in one dimension, outermost first."""
        return [s[dimension] for s, is_base in zip(self.steps, self.base, strict=True) if is_base]

    @property
    def is_still(self) -> bool:
        """Independent of the base loops in every dimension."""
        return not any(any(self.base_steps(d)) for d in range(len(self.dimensions)))


class Characteriser:
    """Characterises references with respect to a nest that starts at `loop`."""

    def __init__(
        self,
        model: FunctionModel,
        loop: Loop,
        base: tuple[Loop, ...],
        extents: Mapping[Symbol, tuple[Affine | None, ...]],
        provided: tuple[Condition, ...] = (),
    ) -> None:
        self._model, self._loops = model, model.numbered
        self._top = loop
        self._base = {known.number for known in base}
        self._extents, self._provided = extents, provided  # what holds where the nest runs
        self._known: dict[tuple[Place, tuple[Condition, ...], tuple[int, ...]], Tuple | None] = {}

    def tuple_of(self, reference: Reference) -> Tuple | None:
        """The characterisation of a reference; None if its domain cannot be bounded at all."""
        key = reference.place, reference.conditions, reference.loops
        if key not in self._known:  # a read and a write of one element have the same, but for that
            self._known[key] = self._tuple_of(reference)
        known = self._known[key]
        return known and replace(known, write=reference.write)

    def _tuple_of(self, reference: Reference) -> Tuple | None:
        loops = reference.loops[reference.loops.index(self._top.number) :]
        nest = frozenset(loops)
        if reference.place.base is not None and reference.place.base.loops & nest:
            return None  # subscripts of a pointer that moves
        if reference.place.loose:
            return self._anywhere(reference, loops, nest)
        why = list(self._approximations(reference, loops))
        trips = tuple(self._trips(n, reference.conditions, nest) for n in loops)
        rows = reference.place.rows
        dimensions = [Dimension(_one(row), constant(1), row) for row in rows]
        for position, subscript in enumerate(reference.place.subscripts):
            dimension = self._dimension(reference, position, subscript, loops, trips, why)
            if dimension is None:
                return None
            dimensions.append(dimension)
        subscripts = (*rows, *reference.place.subscripts)
        steps = tuple(tuple(self._step(s, n, nest) for s in subscripts) for n in loops)
        base = tuple(n in self._base for n in loops)
        return Tuple(
            reference.place.name,
            reference.write,
            tuple(dimensions),
            loops,
            steps,
            trips,
            base,
            tuple(dict.fromkeys(why)),
        )

    def _step(self, subscript: Affine, number: int, nest: frozenset[int]) -> Step:
        counter = self._loops[number].counter
        return stride_of(subscript, counter) if has_strides(subscript, nest) else step(subscript, counter)

    def _anywhere(self, reference: Reference, loops: tuple[int, ...], nest: frozenset[int]) -> Tuple | None:
        """The whole of an array, where nobody knows what part of it is touched."""
        extents = self._extents.get(reference.symbol, ())
        if not extents or None in extents or reference.place.base is not None:
            return None
        whole = [self._whole(reference, position) for position in range(len(extents))]
        sizes = zip(whole, extents, strict=True)
        dimensions = tuple(Dimension(d, e, constant(0)) for d, e in sizes if d is not None and e is not None)
        still = tuple((Fraction(0),) * len(dimensions) for _ in loops)
        trips = tuple(self._trips(n, reference.conditions, nest) for n in loops)
        base = tuple(n in self._base for n in loops)
        name, why = reference.place.symbol.name, ("place is not known",)
        return Tuple(name, reference.write, dimensions, loops, still, trips, base, why)

    def _trips(self, number: int, conditions: tuple[Condition, ...], nest: frozenset[int]) -> Affine | None:
        """The largest trip count of a loop, over what is fixed outside the nest."""
        own = tuple(c for c in self._loop_conditions(number, conditions))
        found = interval(Affine.of(Counter(number)), own, nest)
        return found[1].options[0] + 1 if found and len(found[1].options) == 1 else None

    def _loop_conditions(self, number: int, conditions: tuple[Condition, ...]) -> list[Condition]:
        """The conditions of the loops around and of this one; branches are left out."""
        loop = self._loops[number]
        around = {self._loops[n].bound for n in loop.path}
        return [c for c in conditions if c in around]

    def _dimension(
        self,
        reference: Reference,
        position: int,
        subscript: Affine,
        loops: tuple[int, ...],
        trips: tuple[Affine | None, ...],
        why: list[str],
    ) -> Dimension | None:
        nest = frozenset(loops)
        if has_strides(subscript, nest):
            ordered = tuple(self._loops[n] for n in loops)
            found = flattened(reference, position, ordered, self._base, self._provided)
            if found is not None:
                if found.why and (found.why != "condition" or not why):
                    why.append(found.why)
                return Dimension(found.domain, found.elements, found.offset)
        opaque = [a for a in subscript.atoms() if isinstance(a, Value) and a.loops & nest]
        if opaque:
            return self._opaque_dimension(reference, position, subscript, opaque, nest, why)
        domain = interval(subscript, reference.conditions, nest)
        if domain is None:
            needed = _closure(subscript, reference.conditions)
            domain = interval(subscript, needed, nest)
            why.append("condition")
        if domain is None:
            domain = self._whole(reference, position)
            why.append("bound of unknown value")
        if domain is None:
            return None
        return Dimension(
            domain, self._elements(subscript, loops, trips), self._offset(subscript, loops, trips)
        )

    def _opaque_dimension(
        self,
        reference: Reference,
        position: int,
        subscript: Affine,
        opaque: list[Value],
        nest: frozenset[int],
        why: list[str],
    ) -> Dimension | None:
        """`R[i*i]` is taken as one element a step; `S[T[i]]` may touch all that T's type allows."""
        if all(_is_computed(a) for a in opaque):
            why.append("index is not affine")
            domain = self._computed(subscript, nest) or self._whole(reference, position)
            return Dimension(domain, constant(1), None) if domain else None
        why.append("index is read from memory: range of the type")
        domain = interval(subscript, reference.conditions, nest) or self._whole(reference, position)
        if domain is None:
            return None
        low, high = domain[0].single, domain[1].single
        return Dimension(domain, high - low + 1, low) if low is not None and high is not None else None

    def _computed(self, subscript: Affine, nest: frozenset[int]) -> Interval | None:
        """All values of a subscript that depends on one counter with a constant trip count."""
        counters = {a for a in _deep_atoms(subscript) if isinstance(a, Counter)}
        if len(counters) != 1:
            return None
        counter = counters.pop()
        loop = self._loops[counter.loop]
        found = interval(Affine.of(counter), (loop.bound,), nest)
        last = found[1].single if found else None
        if last is None or not last.is_constant or last.constant > 10_000:
            return None
        values = [value_at(subscript, counter, t) for t in range(last.constant + 1)]
        known = [v for v in values if v is not None]
        if len(known) != len(values):
            return None
        return Extreme("min", (constant(min(known)),)), Extreme("max", (constant(max(known)),))

    def _whole(self, reference: Reference, position: int) -> Interval | None:
        """The declared extent of the array."""
        extents = self._extents.get(reference.symbol, ())
        size = extents[position] if position < len(extents) else None
        if size is None:
            return None
        return Extreme("min", (constant(0),)), Extreme("max", (size - 1,))

    def _elements(
        self, subscript: Affine, loops: tuple[int, ...], trips: tuple[Affine | None, ...]
    ) -> Affine:
        """How many elements one base iteration spans."""
        span = constant(0)
        for number, count in zip(loops, trips, strict=True):
            moved = step(subscript, Counter(number))
            if number not in self._base and moved and count is not None:
                span += _times(count - 1, abs(moved))
        return span + 1

    def _offset(
        self, subscript: Affine, loops: tuple[int, ...], trips: tuple[Affine | None, ...]
    ) -> Affine | None:
        """The least subscript of an iteration, the base iterators taken off."""
        if any(isinstance(a, Division) for a, _ in subscript.terms):
            return None
        offset = self._without_base(subscript, loops)
        for number, count in zip(loops, trips, strict=True):
            coefficient = offset.coefficient(Counter(number))
            if coefficient and number not in self._base:
                offset -= Affine.of(Counter(number), coefficient)
                if coefficient < 0 and count is None:
                    return None
                offset += (count - 1).scaled(coefficient) if coefficient < 0 and count else constant(0)
        return offset

    def _without_base(self, subscript: Affine, loops: tuple[int, ...]) -> Affine:
        """Innermost base loops first: `c * t` is `c / step * (iterator - lower)`; the iterator is dropped."""
        result = subscript
        for number in reversed(loops):
            loop = self._loops[number]
            coefficient = result.coefficient(loop.counter)
            if number in self._base and coefficient:
                result -= Affine.of(loop.counter, coefficient)
                result -= loop.lower.scaled(coefficient // loop.step)
        return result

    def _approximations(self, reference: Reference, loops: tuple[int, ...]) -> list[str]:
        nest = frozenset(loops)
        why = [self._loops[n].why_inexact or "loop is left early" for n in loops if not self._loops[n].exact]
        known = (*self._top.conditions, *(c for c in reference.conditions if c in self._model.bounds))
        for condition in reference.conditions[len(self._top.conditions) :]:
            if condition in self._model.bounds or _is_counter(condition) or isinstance(condition, Fact):
                continue
            if _depends(condition, nest) or not always(condition, known):
                why.append("condition")
        for number in loops:
            if _depends_on_other(self._loops[number], nest):
                why.append("triangular domain")
        if any(_unaligned(s, nest) for s in reference.place.subscripts):
            why.append("division that does not come out even")
        return why


def step(subscript: Affine, counter: Counter) -> Fraction:
    """How far a subscript moves, on average, from one iteration of a loop to the next."""
    total = Fraction(0)
    for atom, coefficient in subscript.terms:
        if atom == counter:
            total += coefficient
        elif isinstance(atom, Division):
            inner = step(atom.numerator, counter)
            total += coefficient * (inner if atom.remainder else inner / atom.divisor)
        elif isinstance(atom, Value) and _is_computed(atom) and counter.loop in atom.loops:
            total += coefficient
    return total


def _is_computed(value: Value) -> bool:
    return value.key[0] == "op" and value.why == "not affine"


def _deep_atoms(expression: Affine) -> list[Atom]:
    found: list[Atom] = []
    for atom in expression.atoms():
        found.append(atom)
        if isinstance(atom, Value):
            for part in atom.parts:
                found += _deep_atoms(part)
    return found


def _times(count: Affine, factor: Fraction) -> Affine:
    if factor.denominator == 1:
        return count.scaled(factor.numerator)
    if count.is_constant:
        return constant(int(count.constant * factor))
    return Affine.of(Division(count.scaled(factor.numerator), factor.denominator, False))


def _is_counter(condition: Condition) -> bool:
    """The condition `counter >= 0` that every loop adds."""
    return (
        isinstance(condition, Compare)
        and condition.expression.constant == 0
        and len(condition.expression.terms) == 1
        and all(isinstance(a, Counter) for a, _ in condition.expression.terms)
    )


def _depends(condition: Condition, nest: frozenset[int]) -> bool:
    return any(isinstance(leaf, Unknown) or leaf.expression.loops & nest for leaf in leaves(condition))


def _depends_on_other(loop: Loop, nest: frozenset[int]) -> bool:
    """Does the trip count change with another loop of the nest?"""
    others = nest - {loop.number}
    return any(isinstance(leaf, Compare) and leaf.expression.loops & others for leaf in leaves(loop.bound))


def _unaligned(subscript: Affine, nest: frozenset[int]) -> bool:
    for atom, _ in subscript.terms:
        if isinstance(atom, Division):
            numerator = atom.numerator
            rest = [c for a, c in numerator.terms if not a.loops & nest]
            if any(v % atom.divisor for v in (numerator.constant, *rest)):
                return True
    return False


def _one(value: Affine) -> Interval:
    return Extreme("min", (value,)), Extreme("max", (value,))


def _closure(subscript: Affine, conditions: tuple[Condition, ...]) -> tuple[Condition, ...]:
    """The affine conditions that only speak of what the subscript depends on."""
    needed = set(subscript.loops)
    return tuple(
        c
        for c in conditions
        if isinstance(c, Compare)
        and frozenset(a.loop for a in c.expression.atoms() if isinstance(a, Counter)) <= needed
    )
