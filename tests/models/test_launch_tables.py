"""Ranking tables: the seed's numbers, the same predictions in C and in Python, and which sizes are measured."""

# ruff: noqa: E501  (C, in lines as long as it likes)
from __future__ import annotations

import random
import subprocess
from collections.abc import Sequence
from itertools import pairwise
from pathlib import Path

import pytest

from models.prediction.fitting import line, ranked, refined, stable_line
from models.prediction.tables import (
    KernelTables,
    Points,
    Row,
    Size,
    Tables,
    rate,
    shared_seconds,
    threads_seconds,
    transfer_seconds,
)
from tests.support.places import ROOT

GEMM = (1.265918, 0.655208, 0.439858, 0.335243, 0.383580, 0.328795, 0.343022, 0.302826)
DRIVER = """#include <stdio.h>
#include <stdlib.h>
#define CUVIER_FUNCTION static __attribute__((__unused__))
#include "cuvier_tables.h"
#include "own_tables.h"
int main(void) {
    char kind; cuvier_size s; int threads; double bytes; size_t count;
    const cuvier_table *host = cuvier_tables_for(&cuvier_measured, "k", CUVIER_HOST, &count);
    size_t one;
    const cuvier_table *device = cuvier_tables_for(&cuvier_measured, "k", CUVIER_DEVICE, &one);
    while (scanf(" %c", &kind) == 1) {
        if (kind == 't') {
            scanf("%lf", &bytes);
            printf("%.17g\\n", cuvier_transfer_seconds(cuvier_measured.to_device, cuvier_measured.to_count, bytes));
            continue;
        }
        scanf("%d %lf %lf %lf", &threads, &s.outer, &s.parallel, &s.work);
        printf("%.17g\\n", kind == 'h' ? cuvier_shared_seconds(host, count, threads, &s) : s.work * cuvier_rate(device, &s));
    }
    return 0;
}
"""


def level(*rows: tuple[float, float]) -> tuple[Row, ...]:
    return tuple(Row(parallel, 0.0, base) for parallel, base in rows)


def test_the_seeds_gemm_on_a_device() -> None:
    """Seed 000, section 4.5: two versions of gemm with N = 1024, N**2 + N**3 iterations, and the transfers."""
    work = 1024**2 + 1024**3
    first = rate(level((1681, 0.037609), (2303, 0.037665)), Size(1, 2048, work))
    second = rate(level((841, 0.038183), (1147, 0.038076)), Size(1, 1024, work))
    assert (round(first, 6), round(second, 6)) == (0.037642, 0.038119)
    transfers = 2 * 3_326_162 + 3_324_061
    assert round(round(first, 6) * work) + transfers == 50_433_645
    assert round(round(second, 6) * work) + transfers == 50_946_320


def test_the_seeds_gemm_on_threads() -> None:
    """Section 3.5.3, with the factor that the formula in print lacks: seven threads have more than the eighth."""
    assert threads_seconds([1_664_000] + [2_048_000] * 7, GEMM) == pytest.approx(4_953_262.848, abs=1e-6)


def test_threads_share_in_equal_parts() -> None:
    tables = {1: level((10, 1.0)), 2: level((10, 0.6))}
    assert shared_seconds(tables, 2, Size(10, 10, 100)) == pytest.approx(2 * 50 * 0.6)
    assert shared_seconds(tables, 2, Size(3, 10, 30)) == pytest.approx(2 * 10 * 0.6 + 10 * 1.0)
    assert shared_seconds({1: level((10, 1.0))}, 4, Size(8, 8, 8)) == pytest.approx(4 * 2 * 1.0)


def test_c_and_python_predict_the_same(tmp_path: Path) -> None:
    """Random tables and sizes."""
    draw = random.Random(1)

    def rows() -> tuple[Row, ...]:
        sizes = sorted(draw.sample(range(1, 10**6), draw.randint(1, 9)))
        return tuple(
            Row(float(s), draw.choice([0.0, draw.uniform(-1e-12, 1e-12)]), draw.random()) for s in sizes
        )

    for trial in range(6):
        counts = sorted(draw.sample(range(1, 17), draw.randint(1, 5)))
        host, device = {n: rows() for n in counts}, rows()
        points = tuple(
            (float(b), draw.random()) for b in sorted(draw.sample(range(1, 10**8), draw.randint(1, 6)))
        )
        asked = [_asked(draw) for _ in range(300)]
        tables = Tables(
            "a device",
            {"k": KernelTables("", host, device), "other": KernelTables("", {3: device}, ())},
            points,
        )
        found = _in_c(tmp_path / str(trial), tables, [text for text, *_ in asked])
        expected = [_in_python(each, host, device, points) for each in asked]
        assert found == pytest.approx(expected, rel=1e-6, abs=1e-15)


def _asked(draw: random.Random) -> tuple[str, str, int, Size]:
    kind, threads = draw.choice("hdt"), draw.randint(1, 40)
    outer = float(draw.randint(1, 1000))
    size = Size(outer, outer * draw.randint(1, 2000), 0)
    size = Size(outer, size.parallel, size.parallel * draw.choice([1, 1, draw.randint(2, 3000)]))
    words = [size.parallel] if kind == "t" else [threads, size.outer, size.parallel, size.work]
    return " ".join([kind, *map(str, words)]), kind, threads, size


def _in_python(
    asked: tuple[str, str, int, Size],
    host: dict[int, tuple[Row, ...]],
    device: tuple[Row, ...],
    points: Points,
) -> float:
    _, kind, threads, size = asked
    if kind == "t":
        return transfer_seconds(points, size.parallel)
    return shared_seconds(host, threads, size) if kind == "h" else size.work * rate(device, size)


def _in_c(folder: Path, tables: Tables, asked: Sequence[str]) -> list[float]:
    folder.mkdir()
    (folder / "driver.c").write_text(DRIVER)
    (folder / "own_tables.h").write_text(tables.c_text("k.c"))
    warnings = ["-Wall", "-Wextra", "-Werror", "-Wno-unused-result", "-fsanitize=address,undefined"]
    command = ["gcc", "-O1", *warnings, "-I", str(ROOT / "runtime"), "-o", str(folder / "driver")]
    subprocess.run([*command, str(folder / "driver.c")], check=True)
    done = subprocess.run(
        [folder / "driver"], input="\n".join(asked), capture_output=True, text=True, check=True
    )
    return [float(line) for line in done.stdout.split()]


def test_lines() -> None:
    assert line([(1, 3), (2, 5), (4, 9)]) == pytest.approx((2, 1))
    assert line([(2, 5), (2, 7)]) == (0, 6)
    noisy = [(float(k), 2.0 * k + 1) for k in range(10)] + [(3.5, 90.0), (7.5, -40.0)]
    assert stable_line(noisy) == pytest.approx((2, 1))


def test_rows_on_a_line_are_left_out() -> None:
    points = [
        (Size(1, p, p * k), p * k * (1 + p / 1000 + 0.5 * k)) for p in (10, 20, 30, 40, 50) for k in (1, 4)
    ]
    assert [row.parallel for row in ranked(points)] == [10, 50]
    bent = [(size, seconds * (3 if size.parallel == 30 else 1)) for size, seconds in points]
    assert 30 in [row.parallel for row in ranked(bent)]
    for size, seconds in bent:
        assert size.work * rate(ranked(bent), size) == pytest.approx(seconds, rel=0.01)
    assert ranked([]) == () == ranked([(Size(0, 0, 0), 1.0)])


def test_bends_are_measured() -> None:
    """Between the sizes that were measured, no value is far from the line: the knee at 500 is found."""

    def value(size: float) -> float:
        return max(5.0, size * 0.01)

    found = refined(lambda size: [value(size), 1.0], 1, 10**5)
    sizes = [size for size, _ in found]
    assert sizes[0] == 1 and sizes[-1] == 10**5 and len(sizes) < 40
    for low, high in pairwise(sizes):
        middle = (low + high) / 2
        assert abs((value(low) + value(high)) / 2 - value(middle)) <= 0.25 * value(middle)
    assert max(high / low for low, high in pairwise(sizes)) <= 8


@pytest.mark.parametrize("most", [0, 1, 2, 7])
def test_measuring_may_end_at_any_time(most: int) -> None:
    measured: list[int] = []

    def measure(size: int) -> list[float] | None:
        if len(measured) == most:
            return None
        measured.append(size)
        return [random.Random(size).random()]

    assert [size for size, _ in refined(measure, 1, 1000)] == sorted(measured)
    assert len(measured) == most == len(set(measured))
