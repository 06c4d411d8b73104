"""Long conditions of generated programs are functions with names, where their text means the same there."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from cuvier.pipeline.driver import analyse_file
from cuvier.pipeline.generate import generate, options_for
from skeletons import CompileOptions, Library
from species.analysis.options import DEFAULTS
from species.source import PreprocessOptions

OVERLAP = """
static void scale(double *to, const double *from, int number_of_elements)
{
  for (int i = 0; i < number_of_elements; i++)
    to[i] = 2 * from[i];
}
"""
MAIN = """
#include <stdio.h>
static double memory[200000];
int main(void)
{
  for (int i = 0; i < 200000; i++)
    memory[i] = i;
  scale(memory, memory + 100000, 100000);
  scale(memory + 1, memory, 100);
  printf("%g %g %g\\n", memory[1], memory[100], memory[99999]);
  return 0;
}
"""
FUNCTION = re.compile(
    r"(/\*[^\n]*\*/\n)?static int (\w+_condition\d*)\(([^)]*)\)\n\{\n    return ([^;]*);\n\}\n"
)


def host(text: str, tmp_path: Path, target: str = "openmp") -> str:
    (tmp_path / "app.c").write_text(text)
    library = Library.load()
    options = options_for(library.target(target), DEFAULTS)
    found = analyse_file(tmp_path / "app.c", PreprocessOptions(), options, complete=True)
    assert found.unit is not None
    made = generate(found.unit, found.facts, target, library, PreprocessOptions(), options, CompileOptions())
    return made.files["app.c"]


@pytest.mark.parametrize("target", ["openmp", "opencl", "cuda"])
def test_a_long_condition_is_a_function_that_says_in_words_what_it_asks(target: str, tmp_path: Path) -> None:
    text = host(OVERLAP + MAIN, tmp_path, target)
    (found,) = FUNCTION.finditer(text)
    assert found[1] == "/* 'from' and 'to' do not overlap */\n"
    assert found[3] == "const double *from, int number_of_elements, double *to"
    assert text.index(found[0]) < text.index("static void scale")
    assert text.count(f"{found[2]}(from, number_of_elements, to)") == 1
    assert text.count("(unsigned long long)from") == 2  # in the function alone


def test_the_program_does_what_the_original_does(tmp_path: Path) -> None:
    from cuvier.verification.verify import VerifyOptions, verify

    (tmp_path / "app.c").write_text(OVERLAP + MAIN)
    assert verify(tmp_path / "app.c", "openmp", VerifyOptions(PreprocessOptions())).ok


STAYING = {
    "a type of the function": OVERLAP.replace("{\n  for", "{\n  typedef int word;\n  for"),
    "a volatile bound": OVERLAP.replace("const double *from", "const double *volatile from"),
    "a macro that is another one before": "#define WIDE double\n"
    + OVERLAP.replace("{\n  for", "{\n#define from origin\n  double *from = to + 7;\n  for").replace(
        "const double *from", "const double *source"
    ),
    "parameters in the old style": OVERLAP.replace(
        "(double *to, const double *from, int number_of_elements)",
        "(to, from, number_of_elements) double *to; const double *from; int number_of_elements;",
    ),
    "a head with directives": OVERLAP.replace(
        "(double *to,", "(\n#ifdef OTHER\nfloat *to,\n#else\ndouble *to,\n#endif\n"
    ),
}


@pytest.mark.parametrize("why", STAYING)
def test_where_a_text_might_mean_something_else_it_stays(why: str, tmp_path: Path) -> None:
    text = host(STAYING[why], tmp_path)
    assert not FUNCTION.search(text)


def test_short_conditions_stay(tmp_path: Path) -> None:
    text = host(
        "void f(double *a, int n, int k) { for (int i = 0; i < n; i++) a[i] = a[i + k] + 1; }", tmp_path
    )
    assert not FUNCTION.search(text) and "omp parallel for" in text
