"""Programs that have directives of OpenMP and OpenACC: what these speak of stays as the user wrote it."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from cuvier.pipeline.generate import generate, options_for
from cuvier.verification.verify import VerifyOptions, verify
from skeletons import CompileOptions, Library
from species import AnalysisOptions, analyse
from species.source import PreprocessOptions, read_translation_unit
from tests.support import accelerated
from tests.support.analysing import loops_of

HEAD = """#include <stdio.h>
#define PAIR _Pragma("omp parallel for")
struct pair { int n; int *x; };
static int a[400], b[400], s; static double d[20][20], e[20][20];
static void f(int i) { for (int j = 0; j < 20; j++) a[i * 20 + j] += j; }
static void g(int i) { f(i); }
#define CALL(i) g(i)
"""

# What each has is the user's, but for loops whose body says `free`.
PROGRAMS = {
    "loops that are joined": """
        #pragma omp parallel for collapse(2)
        for (int i = 0; i < 20; i++) for (int j = 0; j < 20; j++) a[i * 20 + j] += j;""",
    "simd inside": """for (int i = 0; i < 20; i++)
        #pragma omp simd reduction(+:s)
        for (int j = 0; j < 20; j++) s += a[i * 20 + j];""",
    "simd in a block": """for (int i = 0; i < 20; i++) {
        #pragma omp simd
        for (int j = 0; j < 20; j++) a[i * 20 + j] += i * j; }""",
    "tasks": """for (int i = 0; i < 10; i++) {
        #pragma omp task firstprivate(i) shared(a)
        for (int j = 0; j < 40; j++) a[i * 40 + j] = i * j; }""",
    "loops inside": """
        #pragma omp parallel for
        for (int i = 0; i < 20; i++) for (int j = 0; j < 20; j++) for (int k = 0; k < 20; k++)
            a[i * 20 + j] += k;""",
    "a sum inside": """
        #pragma omp parallel for reduction(+:s)
        for (int i = 0; i < 20; i++) for (int j = 0; j < 20; j++) s += a[i * 20 + j];""",
    "a parallel region": """
        #pragma omp parallel num_threads(2)
        { int mine = 0;
          #pragma omp for
          for (int i = 0; i < 400; i++) for (int j = 0; j < 3; j++) mine += a[i] * j;
          #pragma omp atomic
          s += mine;
          #pragma omp barrier
          #pragma omp master
          for (int i = 0; i < 400; i++) a[i] = s > 0; }""",
    "a private copy": """
        #pragma omp parallel firstprivate(b) num_threads(2)
        { for (int i = 0; i < 400; i++) b[i] += i;
          #pragma omp critical
          for (int i = 0; i < 400; i++) s += b[i]; }""",
    "other devices": """
        #pragma omp target data map(tofrom: a)
        {
          #pragma omp target
          for (int i = 0; i < 400; i++) a[i] = i; }
        #pragma acc parallel loop
        for (int i = 0; i < 400; i++) b[i] = a[i];""",
    "static control parts": """for (int t = 0; t < 10; t++) {
        #pragma omp parallel for
        for (int i = 1; i < 19; i++) for (int j = 1; j < 19; j++) d[i][j] = e[i - 1][j] + e[i + 1][j];
        #pragma omp parallel for
        for (int i = 1; i < 19; i++) for (int j = 1; j < 19; j++) e[i][j] = d[i][j]; }""",
    "a product": """
        #pragma omp parallel for
        for (int i = 0; i < 20; i++) for (int j = 0; j < 20; j++)
            for (int k = 0; k < 20; k++) d[i][j] += e[i][k] * e[k][j];""",
    "an operator": """_Pragma("omp parallel for") for (int i = 0; i < 400; i++) a[i] = i;""",
    "a macro": "PAIR for (int i = 0; i < 400; i++) a[i] = i;",
    "functions": """
        #pragma omp parallel for
        for (int i = 0; i < 20; i++) CALL(i);""",
    "members": """struct pair p = {400, a};
        #pragma omp parallel for
        for (int i = 0; i < p.n; i++) p.x[i] = i;""",
    "a condition takes it away": """
        #ifdef _OPENMP
        #pragma omp parallel for
        #endif
        for (int i = 0; i < 400; i++) a[i] = i;""",
}
OURS = "for (int i = 0; i < 400; i++) b[i] = 7 * i;"


def _source(text: str, folder: Path, ours: str = "") -> Path:
    source = folder / "users.c"
    source.write_text(f'{HEAD} int main(void) {{ {text}\n {ours} printf("%d %d %d\\n", a[77], b[5], s); }}\n')
    return source


@pytest.mark.sampled(2)
@pytest.mark.parametrize("target", ["openmp", "opencl", "cuda"])
@pytest.mark.parametrize("name", PROGRAMS)
def test_the_users_loops_stay(name: str, target: str, tmp_path: Path) -> None:
    source = _source(PROGRAMS[name], tmp_path, "" if name == "a macro" else OURS)
    flags, library = PreprocessOptions(), Library.load()
    analysis = options_for(library.target(target), AnalysisOptions())
    unit = read_translation_unit(str(source), flags)
    options = CompileOptions(parameters={"least": 1}, comm="naive", without=frozenset({"threshold"}))
    program = generate(unit, analyse(unit, analysis), target, library, flags, analysis, options)
    text = re.sub(r"#include \"users_kernels.h\"\n", "", program.files["users.c"])
    assert PROGRAMS[name] in text
    assert HEAD.split("static void f")[0] in text
    assert name == "a macro" or len(program.replaced) > 0
    left = [choice for choice in program.choices if choice.skeleton is None]
    assert all("directive" in why for choice in left for _, _, why in choice.why[:1])


BUILT = [name for name in PROGRAMS if name not in ("other devices", "a private copy")]


@pytest.mark.sampled(4)
@pytest.mark.parametrize("name", BUILT)
def test_programs_with_directives_are_verified(name: str, tmp_path: Path) -> None:
    assert verify(_source(PROGRAMS[name], tmp_path, OURS), "openmp", VerifyOptions(PreprocessOptions())).ok


@pytest.mark.sampled(2)
@pytest.mark.parametrize("hint", ["GCC ivdep", "GCC unroll 4"])
@pytest.mark.parametrize("target", ["openmp", "opencl"])
def test_hints_to_the_compiler_do_no_harm(hint: str, target: str, tmp_path: Path) -> None:
    text = f"""
        #pragma {hint}
        for (int i = 0; i < 400; i++) a[i] = i;
        for (int i = 0; i < 20; i++)
            #pragma {hint}
            for (int j = 0; j < 20; j++) d[i][j] = i * 0.5 + j;"""
    assert verify(_source(text, tmp_path), target, VerifyOptions(PreprocessOptions())).ok


def test_a_loop_tells_who_claims_it() -> None:
    loops = loops_of(
        f"""{HEAD} void h(void) {{
        #pragma omp parallel for
        for (int i = 0; i < 9; i++) CALL(i);
        #pragma omp barrier
        for (int i = 0; i < 9; i++) a[i] = 0;
        for (int t = 0; t < 9; t++) {{
            #pragma omp simd
            for (int i = 0; i < 9; i++) a[i] += t; }} }}"""
    )
    assert [loop.users for loop in loops] == [
        "'f' is called under an OpenMP or OpenACC directive",
        "the loop already stands under an OpenMP or OpenACC directive",
        "",
        "an OpenMP or OpenACC directive already stands in the loop",
        "the loop already stands under an OpenMP or OpenACC directive",
    ]


def test_the_program_says_so(tmp_path: Path) -> None:
    source = _source(PROGRAMS["loops inside"], tmp_path)
    written = accelerated.written(source, "openmp", tmp_path / "out")
    why = [choice.why for choice in written.choices]
    assert (("kernel", False, "the loop already stands under an OpenMP or OpenACC directive"),) in why
