"""The GCD test and Banerjee's test, by name: the seed's dependence test, and the exact test's first filter.

Both only refute: where neither says that two references never meet, they may meet.  Seed 003, section 3.2.3
("Implementing the dependence test"), after U. Banerjee, "Dependence Analysis for Supercomputing" (1988): the
first looks for integer solutions and forgets the loops' bounds, the second for real ones within the bounds.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Mapping
from dataclasses import dataclass
from math import gcd, inf

from species.sets.affine import Affine, Counter, Division, Value
from species.sets.conditions import Both, Compare, Condition


@dataclass(frozen=True)
class Pair:
    """Two references whose subscripts must be equal: `source == sink` for each of `equations`.

    The sink is executed in a later iteration of `loop`; `inner` are that loop and those inside it, whose
    counters differ between the two.
    """

    loop: int
    inner: frozenset[int]
    equations: tuple[tuple[Affine, Affine], ...]
    source: tuple[Condition, ...]
    sink: tuple[Condition, ...]

    def differences(self) -> Iterable[tuple[dict[Hashable, int], int]]:
        """`source - sink` of each equation: coefficients, and a constant.

        The keys are (atom, False), and (atom, True) for what belongs to the sink's iteration alone.
        """
        for first, second in self.equations:
            total: dict[Hashable, int] = {}
            for expression, sign, varying in ((first, 1, frozenset[int]()), (second, -1, self.inner)):
                for atom, coefficient in expression.ordered:
                    key = atom, bool(atom.loops & varying)
                    total[key] = total.get(key, 0) + sign * coefficient
            yield {k: c for k, c in total.items() if c}, first.constant - second.constant


def gcd_test(pair: Pair) -> bool:
    """May they meet, for all that divisibility says?  Bounds do not count."""
    for coefficients, constant in pair.differences():
        divisor = gcd(*coefficients.values())
        if constant % divisor if divisor else constant:
            return False
    return True


def banerjee_test(pair: Pair) -> bool:
    """May they meet at real numbers within the constant bounds of the loops, the sink's iteration later?"""
    early, late = _last_iterations(pair.source), _last_iterations(pair.sink)
    if late.get(pair.loop, inf) < 1:
        return False  # there is no later iteration
    for coefficients, constant in pair.differences():
        try:
            low, high = _range(pair, coefficients, early, late)
            refuted = low + constant > 0 or high + constant < 0
        except OverflowError:  # numbers that no machine has
            continue
        if refuted:
            return False
    return True


TESTS: Mapping[str, Callable[[Pair], bool]] = {"gcd": gcd_test, "banerjee": banerjee_test}
EXACT = "exact"


def may_meet(pair: Pair, tests: Iterable[str] = tuple(TESTS)) -> bool:
    """Does none of these tests refute that the references meet?"""
    return all(TESTS[test](pair) for test in tests)


Limits = tuple[float, float]


def _last_iterations(conditions: Iterable[Condition]) -> dict[int, float]:
    """The counters' constant upper bounds that hold under the conditions."""
    found: dict[int, float] = {}
    for condition in conditions:
        if isinstance(condition, Both):
            for loop, last in _last_iterations(condition.parts).items():
                found[loop] = min(last, found.get(loop, inf))
        elif isinstance(condition, Compare) and not condition.equal and len(condition.expression.terms) == 1:
            [(atom, coefficient)] = condition.expression.terms
            if isinstance(atom, Counter) and coefficient < 0:
                last = condition.expression.constant // -coefficient
                found[atom.loop] = min(last, found.get(atom.loop, inf))
    return found


def _range(
    pair: Pair, coefficients: Mapping[Hashable, int], early: Mapping[int, float], late: Mapping[int, float]
) -> Limits:
    """The values that a difference takes within the bounds, the sink's iteration of the loop being later."""
    counter = Counter(pair.loop)
    rest = dict(coefficients)
    first, second = rest.pop((counter, False), 0), rest.pop((counter, True), 0)
    low, high = _later(first, second, early.get(pair.loop, inf), late.get(pair.loop, inf))
    for key, coefficient in rest.items():
        least, most = _scaled(coefficient, _limits(key, early, late))
        low, high = low + least, high + most
    return low, high


def _later(first: int, second: int, early: float, late: float) -> Limits:
    """The range of `first * t + second * u` where 0 <= t <= early and t + 1 <= u <= late."""
    last = min(early, late - 1)
    if late == inf:  # then u is t + d, for any d
        (a, b), (c, d) = _scaled(first + second, (0, last)), _scaled(second, (1, inf))
        return a + c, b + d
    corners = [first * t + second * u for t, u in ((0, 1), (0, late), (last, last + 1), (last, late))]
    return min(corners), max(corners)


def _scaled(factor: int, limits: Limits) -> Limits:
    if not factor:
        return 0, 0
    low, high = sorted((factor * limits[0], factor * limits[1]))
    return low, high


def _limits(key: Hashable, early: Mapping[int, float], late: Mapping[int, float]) -> Limits:
    """What a counter or another atom may be; nothing is known of most values."""
    atom, is_later = key if isinstance(key, tuple) else (key, False)
    if isinstance(atom, Counter):
        return 0, (late if is_later else early).get(atom.loop, inf)
    if isinstance(atom, Division) and atom.remainder:
        return 0, atom.divisor - 1
    return (0, inf) if isinstance(atom, Value) and atom.ctype.unsigned else (-inf, inf)
