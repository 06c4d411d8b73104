"""Programs that the oracle (tests/oracle) once refuted the analyser with, and what is to be said of them."""

from __future__ import annotations

from species import analyse
from species.facts import KernelArray, LoopFacts
from species.source import PreprocessOptions, read_translation_unit


def loop(text: str, identifier: str) -> LoopFacts:
    """The facts of one loop of a program."""
    facts = analyse(read_translation_unit("/tmp/soundness.c", PreprocessOptions(), text=text))
    return next(found for found in facts.loops if found.id == identifier)


def array(text: str, identifier: str, name: str) -> KernelArray:
    kernel = loop(text, identifier).kernel
    assert kernel is not None
    return next(a for a in kernel.arrays if a.name == name)


def test_regions_name_no_variable_that_the_header_sets() -> None:
    """Before the loop `i` is not n - 1."""
    text = "void f(int n, int *p) { int i; for (i = n - 1; i >= 0; i--) p[i] = 1; }"
    written = array(text, "f/1", "p").writes
    assert written and (written[0].low, written[0].high) == ("0", "n-1")


def test_regions_name_no_variable_that_is_hidden_at_the_loop() -> None:
    """The inner `j` is not the `j` that is visible where the inner loop begins."""
    text = """void f(int n, int *p) {
        for (int j = 0; j < 2; j++)
            for (int j = n - 1; j >= 0; j--) p[j] = 1;
    }"""
    written = array(text, "f/1.1", "p").writes
    assert written and (written[0].low, written[0].high) == ("0", "n-1")


def test_regions_name_no_variable_whose_block_is_closed() -> None:
    text = """void f(int n, int *p) {
        { int last = n - 1; p[0] = last; }
        for (int j = 0; j < n; j++) p[j] = 1;
    }"""
    written = array(text, "f/1", "p").writes
    assert written and (written[0].low, written[0].high) == ("0", "n-1")


def test_trips_name_no_variable_that_the_header_sets() -> None:
    text = "void f(int n, int m, int *p) { int j; for (j = (n > m ? n : m); j >= 2; j -= 2) p[j] = 1; }"
    kernel = loop(text, "f/1").kernel
    assert kernel is not None
    assert kernel.loops[0].trips is None or "j" not in kernel.loops[0].trips


def test_nothing_is_covered_where_an_inner_loop_may_not_run() -> None:
    text = """void f(int n, int m, int *restrict q) {
        for (int i = 0; i < m; i++)
            for (int k = 1; 2 * k < n; k++) q[i] = 1;
    }"""
    assert not array(text, "f/1", "q").covered


def test_nothing_is_covered_under_a_condition_on_a_size() -> None:
    text = "void f(int n, int *q) { for (int i = 0; i < n; i++) if (n > 100) q[i] = 1; }"
    assert not array(text, "f/1", "q").covered


def test_a_plain_nest_is_covered() -> None:
    text = """void f(int n, int m, double q[n][m]) {
        for (int i = 0; i < n; i++) for (int j = 0; j < m; j++) q[i][j] = 1;
    }"""
    assert array(text, "f/1", "q").covered
