"""argmin of what takes long to compute: short blocks, as those with something better run twice."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.support import accelerated

SOURCE = """#include <stdio.h>
#include <stdlib.h>
static double a[3000], b[40];
static double far(int i)
{
    double s = 0;
    for (int k = 0; k < 40; k++)
        s += (a[i] - b[k]) * (a[i] - b[k]);
    return s;
}
static int nearest(int n, double *found)
{
    int best = -1;
    double least = 1e30;
    for (int i = 0; i < n; i++) {
        double d = far(i);
        if (d < least) {
            least = d;
            best = i;
        }
    }
    *found = least;
    return best;
}
int main(int argc, char **argv)
{
    int n = argc > 1 ? atoi(argv[1]) : 3000;
    double d;
    for (int i = 0; i < 3000; i++) a[i] = (i * 37 % 101) / 8.0;
    for (int k = 0; k < 40; k++) b[k] = k * 0.3;
    int i = nearest(n, &d);
    printf("%d %g\\n", i, d);
    return 0;
}
"""


def test_blocks_are_short(tmp_path: Path) -> None:
    source = tmp_path / "nearest.c"
    source.write_text(SOURCE)
    made = accelerated.written(source, "openmp", tmp_path / "made")
    assert "argmin" in made.skeletons
    text = next((tmp_path / "made").glob("*.c")).read_text()
    assert "block += 16" in text and "count >= 256" in text


@pytest.mark.parametrize("threads", [1, 3])
def test_it_finds_the_first(threads: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    source = tmp_path / "nearest.c"
    source.write_text(SOURCE)
    monkeypatch.setenv("OMP_NUM_THREADS", str(threads))
    plain = accelerated.build_plain(source, tmp_path)
    accelerated.written(source, "openmp", tmp_path / "made")
    made = accelerated.build_plain(tmp_path / "made" / "nearest.c", tmp_path / "made", ("-fopenmp",))
    for size in (0, 1, 15, 16, 17, 255, 256, 900, 3000):
        assert accelerated.run(made, str(size)) == accelerated.run(plain, str(size))
