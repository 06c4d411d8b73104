"""Macros change nothing about products: bounds, subscripts and sizes may be written with them."""

from __future__ import annotations

from pathlib import Path

import pytest
from nests import compared

from skeletons import CompileOptions, Library, compile_unit
from species import AnalysisOptions, analyse
from species.core.positions import Position
from species.source import PreprocessOptions, read_translation_unit
from species.source.text.expansion import Inexpressible, expanded, names_behind
from species.source.text.macros import MacroDefinition
from transfers import around_kernels

PRODUCT = """\
#include <stdio.h>
@
static double A[90][90], B[90][90], C[90][90];
static void mm(int n, double A[restrict n][n], double B[restrict n][n], double C[restrict n][n])
{
  for (int i = 0; i < END; i++)
    for (int k = 0; k < END; k++)
      for (int j = 0; j < END; j++)
        C[i][j] += AT(A, i, k) * AT(B, k, j);
}
int main(void)
{
  for (int i = 0; i < 90; i++)
    for (int j = 0; j < 90; j++) {
      A[i][j] = (i * 7 + j) % 11;
      B[i][j] = (i + j * 5) % 13;
    }
  mm(90, A, B, C);
  double s = 0;
  for (int i = 0; i < 90; i++)
    for (int j = 0; j < 90; j++)
      s += C[i][j] * (i % 3 + 1);
  printf("%.1f\\n", s);
  return 0;
}
"""
MACROS = {
    "a variable": "#define END n\n#define AT(p, r, c) p[r][c]",
    "PolyBench": "#define BOUND(x, y) y\n#define END BOUND(90, n)\n#define AT(p, r, c) (p)[(r)][(c)]",
    "in one another": "#define M n\n#define END (M)\n#define ROW(p, r) p[r]\n#define AT(p, r, c) ROW(p,r)[c]",
    "a number": "#define END 90\n#define AT(p, r, c) p[r][c]",
}


def made(text: str) -> tuple[str, str]:
    """The host file, and the steps of the first kernel."""
    unit = read_translation_unit("p.c", PreprocessOptions(), text=text)
    facts = analyse(unit, AnalysisOptions(scops=True))
    program = compile_unit(unit, facts, around_kernels(facts), "openmp", Library.load(), CompileOptions())
    return program.files["p.c"], " ".join(step for choice in program.choices for step in choice.steps)


@pytest.mark.parametrize("name", MACROS)
def test_products_are_found(name: str, tmp_path: Path) -> None:
    text = PRODUCT.replace("@", MACROS[name])
    after, steps = made(text)
    assert "contract" in steps
    assert compared.printed(after, tmp_path) == compared.printed(text, tmp_path)


def macro(name: str, params: tuple[str, ...] | None, body: str) -> MacroDefinition:
    return MacroDefinition(name, params, body, "", Position("a.c", 1, 1), user=True)


KNOWN = {
    each.name: each
    for each in (
        macro("N", None, "n"),
        macro("SELF", None, "SELF + 1"),
        macro("AT", ("p", "r"), "(p)[(r) * N]"),
        macro("EMPTY", (), "0"),
        macro("PASTE", ("a", "b"), "a##b"),
    )
}


@pytest.mark.parametrize(
    ("text", "after"),
    [
        ("i < N - 1", "i < n - 1"),
        ("s.N + N", "s.N + n"),
        ("SELF", "SELF + 1"),
        ("AT(x, f(1, 2)) + AT", "(x)[(f(1, 2)) * n] + AT"),
        ("AT(AT(x, i), j)", "((x)[(i) * n])[(j) * n]"),
        ("EMPTY()", "0"),
        ("/* N */ a[N]", "/* N */ a[n]"),
    ],
)
def test_macros_are_replaced(text: str, after: str) -> None:
    assert expanded(text, KNOWN.get, lambda macro: True) == after


@pytest.mark.parametrize("text", ["PASTE(x, y)", "AT(x)", "AT(x, y"])
def test_what_is_not_replaced(text: str) -> None:
    with pytest.raises(Inexpressible):
        expanded(text, KNOWN.get, lambda macro: True)


def test_names_come_by_way_of_others() -> None:
    assert "n" in names_behind(KNOWN["AT"], KNOWN.get)
