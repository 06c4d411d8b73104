"""The GCD test and Banerjee's test: by themselves, alone in the analyser, and against the exact test."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from species import analyse
from species.analysis.options import AnalysisOptions
from species.dependence.exact.gcd_banerjee import TESTS, Pair, banerjee_test, gcd_test, may_meet
from species.facts.loops import Verdict
from species.sets.affine import Affine, Counter, Value, constant
from species.sets.conditions import Compare
from species.source import PreprocessOptions, read_translation_unit
from tests.support.places import ROOT

REPOSITORY = ROOT
T = Affine.of(Counter(1))
N = Affine.of(Value(("n",), frozenset(), "n"))
FIFTY = (Compare(T), Compare(-T + 49))  # 0 <= t < 50
UNBOUNDED = (Compare(T), Compare(N - T - 1))


def pair(source: Affine, sink: Affine, conditions: tuple[Compare, ...] = FIFTY) -> Pair:
    return Pair(1, frozenset((1,)), ((source, sink),), conditions, conditions)


@pytest.mark.parametrize(
    ("source", "sink", "gcd", "banerjee"),
    [
        (T, T, True, False),  # the same element in the same iteration only
        (T, T + 1, True, False),  # the sink would be earlier
        (T + 1, T, True, True),
        (T + 49, T, True, True),  # just within the bounds
        (T + 50, T, True, False),  # just outside
        (T.scaled(2), T.scaled(2) + 1, False, False),  # even, and odd
        (T.scaled(2) + 3, T.scaled(2), False, True),  # one and a half iterations later
        (T.scaled(6) - 1, T.scaled(4), False, True),
        (T.scaled(6) - 2, T.scaled(4), True, True),
        (T, -T + 49, True, True),
        (T, -T - 1, True, False),
        (constant(3), constant(3), True, True),
        (constant(3), constant(4), False, False),
        (T, T + N, True, True),  # nobody knows n
        (T.scaled(2) + N.scaled(2), T.scaled(2) + N.scaled(4) + 1, False, True),
        (T + N, T + N, True, False),
    ],
)
def test_one_subscript(source: Affine, sink: Affine, gcd: bool, banerjee: bool) -> None:
    asked = pair(source, sink)
    assert (gcd_test(asked), banerjee_test(asked)) == (gcd, banerjee)
    assert may_meet(asked) == (gcd and banerjee)


def test_symbolic_bounds() -> None:
    """Without constant bounds, Banerjee's test only knows the direction."""
    assert banerjee_test(pair(T + 1000, T, UNBOUNDED))
    assert not banerjee_test(pair(T, T + 1000, UNBOUNDED))


def test_a_single_iteration() -> None:
    once = (Compare(T), Compare(-T))
    assert not banerjee_test(pair(T, constant(0), once))


def test_numbers_that_no_machine_has() -> None:
    assert banerjee_test(pair(T.scaled(10**400) + 1, T, UNBOUNDED))


C = """
double a[100], d[200]; int n;
void f(void) {
    for (int i = 0; i < 50; i++) a[i] = a[i + 50];
    for (int i = 0; i < 50; i++) a[i] = a[i + 30];
    for (int i = 0; i < n; i++) d[i] = d[i + n];
}
"""


@pytest.mark.parametrize(
    ("tests", "verdicts"),
    [
        (("exact",), "parallel serial parallel"),
        (("gcd",), "serial serial serial"),
        (("banerjee",), "parallel serial serial"),
        (("gcd", "banerjee"), "parallel serial serial"),
        (("exact", "gcd"), "parallel serial parallel"),
    ],
)
def test_alone(tests: tuple[str, ...], verdicts: str) -> None:
    unit = read_translation_unit("test.c", PreprocessOptions(), text=C)
    facts = analyse(unit, AnalysisOptions(tests=tests))
    assert [loop.verdict.value for loop in facts.loops] == verdicts.split()


@pytest.mark.sampled(2)
@pytest.mark.parametrize(
    "program", sorted((REPOSITORY / "corpus" / "polybench").glob("*.c")), ids=lambda p: p.stem
)
def test_the_exact_test_finds_all_that_they_find(program: Path) -> None:
    unit = read_translation_unit(str(program), PreprocessOptions())
    exact, named = (analyse(unit, AnalysisOptions(tests=t)) for t in (("exact",), tuple(TESTS)))
    for one, other in zip(exact.loops, named.loops, strict=True):
        assert one.verdict.is_parallel or not other.verdict.is_parallel, one.id
        assert Verdict.UNKNOWN not in (one.verdict, other.verdict)


def report(*arguments: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "cuvier", "report", *arguments]
    return subprocess.run(command, capture_output=True, text=True, timeout=120, cwd=REPOSITORY)


def test_option(tmp_path: Path) -> None:
    file = tmp_path / "a.c"
    file.write_text(C)
    assert "2 parallel, 1 serial" in report(str(file)).stdout
    assert "1 parallel, 2 not proven parallel" in report("--tests", "gcd,banerjee", str(file)).stdout


def test_unknown_name(tmp_path: Path) -> None:
    file = tmp_path / "a.c"
    file.write_text(C)
    done = report("--tests", "omega", str(file))
    assert done.returncode == 2
    way_out = "choose from exact, gcd, banerjee, as in --tests gcd,banerjee"
    assert done.stderr == f"cuvier: error: --tests knows no 'omega'; {way_out}\n"
