"""Numbers that refute a claim: none of what holds, and most of what does not."""

from __future__ import annotations

from itertools import product

import pytest
from hypothesis import given
from hypothesis import strategies as st

from species.sets.affine import Affine, Atom, Counter, Value, constant, divided
from species.sets.conditions import Both, Compare, Condition, Either, Fact, Unknown
from species.sets.domains import implied, satisfiable
from species.sets.products import product as multiplied
from species.sets.relevance import relevant
from species.sets.witness import refuted, values
from species.symbols.types import INT

T, J = Affine.of(Counter(1)), Affine.of(Counter(2))
N, W = (Affine.of(Value(("entry", name), frozenset(), name, INT)) for name in "nw")
WITHIN = (Compare(N - T - 1), Compare(W - J - 1))


def _flattened() -> Affine:
    found = multiplied(T, W)
    assert found is not None
    return found + J


def _size() -> Affine:
    found = multiplied(N, W)
    assert found is not None
    return found


@pytest.mark.parametrize(
    ("claim", "conditions", "expected"),
    [
        (N - T - 1, WITHIN, False),
        (N - T - 2, WITHIN, True),
        (_size() - _flattened() - 1, WITHIN, False),  # it holds, though no elimination shows it
        (_size() - _flattened() - 2, WITHIN, True),
        (N - divided(T, 2, False) - 1, WITHIN, False),
        (constant(1) - divided(T, 3, True), WITHIN, True),
        (N - 1, (Either((Compare(N - 5), Compare(W, True))),), True),
        (N - 1, (Either((Compare(N - 5), Both((Compare(W, True), Compare(N - 2))))),), False),
        (N - 1, (Either((Compare(N - 5), Unknown("data"))),), True),
        (N - 1, (Compare(constant(-1)),), False),  # nothing is possible there, and all claims hold
        (W - 1, (Compare(N - 7, True), Compare(W - N, True)), False),
        (W - 8, (Compare(N - 7, True), Compare(W - N, True)), True),
    ],
)
def test_claims(claim: Affine, conditions: tuple[Condition, ...], expected: bool) -> None:
    assert refuted(Compare(claim), conditions, thoroughly=True) is expected


_COEFFICIENTS = st.integers(-3, 3)
_SUMS = st.builds(
    lambda a, b, c, k: T.scaled(a) + J.scaled(b) + N.scaled(c) + k, *[_COEFFICIENTS] * 3, st.integers(-6, 6)
)
_COMPARISONS = st.builds(Compare, _SUMS, st.sampled_from((False, False, False, True)))
_CONDITIONS = st.lists(
    _COMPARISONS | st.lists(_COMPARISONS, min_size=1, max_size=2).map(lambda parts: Either(tuple(parts))),
    max_size=4,
).map(tuple)


@given(_SUMS, _CONDITIONS)
def test_what_is_refuted_can_fail(claim: Affine, conditions: tuple[Condition, ...]) -> None:
    if refuted(Compare(claim), conditions, thoroughly=True):
        assert satisfiable((*conditions, Compare(-claim - 1)))


@given(_SUMS, _CONDITIONS)
def test_small_examples_are_found(claim: Affine, conditions: tuple[Condition, ...]) -> None:
    """What `implied` says, it says of all numbers: here of small ones."""
    if not implied(Compare(claim), conditions):
        return
    for numbers in product(range(6), range(6), range(-4, 6)):
        point = dict(zip((*T.atoms(), *J.atoms(), *N.atoms()), numbers, strict=True))
        if all(_holds(c, point) for c in conditions):
            assert _value(claim, point) >= 0


def _value(expression: Affine, point: dict[Atom, int]) -> int:
    return expression.constant + sum(c * point[a] for a, c in expression.terms)


def _holds(condition: Condition, point: dict[Atom, int]) -> bool:
    if isinstance(condition, Compare):
        value = _value(condition.expression, point)
        return value == 0 if condition.equal else value >= 0
    assert isinstance(condition, Either)
    return any(_holds(part, point) for part in condition.parts)


@given(_SUMS, _CONDITIONS)
def test_values_are_taken(expression: Affine, conditions: tuple[Condition, ...]) -> None:
    found = values(expression, conditions)
    assert len(set(found)) == len(found) <= 2
    for value in found:
        assert satisfiable((*conditions, Compare(expression - value, equal=True)))


def test_values_of_a_distance() -> None:
    assert len(values(T - J, (*WITHIN, Compare(T - J - 1)))) == 2
    assert values(T - J, (*WITHIN, Compare(T - J - 4, equal=True))) == [4]
    assert values(T - J, (Compare(J - T), Compare(T - J - 1))) == []


def test_what_a_value_is_made_of_is_no_matter_of_it() -> None:
    """`k = i < n ? i : n` bears on questions of `k`, and on none of `i` and `n`."""
    chosen = Affine.of(Value(("chosen",), frozenset(), "k", INT))
    (atom,) = chosen.atoms()
    below = Compare(N - T - 1)
    fact = Fact((Both((below, Compare(chosen - T, True))), Compare(chosen - N, True)), atom)
    known = (fact, Compare(N - 3))
    assert relevant((T,), known) == ()
    assert relevant((N,), known) == (Compare(N - 3),)
    assert relevant((chosen,), known) == known
    assert relevant((T,), (*known, Compare(chosen - T))) == (*known, Compare(chosen - T))
