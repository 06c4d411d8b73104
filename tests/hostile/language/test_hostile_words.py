"""Macros with the names of OpenMP's words: no pragma means then what it says."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.support import accelerated
from tests.support.analysing import loops_of

_TEXT = """{macro}
double A[64][64], B[64][64], v[64];
int f(int n) {{
  int i, j;
  for (i = 0; i < n; i++) for (j = 0; j < 64; j++) A[i][j] = B[j][i];
  for (i = 0; i < 64; i++) {{ double t = 0; for (j = 0; j < 64; j++) t += A[i][j] * B[i][j]; v[i] = t; }}
  return i + j;
}}
"""
WORDS = {
    "private": "#define private 3",
    "static": "#define static",
    "schedule": "#define schedule(x) x",
    "simd": "#define simd",
    "omp": "#define omp acc",
    "collapse": "#define collapse(n) (n)",
    "for": "#define for if (1) for",
}


@pytest.mark.parametrize("macro", WORDS.values(), ids=WORDS.keys())
def test_no_pragma_is_made_of_a_macro(macro: str, tmp_path: Path) -> None:
    text = _TEXT.format(macro=macro)
    assert not any(loop.openmp for loop in loops_of(text))
    (tmp_path / "p.c").write_text(text)
    accelerated.written(tmp_path / "p.c", "openmp", tmp_path / "out", {"least": 1})
    assert "#pragma" not in (tmp_path / "out" / "p.c").read_text()


OTHERS = {
    "min": "#define min(a, b) ((a) < (b) ? (a) : (b))",
    "itself": "#define static static",
    "no longer": "#define static\n#undef static",
    "upper case": "#define PRIVATE static",
}


@pytest.mark.parametrize("macro", OTHERS.values(), ids=OTHERS.keys())
def test_other_macros_do_not_matter(macro: str) -> None:
    assert all(loop.openmp for loop in loops_of(_TEXT.format(macro=macro)) if loop.depth == 0)
