"""Small constants that compilers know as long as no threads share a loop: see `models.hidden_constants`."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from models.machine import DEFAULT
from tests.models.test_profitability import decided

BLUR = """\
#include <stdio.h>
#include <stdlib.h>
struct image { int w, h, radius; float *px; };
static void blur(const float *in, float *out, int w, int h, int radius) {
@  for (int y = radius; y < h - radius; y++)
    for (int x = radius; x < w - radius; x++) {
      float s = 0;
      for (int j = -radius; j <= radius; j++)
        for (int i = -radius; i <= radius; i++) s += in[(y + j) * w + x + i];
      out[y * w + x] = s;
    }
}
int main(int argc, char **argv) {
  int w = argc > 1 ? atoi(argv[1]) : 3000;
  float *a = malloc(sizeof *a * w * w), *b = calloc(w * w, sizeof *b);
  for (int i = 0; i < w * w; i++) a[i] = i % 17;
  for (int t = 0; t < 6; t++) { blur(a, b, w, w, 2); a[t] = b[5 * w + 5]; }
  printf("%f\\n", b[7 * w + 7]);
}
"""
LOOP = BLUR[: BLUR.index("@")].count("\n") + 1
OTHER = {
    "a variable": ("", "int r = 2;", "r"),
    "one that starts with another": ("", "int k = 1, r = k + 1;", "r"),
    "a member": ("", "struct image *m = malloc(sizeof *m); m->radius = 2;", "m->radius"),
}
KNOWN = {
    "a constant": ("", "const int r = 2;", "r"),
    "an enumerator": ("enum { r = 2 };", "", "r"),
    "a macro": ("#define r 2", "", "r"),
    "one of the file": ("static int r = 2;", "", "r"),
    "what only the run knows": ("", "int r = argc > 5 ? 3 : 2;", "r"),
    "not small": ("", "int r = 400;", "r"),
}
WINDOW = """\
{head}
#include <stdio.h>
#include <stdlib.h>
struct image {{ int w, h, radius; float *px; }};
int main(int argc, char **argv) {{
  int n = argc > 1 ? atoi(argv[1]) : 9000000;
  float *a = calloc(n, sizeof *a), *b = calloc(n, sizeof *b);
  {setting}
  for (int i = {r}; i < n - {r}; i++) {{
    float s = 0;
    for (int k = i - {r}; k <= i + {r}; k++) s += a[k];
    b[i] = s;
  }}
  printf("%f\\n", b[n / 2]);
}}
"""


def window(head: str, setting: str, name: str) -> str:
    return WINDOW.format(head=head, setting=setting, r=name)


def why(text: str, folder: Path, *, cores: int = 2) -> str:
    """Why the window's loop has no region; empty where it has one."""
    return decided(text, folder, replace(DEFAULT, cores=cores))[9].why


def test_a_parameter_that_is_one_number_in_all_calls(tmp_path: Path) -> None:
    text = BLUR.replace("@", "")
    few = decided(text, tmp_path, replace(DEFAULT, cores=2))[LOOP]
    assert not few.region
    assert few.why == (
        "'radius' is a small constant (2), which compilers know as long as no threads share the loop; they"
        " would know a macro or an enumeration constant"
    )
    many = decided(text, tmp_path, replace(DEFAULT, cores=16))[LOOP]
    assert many.region  # two loops that are nine times as fast where it is known


def calls(*numbers: str) -> str:
    """The blur, called with several."""
    made = " ".join(f"blur(a, b, w, w, {number});" for number in numbers)
    return BLUR.replace("@", "").replace("blur(a, b, w, w, 2);", made)


def test_compilers_make_copies_for_several_numbers(tmp_path: Path) -> None:
    worth = decided(calls("2", "3", "2"), tmp_path, replace(DEFAULT, cores=2))[LOOP]
    assert worth.why.startswith("'radius' is a small constant (2 or 3), which compilers know")


@pytest.mark.parametrize("numbers", [("2", "argc"), ("1", "2", "3", "4", "5"), ("2", "40"), ("1",)])
def test_what_is_no_small_constant(numbers: tuple[str, ...], tmp_path: Path) -> None:
    assert decided(calls(*numbers), tmp_path, replace(DEFAULT, cores=2))[LOOP].region


@pytest.mark.parametrize("name", OTHER)
def test_is_hidden(name: str, tmp_path: Path) -> None:
    text = window(*OTHER[name])
    assert "is a small constant (2)" in why(text, tmp_path)
    assert not why(text, tmp_path, cores=8)  # one loop that is three times as fast


@pytest.mark.parametrize("name", KNOWN)
def test_is_not_hidden(name: str, tmp_path: Path) -> None:
    assert not why(window(*KNOWN[name]), tmp_path)


def test_a_loop_for_vectors_around_a_longer_one(tmp_path: Path) -> None:
    text = window("", "int r = 40;", "r")
    assert "'r' is a small constant (40)" in why(text, tmp_path)
    assert not why(text, tmp_path, cores=4)


def test_an_end_less_a_constant_is_no_constant(tmp_path: Path) -> None:
    inner = "for (int k = i - r; k <= i + r; k++) s += a[k];"
    text = window("", "int r = 2;", "r").replace(inner, "s = a[i - r];")
    assert not why(text, tmp_path)
