"""What other tools get wrong, as ../shared/digests tells (bones.md section 3; peers.md section B): not here.

The programs are our own; each says the smallest thing that shows the mistake.  Bones' species on loops of
PolyBench that carry dependences (lu, gramschmidt, dynprog, symm, ludcmp) are held by corpus/truth.yaml.
"""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from species import analyse
from species.annotate import AnnotateOptions, annotate
from species.facts.loops import LoopFacts, UnitFacts, Verdict
from species.source import PreprocessOptions, read_translation_unit


def facts_of(text: str) -> UnitFacts:
    return analyse(read_translation_unit("/tmp/peers.c", PreprocessOptions(), text=text))


def loop(text: str, ordinal: int = 0) -> LoopFacts:
    return facts_of(text).loops[ordinal]


# Called parallel by others (the name says by whom), and serial in truth; the first loop of each is meant.
NEVER_PARALLEL = {
    "bones: wrong sign of the constant term": """double A[300];
        void f(void) { for (int i = 0; i < 100; i++) A[2 * i] = A[i + 150]; }""",
    "bones: unknown sizes are taken for 1000": """double A[2000];
        void f(int n) { for (int i = 0; i < 1000; i++) A[i] = A[i + n]; }""",
    "bones: equal subscripts are never tested": """double B[64], C[64][64];
        void f(void) { for (int i = 0; i < 64; i++) for (int j = 0; j < 64; j++) B[j] = C[i][j]; }""",
    "bones: a running sum that is stored": """double A[64], B[64];
        void f(void) { double s = 0; for (int i = 0; i < 64; i++) { s = s + A[i]; B[i] = s; } }""",
    "bones: break": """double A[64], B[64];
        void f(void) { for (int i = 0; i < 64; i++) { if (A[i] < 0) break; B[i] = A[i]; } }""",
    "bones: effects of a callee": """double A[64]; int count; void log_it(double x);
        void f(void) { for (int i = 0; i < 64; i++) { log_it(A[i]); A[i] = 0; } }""",
    "bones: effects of a callee that is there": """double A[64]; int place;
        static void put(double x) { A[place] = x; place = place + 2; }
        void f(void) { for (int i = 0; i < 30; i++) put(i); }""",
    "bones: the increment": """double A[64];
        void f(void) { for (int i = 2; i < 64; i += 2) A[i] = A[i - 2] + 1; }""",
    "bones: references in conditions": """int B[64];
        void f(void) { for (int i = 1; i < 64; i++) if (B[i - 1] > 0) B[i] = 1; }""",
    "bones: increments are not seen": """int B[64], C[64];
        void f(void) { for (int i = 1; i < 64; i++) { C[i] = B[i - 1]; B[i]++; } }""",
    "discopop: a write through a function of the iterator": """int A[64];
        static int place(int i) { return i / 2; }
        void f(void) { for (int i = 0; i < 64; i++) A[place(i)] = i; }""",
    "discopop: an anti-dependence": """int a[64];
        void f(void) { for (int i = 0; i < 63; i++) a[i] = a[i + 1] + 1; }""",
    "dawncc: a temporary that carries": """double A[64], B[64], tmp;
        void f(void) { for (int i = 0; i < 64; i++) { B[i] = tmp; tmp = A[i]; } }""",
    "psyclone: a structure and its member": """struct S { int x, y; } s[64], t;
        void f(void) { for (int i = 1; i < 64; i++) { s[i] = t; s[i].x = s[i - 1].y; } }""",
    "psyclone: integer division": """int a[64];
        void f(void) { for (int i = 0; i < 64; i++) a[i / 2] = i; }""",
    "psyclone: a scalar carried under a condition": """int a[64], b[64];
        void f(void) { int k = 0; for (int i = 0; i < 64; i++) { if (a[i] > 0) k = a[i]; b[i] = k; } }""",
}

# Missed by others.
PARALLEL = {
    "bones: one subscript proves it": """double C[64][64];
        void f(void) { for (int i = 0; i < 64; i++) for (int j = 1; j < 64; j++) C[i][j] = C[i][j - 1]; }""",
    "bones: a subscript that never matches": """double A[9][64];
        void f(void) { for (int i = 0; i < 63; i++) A[0][i] = A[1][i + 1]; }""",
    "bones: counting down": "int a[9]; void f(void) { for (int i = 8; i >= 0; i--) a[i] = i; }",
    "bones: step two": "int a[64]; void f(void) { for (int i = 0; i < 63; i += 2) a[i] = a[i + 1]; }",
    "bones: pointers": "void f(int n, int *p) { for (int i = 0; i < n; i++) *(p + i) = i; }",
    "bones: a reduction by max": """double A[64], m;
        double f(void) { m = A[0]; for (int i = 0; i < 64; i++) m = A[i] > m ? A[i] : m; return m; }""",
    "bones: data-dependent conditions": """int A[64], B[64];
        void f(void) { for (int i = 0; i < 64; i++) if (A[i] > B[i]) A[i] = 0; }""",
    "bones: a histogram": """int X[64], B[64];
        void f(void) { for (int i = 0; i < 64; i++) B[X[i]] += 1; }""",
    "pluto: a declaration in the loop": """double A[64], B[64];
        void f(void) { for (int i = 0; i < 64; i++) { float t = 0.0; t = A[i]; B[i] = t; } }""",
    "pluto: a flattened array": """void f(int n, double *a) {
        for (int i = 0; i < n; i++) for (int j = 0; j < n; j++) a[i * n + j] = i + j; }""",
    "psyclone: inner loops in a row, and calls of pure functions": """double A[64][64], B[64][64];
        static double twice(double x) { return x + x; }
        void f(void) { for (int i = 0; i < 64; i++) {
            for (int j = 0; j < 64; j++) A[i][j] = twice(j);
            for (int j = 0; j < 64; j++) B[i][j] = A[i][63 - j]; } }""",
    "dawncc: a temporary": """double A[64], B[64], tmp;
        void f(void) { for (int i = 0; i < 64; i++) { tmp = A[i]; B[i] = tmp * tmp; } tmp = 0; }""",
}


@pytest.mark.parametrize("name", NEVER_PARALLEL)
def test_is_not_called_parallel(name: str) -> None:
    found = loop(NEVER_PARALLEL[name])
    assert found.verdict is not Verdict.PARALLEL
    assert found.reasons or found.conditions


@pytest.mark.parametrize("name", PARALLEL)
def test_is_found_parallel(name: str) -> None:
    assert loop(PARALLEL[name]).verdict is Verdict.PARALLEL


def test_sum_and_product_over_the_other_loop_are_reductions() -> None:
    """Bones: `B[j] = B[j] * A[i]` became `element -> element` over i."""
    found = loop("""double A[64], B[64];
        void f(void) { for (int i = 0; i < 64; i++) for (int j = 0; j < 64; j++) B[j] = B[j] * A[i]; }""")
    assert found.verdict is Verdict.SERIAL or [r.operator for r in found.reductions] == ["*"]


def test_scalar_reduction_is_in_the_species() -> None:
    """Bones: `element -> void`, the sum is lost."""
    found = loop(
        "double A[9];double f(void) { double s = 0; for (int i = 0; i < 9; i++) s += A[i]; return s; }"
    )
    assert found.species is not None and "s[0:0]|shared" in str(found.species)


def test_scalar_that_is_needed_afterwards() -> None:
    """Bones: its value is lost."""
    found = loop(
        "int A[9]; int f(void) { int x = 0;"
        "for (int i = 0; i < 9; i++) { x = A[i]; A[i] = x + 1; } return x; }"
    )
    assert found.verdict is Verdict.PARALLEL and found.lastprivate == ("x",)


def test_code_that_the_preprocessor_takes_away_is_not_there() -> None:
    """Bones: `#if 0` is dropped as a line, and what it hides becomes live."""
    found = loop(
        "int a[9];\nvoid f(void) {\nfor (int i = 1; i < 9; i++)\n"
        "#if 0\na[i] = a[i - 1];\n#else\na[i] = i;\n#endif\n}"
    )
    assert found.verdict is Verdict.PARALLEL


def test_value_read_through_a_function_is_no_reduction_variable() -> None:
    """DiscoPoP #604: `Arr[f(i)] = 1` and `w += Arr[g(i)]`; the array is written as well."""
    found = loop("""int A[64]; int w;
        static int half(int i) { return i / 2; }
        void f(void) { for (int i = 0; i < 64; i++) { A[i] = 1; w += A[half(i)]; } }""")
    assert found.verdict is Verdict.SERIAL


COMPILES = {
    "autopar: private and reduction": """double a[64];
        double f(int n) { double s = 0, t; for (int i = 0; i < 64; i++) { t = a[i]; s += t; a[i] = s > 0; }
        for (int i = 0; i < 64; i++) { t = a[i]; s += t * t; } return s; }""",
    "clava: a reduction into a pointer without size": """void f(int n, int m, double *rms, double *u) {
        for (int i = 0; i < n; i++) for (int k = 0; k < m; k++) rms[k] += u[i] * u[i]; }""",
    "discopop: triangular matrix product": """void f(int n, double A[64][64], double B[64][64]) {
        for (int i = 0; i < n; i++) for (int j = 0; j < n; j++) for (int k = i + 1; k < n; k++)
            B[i][j] += A[k][i] * B[k][j]; }""",
}


@pytest.mark.parametrize("name", COMPILES)
def test_pragmas_compile(name: str, tmp_path: Path) -> None:
    text = COMPILES[name]
    source = tmp_path / "marked.c"
    source.write_text(annotate(text, facts_of(text), AnnotateOptions(style="openmp")))
    flags = ["-fopenmp", "-fsyntax-only", "-Wall", "-Werror=unknown-pragmas"]
    subprocess.run(["gcc", *flags, str(source)], check=True)
