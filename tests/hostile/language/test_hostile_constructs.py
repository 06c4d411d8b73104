"""What a user's OpenMP directives do to variables: nobody knows what they are behind the statement."""

from __future__ import annotations

import pytest

from species import analyse
from species.facts.loops import LoopFacts, Verdict
from species.source import PreprocessOptions, read_translation_unit

AFTER = "for (int i = 0; i < 9; i++) a[i + k] = a[i] + 1; }"
CHANGED = {
    "a copy": "int k = 1;\n#pragma omp parallel firstprivate(k)\n{ k = 0; }",
    "a copy, in a macro": 'int k = 1; _Pragma("omp parallel firstprivate(k)") { k = 0; }',
    "a sum": "int k = 1;\n#pragma omp parallel reduction(+:k)\n{ k = 0; }",
    "on a device": "int k = 1;\n#pragma omp target\nk = 0;",
    "later": "int k = 1;\n#pragma omp task\nk = 0;",
    "several times": "int k = -1;\n#pragma omp parallel\n#pragma omp critical\nk++;",
    "a section": "int k = 1;\n#pragma omp parallel sections\n{\n#pragma omp section\nk = 0;\n}",
    "an iterator": "int k = 2;\n#pragma omp parallel for\nfor (k = 0; k < 0; k++) g();",
    "under an if": "int k = 1; if (c)\n#pragma omp parallel private(k)\nk = 0; else k = 0;",
}
SAME = {
    "vectors": "int k = -9;\n#pragma omp simd\nfor (int j = 0; j < 9; j++) k++;",
    "a barrier": "int k = 1;\n#pragma omp barrier\nk = 0;",
    "of another kind": "int k = -9;\n#pragma GCC ivdep\nfor (int j = 0; j < 9; j++) k++;",
}


def loops(text: str) -> tuple[LoopFacts, ...]:
    unit = read_translation_unit("/tmp/constructs.c", PreprocessOptions(), text=text)
    facts = analyse(unit)
    assert not facts.diagnostics
    return facts.loops


@pytest.mark.parametrize("name", CHANGED)
def test_is_not_known(name: str) -> None:
    found = loops(f"void g(void); int a[99]; void f(int c) {{ {CHANGED[name]}\n{AFTER}")
    assert found[-1].verdict is Verdict.CONDITIONAL and "k == 0" in found[-1].conditions[0]


@pytest.mark.parametrize("name", SAME)
def test_is_known(name: str) -> None:
    found = loops(f"int a[99]; void f(void) {{ {SAME[name]}\n{AFTER}")
    assert found[-1].verdict is Verdict.PARALLEL


def test_values_from_before_are_needed() -> None:
    """What stands under a directive may leave them as they are."""
    text = """int a[99]; int f(void) { int k = 0;
        for (int i = 0; i < 9; i++) k = a[i];
        #pragma omp parallel firstprivate(k)
        { k = 0; }
        return k; }"""
    assert loops(text)[0].lastprivate == ("k",)


def test_loops_under_directives_are_judged() -> None:
    text = """int a[99], b[99], s; void f(int n, int m, const int *restrict x) { int i, j;
        #pragma omp parallel for private(j) reduction(+:s)
        for (i = 0; i < n; i++) for (j = 0; j < m; j++) s += x[i * m + j];
        #pragma omp parallel
        {
        #pragma omp for
        for (i = 0; i < 99; i++) a[i] = b[i] * 2;
        #pragma omp for
        for (i = 0; i < 99; i++) { int q = a[i]; b[i] = q * q; }
        } }"""
    assert {loop.verdict for loop in loops(text)} == {Verdict.PARALLEL}
