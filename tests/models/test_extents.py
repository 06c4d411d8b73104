"""Loops along arrays that are declared too short for threads: nothing is asked that is never so."""

from __future__ import annotations

from pathlib import Path

import pytest

from cuvier.pipeline.driver import analyse_file
from models.machine import DEFAULT
from models.profitability import Worth, decide
from species.source import PreprocessOptions

DECLARED = """\
enum { LONG = 258 };
typedef unsigned char row[LONG];
struct state {
  unsigned char len[6][LONG]; int freq[2 * LONG + 2]; row rows[4]; double all[9000000]; int tail[1];
};
unsigned char used[256];
double big[9000000];
extern double far[];
void clear(struct state *s, int n, int m, double given[100], double (*grid)[64])
{
  int i, t;
  %s
}
"""


def _worth(loop: str, folder: Path) -> Worth:
    source = folder / "app.c"
    source.write_text(DECLARED % loop)
    found = analyse_file(source, PreprocessOptions())
    assert found.unit is not None and found.facts.status == "ok"
    return decide(found.unit, found.facts, DEFAULT)[found.facts.loops[0].id]


@pytest.mark.parametrize(
    "loop",
    [
        "for (i = 0; i < n; i++) used[i] = i;",
        "for (i = 0; i <= n; i++) s->freq[i] = 0;",
        "for (i = 0; i < n; i++) s->freq[n - i] = 0;",
        "for (t = 0; t < 6; t++) for (i = 0; i < n; i++) s->len[t][i] = 15;",
        "for (t = 0; t < m; t++) for (i = 0; i < n; i++) s->rows[t][i] = 15;",
        "for (i = 0; i < n; i++) big[i] = used[i];",
        "for (i = 0; i < n; i++) if (used[i]) big[i] = 1;",
        "for (i = 0; i < n; i++) grid[m][i] = 1;",
    ],
)
def test_too_short_whatever_the_run_says(loop: str, tmp_path: Path) -> None:
    worth = _worth(loop, tmp_path)
    assert not worth.region
    assert "for its arrays are declared no longer" in worth.why


@pytest.mark.parametrize(
    "loop",
    [
        "for (i = 0; i < n; i++) big[i] = i;",
        "for (i = 0; i < n; i++) s->all[i] = i;",
        "for (i = 0; i < n; i++) far[i] = i;",
        "for (i = 0; i < n; i++) s->tail[i] = i;",
        "for (i = 0; i < n; i++) given[i] = i;",
        "for (i = 0; i < n; i++) grid[i][3] = i;",
        "for (i = 0; i < n; i++) big[i] = i < 256 ? used[i] : 0;",
        "for (i = 0; i < n; i++) big[i] = used[i / 100000];",
        "for (i = 0; i < n; i++) { if (i > 255) continue; used[i] = 3; }",
    ],
)
def test_only_the_run_can_tell(loop: str, tmp_path: Path) -> None:
    worth = _worth(loop, tmp_path)
    assert worth.region and worth.asked.startswith("n > ")


ROTATED = """\
static void rotate(float *x, int len, int stride, float c)
{
  for (int i = 0; i < len - stride; i++) x[i] = c * x[i] + x[i + stride];
}
void all(float *x, int n, int blocks) { for (int b = 0; b < blocks; b++) rotate(x + b * n, n, 1, 0.5f); }
"""


def test_the_work_of_calls_is_asked_for_by_what_they_are_given(tmp_path: Path) -> None:
    """Opus rotates a few short bands in each of 100,000s of calls."""
    source = tmp_path / "app.c"
    source.write_text(ROTATED)
    found = analyse_file(source, PreprocessOptions())
    assert found.unit is not None
    worth = decide(found.unit, found.facts, DEFAULT)
    asked = next(worth[loop.id].asked for loop in found.facts.loops if loop.function == "all")
    assert asked.startswith("(double)blocks * (n - 1) > ")
