"""`memcpy` of numbers: whether it may move pointers that stand beside them in a structure."""

from __future__ import annotations

import pytest

from species.facts.loops import Verdict
from tests.support.analysing import loops_of

KEEPING = [
    "memcpy(b->x, b->y, sizeof b->y);",
    "memmove(b->x, b->y, 4 * sizeof(double));",
    "memcpy(b->x, b->y, sizeof(double) * SIZE);",
    "memcpy(b->m[1], b->y, 2 * sizeof *b->y);",
]
MIXING = [
    "memcpy(b->x, b->y, 6 * sizeof(double));",
    "memcpy(b->m[1], b->y, sizeof b->y);",
    "memcpy(b->x, b->y, n * sizeof(double));",
    "memcpy(b->x, &b->run, 8);",
    "memcpy(&b->run, b->x, 8);",
    "memcpy(b->x, b->more, 8);",
    "memcpy(b->text, b->text + 8, 8);",
    "memcpy(b->u.numbers, b->x, 16);",
]


def verdict(statement: str) -> Verdict:
    """Of a loop that calls what a member points to, where the statement is executed somewhere."""
    text = f"""#include <stdlib.h>
        #include <string.h>
        enum {{ SIZE = 4 }};
        struct body {{
            double x[4], y[4], m[2][2]; void (*run)(double *, int); double *more; char text[16];
            union {{ double numbers[2]; void (*other)(double *, int); }} u;
        }};
        static void fill(double *a, int i) {{ a[i] = i; }}
        static void move(struct body *b, int n) {{ (void)n; {statement} }}
        static void work(struct body *b, double *a, int n) {{ for (int i = 0; i < n; i++) b->run(a, i); }}
        int main(int argc, char **argv) {{
            struct body *b = calloc(1, sizeof *b); double *a = malloc(argc * sizeof *a);
            b->run = fill; b->u.other = fill; b->more = malloc(64);
            move(b, argc); work(b, a, argc); return (int)a[0]; }}"""
    return next(loop.verdict for loop in loops_of(text) if loop.function == "work")


@pytest.mark.parametrize("statement", KEEPING)
def test_numbers_are_no_pointers(statement: str) -> None:
    assert verdict(statement).is_parallel


@pytest.mark.parametrize("statement", MIXING)
def test_what_may_be_more_than_numbers(statement: str) -> None:
    assert not verdict(statement).is_parallel
