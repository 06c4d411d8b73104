"""Several iterations per thread, which share reads: the same bit for bit; look-alikes are refused."""

from __future__ import annotations

import shutil
from collections.abc import Mapping
from pathlib import Path

import pytest

from skeletons import CompileOptions, Library, compile_unit, write_program
from species import analyse
from species.source import PreprocessOptions, read_translation_unit
from tests.support import accelerated
from transfers import around_kernels

SOURCE = accelerated.PROGRAMS / "merges.c"
SHAPES = ((0, 0), (1, 1), (2, 3), (7, 5), (31, 33), (33, 32), (65, 66))
SMALL = {"width": 8, "block_x": 4, "block_y": 2}


def merged(source: Path, target: str, folder: Path, parameters: Mapping[str, int]) -> accelerated.Written:
    """The program with several iterations per thread wherever that is possible."""
    unit = read_translation_unit(str(source), PreprocessOptions())
    facts = analyse(unit)
    options = CompileOptions(parameters=parameters, preferred=("merged",))
    made = compile_unit(unit, facts, around_kernels(facts), target, Library.load(), options)
    write_program(made, folder)
    return accelerated.Written(source.stem, folder, made.choices)


@pytest.fixture(scope="module")
def expected(tmp_path_factory: pytest.TempPathFactory) -> dict[tuple[int, ...], str]:
    plain = accelerated.build_plain(SOURCE, tmp_path_factory.mktemp("plain"))
    return {shape: accelerated.run(plain, *map(str, shape)) for shape in SHAPES}


@pytest.mark.sampled(4)
@pytest.mark.parametrize("merge", [1, 3, 4])
def test_in_the_shim(merge: int, tmp_path: Path, expected: dict[tuple[int, ...], str]) -> None:
    found = merged(SOURCE, "cuda", tmp_path, {**SMALL, "merge": merge})
    assert found.skeletons.count("merged") == 6
    binary = accelerated.build_shim(found)
    for order in accelerated.ORDERS:
        assert {shape: accelerated.run(binary, *map(str, shape), order=order) for shape in SHAPES} == expected


@pytest.mark.long
def test_with_opencl(tmp_path: Path, expected: dict[tuple[int, ...], str]) -> None:
    if not accelerated.has_opencl():
        pytest.skip("no OpenCL device on this machine")
    found = merged(SOURCE, "opencl", tmp_path, SMALL)
    assert found.skeletons.count("merged") == 6
    binary = accelerated.build_opencl(found)
    assert {shape: accelerated.run(binary, *map(str, shape)) for shape in SHAPES} == expected


@pytest.mark.long
@pytest.mark.parametrize("architecture", accelerated.ARCHITECTURES)
def test_no_spills(architecture: str, tmp_path: Path) -> None:
    if shutil.which("nvcc") is None:
        pytest.skip("no nvcc on this machine")
    found = merged(SOURCE, "cuda", tmp_path, {"merge": 8})
    assert accelerated.spills(found, architecture) == []


HEAD = """#include <math.h>
#define ROW x[j]
#define PICK(c, v) ((c) ? (v) : 0)
#define ABOVE (A[i][j] > c)
#define END if (x[0] > 3) break
double A[N][N], B[N][N], C[N][N], x[N], y[N], z[N];
int place[N];
"""


def chosen(body: str, folder: Path, size: int = 4096) -> accelerated.Written:
    source = folder / "p.c"
    loops = "for (int i = 0; i < N; i++) for (int j = 0; j < N; j++)"
    source.write_text(
        f"#define N {size}\n{HEAD}void f(double c) {{ double s; int k; {loops} {{ {body} }} }}\n"
    )
    return accelerated.written(source, "cuda", folder / "out")


BROADCAST = "C[i][j] = A[i][j] + x[j] * y[i] + z[j] * x[i] + y[j];"


def test_chosen_where_it_pays(tmp_path: Path) -> None:
    assert chosen(BROADCAST, tmp_path).skeletons == ["merged"]


@pytest.mark.parametrize(
    ("body", "size", "reason"),
    [
        (BROADCAST, 40, "default is estimated to be faster"),
        (
            "C[i][j] = A[i][j] + B[i][j];",
            4096,
            "no iterations of a loop read the same cells beside their own",
        ),
    ],
)
def test_left_out_where_it_does_not(body: str, size: int, reason: str, tmp_path: Path) -> None:
    found = chosen(body, tmp_path, size)
    assert found.skeletons == ["default"]
    assert found.reason("merged") == reason


NOT_READ_FOR_CERTAIN = {
    "by a condition": "if (A[i][j] > c) C[i][j] = x[j] * z[j];",
    "by a choice": "C[i][j] = A[i][j] > c ? x[j] : y[j] * 2;",
    "by &&": "C[i][j] = A[i][j] > c && x[j] > y[j];",
    "by a macro": "C[i][j] = PICK(A[i][j] > c, x[j]) + PICK(B[i][j] > c, y[j]);",
    "after an early end": "if (A[i][j] > c) continue; C[i][j] = x[j] + y[j] * z[j];",
    "by its size only": "C[i][j] = A[i][j] + sizeof x[j];",
    "at a place from an array": "C[i][j] = A[i][j] + x[place[(int)B[i][j]]];",
    "under another name": "C[i][j] = A[i][j] + ROW;",
    "behind a label": "again: if (A[i][j] > c) C[i][j] = x[j] + y[j];",
    "by a condition from a macro": "if ABOVE C[i][j] = A[i][j] + x[j] * y[j];",
    "in an expression of statements": "C[i][j] = ({ double t = 0; if (A[i][j] > c) t = x[j] + y[j]; t; });",
    "of another array": "double q[2] = {1, 2}; { double x[2] = {q[1], c}; C[i][j] = A[i][j] + x[j % 2]; }",
}


@pytest.mark.parametrize("body", NOT_READ_FOR_CERTAIN.values(), ids=NOT_READ_FOR_CERTAIN.keys())
def test_only_what_is_certainly_read(body: str, tmp_path: Path) -> None:
    found = chosen(body, tmp_path)
    assert "merged" not in found.skeletons
    assert "_shared" not in "".join(file.read_text() for file in (tmp_path / "out").glob("p_kernels.cu"))


def test_a_macro_that_ends_a_loop(tmp_path: Path) -> None:
    found = chosen("for (k = 0; k < 3; k++) { END; C[i][j] += x[j]; }", tmp_path)
    assert found.reason("merged") == "a macro in the loop is more than a value"
