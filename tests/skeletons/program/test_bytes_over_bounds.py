"""Loops that write bytes, which may be those of their own bound or start."""

# ruff: noqa: E501  (C, in lines as long as it likes)
from __future__ import annotations

import subprocess
from pathlib import Path

from skeletons import CompileOptions
from tests.skeletons.program.test_shared_members import made, needs_gcc, printed

BYTES = """#include <stdio.h>
#include <stdlib.h>
#include <string.h>
typedef struct { unsigned char *px; unsigned top, w, h, pitch; unsigned char own[64]; } image;
#define ROW(m, y) ((m)->px + (size_t)(y) * (m)->pitch)
void invert(image *m) {
  for (unsigned y = 0; y < m->h; y++)
    for (unsigned x = 0; x < m->w; x++) m->px[y * m->pitch + x] = (unsigned char)(255 - m->px[y * m->pitch + x]);
}
void shade(image *m) {
  for (unsigned y = m->top; y < m->h; y++) {
    unsigned char *row = ROW(m, y);
    for (unsigned x = 0; x < m->w; x++) row[x] = (unsigned char)(row[x] / 2 + 3);
  }
}
unsigned long fill(image *m, int value) {
  unsigned long sum = 0;
  for (unsigned i = 0; i < m->w; i++) { sum += m->px[i]; m->px[i] = (unsigned char)(value + (i >= 16)); }
  return sum;
}
void down(image *m) { for (int i = (int)m->w - 1; i >= (int)m->top; i--) m->px[i] = (unsigned char)(m->px[i] + 1); }
static void show(const image *m, unsigned long sum) {
  unsigned long all = sum;
  for (int i = 0; i < 64; i++) all = all * 31 + m->own[i];
  printf("%u %u %u %u %lu\\n", m->top, m->w, m->h, m->pitch, all);
}
static void run(image *m) {
  unsigned char *px = m->px;
  unsigned long sum = 0;
  invert(m); show(m, 0); m->w = 8; m->h = 3; m->pitch = 12; m->top = 0;
  shade(m); show(m, 0); m->w = 30; m->h = 3; m->pitch = 12; m->top = 1;
  sum = fill(m, 0); show(m, sum); m->w = 20; m->top = 2; m->px = px;
  down(m); show(m, 0);
}
int main(void) {
  image far = { malloc(200), 0, 8, 5, 12, { 1, 2, 3 } };
  memset(far.px, 7, 200);
  run(&far);
  for (int i = 0; i < 200; i += 7) printf("%d ", far.px[i]);
  for (int k = 0; k <= 16; k++) {
    image near = { NULL, 0, 6, 3, 8, { 9, 8, 7 } };
    near.px = near.own + k;
    run(&near);
    image over = { NULL, 0, 18, 2, 4, { 9, 8, 7 } };
    over.px = (unsigned char *)&over.top + k;
    fill(&over, 0); show(&over, k);
    image bound = { NULL, 2, 18, 2, 4, { 9, 8, 7 } };
    bound.px = (unsigned char *)&bound.w - k % 7;
    down(&bound); show(&bound, k);
  }
  free(far.px);
  return 0;
}
"""


@needs_gcc
def test_bytes_may_be_those_of_the_bound(tmp_path: Path) -> None:
    """`annotate` cannot share such loops; `compile` does where the bound, in a variable, is not written."""
    source = tmp_path / "bytes.c"
    source.write_text(BYTES)
    text = made(source, CompileOptions(without=frozenset({"threshold"})), tmp_path / "out")
    assert text.count("#pragma omp parallel for") >= 4
    subprocess.run(["gcc", "-O1", "-fsanitize=address", source, "-o", tmp_path / "plain"], check=True)
    assert printed(tmp_path / "out" / "made", 3) == printed(tmp_path / "plain", 1)
