"""What macros write in a roundabout way: assertions, which stop no loop, and loops with one iteration."""

from __future__ import annotations

import pytest

from species import analyse
from species.facts.loops import Verdict
from species.source import PreprocessOptions, read_translation_unit

FAIL = "void __assert_fail(const char *, const char *, unsigned, const char *); void abort(void); "
GLIBC = (
    '((void)sizeof((X) ? 1 : 0), __extension__({ if (X) ; else __assert_fail("X", "a.c", 3, __func__); }))'
)
STRICT = '((X) ? (void)0 : __assert_fail("X", "a.c", 3, __func__))'
LOOP = "int a[9]; void f(int *restrict p) {{ for (int i = 0; i < 9; i++) {{ {0}; a[i] = p[i]; }} }}"
PLACES = {
    "a statement": "ASSERT",
    "under a condition": "if (i > 3) ASSERT; else a[i] = 1",
    "in a comma": "(ASSERT, a[i] = 2)",
    "in a callee": "check(p, i)",
}


def verdict(text: str) -> Verdict:
    unit = read_translation_unit("/tmp/asserted.c", PreprocessOptions(), text=text)
    return next(loop for loop in analyse(unit).loops if loop.function == "f").verdict


@pytest.mark.parametrize("assertion", [GLIBC, STRICT])
@pytest.mark.parametrize("place", PLACES)
def test_assertions_are_taken_to_hold(assertion: str, place: str) -> None:
    assertion = assertion.replace("X", "p[i] > 0")
    callee = f"static void check(int *p, int i) {{ {assertion}; }}"
    assert (
        verdict(FAIL + callee + LOOP.format(PLACES[place].replace("ASSERT", assertion))) is Verdict.PARALLEL
    )


def test_loops_with_one_iteration_are_blocks() -> None:
    text = LOOP.format("do { int t = p[i]; if (t) do a[i] = t; while (0); } while (0)")
    unit = read_translation_unit("/tmp/once.c", PreprocessOptions(), text=text)
    (loop,) = analyse(unit).loops
    assert loop.verdict is Verdict.PARALLEL


def test_loops_that_are_left_stay_loops() -> None:
    text = LOOP.format("do { if (p[i]) break; a[i] = 3; } while (0)")
    unit = read_translation_unit("/tmp/left.c", PreprocessOptions(), text=text)
    assert [loop.kind for loop in analyse(unit).loops] == ["for", "do"]


@pytest.mark.parametrize(
    "statement",
    [
        "({ if (p[i] > 0) ; else abort(); })",
        '({ if (p[i] > 0) ; else __assert_fail("", "", 3, ""); a[0] = 2; })',
        '({ if (a[8 - i] > 0) ; else __assert_fail("", "", 3, ""); })',
    ],
)
def test_others_count(statement: str) -> None:
    assert verdict(FAIL + LOOP.format(statement)) is Verdict.SERIAL
