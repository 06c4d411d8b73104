"""Regions that would make serial loops slower, as threads would know a structure."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from cuvier.pipeline.driver import analyse_file
from models.machine import DEFAULT
from models.profitability import decide
from species.source import PreprocessOptions

ALIGNMENT = """\
#include <stdlib.h>
struct matrix { int rows, cols; int *score; unsigned char *trace; };
static int better(int a, int b) { return a > b ? a : b; }
static void fill(struct matrix *m, const char *a, const char *b)
{
  for (int i = 1; i < m->rows; i++)
    for (int j = 1; j < m->cols; j++) {
      int corner = m->score[(i - 1) * m->cols + j - 1] + (a[i] == b[j] ? 3 : -1);
      int up = m->score[(i - 1) * m->cols + j] - 2, left = m->score[i * m->cols + j - 1] - 2;
      int s = better(0, better(corner, better(up, left)));
      m->score[i * m->cols + j] = s;
      m->trace[i * m->cols + j] = s == corner;
    }
}
int main(int argc, char **argv)
{
  struct matrix *m = malloc(sizeof *m);
  m->rows = m->cols = argc > 1 ? atoi(argv[1]) : 5000;
  m->score = calloc((size_t)m->rows * m->cols, sizeof *m->score);
  m->trace = calloc((size_t)m->rows * m->cols, 1);
  fill(m, argv[1], argv[2]);
  long count = 0;
  for (int i = 0; i < m->rows * m->cols; i++)
    count += m->trace[i];
  return count > 1000;
}
"""
COUNT = ALIGNMENT[: ALIGNMENT.index("for (int i = 0; i < m->rows")].count("\n") + 1


def why(text: str, folder: Path) -> str:
    """Why no threads share the loop that counts; empty where they do."""
    source = folder / "align.c"
    source.write_text(text)
    found = analyse_file(source, PreprocessOptions())
    assert found.unit is not None
    worths = decide(found.unit, found.facts, DEFAULT)
    return next(worths[loop.id].why for loop in found.facts.loops if loop.position.line == COUNT)


def test_a_count_costs_more_in_another_loop_than_it_saves(tmp_path: Path) -> None:
    assert why(ALIGNMENT, tmp_path) == (
        "compilers load the members of 'struct matrix' again and again where threads know one"
    )


@pytest.mark.parametrize(
    ("what", "instead"),
    [
        ("static void fill", "void fill"),  # stays a function, to which the structure is known in any case
        ("count += m->trace[i]", "for (int k = 0; k < 90; k++) count += (m->trace[i] * k) / (k + 1)"),
        ("m->trace[i * m->cols + j] = s == corner;", "best = better(best, s);"),
    ],
)
def test_where_it_saves_more_or_costs_nothing_it_is_shared(what: str, instead: str, tmp_path: Path) -> None:
    text = ALIGNMENT.replace("int better(", "int best;static int better(", 1).replace(what, instead)
    if "best =" in instead:  # stores of other types do not reach members
        text = text.replace("int *score", "float *score")
    assert why(text, tmp_path) == ""


PICTURE = """\
#include <stdlib.h>
struct picture { int width, height; unsigned char *cells; };
#define CELL(p, x, y) ((p)->cells[(long)(y) * (p)->width + (x)])
static void shade(struct picture *p, unsigned char *to, int level)
{
  for (int y = 0; y < p->height; y++)
    for (int x = 0; x < p->width; x++)
      @ = CELL(p, x, y) > level;
}
int main(int argc, char **argv)
{
  struct picture p = { 3000, 2000, 0 };
  p.cells = calloc(p.width, p.height);
  unsigned char *to = calloc(p.width, p.height);
  shade(&p, to, argc);
  return p.cells[7] + to[7];
}
"""


@pytest.mark.parametrize(
    ("cell", "shared"),
    [("CELL(p, x, y)", False), ("to[y * p->width + x]", False), ("to[(unsigned)(y * p->width + x)]", True)],
)
def test_bytes_of_which_compilers_make_vectors_in_one_thread(cell: str, shared: bool, tmp_path: Path) -> None:
    source = tmp_path / "picture.c"
    source.write_text(PICTURE.replace("@", cell))
    found = analyse_file(source, PreprocessOptions())
    assert found.unit is not None
    worths = decide(found.unit, found.facts, replace(DEFAULT, cores=2))
    (outer,) = (worths[loop.id] for loop in found.facts.loops if loop.position.line == 6)
    assert outer.region == shared, outer.why
