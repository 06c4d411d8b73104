"""Orders of threads: every point is made once, neighbours are as they should be, and programs stay right."""

# ruff: noqa: E501  (programs in few lines)
from __future__ import annotations

import ctypes
import shutil
import subprocess
from itertools import pairwise
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from models.errors import SkeletonError
from skeletons import CompileOptions
from skeletons.catalogue.passes import ORDER
from skeletons.catalogue.read import BUILTIN
from skeletons.catalogue.rendering import environment_of
from skeletons.kernel.thread_orders import orders_by_kernel, parse_orders
from tests.support.verifying import checked

NAMES = ("stride", "zigzag", "tile", "hilbert", "cores")
needs_gcc = pytest.mark.skipif(not shutil.which("gcc"), reason="no gcc")


@pytest.fixture(scope="module")
def functions(tmp_path_factory: pytest.TempPathFactory) -> ctypes.CDLL:
    """The functions of generated code, as the host has them."""
    folder = tmp_path_factory.mktemp("orders")
    template = environment_of(BUILTIN / "cuda", "cuda").get_template("order_functions.j2")
    text = template.module.order_functions(NAMES, "")  # type: ignore[attr-defined]
    (folder / "orders.c").write_text(text)
    command = ["gcc", "-Wall", "-Wextra", "-Werror", "-shared", "-fPIC", "orders.c", "-o", "orders.so"]
    subprocess.run(command, cwd=folder, check=True)
    return ctypes.CDLL(str(folder / "orders.so"))


def sequence(functions: ctypes.CDLL, order: str, points: int, row: int, block: int = 4) -> list[int]:
    """The points of the turns, one after the other."""

    def at(turn: int) -> int:
        for part in reversed(parse_orders(order).parts):
            if part.name == "sequential":
                continue
            function = getattr(functions, f"cuvier_order_{part.name}")
            function.restype = ctypes.c_long
            first = block if part.name == "cores" else part.row or row
            turn = function(*map(ctypes.c_long, (turn, points, first, *part.sizes)))
        return turn

    return [at(turn) for turn in range(points)]


@needs_gcc
@pytest.mark.parametrize(
    ("order", "points"),
    [
        ("sequential", [0, 1, 2, 3, 4, 5, 6, 7]),
        ("stride(4,1)", [0, 4, 1, 5, 2, 6, 3, 7]),
        ("stride(4,2)", [0, 1, 4, 5, 2, 3, 6, 7]),
        ("zigzag(4,1)", [0, 1, 2, 3, 7, 6, 5, 4]),
        ("zigzag(4,2)", [0, 1, 2, 3, 6, 7, 4, 5]),
        ("tile(4,2,2)", [0, 1, 4, 5, 2, 3, 6, 7]),
        ("hilbert(2)", [0, 4, 5, 1, 2, 6, 7, 3]),
        ("cores(2)", [0, 1, 4, 5, 2, 3, 6, 7]),
        ("tile(4,2,2)+zigzag(4,1)", [0, 1, 4, 5, 7, 6, 3, 2]),
    ],
)
def test_orders_by_hand(functions: ctypes.CDLL, order: str, points: list[int]) -> None:
    """Two rows of four, as figure 5.15 of the seed has them; blocks of two."""
    assert sequence(functions, order, 8, 4, block=2) == points


@needs_gcc
@given(
    part=st.sampled_from(
        (
            "stride(1)",
            "stride(8)",
            "stride(6,3)",
            "zigzag(1)",
            "zigzag(4)",
            "tile(4,4)",
            "tile(12,3,5)",
            "hilbert(2)",
            "hilbert(4)",
            "hilbert(8)",
            "cores(3)",
            "cores(16)",
            "sequential",
        )
    ),
    other=st.sampled_from(("", "+cores(4)", "+stride(2)", "+zigzag(1)")),
    points=st.integers(1, 700),
    row=st.integers(1, 40),
    block=st.integers(1, 33),
)
def test_every_point_is_made_once(
    functions: ctypes.CDLL, part: str, other: str, points: int, row: int, block: int
) -> None:
    assert sorted(sequence(functions, part + other, points, row, block)) == list(range(points))


@needs_gcc
def test_a_curve_goes_from_neighbour_to_neighbour(functions: ctypes.CDLL) -> None:
    found = [divmod(point, 16) for point in sequence(functions, "hilbert(16)", 256, 16)]
    assert all(abs(y - v) + abs(x - u) == 1 for (y, x), (v, u) in pairwise(found))


@pytest.mark.parametrize(
    ("order", "said"),
    [
        ("tile(8)", "takes 2 or 3 numbers, and 1 are given"),
        ("rings(8)", "'rings(8)' is no order of threads; there are stride(a,b)"),
        ("hilbert(12)", "a power of two, not 12"),
        ("stride(50,8)", "a row of 50 points is no multiple of 8"),
        ("tile(0,4)", "the numbers of tile are 1 to"),
        ("tile(8,8)+", "'' is no order"),
    ],
)
def test_mistakes(order: str, said: str) -> None:
    with pytest.raises(
        SkeletonError, match=f"order={order}".replace("(", r"\(").replace(")", r"\)").replace("+", r"\+")
    ) as error:
        parse_orders(order)
    assert said in str(error.value)


PROGRAM = """#include <stdio.h>
#define N 40
static float a[N][N], b[N][N], c[N][N]; static int img[N][N + 3], out[N][N + 3], cube[5][N][8];
int main(void) {
  for (int i = 0; i < N; i++) for (int j = 0; j < N; j++) { a[i][j] = i % 7; b[i][j] = j % 5; }
  for (int i = 0; i < N; i++) for (int j = 0; j < N + 3; j++) img[i][j] = i * j % 13;
  for (int j = 0; j < N; j++) for (int i = 0; i < N; i++) { float s = 0; for (int k = 0; k < N; k++) s += a[i][k] * b[k][j]; c[i][j] = s; }
  for (int y = 1; y < N - 1; y++) for (int x = 1; x < N + 2; x++) { if (x == 5) continue; out[y][x] = img[y][x - 1] + img[y + 1][x]; }
  for (int y = N - 1; y >= 0; y -= 2) for (int x = 0; x <= y; x++) out[y][x] -= img[y][x];
  for (int z = 0; z < 5; z++) for (int y = 0; y < N; y++) for (int x = 0; x < 8; x++) cube[z][y][x] = img[y][x + z] * z;
  double s = 0; for (int i = 0; i < N; i++) for (int j = 0; j < N; j++) s += c[i][j] * ((i + 2 * j) % 9) + out[i][j] + cube[i % 5][j][i % 8];
  printf("%g\\n", s); return 0; }
"""


@needs_gcc
@pytest.mark.parametrize("target", ["cuda", "opencl"])
@pytest.mark.parametrize("order", ["tile(8,4)", "stride(20,4)", "zigzag(1)", "hilbert(8)+cores(3)"])
def test_programs_stay_right(order: str, target: str, tmp_path: Path) -> None:
    options = CompileOptions(
        wanted=frozenset((ORDER,)), orders=orders_by_kernel([order]), without=frozenset(("threshold",))
    )
    result = checked(tmp_path, PROGRAM, target, generation=options)
    assert result.ok, result
