"""Serial as iterations must run in order, or only as nothing shows that they may not: both are said."""

from __future__ import annotations

import pytest

from cuvier.document.json import unit_json
from cuvier.document.words import details, standing, standing_word, why_text
from cuvier.report.explain import explain
from species.facts.loops import LoopFacts, UnitFacts, Verdict
from tests.support.analysing import loops_of

PRELUDE = """
#include <stdio.h>
#include <stdlib.h>
#define N 1000
double rod[N], other[N], grid[100][100];
int idx[N], mask[N], calls;
volatile int port;
void measure(int);
struct node { struct node *next; int value; };
static void log_it(int i) { printf("%d\\n", i); }
static void log_some(int i) { if (mask[i]) printf("%d\\n", i); }
"""
PROVEN = [
    # dependences that are there for all values of the parameters
    "void f(void) { for (int i = 1; i < N; i++) rod[i] = 0.5 * rod[i - 1]; }",
    "void f(double *a, int n) { for (int i = 1; i < n; i++) a[i] = a[i - 1] + a[i]; }",
    "void f(void) { for (int i = 0; i < N - 1; i++) rod[i] = rod[i + 1]; }",
    "void f(int n) { for (int i = 0; i <= n; i++) rod[i] = rod[n - i]; }",
    "void f(double *a, int n, int m) {"
    " for (int i = 1; i < n; i++) for (int j = 0; j < m; j++) a[i * m + j] = a[(i - 1) * m + j]; }",
    "void f(int n) { for (int t = 0; t < n; t++) {"
    " for (int i = 1; i < N - 1; i++) other[i] = rod[i - 1] + rod[i + 1];"
    " for (int i = 1; i < N - 1; i++) rod[i] = other[i]; } }",
    "void f(void) { for (int i = 1; i < N; i++) if (i % 2 == 0) rod[i] = rod[i - 2]; }",
    # scalars
    "double f(void) { double s = 1;"
    " for (int i = 0; i < N; i++) { s = 0.5 * s + rod[i]; other[i] = s; } return s; }",
    "void f(void) { long a = 0, b = 1;"
    " for (int i = 0; i < N; i++) { long t = a + b; a = b; b = t; other[i] = t; } }",
    "void f(void) { double s = 0;"
    " for (int i = 0; i < N; i++) { other[i] = s; if (mask[i]) s = 1; else s = 2; } }",
    # effects whose order can be seen
    'void f(void) { for (int i = 0; i < N; i++) printf("%d", i); }',
    "void f(void) { for (int i = 0; i < N; i++) log_it(i); }",
    'void f(int m) { for (int i = 0; i < N; i++) for (int j = 0; j < m; j++) printf("%d", j); }',
    "void f(void) { for (int i = 0; i < N; i++) rod[i] = rand(); }",
    "void f(void) { for (int i = 0; i < N; i++) port = i; }",
    # whether an iteration is made depends on those before it
    "int f(int key) { for (int i = 0; i < N; i++) if (idx[i] == key) return i; return -1; }",
    "int f(int key) { int i; for (i = 0; i < N; i++) if (idx[i] == key) break; return i; }",
    "int f(int key) { int i; for (i = 0; i < N; i++) if (idx[i] == key) goto done; done: return i; }",
    "int f(double x) { int n = 0; while (x > 1) { x = x / 2; n++; } return n; }",
    "int f(const char *p) { int n = 0; while (*p++) n++; return n; }",
]
NOT_PROVEN = [
    # facts that are missing
    "void f(double *p, double *q, int *at, int n) { for (int i = 0; i < n; i++) p[i] = q[at[at[i]]]; }",
    "void f(void) { for (int i = 0; i < N; i++) rod[idx[idx[i]]] = other[i]; }",
    "void f(void) { for (int i = 0; i < N; i++) measure(i); }",
    "void f(double *a, int n, int k) { for (int i = 0; i < n; i++) { a[i] = a[i + k * k]; measure(i); } }",
    "void f(int n) { for (int i = 0; i < n; i += calls) { measure(i); } }",
    # under conditions on data
    "void f(void) { for (int i = 1; i < N; i++) if (mask[i]) rod[i] = rod[i - 1]; }",
    'void f(int verbose) { for (int i = 0; i < N; i++) if (verbose) printf("%d", i); }',
    "void f(void) { for (int i = 0; i < N; i++) log_some(i); }",
    "void f(void) { double s = 0; for (int i = 0; i < N; i++) { if (mask[i]) s = rod[i]; other[i] = s; } }",
    "void f(int stop) { for (int i = 0; i < N; i++) { if (stop) break; rod[i] = 1; } }",
    'void f(void) { for (int i = 0; i < N; i++) { if (mask[i]) continue; printf("%d", i); } }',
    # copies would do
    "void f(double *t, int n, int m) { for (int i = 0; i < n; i++) {"
    " for (int j = 0; j < m; j++) t[j] = i * j; for (int j = 0; j < m; j++) other[i] += t[j]; } }",
    # the nodes of the list could be looked up first
    "int f(struct node *p) { int n = 0; while (p) { n += p->value; p = p->next; } return n; }",
    # what is combined in a way that nobody names
    "static void add(int *s, int v) { *s += v; }"
    "struct s { int x; } *s; void f(void) { for (int i = 0; i < N; i++) add(&s->x, i); }",
    # a write that may hide the value of the iteration before
    "void f(double *p, double *q, int n) { for (int i = 1; i < n; i++) { q[idx[i]] = 0; p[i] = p[i - 1]; } }",
]


def first(text: str) -> LoopFacts:
    return next(loop for loop in loops_of(PRELUDE + text) if loop.function == "f")


@pytest.mark.parametrize("text", PROVEN)
def test_what_shows_that_iterations_must_run_in_order(text: str) -> None:
    loop = first(text)
    assert loop.verdict is Verdict.SERIAL and loop.proven
    assert any(reason.proven for reason in loop.reasons)


@pytest.mark.parametrize("text", NOT_PROVEN)
def test_what_only_shows_that_facts_are_missing(text: str) -> None:
    loop = first(text)
    assert loop.verdict is Verdict.SERIAL and not loop.proven


def test_parallel_loops_are_proven_and_given_up_ones_are_not() -> None:
    (loop,) = loops_of("double a[9]; void f(void) { for (int i = 0; i < 9; i++) a[i] = i; }")
    assert loop.verdict is Verdict.PARALLEL and loop.proven


def explained(text: str) -> str:
    return explain(first(text), lambda _: PRELUDE + text)


def test_explain_says_must_only_of_what_is_proven() -> None:
    proven, other = explained(PROVEN[0]), explained(NOT_PROVEN[0])
    assert "It is serial: its iterations must run in order." in proven and "\nWhy: " in proven
    assert "must" not in other
    assert "It is not proven parallel: these pointers may overlap." in other
    assert "Its class is taken to be doacross-irregular: iterations may depend on each other" in other
    assert "Why it is not proven: 'q[at[at[i]]]' and 'p[i]' may be the same memory [CV205]" in other


def test_a_dependence_under_a_condition_on_data_may_be_there() -> None:
    assert (
        "'rod[i]' is written, and may be read as 'rod[i - 1]' by a later iteration (distance 1"
        in explained(NOT_PROVEN[5])
    )


def test_explain_puts_proofs_before_what_is_not_excluded() -> None:
    text = explained("void f(void) { for (int i = 1; i < N; i++) { measure(i); port = i; } }")
    assert text.index("Why: 'port' is volatile") < text.index("Besides, this is not excluded: 'measure'")


def test_reports_have_a_word_for_what_is_not_proven() -> None:
    unit = unit_json(UnitFacts("a.c", "ok", (), (first(PROVEN[0]), first(NOT_PROVEN[0]))))
    proven, other = unit["loops"]
    assert [standing_word(standing(loop)) for loop in (proven, other)] == ["serial", "not proven parallel"]
    assert [proven["proven"], other["proven"]] == [True, False]
    assert proven["verdict"] == other["verdict"] == "serial"  # what gates ask for
    assert other["reasons"][0]["proven"] is False


def test_the_reason_that_a_line_has_room_for_is_a_proof() -> None:
    text = "void f(void) { for (int i = 1; i < N; i++) { measure(i); port = i; } }"
    (loop,) = unit_json(UnitFacts("a.c", "ok", (), (first(text),)))["loops"]
    assert [each["code"] for each in loop["reasons"]] == ["CV304", "CV305"] or why_text(loop).startswith(
        "CV304"
    )


# Conditions

CONDITIONS = [
    (
        "void f(double *p, double *q, int n) { for (int i = 0; i < n; i++) p[i] = q[i]; }",
        "'q' and 'p' do not overlap",
    ),
    (
        "struct m { double *d; int n; };"
        "void f(struct m *a, struct m *b) { for (int i = 0; i < a->n; i++) a->d[i] = b->d[i]; }",
        "'b->d' and 'a->d' do not overlap",
    ),
    (
        "void f(double **t, int n, int m) {"
        " for (int i = 0; i < n; i++) for (int j = 0; j < m; j++) t[i][j] = 1; }",
        "no two rows of 't' overlap",
    ),
    (
        "void f(double *a, unsigned long s, int n) {"
        " for (int i = 0; i < n; i++) for (int j = 0; j < 8; j++) a[i * s + j] = 1; }",
        "'s' is at least 8",
    ),
    ("void f(int n, int k) { for (int i = 0; i < n; i++) rod[i] = rod[i + k]; }", "'k' is at least 'n'"),
]


@pytest.mark.parametrize(("text", "words"), CONDITIONS)
def test_conditions_are_said_in_words_and_in_c_on_demand(text: str, words: str) -> None:
    loop = first(text)
    assert loop.verdict is Verdict.CONDITIONAL and any(words in each for each in loop.condition_words)
    short, long = (explain(loop, lambda _: PRELUDE + text, verbose=verbose) for verbose in (False, True))
    assert f"  {loop.condition_words[0]}\n" in short and loop.conditions[0] not in short
    assert f"  {loop.condition_words[0]}\n    {loop.conditions[0]}\n" in long
    (values,) = unit_json(UnitFacts("a.c", "ok", (), (loop,)))["loops"]
    assert values["conditions"] == list(loop.conditions)
    assert values["condition_words"] == list(loop.condition_words)
    assert f"if {loop.condition_words[0]}"[:50] in "\n".join(details(values))
    assert loop.conditions[0] not in "\n".join(details(values))
    assert loop.conditions[0] in "\n".join(details(values, verbose=True))
