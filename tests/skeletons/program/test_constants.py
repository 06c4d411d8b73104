"""Numbers in place of variables that always hold them, in nests that threads share."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from skeletons import CompileOptions
from tests.models.test_hidden_constants import BLUR, OTHER, calls, window
from tests.skeletons.program.test_shared_members import TWO, made, needs_gcc, printed

TYPES = """#include <stdio.h>
#include <stdlib.h>
static void spread(const unsigned *a, unsigned long *b, int n, %s step) {
  for (int i = 0; i < n; i++) {
    b[i] = 0;
    for (int k = 0; k < 3; k++) b[i] += a[i + k * 2] - step * (i - 5000u);
  }
}
int main(int argc, char **argv) {
  int n = argc > 1 ? atoi(argv[1]) : 300000;
  unsigned *a = malloc(sizeof *a * (n + 9));
  unsigned long *b = calloc(n, sizeof *b), sum = 0;
  for (int i = 0; i < n + 9; i++) a[i] = i * 37u %% 101;
  spread(a, b, n, %s);
  for (int i = 0; i < n; i++) sum = sum * 3 + b[i];
  printf("%%lu\\n", sum);
}
"""


def prints_the_same(text: str, folder: Path) -> str:
    """The program for threads, which prints what the original does."""
    source = folder / "numbers.c"
    source.write_text(text)
    found = made(source, CompileOptions(machine=TWO), folder / "out")
    subprocess.run(["gcc", "-O1", source, "-o", folder / "plain", "-lm"], check=True)
    assert printed(folder / "out" / "made", 2) == printed(folder / "plain", 1)
    return found


@needs_gcc
def test_a_parameter(tmp_path: Path) -> None:
    text = prints_the_same(BLUR.replace("@", ""), tmp_path)
    assert "#pragma omp parallel for" in text
    assert "for (int j = -2; j <= 2; j++)" in text
    assert "for (int i = -2; i <= 2; i++)" in text


@needs_gcc
def test_a_parameter_of_several_numbers(tmp_path: Path) -> None:
    text = prints_the_same(calls("2", "3"), tmp_path)
    assert "if (radius == 2) {" in text and text.count("#pragma omp parallel for") == 2
    assert "j <= 2" in text and "j <= 3" in text and "j <= radius" not in text


@needs_gcc
@pytest.mark.parametrize("name", [each for each in OTHER if "->" not in OTHER[each][2]])
def test_variables(name: str, tmp_path: Path) -> None:
    text = prints_the_same(window(*OTHER[name]), tmp_path)
    assert "k <= i + 2" in text


@needs_gcc
@pytest.mark.parametrize(
    ("ctype", "number"),
    [("int", "-3"), ("unsigned", "2"), ("size_t", "2"), ("unsigned char", "7"), ("long", "-1")],
)
def test_numbers_have_the_types_of_variables(ctype: str, number: str, tmp_path: Path) -> None:
    text = prints_the_same(TYPES % (ctype, number), tmp_path)
    assert "step * (" not in text[text.index("#pragma omp") :]


@needs_gcc
def test_variables_that_are_set_again_stay_used(tmp_path: Path) -> None:
    """They are only set, in what is left of the text: gcc would say so."""
    nest = """for (int i = 0; i < N; i++) { long s = 0;
      for (int k = 0; k <= r; k++) s += x[i + k] * (k + 3); y[i] += s; }"""
    text = prints_the_same(
        f"""#include <stdio.h>
        #define N 200000
        static long x[N + 8], y[N];
        static void f(void) {{ int r = 5; {nest} r = 6; {nest} }}
        int main(void) {{ for (int i = 0; i < N + 8; i++) x[i] = i % 1000; f(); printf("%ld\\n", y[77]); }}
        """,
        tmp_path,
    )
    assert text.count("(void)r;") == 2 and "k <= r" not in text


@needs_gcc
def test_can_be_left_out(tmp_path: Path) -> None:
    source = tmp_path / "blur.c"
    source.write_text(BLUR.replace("@", ""))
    text = made(source, CompileOptions(without=frozenset({"constants"}), machine=TWO), tmp_path / "out")
    assert "for (int j = -radius; j <= radius; j++)" in text
