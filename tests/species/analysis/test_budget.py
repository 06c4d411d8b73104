"""No nest takes long: the analysis gives up, says so, and leaves the loops as they are."""

from __future__ import annotations

import subprocess
import sys
from contextlib import ExitStack
from pathlib import Path

import pytest

from species.analysis.analyse import analyse
from species.analysis.options import AnalysisOptions
from species.annotate import AnnotateOptions, annotate
from species.core import budget
from species.core.budget import STEPS, Budget, GaveUp
from species.core.memo import remembered, take
from species.facts.loops import LoopClass, UnitFacts, Verdict
from species.source import PreprocessOptions, read_translation_unit
from tests.support.explosive import EXPLOSIVE, deep_nest, function, many_statements
from tests.support.places import ROOT

REPOSITORY = ROOT
PLENTY = 240  # seconds, on a slow and busy machine; without the budget some take hours

SIMPLE = function("for (int i = 0; i < n; i++) a[i] = 0;", "double a[100]; int n;")


def facts_within(seconds: float, text: str) -> UnitFacts:
    unit = read_translation_unit("test.c", PreprocessOptions(), text=text)
    return analyse(unit, AnalysisOptions(budget=seconds))


@pytest.mark.sampled(8)
@pytest.mark.parametrize("name", EXPLOSIVE)
def test_no_crash_and_no_minutes(name: str, tmp_path: Path) -> None:
    file = tmp_path / "explosive.c"
    file.write_text(EXPLOSIVE[name]())
    command = [sys.executable, "-m", "cuvier", "report", "--format", "json", "--budget", "1", str(file)]
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


def nest_of(own: Budget, key: str) -> ExitStack:
    """The budget in force, for one nest."""
    stack = ExitStack()
    stack.enter_context(own.in_force())
    stack.enter_context(budget.spending(key))
    return stack


def test_steps_add_up_per_nest() -> None:
    own = Budget(100 / STEPS)
    with nest_of(own, "a"):
        take(60)
    with nest_of(own, "b"):
        take(60)
    for _ in range(2):
        with nest_of(own, "a"), pytest.raises(GaveUp):
            take(60)
    with own.in_force():
        take(1000)  # outside of all nests
    assert own.spent["b"] == 60


def test_what_takes_no_steps_is_ended_by_the_clock() -> None:
    own = Budget(0.01)
    with nest_of(own, "a"), pytest.raises(GaveUp):
        while True:
            take(0)


def test_nothing_counts_where_no_budget_is_in_force() -> None:
    with budget.spending("a"):
        take(10**9)


def test_conservatively() -> None:
    def query() -> bool:
        raise GaveUp

    assert budget.conservatively(query, otherwise=True)


class Questions:
    """Remembered questions: `outer` needs `inner`, for steps of its own."""

    def __init__(self) -> None:
        self.asked: list[str] = []

        @remembered(10)
        def inner(number: int) -> int:
            self.asked.append("inner")
            take(40)
            return number + 1

        @remembered(10)
        def outer(number: int) -> int:
            self.asked.append("outer")
            take(20)
            found = budget.conservatively(lambda: inner(number), otherwise=0)
            take(5)
            return found

        self.inner, self.outer = inner, outer


def test_an_answer_costs_the_same_whether_it_is_remembered_or_found() -> None:
    questions, own = Questions(), Budget(1)
    for nest in "ab":
        with nest_of(own, nest):
            assert questions.outer(1) == questions.outer(1) == questions.inner(1) == 2
    assert own.spent == {"a": 65, "b": 65}
    assert questions.asked == ["outer", "inner"]


def test_what_was_asked_before_is_paid_once() -> None:
    questions, own = Questions(), Budget(1)
    with nest_of(own, "a"):
        questions.inner(1)
        assert questions.outer(1) == 2
    with nest_of(own, "b"):
        assert questions.outer(1) == 2
    assert own.spent == {"a": 65, "b": 65}


@pytest.mark.parametrize("remembers", [False, True])
def test_with_too_little_left_an_answer_is_the_same_as_if_it_were_new(remembers: bool) -> None:
    questions = Questions()
    if remembers:
        assert questions.outer(1) == 2
    own = Budget(50 / STEPS)
    with nest_of(own, "a"), pytest.raises(GaveUp):
        questions.outer(1)
    assert own.spent["a"] > 50
    assert questions.outer(1) == 2  # what a lack of steps gave was not kept


def test_memory_has_an_end() -> None:
    questions = Questions()
    for number in range(25):
        assert questions.inner(number % 20) == number % 20 + 1
    assert len(questions.asked) == 25  # nothing is left of the first ones


def test_verdicts_do_not_depend_on_what_was_analysed_before() -> None:
    """Of a nest that comes to its limit in the middle."""
    text, other = many_statements(), deep_nest()
    first = facts_within(0.02, text)
    facts_within(2, text)
    facts_within(0.5, other)
    assert facts_within(0.02, text) == first


def test_what_is_tried_costs_what_is_around_it_nothing() -> None:
    known = Budget(0.001)
    with known.in_force(), known.spending("nest"):
        with pytest.raises(GaveUp), known.spending("trial"):
            known.take(10_000)
        known.take(10)
    assert known.spent == {"nest": 10, "trial": 10_000}
