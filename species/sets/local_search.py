"""Numbers under which conditions hold together, found by local search.

One condition that does not hold, and one of its variables, is repaired after the other (Selman, Kautz and
Cohen, "Noise strategies for improving local search", 1994).  The same search always finds the same.
"""

from __future__ import annotations

from collections.abc import Iterator
from random import Random

from species.sets.affine import Affine, Atom, Counter, Division, Value
from species.sets.conditions import Both, Compare, Condition, Either
from species.sets.numeric import Derived, Joined, Part, Point, Sum
from species.sets.products import factors

HASTE = 0.8  # how often the repair is taken that leaves the fewest conditions open, instead of any
COUNTS = (0, 1, 2, 3)  # where counters start
SIZES = (4, 6, 9, 13, 1)  # where other variables do
WIDE = 2**63

Move = tuple[int, int]  # a variable, and its new number


class Search:
    """For a point at which all conditions hold that were added."""

    def __init__(self) -> None:
        self._numbers: dict[Atom, int] = {}
        self._ranges: list[tuple[int, int]] = []
        self._derived: dict[int, Derived] = {}
        self._parts: list[Part] = []
        self._uses: dict[int, list[int]] = {}  # the parts that a variable bears on

    def add(self, condition: Condition) -> None:
        """Adds a condition; what is unknown is left out."""
        part = self._part(condition)
        if part is not None:
            self._append(part)

    def alone(self, condition: Condition) -> Search:
        """Another search with the same variables (and new ones), for this condition alone."""
        other = Search()
        other._numbers, other._ranges = dict(self._numbers), list(self._ranges)
        other._derived = dict(self._derived)
        other.add(condition)
        return other

    def extended(self, condition: Condition) -> Search:
        """Another search, for a condition more."""
        other = self.alone(condition)
        for part in self._parts:
            other._append(part)
        return other

    def sum(self, expression: Affine, equal: bool = False) -> Sum:
        """The expression over the variables of the search."""
        terms = tuple((c, tuple(self._variable(f) for f in factors(a))) for a, c in expression.ordered)
        return Sum(terms, expression.constant, equal)

    def point(self, random: Random) -> Point:
        """Some small numbers."""
        first = (random.choice(COUNTS if isinstance(a, Counter) else SIZES) for a in self._numbers)
        return self._completed([self._within(n, number) for n, number in enumerate(first)])

    def grown(self, point: Point) -> Point:
        """The point with numbers for the variables that are new."""
        if len(point) == len(self._ranges):
            return point
        return self._completed([*point, *(self._within(n, 1) for n in range(len(point), len(self._ranges)))])

    def is_solved(self, point: Point) -> bool:
        """Do all conditions hold at the point?"""
        return all(part.holds(point) for part in self._parts)

    def repaired(self, point: Point, random: Random, repairs: int) -> Point | None:
        """A point near this one at which all conditions hold, after so many repairs at most; or None."""
        point = list(point)
        broken = {k for k, part in enumerate(self._parts) if not part.holds(point)}
        for _ in range(repairs if broken else 0):
            moves = list(self._moves(self._parts[random.choice(sorted(broken))], point, random))
            if not moves:
                return None
            hasty = random.random() < HASTE
            chosen = min(moves, key=lambda m: self._open(m, point)) if hasty else random.choice(moves)
            self._go(chosen, point)
            uses = self._uses.get(chosen[0], ())
            broken -= {k for k in uses if self._parts[k].holds(point)}
            broken |= {k for k in uses if not self._parts[k].holds(point)}
            if not broken:
                break
        return None if broken else point

    def _open(self, move: Move, point: Point) -> int:
        """How many of the variable's parts would not hold after the move, less those that do not now."""
        parts = [self._parts[k] for k in self._uses.get(move[0], ())]
        now = sum(not part.holds(point) for part in parts)
        before = point[move[0]]
        self._go(move, point)
        then = sum(not part.holds(point) for part in parts)
        self._go((move[0], before), point)
        return then - now

    def _go(self, move: Move, point: Point) -> None:
        point[move[0]] = move[1]
        self._completed(point)

    def _moves(self, part: Part, point: Point, random: Random) -> Iterator[Move]:
        """Changes of one number after which the part holds, or one of those that it is made of."""
        while isinstance(part, Joined):
            open_parts = [each for each in part.parts if not each.holds(point)]
            if not open_parts:
                return
            part = random.choice(open_parts)
        value = part.value(point)
        for variable, slope in self._slopes(part, point).items():
            step = -(-abs(value) // abs(slope))
            number = point[variable] + (step if (slope > 0) == (value < 0) else -step)
            if number == self._within(variable, number):
                yield variable, number

    def _slopes(self, part: Sum, point: Point) -> dict[int, int]:
        """The slopes of a sum's variables; behind a quotient, of the dividend's."""
        found = part.slopes(point)
        for variable in [v for v in found if v in self._derived]:
            sign = 1 if found.pop(variable) > 0 else -1
            behind = self._slopes(self._derived[variable].numerator, point)
            found = {**{v: sign * slope for v, slope in behind.items()}, **found}
        return found

    def _within(self, variable: int, number: int) -> int:
        low, high = self._ranges[variable]
        return min(max(low, number), high)

    def _completed(self, point: Point) -> Point:
        for derived in self._derived.values():
            derived.update(point)
        return point

    def _append(self, part: Part) -> None:
        for variable in dict.fromkeys(v for each in part.variables() for v in self._behind(each)):
            self._uses.setdefault(variable, []).append(len(self._parts))
        self._parts.append(part)

    def _behind(self, variable: int) -> Iterator[int]:
        derived = self._derived.get(variable)
        yield variable
        if derived is not None:
            yield from (v for each in derived.numerator.variables() for v in self._behind(each))

    def _part(self, condition: Condition) -> Part | None:
        """None: it is unknown, and nothing follows from it."""
        if isinstance(condition, Compare):
            return self.sum(condition.expression, condition.equal)
        if not isinstance(condition, Both | Either):
            return None
        parts = [self._part(each) for each in condition.parts]
        known = tuple(part for part in parts if part is not None)
        if isinstance(condition, Both):
            return Joined(known, any=False)
        return Joined(known, any=True) if len(known) == len(parts) else None

    def _variable(self, atom: Atom) -> int:
        known = self._numbers.get(atom)
        if known is not None:
            return known
        if not isinstance(atom, Division):
            return self._new(atom, *(atom.ctype.value_range if isinstance(atom, Value) else (0, WIDE)))
        numerator = self.sum(atom.numerator)
        number = self._new(atom, 0, WIDE)
        self._derived[number] = Derived(number, numerator, atom.divisor, atom.remainder)
        self._append(numerator)  # it is never negative
        return number

    def _new(self, atom: Atom, low: int, high: int) -> int:
        self._ranges.append((low, high))
        return self._numbers.setdefault(atom, len(self._numbers))
