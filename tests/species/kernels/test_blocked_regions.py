"""Regions of flattened arrays that are walked in blocks: what the test for overlap must cover."""

from __future__ import annotations

import re

import pytest

from species.facts.loops import LoopFacts, Verdict
from tests.support.analysing import loops_of

MIN = "#define MIN(a, b) ((a) < (b) ? (a) : (b))\n"


def outer(rows: str, columns: str, subscript: str = "i * nj + j") -> LoopFacts:
    text = f"""{MIN} void f(int ni, int nj, double *e, double *a) {{
        for (int ii = 0; ii < ni; ii += 32) for (int jj = 0; jj < nj; jj += 16)
            for (int i = ii; i < {rows}; i++) for (int j = jj; j < {columns}; j++)
                e[{subscript}] = a[{subscript}]; }}"""
    return loops_of(text)[0]


def last_of(loop: LoopFacts, ni: int, nj: int) -> int:
    """The last element of e in the loop's condition, which has the one behind it."""
    text = re.search(r"e \+ (\S+)\*sizeof\(\*e\) <=", loop.conditions[-1])
    assert text is not None
    return int(eval(text[1].replace("(long)", "").replace("/", "//"), {"ni": ni, "nj": nj})) - 1


BLOCKS = {
    "cut off": ("MIN(ii + 32, ni)", "MIN(jj + 16, nj)"),
    "rows that are not cut off": ("ii + 32", "MIN(jj + 16, nj)"),
    "not cut off": ("ii + 32", "jj + 16"),
    "wider than the steps": ("ii + 40", "MIN(jj + 20, nj)"),
}


@pytest.mark.sampled(2)
@pytest.mark.parametrize("name", BLOCKS)
@pytest.mark.parametrize(("ni", "nj"), [(1, 1), (32, 16), (33, 17), (100, 50), (7, 200)])
def test_blocks(name: str, ni: int, nj: int) -> None:
    rows, columns = BLOCKS[name]
    loop = outer(rows, columns)
    if loop.verdict is Verdict.SERIAL:
        return
    assert loop.verdict is Verdict.CONDITIONAL
    ends = {"ni": ni, "nj": nj, "MIN": min}
    touched = [
        i * nj + j
        for ii in range(0, ni, 32)
        for jj in range(0, nj, 16)
        for i in range(ii, eval(rows, {**ends, "ii": ii}))
        for j in range(jj, eval(columns, {**ends, "jj": jj}))
    ]
    assert last_of(loop, ni, nj) >= max(touched)


def test_blocks_that_are_cut_off_end_with_the_array() -> None:
    assert last_of(outer(*BLOCKS["cut off"]), 100, 50) == 100 * 50 - 1
