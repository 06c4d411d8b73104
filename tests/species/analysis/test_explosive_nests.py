"""Time budgets hold: what explodes inside of isl is stopped, and values do not grow without end."""

from __future__ import annotations

import time

import pytest

from species.analysis.analyse import analyse
from species.core import subprocess_trial as trial
from species.facts.loops import UnitFacts, Verdict
from species.sets.affine import Affine, Value
from species.sets.conditions import FALSE, Compare, Condition, Either, Unknown
from species.sets.domains import implied
from species.sets.relevance import relevant
from species.source import PreprocessOptions, read_translation_unit
from tests.support.explosive import function, long_function

SECONDS = 2.5  # of processor time: the budget of 2 s and what it takes to notice


def _facts(text: str) -> UnitFacts:
    return analyse(read_translation_unit("test.c", PreprocessOptions(), text=text))


def many_moduli(count: int = 14) -> str:
    """The numbers in isl's tableaus grow to the product of the moduli."""
    primes = (7, 11, 13, 17, 19, 23, 29, 31, 37, 41, 43, 47, 53, 59)
    terms = (f"({k + 1}*i + {2 * k + 1}*j) % {primes[k]} == {k}" for k in range(count))
    body = f"for (int j = 0; j < i; j++)\nif ({' && '.join(terms)}) a[(i*3+j)%101] = a[(5*j+i)%103 + i/7];"
    return function(f"for (int i = 0; i < n; i++)\n{body}", "double a[1000]; int n;")


def many_parameters(count: int = 20) -> str:
    """Conditions that tie as many parameters together."""
    names = [f"p{k}" for k in range(count)]
    heads = "".join(f"for (int i{k} = p{k}; i{k} < p{k + 1} + p{k + 2}; i{k}++)\n" for k in range(6))
    conditions = " && ".join(
        f"p{k} + 2*p{(k * 3 + 1) % count} - 3*p{(k * 7 + 2) % count} > i{k % 6} - p{(k + 5) % count}"
        for k in range(count)
    )
    one = " + ".join(f"{k + 2}*i{k % 6} - {k + 1}*p{k}" for k in range(count))
    other = " + ".join(f"{k + 3}*i{k * 5 % 6} + {k}*p{k * 3 % count}" for k in range(count))
    declared = f"double a[10000]; int {', '.join(names)};"
    return function(f"{heads}if ({conditions}) a[{one}] = a[{other}];", declared)


@pytest.mark.sampled(2)
@pytest.mark.parametrize("text", [many_moduli(), many_parameters()])
def test_isl_is_stopped(text: str) -> None:
    """Each took minutes, in one call of isl."""
    started = time.process_time()
    facts = _facts(text)
    assert time.process_time() - started < 4 * SECONDS  # for two stages; a busy machine is slow
    assert not any(loop.verdict.is_parallel for loop in facts.loops)


GROWING = (
    "x = (x >> 8) ^ t[x & 255];",
    "x = (x >> 8) + t[x & 255];",
    "p = g[p] + h[p];",
    "p = g[g[p]]; q = h[g[q] + p];",
    "p = p / 3 + p % 5;",
    "x ^= x << 13; x ^= x >> 17; x ^= x << 5;",
    "d = d->l->r; p += d->v + d->l->v;",
)


@pytest.mark.parametrize("statement", GROWING)
def test_values_do_not_grow_without_end(statement: str) -> None:
    """Forty times over, each is made of 2**40 others, or of forty in each other."""
    declarations = "unsigned t[256]; int g[100], h[100]; struct node { struct node *l, *r; int v; } *d;"
    body = f"for (int i = 0; i < n; i++) {{\n{statement * 40}\ng[i] = x + p;\n}}"
    started = time.process_time()
    facts = _facts(function(body, declarations, "unsigned x, int p, int q, int n"))
    assert time.process_time() - started < SECONDS
    assert [loop.verdict for loop in facts.loops] == [Verdict.SERIAL]


def test_small_values_are_equal_to_themselves() -> None:
    twice = "a[i * i % m] = 2 * a[i * i % m] + 1;"
    text = function(f"for (int i = 0; i < n; i++) {twice}", "double a[99]; int n, m;")
    assert [loop.verdict for loop in _facts(text).loops] == [Verdict.SERIAL]
    text = function(
        "for (int i = 0; i < n; i++) a[i + (m ^ 5)] = a[i + (m ^ 5)] + 1;", "double a[99]; int n, m;"
    )
    assert [loop.verdict for loop in _facts(text).loops] == [Verdict.PARALLEL]


def test_a_large_value_is_not_taken_for_another() -> None:
    """The cells may be one: nothing is known of either subscript."""
    large = "m"
    for _ in range(40):
        large = f"({large} * 31 ^ m >> 3)"
    text = function(
        f"for (int i = 0; i < n; i++) a[i + {large} % 2] = a[i];", "double a[99]; int n; unsigned m;"
    )
    assert not any(loop.verdict.is_parallel for loop in _facts(text).loops)


def test_long_functions_take_time_in_proportion() -> None:
    def seconds(lines: int) -> float:
        unit = read_translation_unit("test.c", PreprocessOptions(), text=long_function(lines))
        started = time.process_time()
        analyse(unit)
        return time.process_time() - started

    seconds(200)
    assert seconds(4_000) < 16 * seconds(1_000)  # it is 4 times as much; quadratic were 16 times


# Parts


def test_a_trial_ends_with_its_time() -> None:
    def forever() -> None:
        while True:
            pass

    started = time.monotonic()
    with pytest.raises(TimeoutError):
        trial.tried(forever, 0.05)
    with pytest.raises(trial.Failed):
        trial.tried(lambda: 1 // 0, 5)
    assert trial.tried(lambda: (True, None, 2**70), 5) == (True, None, 2**70)
    assert trial.tried(object, 5) is trial.UNTOLD
    assert time.monotonic() - started < 5


def _value(name: str) -> Affine:
    return Affine.of(Value((name,), frozenset(), name))


def test_conditions_bear_on_each_other_by_common_values() -> None:
    a, b, c, d = map(_value, "abcd")
    conditions: tuple[Condition, ...] = (
        Compare(a - b),
        Compare(d - 1),
        Unknown("?"),
        Either((Compare(b - c), Compare(c - 9))),
    )
    assert relevant((a,), conditions) == (conditions[0], conditions[3])
    assert relevant((d,), conditions) == (conditions[1],)
    assert relevant((a,), (conditions[0],)) == (conditions[0],)
    assert relevant((a,), (FALSE, conditions[1])) == (FALSE,)
    assert implied(Compare(a - c), (Compare(a - b), Compare(d - 1), Compare(b - c)))
    assert not implied(Compare(a - d), (Compare(a - b), Compare(d - 1), Compare(b - c)))
