"""Verification of loops that write memory which has no name before and behind them."""

from __future__ import annotations

from pathlib import Path

from skeletons import CompileOptions
from tests.support.verifying import checked

TEXT = """#include <stdio.h>
#include <stdlib.h>
struct view { double *data; int n; };
struct box { struct view v; int from; struct view *each; };
static int count(int i) { int acc = i; struct { int *at; } a = { &acc }; *a.at = *a.at * 3 + 1; return acc; }
static double look(struct box b, int i) { struct view v = b.v; return v.data[i + b.from]; }
static int out[64];
int main(void)
{
    struct view *all = malloc(33 * sizeof *all);
    double *table = malloc(80 * sizeof *table), *found = malloc(64 * sizeof *found);
    for (int i = 0; i < 80; i++) table[i] = i % 7;
    struct box b = { { table, 80 }, 3, malloc(33 * sizeof(struct view)) };
    for (int i = 0; i < 64; i++) out[i] = count(i);
    for (int i = 0; i < 64; i++) found[i] = look(b, i);
    for (int i = 0; i < 33; i++) all[i].data = calloc(4, sizeof(double));
    for (int i = 0; i < 33; i++) all[i].data[1] = i;
    double last = 0;
    for (int i = 0; i < 33; i++) {
        struct view *one = &b.each[i];
        one->data = malloc(80 * sizeof(double));
        for (int k = 0; k < 80; k++) one->data[k] = k * 0.5 + last;
        last = one->data[3] * 0.5;
    }
    printf("%d %g %g %g\\n", out[63], found[5], all[5].data[1], b.each[3].data[7]);
    return 0;
}
"""


def test_what_has_no_name_is_not_compared(tmp_path: Path) -> None:
    result = checked(tmp_path, TEXT, "openmp", generation=CompileOptions(without=frozenset({"threshold"})))
    assert result.ok and len(result.kernels) >= 4
