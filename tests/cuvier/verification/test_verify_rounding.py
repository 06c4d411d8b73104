"""Rounding is told from errors: programs full of mathematical functions are equal, mistakes are found."""

from __future__ import annotations

from pathlib import Path

import pytest

from cuvier.verification.result import Cause
from tests.support.verifying import checked, spoil

FIELD = """#include <stdio.h>
#include <math.h>
#define N 97
static double u[N][N], v[N][N], lap[N][N];
int main(void) {
  double h = 1.0 / (N - 1);
  for (int i = 0; i < N; i++)
    for (int j = 0; j < N; j++)
      u[i][j] = sin(3.1 * i * h) * cos(2.7 * j * h) + exp(-i * h) * pow(1.0 + j * h, 1.7);
  for (int t = 0; t < 10; t++) {
    for (int i = 1; i < N - 1; i++)
      for (int j = 1; j < N - 1; j++)
        v[i][j] = 0.25 * (u[i-1][j] + u[i+1][j] + u[i][j-1] + u[i][j+1]);
    for (int i = 1; i < N - 1; i++)
      for (int j = 1; j < N - 1; j++)
        u[i][j] = v[i][j];
  }
  for (int i = 1; i < N - 1; i++)
    for (int j = 1; j < N - 1; j++)
      lap[i][j] = (u[i-1][j] - 2 * u[i][j] + u[i+1][j]) / (h * h);
  printf("%.12g %.6f\\n", u[9][9], lap[3][4]);
  return 0;
}
"""

DECISIONS = """#include <stdio.h>
#include <math.h>
#define N 200
static double f[N][N]; static int sign[N][N], hist[64]; static unsigned char pixel[N][N];
int main(void) {
  for (int i = 0; i < N; i++)
    for (int j = 0; j < N; j++) f[i][j] = 0.5 + 0.5 * sin(0.05 * i) * cos(0.07 * j);
  for (int i = 0; i < N; i++)
    for (int j = 0; j < N; j++) pixel[i][j] = (unsigned char)(255.0 * f[i][j]);
  for (int i = 0; i < N; i++)
    for (int j = 0; j < N; j++) sign[i][j] = f[i][j] > 0.5 ? 1 : 0;
  for (int i = 0; i < N; i++)
    for (int j = 0; j < N; j++) hist[pixel[i][j] / 4]++;
  for (int k = 0; k < 64; k++) printf("%d ", hist[k]);
  return 0;
}
"""

BODIES = """#include <stdio.h>
#include <math.h>
#define N 300
struct body { double x[2]; double v; float mass; int id; };
static struct body p[N];
int main(void) {
  for (int i = 0; i < N; i++) {
    p[i].x[0] = cos(i * 0.37); p[i].x[1] = sin(i * 0.71); p[i].mass = expf(-0.01f * i); p[i].id = i;
  }
  for (int i = 0; i < N; i++) p[i].v = p[i].x[0] * p[i].mass - p[i].x[1];
  printf("%.12g\\n", p[7].v);
  return 0;
}
"""

CHAOS = """#include <stdio.h>
#include <math.h>
#define N 2000
static double x[N], y[N];
int main(void) {
  for (int i = 0; i < N; i++) { x[i] = (i + 1) / (double)(N + 2); y[i] = sin(x[i]); }
  for (int t = 0; t < 60; t++)
    for (int i = 0; i < N; i++) { x[i] = 4 * x[i] * (1 - x[i]); y[i] = fabs(sin(y[i] * 3.3 + x[i])); }
  printf("%.6f %.6f\\n", x[17], y[17]);
  return 0;
}
"""

PLAIN = """#include <stdio.h>
#define N 500
static double a[N], b[N];
int main(void) {
  for (int i = 0; i < N; i++) a[i] = 0.1 * i + 1;
  for (int i = 0; i < N; i++) b[i] = a[i] / 3 + a[N - 1 - i];
  printf("%g\\n", b[9]);
  return 0;
}
"""

SUM = """#include <stdio.h>
#define N 5000
static double a[N], b[N];
int main(void) {
  double s = 0;
  for (int i = 0; i < N; i++) a[i] = 1.0 / (i + 1);
  for (int i = 0; i < N; i++) s += a[i];
  for (int i = 0; i < N; i++) b[i] = a[i] * 3;
  printf("%.15g %.17g\\n", s, b[8]);
  return 0;
}
"""

PROGRAMS = {"field": FIELD, "decisions": DECISIONS, "bodies": BODIES, "chaos": CHAOS}


@pytest.mark.sampled(6)
@pytest.mark.parametrize("target", ["openmp", "opencl", "cuda"])
@pytest.mark.parametrize("text", PROGRAMS.values(), ids=PROGRAMS)
def test_programs_full_of_mathematical_functions_are_equal(text: str, target: str, tmp_path: Path) -> None:
    result = checked(tmp_path, text, target)
    assert result.ok and result.kernels
    assert not set(result.causes) - {Cause.FUNCTIONS}


@pytest.mark.sampled(6)
@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("0.25 * (", "0.2500001 * ("),
        ("v[i][j] = 0.25", "if (i != 5 || j != 7) v[i][j] = 0.25"),
        ("/ (h * h)", "/ (h * h * 1.0000001)"),
        ("sin(3.1 * i", "sin(3.1000000001 * i"),
        ("1.0 + j * h, 1.7", "1.0 + j * h, 1.7 + (i == 9 && j == 4 ? 1e-11 : 0)"),
    ],
)
def test_mistakes_in_programs_with_mathematical_functions(
    old: str, new: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    spoil(monkeypatch, old, new)
    result = checked(tmp_path, FIELD, "opencl")
    assert not result.ok
    assert Cause.ERROR in result.causes


@pytest.mark.sampled(8)
@pytest.mark.parametrize(
    ("text", "old", "new"),
    [
        (DECISIONS, "255.0 *", "(i == 3 ? 254.0 : 255.0) *"),
        (DECISIONS, "? 1 : 0", "? 1 : (i % 5 == 0)"),
        (DECISIONS, "> 0.5", "> 0.5000001 + 0.001 * (i & 1)"),
        (BODIES, "].mass - p[", "].mass - 1.00001 * p["),
        (BODIES, "].id = i", "].id = i + (i == 77)"),
        (CHAOS, "4 * x[i] * (1 - x[i])", "4.000000000000001 * x[i] * (1 - x[i])"),
    ],
)
def test_mistakes_where_rounding_decides(
    text: str, old: str, new: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    spoil(monkeypatch, old, new)
    assert not checked(tmp_path, text, "opencl").ok


@pytest.mark.sampled(4)
@pytest.mark.parametrize("target", ["openmp", "opencl", "cuda"])
def test_a_unit_of_the_last_place_is_an_error_where_nothing_rounds(
    target: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    spoil(monkeypatch, "a[i] / 3 +", "1.0000000000000002 * a[i] / 3 +")
    result = checked(tmp_path, PLAIN, target)
    wrong = [item for item in result.items if not item.ok]
    assert {item.name for item in wrong} == {"b"}
    assert {item.causes for item in wrong} == {(Cause.ERROR,)}


@pytest.mark.sampled(4)
@pytest.mark.parametrize("target", ["openmp", "opencl", "cuda"])
def test_sums_in_another_order(target: str, tmp_path: Path) -> None:
    result = checked(tmp_path, SUM, target)
    assert result.ok and result.causes == (Cause.SUMS,)
    assert {item.name for item in result.items if item.causes} == {"s"}


@pytest.mark.sampled(2)
@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("1.0 / (i + 1)", "1.0 / (i + 1 + (i == 4999) * 1e-6)"),
        ("a[i] * 3", "a[i] * 3.0000000000000004"),
    ],
)
def test_mistakes_in_programs_with_sums(
    old: str, new: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    spoil(monkeypatch, old, new)
    assert not checked(tmp_path, SUM, "openmp").ok


def test_a_sum_that_misses_a_small_term(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    spoil(monkeypatch, "s += a[i]", "s += i == 4321 ? 0 : a[i]")
    assert not checked(tmp_path, SUM, "openmp").ok
