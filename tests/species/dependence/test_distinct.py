"""Cells that data chooses: whether the numbers are distinct, and chunks apart, is tested before the loop."""

# ruff: noqa: E501  (programs in few lines)
from __future__ import annotations

import random
import shutil
import subprocess
from itertools import pairwise
from pathlib import Path

import pytest

from species.facts.loops import CHUNKS, DISTINCT, GREATEST, IN_ORDER, LEAST, Verdict
from species.row_tests import functions
from tests.support.analysing import loops_of
from tests.support.places import TESTS
from tests.support.three_ways import same_three_ways

HEAD = """#include <stddef.h>
typedef struct { int at, length; float w; } item; struct mesh { int n; int *node; double *x; };
int helper(int *x);
"""
EACH = "for (int i = 0; i < n; i++)"
CELL = "const int *at, double *x, int n"
ASKED = {
    "a permutation": (DISTINCT, f"void f({CELL}) {{ {EACH} x[at[i]] = i; }}"),
    "read and written": (DISTINCT, f"void f({CELL}) {{ {EACH} {{ int j = at[i]; x[j] = 0.5 * x[j] + i; }} }}"),
    "several cells each": (DISTINCT, f"void f({CELL}) {{ {EACH} {{ x[2 * at[i]] = x[2 * at[i] + 1]; x[2 * at[i] + 1] = i; }} }}"),
    "without a sign": (DISTINCT, "void f(const size_t *at, double *x, size_t n) { for (size_t i = 0; i < n; i++) x[3 * at[i] + 2] = i; }"),
    "rows": (DISTINCT, f"void f(const int *at, double (*x)[9], int n) {{ {EACH} for (int j = 0; j < 9; j++) x[at[i]][j] = j; }}"),
    "rows of a size": (DISTINCT, f"void f({CELL}, int m) {{ {EACH} for (int j = 0; j < m; j++) x[at[i] * m + j] = j; }}"),
    "in a structure": (DISTINCT, "void f(struct mesh *m) { for (int i = 0; i < m->n; i++) m->x[m->node[i]] = i; }"),
    "a member of elements": (DISTINCT, f"void f(item *p, double *x, int n) {{ {EACH} x[p[i].at] = p[i].w; }}"),
    "from behind": (DISTINCT, f"void f({CELL}) {{ for (int i = n - 1; i >= 0; i--) x[at[i]] = i; }}"),
    "of one part": (DISTINCT, "void f(const int *at, const int *first, double *x, int c) { for (int k = first[c]; k < first[c + 1]; k++) x[at[k]] *= x[at[k]]; }"),
    "chunks": (CHUNKS, f"void f({CELL}, const int *m) {{ {EACH} for (int k = 0; k < m[i]; k++) x[at[i] + k] = k; }}"),
    "chunks of members": (CHUNKS, f"void f(item *p, double *x, int n) {{ {EACH} for (int k = p[i].at; k < p[i].at + p[i].length; k++) x[k] = k; }}"),
    "chunks without a sign": (CHUNKS, f"void f(const unsigned *at, const unsigned *m, double *x, int n) {{ {EACH} for (unsigned k = 0; k < m[i]; k++) x[at[i] + k] *= x[at[i] + k]; }}"),
    "where cells come from": (LEAST, f"void f({CELL}, double *y) {{ {EACH} y[i] = x[at[i]]; }}"),
    "where segments lie": (GREATEST, f"void f({CELL}, double *y) {{ {EACH} {{ y[i] = 0; for (int k = at[i]; k < at[i + 1]; k++) y[i] += x[k]; }} }}"),
    "cells beside the counter": (IN_ORDER, f"void f({CELL}) {{ {EACH} x[at[i] + i] = i; }}"),
    "segments, and what they are scaled with": (IN_ORDER, f"void f({CELL}, double *y) {{ {EACH} for (int k = at[i]; k < at[i + 1]; k++) x[k] = x[k] + y[i]; }}"),
}  # fmt: skip
OTHERS = {
    "numbers that the loop changes": f"void f(int *at, double *x, int n) {{ {EACH} {{ x[at[i]] = i; at[i + 1]++; }} }}",
    "numbers that a call changes": f"void f(int *at, double *x, int n) {{ {EACH} {{ x[at[i]] = i; helper(at); }} }}",
    "numbers that are read where data says": f"void f({CELL}) {{ {EACH} if (x[i] > 0) x[at[i]] = i; }}",
    "the next cell too": f"void f({CELL}) {{ {EACH} x[at[i] + 1] = x[at[i]]; }}",
    "another iteration's cell": f"void f({CELL}) {{ {EACH} x[at[i]] = x[at[i + 1]]; }}",
    "a sum of two numbers": f"void f({CELL}) {{ {EACH} x[at[i] + at[i + n]] = i; }}",
    "a square": f"void f({CELL}) {{ {EACH} x[at[i] * at[i]] = i; }}",
    "a place that data chooses": f"void f({CELL}) {{ {EACH} x[at[at[i]]] = i; }}",
    "rows that are too long": f"void f({CELL}) {{ {EACH} for (int j = 0; j < 9; j++) x[at[i] * 8 + j] = j; }}",
    "chunks that data cuts": f"void f({CELL}, const int *m) {{ {EACH} if (m[i] > 2) for (int k = 0; k < m[i]; k++) x[at[i] + k] = x[at[i] + k - 1]; }}",
    "a cell more than the chunk": f"void f({CELL}, const int *m) {{ {EACH} for (int k = 0; k <= m[i]; k++) x[at[i] + k] = k; }}",
    "other numbers that are read where data says": f"void f({CELL.replace('*x', '(*x)[9]')}, const int *to, const double *m) {{ {EACH} {{ int t = at[i]; if (m[i] > 0) {{ x[t][to[i]] = 1; x[3][to[i]] = i; }} }} }}",
    "cells before the counter": f"void f({CELL}) {{ {EACH} x[at[i] - 2 * i] = i; }}",
}  # fmt: skip


@pytest.mark.parametrize("name", ASKED)
def test_asks_for_numbers(name: str) -> None:
    asked, text = ASKED[name]
    loop = loops_of(HEAD + text)[0]
    assert loop.verdict is Verdict.CONDITIONAL and any(asked in c for c in loop.conditions), loop.reasons
    assert len(loop.condition_words) == len(loop.conditions)


@pytest.mark.parametrize("name", OTHERS)
def test_others_stay_as_they_are(name: str) -> None:
    loop = loops_of(HEAD + OTHERS[name])[0]
    assert not loop.verdict.is_parallel, loop.conditions


def test_asks_that_sums_without_a_sign_do_not_wrap() -> None:
    loop = loops_of(HEAD + ASKED["chunks without a sign"][1])[0]
    assert sum(f"{GREATEST}(" in each for each in loop.conditions) == 2


def test_sums_are_no_question_of_distinct_numbers() -> None:
    """Histograms count equal numbers."""
    loop = loops_of(f"double x[64]; void f(const int *at, int n) {{ {EACH} x[at[i] & 63]++; }}")[0]
    assert loop.verdict is Verdict.PARALLEL and loop.reductions


@pytest.mark.skipif(not shutil.which("gcc"), reason="needs gcc")
def test_programs_over_permutations(tmp_path: Path) -> None:
    """Also where numbers are equal, far apart, or none."""
    marked, made = same_three_ways(TESTS / "permutations.c", tmp_path)
    assert marked.count(f"{DISTINCT}(&") > 5 and made.count(f"{DISTINCT}(&") > 3


TESTED = """#include <stdio.h>
%s
int main(void)
{
    static %s a[64], b[64];
    int n;
    while (scanf("%%d", &n) == 1) {
        for (int i = 0; i < n; i++) { long long x, y; if (scanf("%%lld %%lld", &x, &y) != 2) return 1; a[i] = (%s)x; b[i] = (%s)y; }
        printf("%%d %%d %%lld %%lld %%lld\\n", cuvier_distinct(a, sizeof *a, %s, n),
               cuvier_chunks_apart(a, sizeof *a, %s, b, sizeof *b, %s, n), cuvier_least(a, sizeof *a, %s, 0, 0, 0, n),
               cuvier_greatest(a, sizeof *a, %s, 0, 0, 0, n), cuvier_greatest(a, sizeof *a, %s, b, sizeof *b, %s, n));
    }
}
"""  # fmt: skip
TYPES = {
    "int": (4, -(2**31), 2**31 - 1),
    "unsigned": (-4, 0, 2**32 - 1),
    "short": (2, -(2**15), 2**15 - 1),
    "unsigned char": (-1, 0, 255),
    "long": (8, -(2**63), 2**63 - 1),
}


def _lists(low: int, high: int) -> list[list[tuple[int, int]]]:
    """Numbers and lengths: distinct and equal, chunks and others, near the ends of a type and not."""
    chance, found = random.Random(low), []
    for _ in range(300):
        count, span = chance.randrange(12), chance.choice((3, 20, 200, 10**6))
        base = chance.choice((low, 0, max(low, high - span)))
        numbers = [min(base + chance.randrange(span), high) for _ in range(count)]
        numbers = chance.choice((numbers, sorted(numbers), list(dict.fromkeys(numbers))))
        lengths = [min(high, max(low, chance.randrange(-1, 3))) for _ in numbers]
        found.append(list(zip(numbers, lengths, strict=True)))
    return found


def _answers(pairs: list[tuple[int, int]]) -> tuple[bool, bool, int, int, int]:
    numbers = [number for number, _ in pairs]
    chunks = [pair for pair in pairs if pair[1] > 0]
    apart = all(b >= a + length for (a, length), (b, _) in pairwise(chunks))
    apart = apart and all(a + length < 2**63 for a, length in chunks)
    ends = (min(numbers, default=0), max(numbers, default=0))
    return len(set(numbers)) == len(numbers), apart, *ends, max((a for a, _ in chunks), default=0)


@pytest.mark.skipif(not shutil.which("gcc"), reason="needs gcc")
@pytest.mark.parametrize("ctype", TYPES)
def test_the_functions_are_right(ctype: str, tmp_path: Path) -> None:
    size, low, high = TYPES[ctype]
    names = (CHUNKS, DISTINCT, LEAST, GREATEST)
    text = TESTED % (functions(names, sorting=False), *[ctype] * 3, *[size] * 7)
    (tmp_path / "t.c").write_text(text)
    flags = ["-O2", "-Wall", "-Wextra", "-Werror", "-fsanitize=address,undefined"]
    subprocess.run(["gcc", *flags, "t.c", "-o", "t"], check=True, cwd=tmp_path)
    lists = _lists(low, high)
    given = "\n".join(f"{len(each)} " + " ".join(f"{a} {b}" for a, b in each) for each in lists)
    run = subprocess.run([tmp_path / "t"], input=given, text=True, capture_output=True, check=True)
    for pairs, line in zip(lists, run.stdout.splitlines(), strict=True):
        distinct, *rest = map(int, line.split())
        right = _answers(pairs)
        assert (*rest,) == right[1:], pairs
        wide = bool(pairs) and max(p[0] for p in pairs) - min(p[0] for p in pairs) >= 128 * len(pairs)
        assert distinct == right[0] or (wide and not distinct), pairs  # far apart, equal or not
