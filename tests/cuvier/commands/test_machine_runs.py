"""Programs for odd machines compute the same: sizes of tiles and blocks come from any description."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from pathlib import Path

import pytest

from cuvier.verification.verify import VerifyOptions, verify
from models.machine import DEFAULT, Cache, Machine, Rate
from skeletons import CompileOptions
from skeletons.select.tuned import PRODUCT_PARAMETERS, PRODUCTS_KEY
from species.source import PreprocessOptions
from tests.nests import fuzz

TINY = replace(
    DEFAULT,
    cores=1,
    vector_bytes=16,
    caches=(Cache(1, 1024, 16, 1),),
    region=1e-9,
    bandwidth=Rate(1e6, 1e6),
    double=Rate(1e6, 1e6),
)
HUGE = replace(
    DEFAULT,
    cores=999,
    vector_bytes=256,
    caches=(Cache(1, 1 << 24, 256, 1), Cache(2, 1 << 30, 256, 1), Cache(3, 1 << 40, 256, 999)),
    region=0.1,
    bandwidth=Rate(1e15, 1e15),
    double=Rate(1e15, 1e15),
)
PRODUCT = """#include <stdio.h>
enum { N = 150, M = 301, K = 277 };
static double a[N][K], b[K][M], c[N][M];
int main(void) {
  for (int i = 0; i < N; i++) for (int k = 0; k < K; k++) a[i][k] = (i * 7 + k * 3) % 11;
  for (int k = 0; k < K; k++) for (int j = 0; j < M; j++) b[k][j] = (k + j) % 5;
  for (int i = 0; i < N; i++)
    for (int j = 0; j < M; j++)
      for (int k = 0; k < K; k++)
        c[i][j] += a[i][k] * b[k][j];
  printf("%.6f\\n", c[N - 1][M - 1]);
  return 0;
}
"""


@pytest.mark.long
@pytest.mark.sampled(2)
@pytest.mark.parametrize("machine", [TINY, HUGE], ids=["tiny", "huge"])
def test_nests(machine: Machine, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(fuzz, "CompileOptions", partial(CompileOptions, machine=machine))
    tally = fuzz.Tally()
    fuzz.run(list(range(7000, 7002)), tmp_path, tally)
    assert not tally.wrong, tally.wrong[0]


def extreme(high: bool) -> CompileOptions:
    values = {p.name: p.high if high else p.low for p in PRODUCT_PARAMETERS}
    return CompileOptions(tuned={PRODUCTS_KEY: values})


@pytest.mark.parametrize(
    "options",
    [CompileOptions(machine=TINY), CompileOptions(machine=HUGE), extreme(False), extreme(True)],
    ids=["tiny", "huge", "low", "high"],
)
def test_products(options: CompileOptions, tmp_path: Path) -> None:
    (tmp_path / "p.c").write_text(PRODUCT)
    found = verify(
        tmp_path / "p.c", "openmp", VerifyOptions(preprocess=PreprocessOptions(), generation=options)
    )
    assert found.ok and "p_n1" in found.kernels
