"""Products over flattened matrices whose rows have the length of a macro."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from skeletons import write_program
from tests.skeletons.program.test_sizes import complaint, program_of

LOOPS = """for (int i = 0; i < {m}; i++) for (int j = 0; j < {m}; j++) for (int k = 0; k < {m}; k++)
    c[i * N + j] += a[i * N + k] * b[k * N + j];"""
ARRAYS = "double a[100 * 100], b[100 * 100], c[100 * 100];\n"
TAKEN = {
    "a number": "#define N 90\n",
    "in parentheses": "#define N (90)\n",
    "another macro": "#define M 45\n#define N (2 * M)\n",
    "of another name": "#define M 90\n#define N M\n",
    "a variable": "#define N n\n",
}
LEFT = {
    "without parentheses": "#define N 80 + 10\n",
    "a long number": "#define N 90L\n",
    "a number with a point": "#define N (int)90.0\n",
}


def _text(head: str, m: str = "N") -> str:
    return f"{head}{ARRAYS}void f(int n) {{ {LOOPS.format(m=m)} (void)n; }}"


@pytest.mark.parametrize("head", TAKEN.values(), ids=TAKEN.keys())
def test_rows_of_a_known_length_make_products(head: str) -> None:
    text = program_of(_text(head), "openmp").files["sized.c"]
    assert "f_product(" in text
    assert "c[i * N + j]" in text or "c[i * n + j]" in text


@pytest.mark.parametrize("head", LEFT.values(), ids=LEFT.keys())
def test_rows_of_what_is_no_plain_number_do_not(head: str) -> None:
    assert "f_product(" not in program_of(_text(head), "openmp").files["sized.c"]


def test_a_macro_that_the_product_would_not_see() -> None:
    text = f"{ARRAYS}void f(void) {{\n#define N 90\n{LOOPS.format(m='N')} }}"
    assert "f_product(" not in program_of(text, "openmp").files["sized.c"]


def test_another_bound_belongs_to_the_length(tmp_path: Path) -> None:
    head = "#define N 90\n#ifndef M\n#define M 80\n#endif\n"
    program = program_of(_text(head, "M"), "openmp")
    assert "f_product(" in program.files["sized.c"]
    assert "with -DM=" in complaint(program, tmp_path, "-DM=95")


@pytest.mark.parametrize("size", ["90", "37"])
def test_products_follow_the_macro(size: str, tmp_path: Path) -> None:
    text = f"""#include <stdio.h>
{
        _text('''#ifndef N
#define N 90
#endif
''')
    }
int main(void) {{
    for (int i = 0; i < 100 * 100; i++) {{ a[i] = i % 7; b[i] = i % 5; }}
    f(1);
    for (int i = 0; i < 100 * 100; i++) if (c[i] != 0) printf("%d %g\\n", i, c[i]);
}}"""
    program = program_of(text, "openmp")
    write_program(program, tmp_path)
    (tmp_path / "plain.c").write_text(text)
    said = []
    for name in ("sized", "plain"):
        binary, source = str(tmp_path / name), str(tmp_path / f"{name}.c")
        subprocess.run(["gcc", "-O1", "-fopenmp", f"-DN={size}", "-o", binary, source], check=True)
        said.append(subprocess.run([binary], capture_output=True, check=True).stdout)
    assert said[0] == said[1] != b""
