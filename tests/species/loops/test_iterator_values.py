"""Statements see iterators with the types and values of the source, whatever loops have become."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.nests.compared import compiled, printed

HEAD = """#include <stdio.h>
#include <stddef.h>
#define E 40
static long A[E][E], B[E][E], x[E];
static unsigned U[E][E], V[E][E];
typedef unsigned count;
#define TO(x) ((x) + i)
#define SQUARE(x) ({ int k = (x); k * k; })
#define CELL(name, i) name##i
#define NAMED(i) (#i[0])
#define TWICE(x) x * 2
"""
UNSIGNED = {
    "a bound before zero": """for (size_t i = 0; i < 24; i++) {
        for (size_t j = 0; j + 2 <= i; j++) A[i][j] += B[j][i];
        for (size_t j = i; j < 24; j++) B[i][j] += 1;
        x[i] = A[i][3]; }""",
    "a guard": """for (unsigned i = 0; i < 24; i++) for (unsigned j = 0; j < 24; j++) {
        if (i >= j + 3) A[i][j] = 1; else B[i][j] = 3; }""",
    "a difference with a parameter": """for (size_t i = 0; i + 3 < n; i++) {
        for (size_t j = 0; j < n; j++) B[j][i] += A[i][j];
        x[i] = B[0][i]; }""",
    "a typedef": """for (count i = 0; i < n; i++) for (count j = 0; j + 1 <= i; j++)
        B[j][i] = A[i][j] + (j - i) / 2;""",
    "counting down": """for (size_t i = n; i > 0; i--) for (size_t j = 0; j < n; j++)
        B[j][i] = A[i][j] + (i - 5) / 3 % 100;""",
    "types that differ": """for (unsigned i = 0; i < 20; i++) for (long j = 0; j < 20; j++)
        B[j][i] = A[i][j] + (i - 7) / 2 - j;""",
}
TYPES = {
    "unsigned data": """for (int i = 0; i < 32; i++) for (int j = 0; j < 32; j++)
        V[j][i] = (U[i][j] - j) / 3;""",
    "comparisons": """for (int i = 0; i < 32; i++) for (int j = 0; j < 32; j++)
        V[j][i] = U[i][j] > j - 30 ? 1 : -j > U[i][j];""",
    "sizes": """for (int i = 0; i < 32; i++) for (int j = 0; j < 32; j++)
        V[j][i] = U[i][j] + sizeof(j) + sizeof j + sizeof(j + i) + (j - i < sizeof(int));""",
    "generic": """for (int i = 0; i < 32; i++) for (int j = 0; j < 32; j++)
        V[j][i] = U[i][j] + _Generic(j, int: 1, long: 2) + _Generic((j), int: 1, long: 2);""",
    "subscripts that wrap around": """for (int i = 0; i < 32; i++) for (int j = 0; j < 32; j++)
        V[j][i] = U[i][(j - 5u) % 32] + U[(i ^ 1u) - 0][j];""",
    "neighbours of one name": """
        for (int i = 0; i < 24; i++) for (int j = 0; j < 24; j++) A[i][j] = i * 24 + j;
        for (unsigned i = 0; i < 24; i++) for (int j = 0; j < 24; j++) B[j][i] = (i - 5) / 2 + A[j][i];""",
    "a macro's argument": """for (int i = 0; i < 32; i++) for (int j = 0; j < 32; j++)
        V[j][i] = U[i][j] + TWICE(j) + 3 * TWICE(i);""",
}
JOINED = """for ({0} i = 0; i < 24; i++) for ({0} k = 0; k < 24; k++) A[i][k] = i * 24 + k;
    for ({0} i = 0; i < 24; i++) for (int j = 0; j < 24; j++) {1}"""
NAMES = {
    "unsigned": JOINED.format("unsigned", "B[j][i] = A[j][i] + 1;"),
    "a macro that mentions an iterator": JOINED.format("int", "B[j][i] = TO(A[j][i]);"),
    "a macro that declares a variable": JOINED.format("int", "B[j][i] = A[j][i] + SQUARE(i);"),
    "a macro that joins names": "long yi = 3;" + JOINED.format("int", "B[j][i] = A[j][i] + CELL(y, i);"),
    "a macro that quotes": JOINED.format("int", "B[j][i] = A[j][i] + NAMED(i);"),
    "a block": JOINED.format("int", "{ long k = A[j][i]; B[j][i] = k + i; }"),
    "a type of its own": "typedef long wide;"
    + JOINED.format("int", "{ wide k = A[j][i], i_value = 2; B[j][i] = k + i * i_value; }"),
}
FILL = """static void fill(void) { for (int i = 0; i < E; i++) { x[i] = i;
    for (int j = 0; j < E; j++) { A[i][j] = i * 3 + j; B[i][j] = i - j; U[i][j] = V[i][j] = i * j % 37; } } }
static unsigned long sum(void) { unsigned long s = 0; for (int i = 0; i < E; i++) { s = s * 31 + x[i];
    for (int j = 0; j < E; j++) s = s * 31 + A[i][j] + 7 * B[i][j] + 5 * U[i][j] + V[i][j]; } return s; }
int main(void) { for (int n = 2; n < 33; n += 10) { fill(); nests(n); printf("%lu\\n", sum()); } return 0; }
"""


@pytest.mark.sampled(4)
@pytest.mark.parametrize("body", {**UNSIGNED, **TYPES, **NAMES}.values(), ids=[*UNSIGNED, *TYPES, *NAMES])
def test_results_are_the_same(body: str, tmp_path: Path) -> None:
    text = f"{HEAD}static void nests(size_t n)\n{{\n{body}\n}}\n{FILL}"
    after = compiled(text)
    assert "#pragma omp" in after
    assert printed(after, tmp_path) == printed(text, tmp_path)


def nests(body: str) -> str:
    text = compiled(f"{HEAD}void nests(int n)\n{{\n{body}\n}}\n")
    return text[text.index("void nests") :]


def test_subscripts_need_no_conversions() -> None:
    text = nests("for (int i = 0; i < 32; i++) for (int j = 1; j < 32; j++) A[j][i] += B[i][j - 1];")
    assert "for (long" in text
    assert "(int)" not in text


def test_sums_with_macros_need_no_conversions() -> None:
    text = nests(
        "long *p = A[0]; for (int i = 0; i < 32; i++) for (int j = 1; j < 32; j++) p[j * E + i] += 3;"
    )
    assert "E + " in text
    assert "(int)" not in text


def test_a_conversion_has_no_more_parentheses_than_it_needs() -> None:
    text = nests("for (size_t i = 0; i < 32; i++) for (size_t j = 1; j < 32; j++) A[j][i] += i * j;")
    assert "+= (size_t)i * (size_t)j;" in text


def test_nothing_is_converted_to_the_type_that_it_has() -> None:
    text = nests("for (int i = 0; i < n; i++) for (int j = 1; j < n; j++) A[j][i] += i * j;")
    assert "(int)" not in text
    assert "i * j;" in text
