"""Numbers that come out of macros: generated code follows the macro, or refuses to be built for another."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from cuvier.pipeline.generate import generate, options_for
from skeletons import CompileOptions, Library, Program, write_program
from species import analyse
from species.analysis.options import AnalysisOptions
from species.source import PreprocessOptions, read_translation_unit

TARGETS = ("openmp", "c", "opencl", "cuda")
SIZED = """#ifndef N
#define N 400
#endif
double A[N][N], B[N][N], x[N], s; int steps = 3;
"""
NEST = "for (int i = 0; i < {n}; i++) {{ x[i] = 0; for (int j = 0; j < {n}; j++) A[j][i] = 2 * B[j][i]; }}"
WAYS = {
    "the macro": SIZED + f"void f(void) {{ {NEST.format(n='N')} }}",
    "a macro of it": SIZED + f"#define M (N - 1)\nvoid f(void) {{ {NEST.format(n='M')} }}",
    "a macro with parameters": SIZED
    + f"#define LESS(a) (N - (a))\nvoid f(void) {{ {NEST.format(n='LESS(1)')} }}",
    "an enumerator": SIZED + f"enum {{ K = N }}; void f(void) {{ {NEST.format(n='K')} }}",
    "a constant": SIZED + f"void f(void) {{ const int k = N; {NEST.format(n='k')} }}",
    "a constant of the file": SIZED + f"static const int k = N; void f(void) {{ {NEST.format(n='k')} }}",
    "a variable": SIZED + f"void f(void) {{ int k; k = N; {NEST.format(n='k')} }}",
    "a parameter": SIZED
    + f"""static void g(int n) {{ {NEST.format(n="n")} }}
        void f(void) {{ g(N); }}""",
    "a parameter of a call in a macro": SIZED
    + f"""#define CALL g(N)
        static void g(int n) {{ {NEST.format(n="n")} }} void f(void) {{ CALL; }}""",
    "a length": SIZED + f"void f(void) {{ {NEST.format(n='(int)(sizeof x / sizeof *x)')} }}",
    "a type": SIZED
    + f"""typedef double row[N]; void f(void) {{
        row t; {NEST.format(n="(int)(sizeof t / sizeof *t)")} }}""",
    "a function": SIZED
    + f"""static int size(void) {{ return N; }}
        void f(void) {{ {NEST.format(n="size()")} }}""",
    "inside a function": f"""double A[400][400], B[400][400], x[400]; void f(void) {{
#ifndef N
#define N 400
#endif
        {NEST.format(n="N")} }}""",
}


def program_of(text: str, target: str, **flags: object) -> Program:
    """What is written for a target."""
    library, plain = Library.load(), PreprocessOptions()
    unit = read_translation_unit("sized.c", plain, text=text)
    options = options_for(library.target(target), AnalysisOptions())
    compiling = CompileOptions(**flags)  # type: ignore[arg-type]
    return generate(unit, analyse(unit, options), target, library, plain, options, compiling)


def complaint(program: Program, folder: Path, *flags: str) -> str:
    """What the compiler says of the host's part."""
    write_program(program, folder)
    command = [
        "gcc",
        "-c",
        "-fopenmp",
        "-Wall",
        "-Wextra",
        *flags,
        "-o",
        "/dev/null",
        str(folder / "sized.c"),
    ]
    return subprocess.run(command, capture_output=True, text=True, check=False).stderr


def follows(program: Program) -> bool:
    """Are there no numbers out of the macro, as some ways are not seen through?"""
    text = "\n".join(program.files.values())
    return not any(number in text for number in ("399", "= 400", "398", "(400"))


@pytest.mark.sampled(2)
@pytest.mark.parametrize("target", TARGETS)
@pytest.mark.parametrize("text", WAYS.values(), ids=WAYS.keys())
def test_code_for_one_size_is_not_built_for_another(text: str, target: str, tmp_path: Path) -> None:
    program = program_of(text, target)
    assert "assertion" not in complaint(program, tmp_path / "same")
    refused = "cuvier compile again with -DN=" in complaint(program, tmp_path / "other", "-DN=50")
    assert refused == ("_Static_assert" in program.files["sized.c"])
    assert refused or follows(program)


@pytest.mark.parametrize("target", TARGETS)
def test_other_types_are_refused(target: str, tmp_path: Path) -> None:
    text = f"#ifndef REAL\n#define REAL double\n#endif\n{SIZED.replace('double', 'REAL')}"
    program = program_of(f"{text} void f(void) {{ {NEST.format(n='N')} }}", target)
    assert "with -DREAL=" in complaint(program, tmp_path, "-DREAL=float")
    assert not complaint(program, tmp_path)


@pytest.mark.parametrize("target", ["opencl", "cuda"])
def test_text_that_kernels_have_a_copy_of(target: str, tmp_path: Path) -> None:
    text = """#ifndef ALPHA
#define ALPHA 0.5
#endif
double x[99]; void f(int n) { for (int i = 0; i < n; i++) x[i] = ALPHA * i; }"""
    program = program_of(text, target)
    assert "ALPHA is part of the kernels" in complaint(program, tmp_path, "-DALPHA=0.7")
    assert not complaint(program, tmp_path)


@pytest.mark.parametrize("target", ["openmp", "c"])
def test_loops_that_name_the_macro_may_have_another_size(target: str, tmp_path: Path) -> None:
    text = f"""{SIZED} void f(int n) {{ for (int i = 0; i < N; i++) x[i] = i;
        for (int i = 0; i < n; i++) x[i] += 1; }}"""
    program = program_of(text, target, without=frozenset({"fuse"}))
    assert "_Static_assert" not in program.files["sized.c"]
    assert not complaint(program, tmp_path, "-DN=50")


def test_what_has_nothing_to_do_with_a_loop_may_change() -> None:
    text = f"""{SIZED}
#define TIMES 7
void f(void) {{ {NEST.format(n="N")} }} int g(void) {{ return TIMES; }}"""
    lines = program_of(text, "openmp").files["sized.c"].split("\n")
    assert [line.split(",")[0] for line in lines if "_Static_assert" in line] == ["_Static_assert(N == 400"]
