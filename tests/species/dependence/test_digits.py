"""Quotient and remainder of the iterator tell iterations apart: rows and columns of one loop, and tiles."""
# ruff: noqa: E501  (C, in lines as long as it likes)

from __future__ import annotations

import pytest

from species.facts.loops import Verdict
from tests.support.analysing import loops_of

TILE = """int tx = (w + 15) / 16; for (int t = 0; t < tx * h; t++) { int x0 = t % tx * 16, y0 = t / tx * 16;
    for (int y = y0; y < y0 + ROWS; y++) for (int x = x0; x < x0 + COLUMNS && x < w; x++) px[y * w + x] = t; }"""
APART = {
    "one row after the other": "for (int k = 0; k < w * h; k++) { int x = k % w, y = k / w; px[y * w + x] = x; }",
    "rows of an array": "for (int k = 0; k < w * h; k++) { int x = k % w, y = k / w; rows[y][x] = x; }",
    "planes": """for (int k = 0; k < c * h; k++) { int z = k / h, y = k % h;
        for (int x = 0; x < w; x++) px[(z * h + y) * w + x] = x; }""",
    "tiles": TILE.replace("ROWS", "16").replace("COLUMNS", "16"),
    "of a number that moves": "for (int k = 0; k < h; k++) { int x = (2 * k + 1) % w, y = (2 * k + 1) / w; rows[y][x] = k; }",
}
TOGETHER = {
    "by another number": "for (int k = 0; k < w * h; k++) { int x = k % w, y = k / h; px[y * w + x] = x; }",
    "the column alone": "for (int k = 0; k < w * h; k++) { int x = k % w, y = k / w; rows[0][x] = y; }",
    "the row alone": "for (int k = 0; k < w * h; k++) { int x = k % w, y = k / w; rows[y][0] = x; }",
    "half of the column": "for (int k = 0; k < w * h; k++) { int x = k % w, y = k / w; rows[y][x / 2] = x; }",
    "of half": "for (int k = 0; k < w * h; k++) { int x = k / 2 % w, y = k / 2 / w; rows[y][x] = k; }",
    "tiles that are too high": TILE.replace("ROWS", "17").replace("COLUMNS", "16"),
    "tiles that are too wide": TILE.replace("ROWS", "16").replace("COLUMNS", "17"),
    "of a sum of two iterators": """for (int k = 0; k < h; k++) for (int j = 0; j < w; j++) {
        int x = (k + j) % w, y = (k + j) / w; rows[y][x] = k; }""",
}


def _verdict(body: str) -> Verdict:
    return loops_of(f"void f(float *px, float rows[][64], int w, int h, int c) {{ {body} }}")[0].verdict


@pytest.mark.parametrize("body", APART.values(), ids=APART.keys())
def test_iterations_are_apart(body: str) -> None:
    assert _verdict(body) is Verdict.PARALLEL


@pytest.mark.parametrize("body", TOGETHER.values(), ids=TOGETHER.keys())
def test_iterations_meet(body: str) -> None:
    assert _verdict(body) is Verdict.SERIAL


def test_literals_in_called_functions_are_their_own() -> None:
    text = """typedef struct { float x, y; } vec;
        static vec turned(vec a, int *count) { vec b; ++*count; b = (vec){-a.y, a.x}; if (*count > 9) b = turned(b, count);
            return b; }
        int main(void) { static vec all[50]; int sum = 0;
            for (int i = 0; i < 50; i++) { int n = 0; all[i] = turned((vec){i, 1}, &n); sum += n; } return sum; }"""
    assert loops_of(text)[0].verdict is Verdict.PARALLEL
