"""Loops whose step is a variable: counted, with iterations that nobody knows left out."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from species import analyse
from species.annotate import AnnotateOptions, annotate
from species.facts.loops import LoopFacts
from species.source import PreprocessOptions, read_translation_unit
from tests.support.analysing import loops_of

PARALLEL = {
    "up": "for (int i = m; i < n; i += s) a[i] += b[i];",
    "down": "for (int i = n; i > 0; i -= s) a[i] = b[i];",
    "written out": "for (int i = 0; i <= n; i = i + s) a[i] = i;",
    "a reduction": "for (int i = 0; i < n; i += s) sum += b[i];",
    "the iterator is needed": "int i; for (i = 0; i < n; i += s) a[i] = 0; sum = i;",
    "inside": "for (int i = 0; i < n; i++) for (int j = 0; j < n; j += s) a[i * n + j] = j;",
    "a product": "for (int i = 0; i < n; i += s * m) a[i] = 1;",
}
SERIAL = {
    "the step changes": "for (int i = 0; i < n; i += s) { a[i] += b[i]; s++; }",
    "the step is read from what is written": "for (int i = 0; i < n; i += x[0]) x[i] = 1;",
    "one element": "for (int i = 0; i < n; i += s) a[0] = i;",
    "unsigned may wrap around": "for (unsigned i = 0; i < u; i += u2) a[i] = 1;",
    "short may wrap around": "for (short i = 0; i < n; i += s) a[i] = 1;",
    "away from the bound": "for (int i = n; i > 0; i += s) a[i] = 1;",
    "a counter is no closed form": "int k = 0; for (int i = 0; i < n; i += s) { x[k] = x[k + m]; k++; }",
    "two iterators": "int k = 0; for (int i = 0; i < n; i += s, k += 2) a[k] = a[i];",
    "halves of the iterator": "for (int i = 0; i < n; i += s) a[i / 2] = i;",
}


def loop(body: str) -> LoopFacts:
    text = f"""int f(int n, int m, int s, unsigned u, unsigned u2, double *restrict a, double *restrict b,
        int *restrict x) {{ double sum = 0; {body} return sum; }}"""
    return analyse(read_translation_unit("/tmp/strided.c", PreprocessOptions(), text=text)).loops[0]


@pytest.mark.parametrize("name", PARALLEL)
def test_is_parallel(name: str) -> None:
    found = loop(PARALLEL[name])
    assert found.verdict.is_parallel, found.reasons
    assert found.kernel is None or name == "inside"


@pytest.mark.parametrize("name", PARALLEL)
def test_openmp_divides_by_the_step_only_where_it_is_not_zero(name: str) -> None:
    """A loop without iterations may have a step of 0; OpenMP counts its iterations all the same."""
    if name != "inside":
        assert not loop(PARALLEL[name]).openmp
    tested = loop(f"if (s > 0 && m > 0) {{ {PARALLEL[name]} }}")
    assert tested.openmp or name == "a product", tested.openmp_obstacle
    assert loop("for (int i = 0; i < 9; i += s) a[i] = 1;").openmp  # it ends, so s is not 0


def test_empty_loop_with_a_step_of_zero_runs(tmp_path: Path) -> None:
    text = """
        double a[99];
        void f(int n, int s) { for (int i = 0; i < n; i += s) a[i] += 1; }
        void g(int n, int s) { if (s > 0) { for (int i = 0; i < n; i += s) a[i] += 1; } }
        int main(void) { f(0, 0); g(0, 0); f(90, 7); g(90, 7); return a[14] != 2; }"""
    facts = analyse(read_translation_unit("/tmp/strided.c", PreprocessOptions(), text=text))
    marked = annotate(text, facts, AnnotateOptions(style="openmp"))
    assert marked.count("#pragma omp parallel for") == 1
    source, program = tmp_path / "strided.c", tmp_path / "strided"
    source.write_text(marked)
    subprocess.run(["gcc", "-fopenmp", str(source), "-o", str(program)], check=True)
    subprocess.run([program], env={"OMP_NUM_THREADS": "3"}, check=True)


@pytest.mark.parametrize("name", SERIAL)
def test_is_serial(name: str) -> None:
    assert not loop(SERIAL[name]).verdict.is_parallel


def test_neighbours_are_asked_for() -> None:
    (condition,) = loop("for (int i = 1; i < n; i += s) a[i] = a[i - 1];").conditions
    assert condition.endswith("s >= 2")


def test_what_is_not_known_of_a_step_is_not_certain() -> None:
    nest = "for (int i = 0; i < n; i += 2 * le) for (int j = 0; j < le; j++) { a[i + j] = a[i + j + le]; }"
    loop = loops_of(f"double a[999]; void f(int n, int le) {{ {nest} }}")[0]
    assert {reason.code for reason in loop.reasons} <= {"CV204"}
