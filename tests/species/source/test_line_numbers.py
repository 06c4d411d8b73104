"""Programs that look at the numbers of their lines, and names that generated code must not take."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest

from cuvier.pipeline.generate import generate, options_for
from skeletons import CompileOptions, Library, Program, write_program
from species import AnalysisOptions, analyse
from species.source import PreprocessOptions, read_translation_unit
from tests.support.places import TESTS

LINES = TESTS / "residence" / "line_numbers.c"
LOOP = "for (int i = 0; i < 100; i++) A[i] = A[i] * 2 + i;"


def made(text: str, target: str, folder: Path, name: str = "app") -> Program:
    source = folder / f"{name}.c"
    source.write_text(text)
    library, flags = Library.load(), PreprocessOptions()
    analysis = options_for(library.target(target), AnalysisOptions())
    unit = read_translation_unit(str(source), flags)
    facts = analyse(unit, analysis)
    return generate(unit, facts, target, library, flags, analysis, CompileOptions())


@pytest.mark.skipif(not shutil.which("gcc"), reason="needs gcc")
@pytest.mark.parametrize("target", ["c", "openmp"])
def test_lines_keep_their_numbers(target: str, tmp_path: Path) -> None:
    write_program(made(LINES.read_text(), target, tmp_path), tmp_path / target)
    subprocess.run(["make", "-s", "-C", tmp_path / target, "CFLAGS=-w -fopenmp"], check=True)
    subprocess.run(["gcc", "-w", tmp_path / "app.c", "-o", tmp_path / "plain", "-lm"], check=True)
    found, expected = (
        subprocess.run([binary], check=True, capture_output=True, text=True).stdout
        for binary in (tmp_path / target / "app", tmp_path / "plain")
    )
    assert found == expected


@pytest.mark.parametrize(
    ("text", "numbered"),
    [
        ("int n = __LINE__;", True),
        ("#define AT __LINE__\n#define HERE AT\nint n = HERE;", True),
        ("#include <assert.h>\nvoid g(int n) { assert(n); }", True),
        ("#define AT __LINE__\nint n = 3;", True),  # it may be used in a header
        ("/* __LINE__ */ int n = 3;", False),
        ("#line 7\nint n = __LINE__;", False),
        ("int n = 3;", False),
    ],
)
def test_files_that_look_at_their_lines(text: str, numbered: bool, tmp_path: Path) -> None:
    program = made(f"double A[100];\n{text}\nvoid f(void) {{ {LOOP} }}\n", "cuda", tmp_path)
    assert ('#include "app_kernels.h"\n#line 1\n' in program.files["app.c"]) == numbered


@pytest.mark.parametrize("value", ["__LINE__", "HERE", "__COUNTER__", "sizeof __func__", "sizeof __FILE__"])
@pytest.mark.parametrize("target", ["c", "openmp", "cuda", "opencl"])
def test_loops_that_say_where_they_are_stay(value: str, target: str, tmp_path: Path) -> None:
    loop = LOOP.replace("A[i] * 2 + i", value)
    text = f"#define HERE (__LINE__ + 1)\ndouble A[100];\nvoid f(void) {{ {loop} }}\n"
    assert not made(text, target, tmp_path).replaced


@pytest.mark.parametrize(
    ("text", "prefix"),
    [
        ("", "app"),
        ("int app_k1;", "app_"),
        ("int app_s1, app__k2;", "app__"),
        ("struct { int app_host_reads; } s;", "app_"),
        ("#define app_k1 2", "app_"),
        ("/* app_k1 */ int my_app_k1, app_kind, app_k;", "app"),
    ],
)
def test_names_that_the_file_has_are_not_taken(text: str, prefix: str, tmp_path: Path) -> None:
    host = made(f"{text}\ndouble A[100];\nvoid f(void) {{ {LOOP} }}\n", "cuda", tmp_path).files["app.c"]
    assert f"{prefix}_k1(A); {prefix}_host_takes_all();" in " ".join(host.split())


def test_the_runtimes_names_are_not_taken(tmp_path: Path) -> None:
    files = made(f"double A[100];\nvoid f(void) {{ {LOOP} }}\n", "cuda", tmp_path, "cuvier").files
    assert "cuvier__host_takes_all();" in files["cuvier.c"]


@pytest.mark.parametrize("target", ["c", "openmp", "cuda"])
def test_marks_of_unicode_stay_first(target: str, tmp_path: Path) -> None:
    text = f"\ufeffdouble A[100];\nvoid f(void) {{ {LOOP} }}\n"
    host = made(text, target, tmp_path).files["app.c"]
    assert host.startswith("\ufeff") and host.count("\ufeff") == 1


@pytest.mark.parametrize("target", ["c", "openmp", "cuda", "opencl"])
def test_text_that_is_read_twice_stays(target: str, tmp_path: Path) -> None:
    text = (TESTS / "residence" / "includes_itself.c").read_text()
    program = made(text, target, tmp_path)
    assert not program.replaced and program.files["app.c"].endswith(text)
