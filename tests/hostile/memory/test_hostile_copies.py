"""Variables of which every thread has a copy: whoever keeps the address of one keeps that of a copy."""

from __future__ import annotations

import pytest

from tests.support.analysing import loops_of

HEAD = """#include <string.h>
int a[64], b[64], s[64], *where[64]; char *texts[64];
static void set(int *p, int v) { *p = v; } static int get(const int *p) { return p[0]; }
"""
KEPT = {
    "of a sum": "int x = 0; for (int i = 0; i < 64; i++) { x += a[i]; where[i] = &x; } return *where[5];",
    "of a histogram": "for (int i = 0; i < 64; i++) { s[a[i] & 3] += i; where[i] = s + i; } return 0;",
    "of an element": "for (int i = 0; i < 64; i++) { s[a[i] & 3] += i; where[i] = &s[i]; } return 0;",
    "of a last value": """
        int x; for (int i = 0; i < 64; i++) { x = a[i]; where[i] = &x; } return where[3] == &x;""",
    "of an iterator": "int i; for (i = 0; i < 64; i++) where[i] = &i; return *where[3];",
    "as a number": """int x = 0; long u[64];
        for (int i = 0; i < 64; i++) { x = i; u[i] = (long)&x; } return u[3] == u[4] + x;""",
    "by a comparison": "for (int i = 0; i < 64; i++) { s[i & 3] += 1; b[i] = s == where[0]; } return 0;",
    "by what a function returns": """char t[9];
        for (int i = 0; i < 64; i++) { t[0] = 'c'; t[1] = 0; texts[i] = strchr(t, 'c'); } return 0;""",
}
FOLLOWED = {
    "to set it": "int x; for (int i = 0; i < 64; i++) { set(&x, a[i]); s[i] = x; } return 0;",
    "to read it": "int x; for (int i = 0; i < 64; i++) { x = a[i]; s[i] = get(&x); } return 0;",
    "for its size": """int x[4];
        for (int i = 0; i < 64; i++) { x[i % 4] = i; s[i] = x[i % 4] + (int)sizeof x; } return 0;""",
}


def obstacle(body: str) -> str:
    found = [loop for loop in loops_of(f"{HEAD} int f(void) {{ {body} }}") if loop.verdict.is_parallel]
    return found[0].openmp_obstacle if found else "it is not parallel"


@pytest.mark.parametrize("body", KEPT.values(), ids=KEPT.keys())
def test_an_address_that_is_kept_is_that_of_the_variable(body: str) -> None:
    assert obstacle(body) != ""


@pytest.mark.parametrize("body", FOLLOWED.values(), ids=FOLLOWED.keys())
def test_an_address_that_is_only_followed_may_be_that_of_a_copy(body: str) -> None:
    assert obstacle(body) == ""


def test_truth_values_that_nobody_has_set_are_not_combined() -> None:
    body = "_Bool h[8]; h[1] = h[2] = 0; for (int i = 0; i < 64; i++) h[1 + (a[i] & 1)] |= 1; return h[1];"
    assert obstacle(body) != ""
