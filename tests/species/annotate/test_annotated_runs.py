"""Generated OpenMP annotations, run: the annotated functions leave in memory what the original ones leave."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from tests.oracle import annotations
from tests.oracle.annotations import compare, explore_annotations, outcome_of
from tests.oracle.builds import TSAN, gcc
from tests.support.analysing import loops_in, loops_of

pytestmark = pytest.mark.skipif(not gcc(), reason="needs gcc and objcopy")

PRAGMA = "#pragma omp parallel for{} /* cuvier */\n"


def test_annotated_functions_do_what_the_original_ones_do() -> None:
    outcome = explore_annotations(range(1020, 1045))
    assert not outcome.wrong, "\n".join(f"{w.loop}: {w.message}\n{text}" for text, w in outcome.wrong)
    assert outcome.counts["annotated loops run"] >= 4
    assert outcome.counts["runs of annotated programs"] >= 800


def _function(body: str) -> dict[str, str]:
    start = "int i, t = 1;"
    return {"f1": f"int f1(int n, int m, int *p, int *q)\n{{ {start}\n{body}\nreturn t + n * m + p[0]; }}\n"}


def _lie(monkeypatch: pytest.MonkeyPatch, clauses: str) -> None:
    """Has the first loop of `f1` annotated with a pragma that may not stand there."""

    def annotate(text: str, *_: object, **__: object) -> str:
        head, f1, body = text.partition("int f1(")
        return head + f1 + body.replace("for (", PRAGMA.format(clauses) + "for (", 1)

    monkeypatch.setattr(annotations, "annotate", annotate)


@pytest.mark.sampled(2)
@pytest.mark.parametrize(
    ("body", "clauses"),
    [
        ("for (i = 1; i < n; i++)\n p[i] = p[i - 1] + 1;", ""),
        ("for (i = 0; i < n; i++)\n p[i] = p[i + 1];", ""),
        ("for (i = 0; i < n; i++)\n p[i / 2] = i;", ""),
        ("for (i = 0; i < n; i++)\n ga[q[i]] = i;", ""),
        ("for (i = 0; i < n; i++)\n t += p[i];", " private(t)"),
        ("for (i = 0; i < n; i++)\n t = q[i];", " private(t)"),
        ("for (i = 0; i < n; i++)\n { if (q[i] > 2) t = i; p[i] = t; }", " firstprivate(t)"),
        ("for (i = 0; i < n; i++)\n t = t - q[i];", " reduction(*:t)"),
        ("for (i = 0; i < n; i++)\n for (int k = 0; k < i; k++) ga[i + k] = i;", ""),
    ],
)
def test_a_wrong_pragma_is_found(monkeypatch: pytest.MonkeyPatch, body: str, clauses: str) -> None:
    """In an order of ours it differs for certain, whatever threads do."""
    _lie(monkeypatch, clauses)
    outcome = outcome_of(_function(body))
    assert [w.loop for _, w in outcome.wrong] == ["f1"], outcome.counts
    assert outcome.counts["differing runs, team schedule(static, 1)"]


@pytest.mark.parametrize(
    ("clauses", "said"), [(" private(missing)", "error: 'missing' undeclared"), (" shared(p)", "")]
)
def test_words_of_the_compiler_count(monkeypatch: pytest.MonkeyPatch, clauses: str, said: str) -> None:
    _lie(monkeypatch, clauses)
    outcome = outcome_of(_function("for (i = 0; i < n; i++)\n p[i] = i;"))
    messages = [w.message.replace("‘", "'").replace("’", "'") for _, w in outcome.wrong]
    assert [m[: len(said)] for m in messages] == ([said] if said else [])


def test_a_new_warning_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    _lie(monkeypatch, " private(t)")
    outcome = outcome_of(_function("for (i = 0; i < n; i++)\n p[i] = t;"))
    assert any("uninitialized" in w.message for _, w in outcome.wrong)


def test_undefined_calls_are_left_out() -> None:
    """Where the subscript leaves the array, no two programs need agree."""
    comparison = compare(_function("for (i = 0; i < n; i++)\n gb[n * n + 50 + i] = i;"))
    assert comparison.report.undefined_calls
    assert not comparison.differing
    assert comparison.counts["calls"] == 10 - len(comparison.report.undefined_calls)


def test_races_are_seen(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """Two threads that write the same value: memory is right in the end, and it is a race nonetheless."""
    program = tmp_path / "program.c"
    program.write_text("int main(void) { return 0; }")
    command = ["gcc", TSAN, "-no-pie", str(program), "-o", str(tmp_path / "program")]
    if any(subprocess.run(c, capture_output=True).returncode for c in (command, [str(tmp_path / "program")])):
        pytest.skip("needs ThreadSanitizer")
    same = _function("for (i = 0; i < n; i++)\n ga[3] = 7;")
    assert not outcome_of(_function("for (i = 0; i < n; i++)\n p[i] = q[i];"), races=True).wrong
    _lie(monkeypatch, "")
    assert not outcome_of(same).wrong
    assert ["data race" in w.message for _, w in outcome_of(same, races=True).wrong] == [True]


@pytest.mark.parametrize(
    ("assignment", "openmp"),
    [
        ("t = p[i];", True),
        ("t = i * 2;", True),
        ("t++; t = i;", True),
        ("int y = g(i); t = y;", True),
        ("t = g(i);", False),
        ("t = g(i) + 0;", False),
        ("x = t = g(i);", False),
        ("t = (x = i, g(i));", False),
        ("t = x ? g(i) : 1;", False),
    ],
)
def test_gcc_loses_the_last_value_that_a_call_gives(assignment: str, openmp: bool) -> None:
    """gcc 12 does not count `t = g(i)` as an assignment to what is lastprivate(conditional)."""
    loop = f"for (i = 0; i < n; i++) if (p[i]) {{ int x = p[i]; {assignment} p[i] = x; }} p[0] = t;"
    found = loops_in(loop, "int g(int x) { return 2 * x; } int p[99], t, i, n;")[0]
    assert found.openmp == (openmp and found.verdict.is_parallel)


@pytest.mark.parametrize(
    ("header", "openmp"),
    [
        ("unsigned i = n; i >= 0; i--", False),
        ("unsigned i = n; 0 <= i; i--", False),
        ("unsigned i = 0; i < 0; i++", False),
        ("unsigned char i = 0; i <= 255; i++", False),
        ("unsigned char i = 0; i < 300; i++", False),
        ("signed char i = 0; i > -129; i--", False),
        ("char i = 5; i >= 0; i--", False),
        ("unsigned short i = 0; i <= 65535; i += 2", False),
        ("int i = 0; i < 5000000000; i++", False),
        ("_Bool i = 0; i < 1; i++", False),
        ("unsigned i = n; i > 0; i--", True),
        ("unsigned i = 9; i >= 1; i--", True),
        ("unsigned char i = 0; i < 255; i++", True),
        ("int i = 9; i >= 0; i--", True),
    ],
)
def test_a_comparison_that_the_type_decides_is_none_to_gcc(header: str, openmp: bool) -> None:
    """gcc says "invalid controlling predicate": such a loop runs for ever, or never."""
    assert loops_in(f"for ({header}) p[i] = 1;", "int p[300], n;")[0].openmp == openmp


@pytest.mark.parametrize(
    ("header", "openmp"),
    [
        ("unsigned char i = 0; i < n; i++", False),
        ("unsigned short i = 0; i <= n; i++", False),
        ("short i = 0; n > i; i++", False),
        ("unsigned i = 0; i < q; i++", False),
        ("unsigned char i = 0; i < m; i++", True),
        ("unsigned char i = 0; i < 9; i++", True),
        ("short i = 0; i < 9; i++", True),
        ("unsigned short i = m; i > 0; i--", True),
        ("unsigned i = 0; i < n; i++", True),
        ("int i = 0; i < n; i++", True),
        ("int i = 0; i < n + 1; i++", True),
        ("long i = 0; i < n; i++", True),
        ("size_t i = 0; i < q; i++", True),
    ],
)
def test_a_bound_that_the_iterator_cannot_hold_is_not_cut(header: str, openmp: bool) -> None:
    """gcc brings n to the type of i: with n == -1, `unsigned char i; i < n` makes 255 iterations for none."""
    declarations = "typedef unsigned long size_t; int p[300], n; long q; unsigned char m;"
    assert loops_in(f"for ({header}) p[i] = 1;", declarations)[0].openmp == openmp


def test_an_iterator_that_starts_from_itself_is_not_annotated() -> None:
    assert not loops_in("for (int i = i; i < 9; i++) p[i] = 1;", "int p[300];")[0].openmp


@pytest.mark.parametrize(
    ("loop", "openmp"),
    [
        ("for (i = *q; i > 0; i--) p[i]++;", False),
        ("for (int i = q[2] + 1; i > 0; i--) p[i] = 1;", False),
        ("for (i = s->a; i > 0; i--) p[i] = 1;", False),
        ("for (i = g; i > 0; i--) p[i] = 1;", False),
        ("for (i = *q; i > 0; i--) e[i] = 1;", True),
        ("for (i = *q; i > 0; i--) own[i] = 1;", False),
        ("for (i = g; i > 0; i--) own[i] = 1;", True),
        ("for (i = n; i > 0; i--) p[i] = 1;", True),
        ("j = *q; for (i = j; i > 0; i--) p[i] = 1;", True),
    ],
)
def test_the_start_may_not_change_while_threads_begin(loop: str, openmp: bool) -> None:
    """Each thread works out for itself where a loop starts; another may have written to memory by then."""
    parameters = "int g; int own[99]; struct S { int a; };"
    text = f"{parameters} void f(int n, int *p, int *q, double *e, struct S *s) {{ int i, j; {loop} }}"
    assert loops_of(text)[0].openmp == openmp
