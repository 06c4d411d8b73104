"""Fourier-Motzkin elimination over the integers, as far as it is exact: it spares most queries to isl.

Eliminating a variable keeps exactly the integer solutions where all its lower bounds, or all its upper
bounds, have the coefficient one (Pugh, "The Omega test", 1991: real and dark shadow agree).  A contradiction
is certain in any case.  What cannot be decided so raises `Undecided`: then isl is asked.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Iterator
from itertools import product
from math import gcd

from species.core.memo import kept, take
from species.sets.affine import Affine, Atom, Division
from species.sets.conditions import Both, Compare, Condition, Either

MAX_ROWS = 60
MAX_CASES = 16
PER_ROW = 4  # steps, to make it of conditions
PER_STEP = 4  # numbers of a row

Naming = Callable[[Atom], Hashable]  # the identity of an atom's variable
Sum = tuple[dict[int, int], int]  # coefficients by variable, and a constant
Row = tuple[int, ...]  # a coefficient per variable


class Contradiction(Exception):
    """The system has no integer solution."""


class Undecided(Exception):
    """This is no case for the quick path."""


class System:
    """A conjunction of linear inequalities and equations over variables that stand for atoms.

    Quotients and remainders by constants are expressed with a variable for the quotient and its definition.
    Systems may share the numbers of their variables; then each of them has all variables.
    """

    def __init__(self, numbers: dict[Hashable, int] | None = None) -> None:
        self.numbers = {} if numbers is None else numbers
        self.divisions: set[Division] = set()
        self.inequalities: list[Sum] = []
        self.equations: list[Sum] = []

    def variable(self, key: Hashable) -> int:
        """The number of a variable, a new one where `key` is new."""
        return self.numbers.setdefault(key, len(self.numbers))

    def add(self, condition: Condition, naming: Naming) -> None:
        """Adds a condition without alternatives; what is unknown is left out."""
        if isinstance(condition, Compare):
            self.compare(condition.expression, condition.equal, naming)
        elif isinstance(condition, Both) or (isinstance(condition, Either) and len(condition.parts) == 1):
            for part in condition.parts:
                self.add(part, naming)
        elif isinstance(condition, Either):
            raise Undecided if condition.parts else Contradiction

    def compare(self, expression: Affine, equal: bool, naming: Naming) -> None:
        """Adds `expression >= 0` or `expression == 0`."""
        (self.equations if equal else self.inequalities).append(self.linear(expression, naming))

    def linear(self, expression: Affine, naming: Naming) -> Sum:
        """An expression over the system's variables."""
        found: dict[int, int] = {}
        constant = expression.constant
        for atom, coefficient in expression.ordered:
            parts, offset = self._atom(atom, naming)
            constant += coefficient * offset
            for variable, factor in parts.items():
                found[variable] = found.get(variable, 0) + coefficient * factor
        return found, constant

    def _atom(self, atom: Atom, naming: Naming) -> Sum:
        if not isinstance(atom, Division):
            return {self.variable(naming(atom)): 1}, 0
        self.divisions.add(atom)
        numerator, constant = self.linear(atom.numerator, naming)
        key = ("quotient", atom.divisor, constant, frozenset(numerator.items()))
        known = key in self.numbers
        quotient = self.variable(key)
        rest = {**numerator, quotient: -atom.divisor}
        if not known:
            self.inequalities.append((rest, constant))
            self.inequalities.append(({v: -c for v, c in rest.items()}, atom.divisor - 1 - constant))
        return (rest, constant) if atom.remainder else ({quotient: 1}, 0)


def alternatives(conditions: Iterable[Condition]) -> Iterator[tuple[Condition, ...]]:
    """The conditions as a disjunction of conjunctions; raises `Undecided` where there are too many."""
    choices = [_choices(c) for c in conditions]
    count = 1
    for choice in choices:
        count *= len(choice)
    if count > MAX_CASES:
        raise Undecided
    for chosen in product(*choices):
        yield tuple(part for parts in chosen for part in parts)


@kept(20_000)
def _choices(condition: Condition) -> tuple[tuple[Condition, ...], ...]:
    if isinstance(condition, Either):
        return tuple(case for part in condition.parts for case in _choices(part))
    return tuple(alternatives(condition.parts)) if isinstance(condition, Both) else ((condition,),)


class Elimination:
    """The rows of a system, from which variables are eliminated one after the other.

    `exact` tells whether what is left has the same integer solutions.  `maxima` are expressions over the
    variables: each becomes its greatest value in terms of the variables that are left.
    """

    def __init__(self, system: System, maxima: Iterable[Sum] = ()) -> None:
        self._width = len(system.numbers)
        self.exact = True
        take(PER_ROW * (len(system.inequalities) + len(system.equations)))
        self.rows: dict[Row, int] = {}  # `row * variables + constant >= 0`, with the least constant
        self.maxima = [(self._dense(c), k) for c, k in maxima]
        self._equations = [(self._dense(c), k) for c, k in system.equations]
        for coefficients, constant in system.inequalities:
            self._insert(self._dense(coefficients), constant)

    def _dense(self, coefficients: dict[int, int]) -> Row:
        row = [0] * self._width
        for variable, coefficient in coefficients.items():
            row[variable] = coefficient
        return tuple(row)

    def _insert(self, row: Row, constant: int) -> None:
        divisor = gcd(*row)
        if divisor == 0:
            if constant < 0:
                raise Contradiction
            return
        if divisor > 1:
            row, constant = tuple(c // divisor for c in row), constant // divisor
        known = self.rows.get(row)
        if known is None or constant < known:
            self.rows[row] = constant
            if len(self.rows) > MAX_ROWS:
                raise Undecided

    def eliminate(self, variables: Iterable[int]) -> None:
        """Projects the solutions on the other variables."""
        pending = sorted(variables, reverse=True)
        while self._equations:
            take(len(self.rows))
            self._solve(*self._equations.pop(), pending)
        while pending:
            take(len(self.rows))
            self._project(pending.pop(self._next(pending)))

    def _solve(self, row: Row, constant: int, pending: list[int]) -> None:
        """Uses one equation to replace a variable of which it has one."""
        divisor = gcd(*row)
        if divisor == 0 or constant % divisor:
            if constant:
                raise Contradiction
            return
        row, constant = tuple(c // divisor for c in row), constant // divisor
        variable = next((v for v in pending if abs(row[v]) == 1), None)
        if variable is None:
            self._insert(row, constant)
            self._insert(tuple(-c for c in row), -constant)
            return
        pending.remove(variable)
        if row[variable] == 1:
            row, constant = tuple(-c for c in row), -constant
        self._replace(variable, row, constant)

    def _replace(self, variable: int, by: Row, constant: int) -> None:
        """Puts `by + constant` (whose coefficient of the variable is -1) in the variable's place."""
        self.maxima = [_sum(each, by, constant, each[0][variable]) for each in self.maxima]
        self._equations = [_sum(each, by, constant, each[0][variable]) for each in self._equations]
        before, self.rows = self.rows, {}
        for row in before.items():
            self._insert(*_sum(row, by, constant, row[0][variable]))

    def _next(self, pending: list[int]) -> int:
        """Where in `pending` the variable stands whose elimination is cheap and exact."""
        best, least = 0, (True, 0)
        for position, variable in enumerate(pending):
            column = [row[variable] for row in self.rows if row[variable]]
            lower = [c for c in column if c > 0]
            upper = [c for c in column if c < 0] if len(lower) < len(column) else []
            growth = len(lower) * len(upper) - len(column)
            cost = (self._blocked(variable, lower, upper), growth)
            if cost <= (False, 0):
                return position
            if cost < least:
                best, least = position, cost
        return best

    def _blocked(self, variable: int, lower: list[int], upper: list[int]) -> bool:
        """Would the elimination be inexact, or a maximum be one of several bounds?"""
        if lower and upper and max(lower) > 1 and min(upper) < -1:
            return True
        bounds = {m[0][variable] > 0 for m in self.maxima if m[0][variable]}
        return any((upper if up else lower) != [-1 if up else 1] for up in bounds)

    def _project(self, variable: int) -> None:
        rows = list(self.rows.items())
        lower = [r for r in rows if r[0][variable] > 0]
        upper = [r for r in rows if r[0][variable] < 0]
        self.maxima = [_raised(m, variable, lower, upper) for m in self.maxima]
        if not lower and not upper:
            return
        self.rows = {r: k for r, k in rows if not r[variable]}
        if lower and upper and any(r[variable] > 1 for r, _ in lower):
            self.exact &= all(r[variable] == -1 for r, _ in upper)
        take(len(lower) * len(upper) * (1 + self._width // PER_STEP))
        for (a, j), (b, k) in product(lower, upper):
            x, y = -b[variable], a[variable]
            self._insert(tuple(x * p + y * q for p, q in zip(a, b, strict=True)), x * j + y * k)

    def copy(self, maxima: Iterable[tuple[Row, int]]) -> Elimination:
        """What is left so far, with expressions of its own to maximise."""
        other = Elimination(System())
        other._width, other.exact, other.rows = self._width, self.exact, dict(self.rows)
        other.maxima = list(maxima)
        return other

    def is_open(self) -> bool:
        """Has every variable bounds on one side only?  Then there are solutions."""
        return all(min(column) >= 0 or max(column) <= 0 for column in zip(*self.rows, strict=True))

    def has_opposites(self) -> bool:
        """Do two rows together make an equation?"""
        return any(self.rows.get(tuple(-c for c in row)) == -k for row, k in self.rows.items())


def _sum(each: tuple[Row, int], by: Row, constant: int, factor: int) -> tuple[Row, int]:
    """`each + factor * (by + constant)`."""
    if not factor:
        return each
    row, own = each
    return tuple(p + factor * q for p, q in zip(row, by, strict=True)), own + factor * constant


def _raised(
    maximum: tuple[Row, int], variable: int, lower: list[tuple[Row, int]], upper: list[tuple[Row, int]]
) -> tuple[Row, int]:
    """The maximum where the variable is at its only bound; raises `Undecided` unless there is one."""
    factor = maximum[0][variable]
    if not factor:
        return maximum
    bounds = upper if factor > 0 else lower
    if len(bounds) != 1 or abs(bounds[0][0][variable]) != 1:
        raise Undecided
    return _sum(maximum, *bounds[0], abs(factor))


def has_solution(system: System) -> bool:
    """Does the system have an integer solution?  Raises `Undecided`."""
    try:
        elimination = Elimination(system)
        elimination.eliminate(range(len(system.numbers)))
    except Contradiction:
        return False
    if not elimination.exact:
        raise Undecided
    return True
