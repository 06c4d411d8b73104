"""Jumps and branches inside of loop bodies: goto, labels, switch, continue, break."""

from __future__ import annotations

import pytest

from species.facts.loops import LoopFacts, Verdict
from tests.support.analysing import loops_of

GLOBALS = "double a[10000], b[10000], c[10000]; int p[1000];\n"

# The loop that matters is the first of the function f.
PARALLEL = {
    "goto past a write": """void f(int n) { for (int i = 0; i < n; i++) {
        if (b[i] < 0) goto skip; a[i] = b[i]; skip: c[i] = 1; } }""",
    "goto like continue": """void f(int n) { for (int i = 0; i < n; i++) {
        if (b[i] < 0) goto next; a[i] = b[i]; next: ; } }""",
    "goto as if and else": """void f(void) { for (int i = 0; i < 999; ++i) {
        if (c[i] < 0.) goto other; a[i] = c[i] + b[i]; goto next; other: b[i] = a[i] + c[i]; next: ; } }""",
    "goto over a scalar that is set before": """void f(int n) { double t; for (int i = 0; i < n; i++) {
        t = 1; if (b[i] < 0) goto skip; t = b[i]; skip: c[i] = t; } }""",
    "goto out of the loop inside": """void f(int n) { for (int i = 0; i < n; i++) {
        for (int j = 0; j < 10; j++) { if (b[j] > i) goto next; a[i] += j; } c[i] = 0; next: ; } }""",
    "goto past no step": """void f(int n) { int k = 0; for (int i = 0; i < n; i++) {
        if (b[i] < 0) goto skip; c[i] = 2; skip: a[k] = 1; k++; } }""",
    "two gotos to one label": """void f(int n) { double t; for (int i = 0; i < n; i++) {
        t = 0; if (b[i] < 0) goto skip; t = 1; if (b[i] > 9) goto skip; t = 2; skip: a[i] = t; } }""",
    "goto past the loop": """double f(int n) { double t = 0; if (n > 5) goto end;
        for (int i = 0; i < n; i++) { t = b[i]; a[i] = t; } t = 1; end: return t; }""",
    "a label that nobody goes to": """void f(int n) { for (int i = 0; i < n; i++) { here: a[i] = b[i]; } }""",
    "a label elsewhere": """void f(int n) { double t; for (int i = 0; i < n; i++) { t = b[i]; a[i] = t; }
        again: b[0] -= 1; if (b[0] > 0) goto again; }""",
    "cases of the parity": """void f(int n) { for (int i = 2; i < n; i++) switch (i % 2) {
        case 0: a[i] = 1; break; case 1: b[i] = a[i - 2]; break; } }""",
    "cases that all set it": """void f(int n) { double t; for (int i = 0; i < n; i++) {
        switch (p[i]) { case 0: t = 1; break; case 1: t = 2; break; default: t = 3; } a[i] = t; } }""",
    "cases that fall through to what sets it": """void f(int n) { double t; for (int i = 0; i < n; i++) {
        switch (p[i]) { case 0: c[i] = 1; default: t = 3; } a[i] = t; } }""",
    "continue in a switch": """void f(int n) { double t; for (int i = 0; i < n; i++) {
        switch (p[i]) { case 0: continue; default: t = 2; } a[i] = t; } }""",
    "an iteration that no case takes": """void f(int n) { for (int i = 0; i < n; i++)
        switch (i) { case -1: a[0] = 1; break; default: a[i] = 2; } }""",
    "break of a switch in a loop": """void f(int n) { for (int i = 0; i < n; i++) {
        switch (p[i]) { case 0: break; case 1: a[i] = 1; } b[i] = 2; } }""",
    "break of an inner loop": """void f(int n) { for (int i = 0; i < n; i++)
        for (int j = 0; j < 9; j++) { if (b[j] > i) break; a[i] += j; } }""",
    "continue before a private scalar": """void f(int n) { double t; for (int i = 0; i < n; i++) {
        if (b[i] < 0) continue; t = b[i]; a[i] = t; } }""",
}

SERIAL = {
    "goto past what sets it": """void f(int n) { double t; for (int i = 0; i < n; i++) {
        if (b[i] < 0) goto skip; t = b[i]; skip: c[i] = t; } }""",
    "goto past the step": """void f(int n) { int k = 0; for (int i = 0; i < n; i++) {
        if (b[i] < 0) goto skip; k++; skip: a[k] = 1; } }""",
    "goto past the array element": """void f(int n) { double t[1]; for (int i = 0; i < n; i++) {
        if (c[i] > 0) goto skip; t[0] = b[i]; skip: a[i] = t[0]; } }""",
    "goto out": """void f(int n) { for (int i = 0; i < n; i++) { if (b[i] < 0) goto out; a[i] = b[i];
        } out: ; }""",
    "goto back": """void f(int n) { for (int i = 0; i < n; i++) {
        int k = 0; again: a[i] += k; k++; if (k < 3) goto again; } }""",
    "goto back to the loop": """void f(int n) { again: for (int i = 0; i < n; i++) {
        a[i] += 1; if (a[i] < 0) goto again; } }""",
    "goto in": """void f(int n) { if (n > 5) goto in; for (int i = 0; i < n; i++) { a[i] = 0; in: b[i] = 0;
        } }""",
    "goto into a branch": """void f(int n) { double t; for (int i = 0; i < n; i++) {
        if (b[i] < 0) goto in; t = 1; if (c[i] > 0) { in: a[i] = t; } } }""",
    "goto with a carried value": """void f(void) { for (int i = 0; i < 999; ++i) {
        if (b[i] < 0.) goto other; a[i] = c[i]; goto next; other: c[i + 1] = a[i]; next: ; } }""",
    "goto past the last value": """double f(int n) { double t = 0; for (int i = 0; i < n; i++) {
        if (b[i] < 0) goto next; for (int j = 0; j < 3; j++) t = j; a[i] = t; next: t += 1; } return t; }""",
    "goto to the step of a while": """void f(int n) { int i = 0; while (i < n) {
        if (b[i] < 0) goto next; i++; next: a[i] = 1; } }""",
    "two gotos, one too early": """void f(int n) { double t; for (int i = 0; i < n; i++) {
        if (b[i] < 0) goto skip; t = 1; if (b[i] > 9) goto skip; t = 2; skip: a[i] = t; } }""",
    "cases of which none may be taken": """void f(int n) { double t; for (int i = 0; i < n; i++) {
        switch (p[i]) { case 0: t = 1; break; case 1: t = 2; } a[i] = t; } }""",
    "a case that leaves before": """void f(int n) { double t; for (int i = 0; i < n; i++) {
        switch (p[i]) { case 0: break; default: t = 3; } a[i] = t; } }""",
    "a case that is entered in the middle": """void f(int n) { double t; for (int i = 0; i < n; i++)
        switch (p[i]) { case 0: t = 1; case 1: a[i] = t; } }""",
    "an element set in another case": """void f(int n) { double t[2]; for (int i = 0; i < n; i++)
        switch (p[i]) { case 0: t[0] = 1; break; case 1: a[i] = t[0]; } }""",
    "cases of the wrong parity": """void f(int n) { for (int i = 2; i < n; i++) switch (i % 2) {
        case 0: a[i] = 1; break; case 1: b[i] = a[i - 1]; break; } }""",
    "a case for one iteration": """void f(int n) { for (int i = 0; i < n; i++)
        switch (i) { case 5: a[0] = 1; break; default: a[i] = 2; } }""",
    "a case that meets the next": """void f(int n) { for (int i = 0; i < n; i++)
        switch (i % 2) { case 1: a[i] = 2; case 0: a[i + 1] = 2; } }""",
    "a case inside of a loop": """void f(int n) { double t = 0; for (int i = 0; i < n; i++) {
        switch (p[i]) { default: while (b[i] > 0) { case 3: t = 1; b[i] -= 1; } } a[i] = t; } }""",
    "goto out of a switch past what sets it": """void f(int n) { int k = 0; for (int i = 0; i < n; i++) {
        switch (p[i]) { case 0: goto skip; } k++; skip: a[k] = 0; } }""",
    "a return": """int f(int n) { for (int i = 0; i < n; i++) { if (b[i] < 0) return i; a[i] = 1;
        } return 0; }""",
    "a break": "void f(int n) { for (int i = 0; i < n; i++) { if (b[i] < 0) break; a[i] = 1; } }",
    "break from a loop in a switch": """void f(int n) { switch (n) { case 3: for (int i = 0; i < n; i++) {
        if (b[i] < 0) break; a[i] = 1; } } }""",
    "continue past what sets it": """void f(int n) { double t = 0; for (int i = 0; i < n; b[i] = t, i++) {
        if (c[i] < 0) continue; t = c[i]; } }""",
    "continue past an element": """void f(int n) { double t[1]; for (int i = 0; i < n; b[i] = t[0], i++) {
        if (c[i] < 0) continue; t[0] = c[i]; } }""",
    "a step after continue": """void f(int n) { int i = 0; while (i < n) {
        if (b[i] < 0) continue; a[i] = 1; i++; } }""",
}

LIVE = {
    "behind a label": ("if (n > 7) goto end; t = 1; end: return t;", True),
    "behind a label that is passed": ("t = 1; if (n > 7) goto end; b[0] = 1; end: return t;", False),
    "nowhere": ("if (n > 7) goto end; b[0] = 1; end: return 0;", False),
    "after going back": ("again: b[0] += t; t = 1; if (b[0] < 9) goto again; return 0;", True),
    "in one case": ("switch (n) { case 1: t = 1; break; default: t = 2; } return t;", False),
    "where no case is taken": ("switch (n) { case 1: t = 1; break; case 2: t = 2; } return t;", True),
    "in a case": ("switch (n) { case 1: return t; } return 0;", True),
}


def first_of_f(text: str) -> LoopFacts:
    return next(loop for loop in loops_of(GLOBALS + text) if loop.id == "f/1")


@pytest.mark.parametrize("text", PARALLEL.values(), ids=PARALLEL.keys())
def test_parallel(text: str) -> None:
    loop = first_of_f(text)
    assert loop.verdict is Verdict.PARALLEL, loop.reasons


@pytest.mark.parametrize("text", SERIAL.values(), ids=SERIAL.keys())
def test_serial(text: str) -> None:
    assert first_of_f(text).verdict is Verdict.SERIAL


@pytest.mark.parametrize(("rest", "live"), LIVE.values(), ids=LIVE.keys())
def test_liveness(rest: str, live: bool) -> None:
    text = f"double f(int n) {{ double t = 0; for (int i = 0; i < n; i++) {{ t = b[i]; a[i] = t; }} {rest} }}"
    loop = first_of_f(text)
    assert ("t" in loop.lastprivate, "t" in loop.private) == (live, not live)


def test_what_a_goto_skips_is_not_covered() -> None:
    """So it has to be copied in."""
    loop = first_of_f(
        """void f(void) { for (int i = 0; i < 100; i++) {
            if (b[i] < 0) goto skip; a[i] = 1; skip: c[i] = a[i]; } }"""
    )
    assert loop.kernel is not None
    arrays = {array.name: array for array in loop.kernel.arrays}
    assert not arrays["a"].covered and arrays["a"].reads is not None
    assert arrays["c"].covered


def test_cases_are_conditions() -> None:
    text = """void f(void) { for (int i = 0; i < 100; i++)
        switch (i) { case 7: a[i] = 1; break; default: p[i] = 1; } }"""
    assert "a[7:7]" in str(first_of_f(text).species)


def test_a_jump_out_of_the_loop_inside_is_its_own_affair() -> None:
    text = """void f(int n) { for (int i = 0; i < n; i++) {
        for (int j = 0; j < 10; j++) { if (b[j] > i) goto next; a[i] += j; } c[i] = 0; next: ; } }"""
    outer, inner = loops_of(GLOBALS + text)
    assert outer.verdict is Verdict.PARALLEL
    assert {reason.code for reason in inner.reasons} >= {"CV303"}


ENTERED = [
    "switch (k) { case 5: for (i = 0; i < n; i++) { a[i] = 1; case 1:; } }",
    "switch (k) { case 5: for (i = 0; i < n; i++) { a[i] = 1; if (n) { default:; } } }",
    "switch (k) { for (i = 0; i < n; i++) { case 1: a[i] = 1; } }",
]


@pytest.mark.parametrize("body", ENTERED)
def test_a_case_in_a_loop_of_its_switch_lets_control_in(body: str) -> None:
    (loop,) = loops_of(f"int a[99]; void f(int n, int k) {{ int i = 0; {body} }}")
    assert loop.verdict is Verdict.SERIAL
    assert "CV303" in [reason.code for reason in loop.reasons]


def test_a_switch_of_the_loop_lets_nobody_in() -> None:
    body = "switch (k) { case 1: a[i] = 1; break; default: a[i] = 2; }"
    (loop,) = loops_of(f"int a[99]; void f(int n, int k) {{ for (int i = 0; i < n; i++) {body} }}")
    assert loop.verdict is Verdict.PARALLEL
