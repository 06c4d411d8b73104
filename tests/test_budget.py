"""No nest takes long: the analysis gives up, says so, and leaves the loops as they are."""

from __future__ import annotations

import gc
import subprocess
import sys
import time
from pathlib import Path

import pytest

from species import budget
from species.analysis import analyse
from species.annotate import AnnotateOptions, annotate
from species.budget import Budget, GaveUp
from species.facts import LoopClass, UnitFacts, Verdict
from species.options import AnalysisOptions
from species.source import PreprocessOptions, read_translation_unit
from tests.explosive import EXPLOSIVE, deep_nest, function, many_statements

REPOSITORY = Path(__file__).parent.parent
PLENTY = 240  # seconds, on a slow and busy machine; without the budget some take hours

SIMPLE = function("for (int i = 0; i < n; i++) a[i] = 0;", "double a[100]; int n;")


def facts_within(seconds: float, text: str) -> UnitFacts:
    unit = read_translation_unit("test.c", PreprocessOptions(), text=text)
    return analyse(unit, AnalysisOptions(budget=seconds))


@pytest.mark.parametrize("name", EXPLOSIVE)
def test_no_crash_and_no_minutes(name: str, tmp_path: Path) -> None:
    file = tmp_path / "explosive.c"
    file.write_text(EXPLOSIVE[name]())
    command = [sys.executable, "-m", "cuvier", "report", "--format", "json", str(file)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=PLENTY, cwd=REPOSITORY)
    assert done.returncode == 0, done.stderr
    assert '"verdict"' in done.stdout


def test_a_nest_out_of_time_is_unknown_and_says_so() -> None:
    facts = facts_within(0.02, many_statements())
    [loop] = facts.loops
    assert loop.verdict is Verdict.UNKNOWN and not loop.verdict.is_parallel
    assert loop.loop_class is LoopClass.UNKNOWN
    [reason] = loop.reasons
    assert reason.code == "CV309" and reason.message.startswith("gave up after 0.02 s")
    assert loop.kernel is None and loop.species is None and not loop.openmp


def test_all_loops_of_the_nest_are_unknown() -> None:
    facts = facts_within(0.02, deep_nest())
    assert len(facts.loops) == 40
    assert {loop.verdict for loop in facts.loops} == {Verdict.UNKNOWN}


def test_an_inner_loop_keeps_its_verdict() -> None:
    head = "for (int k = 0; k < n; k++) { for (int i = 0; i < n; i++) c[i] = 0;"
    text = many_statements().replace("{\nfor (int i", f"{{\ndouble c[100];\n{head}\nfor (int i", 1)
    outer, inner, given_up = facts_within(0.5, text[: text.rindex("}")] + "}}").loops
    assert outer.verdict is given_up.verdict is Verdict.UNKNOWN
    assert inner.verdict is Verdict.PARALLEL


def test_other_nests_have_budgets_of_their_own() -> None:
    other = many_statements().replace("void f", "void g").replace("a[", "c[").replace(" int n;", "")
    facts = facts_within(0.3, SIMPLE + other)
    assert [loop.verdict for loop in facts.loops] == [Verdict.PARALLEL, Verdict.UNKNOWN]


@pytest.mark.parametrize("style", ["species", "comment", "openmp"])
def test_unknown_is_never_marked(style: str) -> None:
    text = many_statements(100)
    facts = facts_within(0.001, text)
    assert facts.loops[0].verdict is Verdict.UNKNOWN
    assert annotate(text, facts, AnnotateOptions(style=style)) == text


def test_the_budget_is_an_option() -> None:
    command = [sys.executable, "-m", "cuvier", "report", "--budget", "0.001"]
    file = REPOSITORY / "corpus" / "polybench" / "adi.c"
    done = subprocess.run(
        [*command, str(file)], capture_output=True, text=True, timeout=PLENTY, cwd=REPOSITORY
    )
    assert "gave up after 0.001 s; give it more with --budget SECONDS" in " ".join(done.stdout.split())
    assert "unknown" in done.stdout


# The budget itself


def burn(seconds: float) -> None:
    end = time.thread_time() + seconds
    while time.thread_time() < end:
        pass


def test_time_adds_up_per_nest() -> None:
    spent = Budget(0.05)
    with spent.in_force():
        with budget.spending("a"):
            burn(0.03)
            budget.check()
        with budget.spending("b"):
            burn(0.03)
            budget.check()
        with budget.spending("a"), pytest.raises(GaveUp):
            burn(0.03)
            budget.check()
        with budget.spending("a"), pytest.raises(GaveUp):
            budget.check()
        budget.check()  # outside of all nests


def test_nothing_counts_where_no_budget_is_in_force() -> None:
    with budget.spending("a"):
        budget.check()


def test_conservatively() -> None:
    def query() -> bool:
        raise GaveUp

    assert budget.conservatively(query, otherwise=True)


def test_garbage_collection_is_not_charged() -> None:
    heap = [[number] for number in range(400_000)]
    own = Budget(1000)
    with own.in_force(), own.spending("nest"):
        started = time.thread_time()
        for _ in range(5):
            gc.collect()
        taken = time.thread_time() - started
    assert own.spent["nest"] < taken / 2
    assert own._collected not in gc.callbacks and heap
