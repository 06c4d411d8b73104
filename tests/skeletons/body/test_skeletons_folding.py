"""Triangles folded into rectangles: chosen for even triangles only, and every iteration is made once."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from tests.support import accelerated

SOURCE = accelerated.PROGRAMS / "triangles.c"
SHAPES = (
    (0, 0),
    (1, 0),
    (1, 1),
    (2, 1),
    (3, 2),
    (8, 1),
    (9, 4),
    (17, 3),
    (33, 2),
    (64, 7),
    (70, 30),
)
TRIANGLES = 7


@pytest.fixture(scope="module")
def expected(tmp_path_factory: pytest.TempPathFactory) -> dict[tuple[int, ...], str]:
    plain = accelerated.build_plain(SOURCE, tmp_path_factory.mktemp("plain"))
    return {shape: accelerated.run(plain, *map(str, shape)) for shape in SHAPES}


@pytest.mark.sampled(2)
@pytest.mark.parametrize("parameters", [{}, {"block_x": 4, "block_y": 2}], ids=["default", "small"])
def test_in_the_shim(
    parameters: dict[str, int], tmp_path: Path, expected: dict[tuple[int, ...], str]
) -> None:
    found = accelerated.written(SOURCE, "cuda", tmp_path, parameters)
    assert found.skeletons.count("triangle") == TRIANGLES
    binary = accelerated.build_shim(found)
    for order in accelerated.ORDERS:
        assert {shape: accelerated.run(binary, *map(str, shape), order=order) for shape in SHAPES} == expected


@pytest.mark.long
def test_with_opencl(tmp_path: Path, expected: dict[tuple[int, ...], str]) -> None:
    if not accelerated.has_opencl():
        pytest.skip("no OpenCL device on this machine")
    found = accelerated.written(SOURCE, "opencl", tmp_path, {"block_x": 4, "block_y": 2})
    assert found.skeletons.count("triangle") == TRIANGLES
    binary = accelerated.build_opencl(found)
    assert {shape: accelerated.run(binary, *map(str, shape)) for shape in SHAPES} == expected


@pytest.mark.sampled(3)
@pytest.mark.parametrize("architecture", accelerated.ARCHITECTURES)
def test_no_spills(architecture: str, tmp_path: Path) -> None:
    if shutil.which("nvcc") is None:
        pytest.skip("no nvcc on this machine")
    assert accelerated.spills(accelerated.written(SOURCE, "cuda", tmp_path), architecture) == []


def chosen(outer: str, inner: str, folder: Path) -> accelerated.Written:
    source = folder / "p.c"
    source.write_text(
        f"#define N 100\n#define HALF(x) ((x) / 2)\n#define TO i\ndouble A[N][N], B[N][N]; int end[N];\n"
        f"void f(int n, int m, unsigned u) {{ for ({outer}) for ({inner}) A[i][j] = B[i][j] * 2; }}\n"
    )
    return accelerated.written(source, "cuda", folder / "out")


UP = "int i = 0; i < n; i++"
TAKEN = {
    "below": (UP, "int j = 0; j < i; j++"),
    "above": (UP, "int j = i + 1; j < N; j++"),
    "backwards": ("int i = n - 1; i >= 0; i--", "int j = i; j >= 0; j--"),
    "in steps": ("int i = 1; i <= n; i += 3", "int j = m; j <= 2 * i - 1; j++"),
    "the other way round": (UP, "long j = 0; n - i > j; j++"),
    "both ends": ("int i = 0; i < m; i++", "int j = i; j < 3 * i + 2; j++"),
}


@pytest.mark.parametrize(("outer", "inner"), TAKEN.values(), ids=TAKEN.keys())
def test_taken(outer: str, inner: str, tmp_path: Path) -> None:
    assert chosen(outer, inner, tmp_path).skeletons == ["triangle"]


REFUSED = {
    "a rectangle": (UP, "int j = 0; j < m; j++", "all rows have as many iterations over j"),
    "a band": (UP, "int j = i; j < i + m; j++", "all rows have as many iterations over j"),
    "steps inside": (UP, "int j = 0; j < i; j += 2", "the step of j is 2"),
    "a second condition": (UP, "int j = 0; j <= i && j < m; j++", "does not compare j with a bound"),
    "half the rows": (UP, "int j = 0; j < i / 2; j++", "does not move evenly with i"),
    "squares": (UP, "int j = 0; j < i * i; j++", "it takes two base loops"),
    "an unsigned bound": (UP, "int j = 0; j < u - i; j++", "it takes two base loops"),
    "an unsigned iterator": ("unsigned i = 0; i < u; i++", "unsigned j = 0; j < i; j++", "no signed number"),
    "a bound with a macro for i": (UP, "int j = 0; j < TO; j++", "a macro in `TO` uses an iterator"),
}


@pytest.mark.parametrize(("outer", "inner", "reason"), REFUSED.values(), ids=REFUSED.keys())
def test_refused(outer: str, inner: str, reason: str, tmp_path: Path) -> None:
    found = chosen(outer, inner, tmp_path)
    assert "triangle" not in found.skeletons
    if len(found.choices[0].kernel.loops) == 2:
        assert reason in found.reason("triangle")
