"""The quick path answers as integer sets do: over the corpus, random programs and random systems."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any
from unittest.mock import patch

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from species import analyse
from species.analysis.options import AnalysisOptions
from species.dependence.exact import dependence_test as exact
from species.dependence.exact.delinearise import split
from species.dependence.exact.gcd_banerjee import Pair, may_meet
from species.facts.loops import UnitFacts
from species.regions import bounds
from species.regions.boxes import boxes
from species.sets import domains
from species.sets.affine import Affine, Counter, Division, Value
from species.sets.conditions import Both, Compare, Condition, Either, Unknown
from species.sets.elimination import Contradiction, Elimination, System, Undecided
from species.source import PreprocessOptions, TranslationUnit, read_translation_unit
from species.symbols.types import INT, SIZE
from tests.oracle.generator import PRELUDE, generated
from tests.support.places import ROOT

CORPUS = ROOT / "corpus"
PROGRAMS = sorted(str(p.relative_to(CORPUS)) for p in CORPUS.glob("[!a]*/*.c"))
CACHED: tuple[Any, ...] = (domains._satisfiable, bounds.interval, exact._solve, boxes, split)


@contextmanager
def only_sets() -> Iterator[None]:
    """Within the block, integer sets decide everything."""

    def refuse(*_: object, **__: object) -> None:
        raise Undecided

    def unfiltered(*_: object) -> bool:
        return True

    forget_answers()
    patient = patch.object(domains, "PATIENCE", 30.0)  # a busy machine is slow
    with patient, patch.object(Elimination, "__init__", refuse), patch.object(exact, "may_meet", unfiltered):
        yield
    forget_answers()


def forget_answers() -> None:
    for function in CACHED:
        function.forget()


def both_ways(unit: Callable[[], TranslationUnit]) -> tuple[UnitFacts, UnitFacts]:
    options = AnalysisOptions(budget=60)  # by sets, it takes longer
    forget_answers()
    quick = analyse(unit(), options)
    with only_sets():
        return quick, analyse(unit(), options)


@pytest.mark.sampled(12)
@pytest.mark.parametrize("program", PROGRAMS)
def test_corpus(program: str) -> None:
    quick, slow = both_ways(lambda: read_translation_unit(str(CORPUS / program), PreprocessOptions()))
    assert quick == slow


@pytest.mark.sampled(3)
@pytest.mark.parametrize("start", range(0, 60, 20))
def test_random_programs(start: int) -> None:
    text = PRELUDE + "".join(generated(seed) for seed in range(start, start + 20))
    quick, slow = both_ways(lambda: read_translation_unit("random.c", PreprocessOptions(), text=text))
    assert quick == slow


# Random systems: counters of loops 1 and 2 (inside 1), and two values

T1, T2 = Counter(1), Counter(2)
N = Value(("n",), frozenset(), "n", INT)
M = Value(("m",), frozenset(), "m", SIZE)
INNER = frozenset((1, 2))


def affine(coefficients: int = 2) -> st.SearchStrategy[Affine]:
    """Small expressions over all atoms, now and then with a quotient."""
    numbers = st.integers(-coefficients, coefficients)
    plain = st.builds(
        lambda a, b, c, d, k: _sum((T1, a), (T2, b), (N, c), (M, d)) + k,
        numbers, numbers, numbers, numbers, st.integers(-6, 6),
    )  # fmt: skip
    division = st.builds(
        lambda e, d, remainder: Affine.of(Division(e + 40, d, remainder)),
        plain,
        st.integers(2, 4),
        st.booleans(),
    )
    return st.one_of(plain, plain, plain, st.builds(lambda a, b: a + b, plain, division))


def _sum(*terms: tuple[Counter | Value, int]) -> Affine:
    result = Affine()
    for atom, coefficient in terms:
        result += Affine.of(atom, coefficient)
    return result


compares = st.builds(Compare, affine(), st.sampled_from((False, False, False, True)))
conditions: st.SearchStrategy[Condition] = st.one_of(
    compares,
    compares,
    compares,
    st.builds(lambda a, b: Either((a, b)), compares, compares),
    st.builds(lambda a, b: Both((a, Unknown("?"), b)), compares, compares),
)
LOOPS = (Compare(Affine.of(T1)), Compare(Affine.of(T2)))
bounded = st.builds(  # rectangles, triangles, symbolic and constant bounds
    lambda first, second, k: (Compare(first - Affine.of(T1)), Compare(second - Affine.of(T2) + k)),
    st.sampled_from((Affine.of(N), Affine.of(M), Affine(constant=5), Affine.of(N, 2))),
    st.sampled_from((Affine.of(N), Affine.of(T1), Affine.of(N) - Affine.of(T1), Affine(constant=7))),
    st.integers(-2, 2),
)
systems = st.builds(
    lambda loops, more: (*LOOPS, *loops, *more), bounded, st.lists(conditions, max_size=2)
)  # the conditions of a reference in two loops


@given(st.lists(conditions, max_size=5))
def test_satisfiable(facts: list[Condition]) -> None:
    try:
        quick = domains._has_solution(tuple(facts))
    except Undecided:
        return
    assert quick == domains.limited(lambda: not domains.solution_set(facts).is_empty(), when_exhausted=quick)


@given(affine(3), systems)
def test_interval(expression: Affine, facts: tuple[Condition, ...]) -> None:
    assume(domains.satisfiable(facts))  # of an empty domain, the quick path sees more contradictions
    bounds.interval.forget()
    quick = bounds.interval(expression, facts, INNER)
    assert quick == bounds._by_sets(expression, facts, INNER)


@given(
    st.lists(st.tuples(affine(3), affine(3)), min_size=1, max_size=2),
    systems,
    systems,
    st.sampled_from((1, 2)),
)
def test_dependence(
    pairs: list[tuple[Affine, Affine]],
    source: tuple[Condition, ...],
    sink: tuple[Condition, ...],
    loop: int,
) -> None:
    inner = INNER if loop == 1 else frozenset((2,))
    exact._solve.forget()
    pair = Pair(loop, inner, tuple(pairs), source, sink)
    possible, distance = exact._solve(pair)
    assert (possible, distance) == exact._by_sets(pair)
    if possible:
        assert may_meet(pair), "GCD and Banerjee refute too much"


# Elimination itself


def test_a_strided_projection_is_not_exact() -> None:
    """x = 2t: eliminating t must not forget that x is even."""
    system = System()
    x, t = system.variable("x"), system.variable("t")
    system.inequalities += [({x: 2, t: -3}, 0), ({x: -2, t: 3}, 1)]
    elimination = Elimination(system)
    elimination.eliminate([t])
    assert not elimination.exact


def test_integers_between_reals() -> None:
    """2x = 3 has a real solution, and no integer one."""
    system = System()
    x = system.variable("x")
    system.inequalities += [({x: 2}, -3), ({x: -2}, 3)]
    with pytest.raises(Contradiction):
        Elimination(system).eliminate([x])
