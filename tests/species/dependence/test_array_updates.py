"""Several updates of one array by one operator; and what a copy for every thread would not be right for."""

from __future__ import annotations

import pytest

from species.facts.loops import LoopFacts, Verdict
from tests.support.analysing import loops_of

HEAD = """int h[100], x[1000], y[1000], z[1000];
double f_[100], q[100];
struct edge { int u, v; } e[1000];
struct vector { double x, y; } force[100];
static void inc(int *p, int k) { p[k]++; }
static int peek(int k) { return h[k]; }
static void thrice(int *p, int k) { int *row = p + 3 * k; row[0]++; row[1]--; row[2] += 3; }
static void rows(int *p, int k) { int *q = p + 50; p[k % 50]++; q[k % 50]--; }
"""


def outer(body: str, parameters: str = "void") -> LoopFacts:
    found = loops_of(f"{HEAD} void f({parameters}) {{ {body} }}")
    return next(loop for loop in found if loop.function == "f")


UPDATES = {
    "two": ("for (int i = 0; i < 1000; i++) { h[x[i]]++; h[y[i]]++; }", "+"),
    "in several ways": ("for (int i = 0; i < 1000; i++) { h[x[i]] -= 2; h[y[i]] = h[y[i]] + x[i]; }", "+"),
    "of members of another array": ("for (int i = 0; i < 1000; i++) { h[e[i].u]++; h[e[i].v]--; }", "+"),
    "in branches": ("for (int i = 0; i < 1000; i++) if (x[i] > 3) h[x[i]]++; else h[y[i]]--;", "+"),
    "one of them fixed": ("for (int i = 0; i < 1000; i++) { h[x[i]]++; h[3] += 2; }", "+"),
    "greatest": (
        """for (int i = 0; i < 1000; i++) {
            if (z[i] > h[x[i]]) h[x[i]] = z[i]; if (z[i] > h[y[i]]) h[y[i]] = z[i]; }""",
        "max",
    ),
    "in callees": ("for (int i = 0; i < 1000; i++) { inc(h, x[i]); inc(h, y[i]); h[z[i]] += 2; }", "+"),
    "in callees, by pointers of theirs": (
        "for (int i = 0; i < 30; i++) { thrice(h, i); rows(h, x[i]); }",
        "+",
    ),
    "by a pointer that is set inside": (
        "for (int i = 0; i < 90; i++) { int *p = h + i; p[0]++; p[3] += x[i]; h[y[i]]--; }",
        "+",
    ),
    "neighbours": ("for (int i = 0; i < 99; i++) { h[i]++; h[i + 1] += x[i]; }", "+"),
}


@pytest.mark.parametrize("name", UPDATES)
def test_updates(name: str) -> None:
    body, operator = UPDATES[name]
    loop = outer(body)
    assert loop.verdict is Verdict.PARALLEL
    assert [(r.operator, r.variable.split("[")[0]) for r in loop.reductions] == [(operator, "h")]


def test_forces_between_pairs() -> None:
    loop = outer("""for (int i = 0; i < 100; i++) for (int j = i + 1; j < 100; j++) {
        double g = q[i] * q[j]; f_[i] += g; f_[j] -= g; }""")
    assert loop.verdict is Verdict.PARALLEL and not loop.openmp_obstacle
    assert [r.variable for r in loop.reductions] == ["f_[0:100]"]


def test_members_are_apart() -> None:
    loop = outer("""for (int i = 0; i < 100; i++) for (int j = i + 1; j < 100; j++) {
        force[i].x += q[i]; force[j].x -= q[j]; force[i].y *= 2; force[j].y *= q[i]; }""")
    assert {(r.operator, r.variable) for r in loop.reductions} == {("+", "force[:].x"), ("*", "force[:].y")}
    assert loop.openmp_obstacle


NO_UPDATES = {
    "two operators": "for (int i = 0; i < 1000; i++) { h[x[i]]++; h[y[i]] *= 2; }",
    "least and greatest": """for (int i = 0; i < 1000; i++) {
        if (z[i] > h[x[i]]) h[x[i]] = z[i]; if (z[i] < h[y[i]]) h[y[i]] = z[i]; }""",
    "an element read": "for (int i = 0; i < 1000; i++) { h[x[i]]++; z[i] = h[y[i]]; }",
    "an element read in the update": "for (int i = 0; i < 1000; i++) { h[x[i]] += h[y[i]]; h[z[i]]++; }",
    "an element set": "for (int i = 0; i < 1000; i++) { h[x[i]]++; h[y[i]] = 0; }",
    "a value used": "for (int i = 0; i < 1000; i++) { z[i] = h[x[i]]++; h[y[i]]++; }",
    "another name": "int *p = h; for (int i = 0; i < 1000; i++) { h[x[i]]++; p[y[i]]++; }",
    "another type": "char *c = (char *)h; for (int i = 0; i < 99; i++) { h[x[i]]++; c[i] += 1; }",
    "looked at by a function": "for (int i = 0; i < 1000; i++) { h[x[i]]++; h[y[i]]++; z[i] = peek(3); }",
    "two that nobody knows": "for (int i = 0; i < 1000; i++) { h[z[1000 - h[0]]]++; h[3] += 2; }",
}


@pytest.mark.parametrize("body", NO_UPDATES.values(), ids=NO_UPDATES.keys())
def test_no_updates(body: str) -> None:
    assert outer(body).verdict is Verdict.SERIAL


def test_two_elements_that_do_not_move() -> None:
    """No array section says which of them every thread has."""
    loop = outer("for (int i = 0; i < 1000; i++) { h[k]++; h[m] += 2; }", "int k, int m")
    assert loop.verdict is not Verdict.PARALLEL


SECTIONS = {
    "unknown elements": ("for (int i = 0; i < 1000; i++) h[x[i]]++;", "h[0:100]"),
    "unknown elements of two dimensions": (
        "for (int i = 0; i < 1000; i++) table[x[i]][y[i]]++;",
        "table[0:10][0:20]",
    ),
    "several": ("for (int i = 0; i < 1000; i++) { h[x[i]]++; h[y[i] / 2] += 3; }", "h[0:100]"),
}


@pytest.mark.parametrize("name", SECTIONS)
def test_openmp_has_sections_of_small_arrays(name: str) -> None:
    body, section = SECTIONS[name]
    loop = outer(f"static int table[10][20]; {body}")
    assert [r.variable for r in loop.reductions] == [section] and not loop.openmp_obstacle


OTHER_NAMES = {
    "a pointer from before": "int *p = h; for (int i = 0; i < 1000; i++) p[i % 20]++;",
    "a pointer into the middle": "int *p = h + 3; for (int i = 0; i < 1000; i++) p[i / 20] += x[i];",
    "both names": "int *p = h; for (int i = 0; i < 1000; i++) { h[i / 20]++; p[i / 20]++; }",
    "unknown elements": "int *p = h; for (int i = 0; i < 1000; i++) p[x[i]]++;",
    "the same name for something else": """int *p = h;
        for (int i = 0; i < 1000; i++) { int *h = p; h[i / 20]++; }""",
}


@pytest.mark.parametrize("body", OTHER_NAMES.values(), ids=OTHER_NAMES.keys())
def test_copies_have_one_name(body: str) -> None:
    """A pointer that was made before the loop means the array itself, not the copy of a thread."""
    loop = outer(body)
    assert loop.verdict is Verdict.PARALLEL and loop.openmp_obstacle


def test_large_arrays_are_no_copies() -> None:
    loop = outer("static int big[100000]; for (int i = 0; i < 1000; i++) big[x[i]]++;")
    assert loop.verdict is Verdict.PARALLEL and loop.openmp_obstacle


def test_elements_side_by_side_are_one_section() -> None:
    body = "double rgb[3] = { 0 }; for (int i = 0; i < 300; i += 3) {"
    body += (
        " rgb[0] += q[x[i]]; rgb[1] += q[x[i + 1]]; rgb[2] += q[x[i + 2]]; } q[0] = rgb[0] + rgb[1] + rgb[2];"
    )
    loop = outer(body)
    assert [r.variable for r in loop.reductions] == ["rgb[0:3]"] and not loop.openmp_obstacle


@pytest.mark.parametrize(
    "body",
    [
        "{ rgb[0] += q[x[i]]; rgb[2] += q[y[i]]; }",  # apart
        "{ rgb[0] += q[x[i]]; rgb[1] += q[y[i]] * rgb[2]; }",  # another is read
        "{ rgb[0] += q[x[i]]; rgb[1] *= q[y[i]]; }",
    ],
)
def test_other_elements_are_not(body: str) -> None:
    loop = outer(f"double rgb[3] = {{ 0 }}; for (int i = 0; i < 300; i++) {body} q[0] = rgb[0] + rgb[1];")
    assert len(loop.reductions) == 2
