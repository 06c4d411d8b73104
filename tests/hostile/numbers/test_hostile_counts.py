"""gcc counts the iterations of a `parallel for` in the iterator's own type, where sums may wrap around."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest

from species.annotate import AnnotateOptions, annotate
from tests.support.analysing import facts_of, loops_of

LOST = [
    "unsigned char i = 0; i < 250; i += 7",
    "unsigned char i = 250; i > 8; i -= 20",
    "unsigned short i = 0; i < 65530; i += 10",
    "unsigned char i = 255; i > 0; i -= 5",
    "int i = 0; i < 2147000000; i += 1000000",
    "short i = 0; i < 32760; i += 10",
    "short i = 32000; i > -32000; i--",
    "short i = -30000; i < 30000; i += 10",
    "signed char i = -128; i < 127; i++",
    "signed char i = 0; i < 120; i += 20",
    "signed char i = 100; i >= -125; i -= 25",
    "int i = 483647; i < 2147483642; i += 1000000",
    "int i = -2000000000; i < 2000000000; i += 100000000",
    "int i = 2000000000; i > -2000000000; i -= 100000000",
    "int i = 2147483646; i >= 0; i -= 100000000",
    "unsigned i = 967290u; i < 4294967290u; i += 1000000u",
    "long i = 0; i < 9223372036854775804; i += 1317624576693539401",
    "long i = -5000000000000000000; i < 5000000000000000000; i += 1000000000000000000",
    "unsigned char i = 0; i < n; i += 8",
    "unsigned char i = 0; i < m; i += 8",
    "short i = k; i < l; i++",
    "int i = -2000000000; i < n; i++",
    "int i = n; i < 2147483647; i++",
    "unsigned i = n; i > m; i -= 2",
    "short i = 0; i < (n < m ? n : m); i++",
]
KEPT = [
    "unsigned char i = 0; i < 250; i += 5",
    "unsigned char i = 0; i < 250; i++",
    "unsigned char i = 255; i > 0; i--",
    "unsigned char i = 250; i > 0; i -= 5",
    "unsigned char i = 3; i < m; i++",
    "signed char i = 0; i < 100; i += 7",
    "signed char i = 100; i < 121; i += 25",
    "signed char i = -60; i < 60; i++",
    "signed char i = 60; i > -60; i -= 7",
    "short i = 0; i < l; i++",
    "short i = 0; i < 32000; i += 10",
    "unsigned short i = 65000; i > 9; i -= 10",
    "int i = 0; i < 2146000000; i += 500000 * 2",
    "int i = 100000000; i < 2100000000; i += 100000000",
    "int i = 2000000000; i >= 0; i -= 100000000",
    "unsigned char i = 250; i > 3; i -= 5",
    "unsigned i = 4000000000u; i > 0; i -= 100000000u",
    "unsigned i = 9; i > 1; i -= 2",
    "int i = 0; i < n; i += 7",
    "int i = k; i <= n; i += 3",
    "int i = n; i >= k; i -= 3",
    "unsigned i = 0; i < u; i += 8",
    "unsigned i = u; i > 0; i--",
    "long i = n; i > 0; i -= 2",
]
SLOW = ("int i = -2000000000; i < n; i++", "int i = n; i < 2147483647; i++")
_HEAD = "int c; void f(int n, int k, short l, unsigned char m, unsigned u) {"
_VALUES = "int n = 90, k = -3; short l = 300; unsigned char m = 200; unsigned u = 77;"


@pytest.mark.parametrize("header", LOST)
def test_the_iterators_type_is_too_narrow_to_count_in(header: str) -> None:
    loop = loops_of(f"{_HEAD} for ({header}) c++; }}")[0]
    assert not loop.openmp
    inner = f"{_HEAD} for (int j = 0; j < 3; j++) for ({header}) c++; }}"
    assert loops_of(inner)[0].collapse == 1


@pytest.mark.parametrize("header", KEPT)
def test_the_iterators_type_is_wide_enough(header: str) -> None:
    assert loops_of(f"{_HEAD} for ({header}) c++; }}")[0].openmp


@pytest.mark.skipif(shutil.which("gcc") is None, reason="gcc is not installed")
def test_no_iteration_is_lost(tmp_path: Path) -> None:
    loops = "".join(
        f'{{ int c = 0;\nfor ({header})\n c++;\n printf("%d\\n", c); }}\n'
        f'{{ int c = 0;\nfor (int j = 0; j < 3; j++)\nfor ({header})\n c++;\n printf("%d\\n", c); }}\n'
        for header in (*LOST, *KEPT)
        if header not in SLOW
    )
    text = f"#include <stdio.h>\n{_VALUES} int main(void) {{\n{loops} return 0; }}\n"
    marked = annotate(text, facts_of(text), AnnotateOptions("openmp"))
    assert marked.count("#pragma omp parallel for") > 2 * len(KEPT)
    assert _output(tmp_path / "marked", marked) == _output(tmp_path / "plain", text)


def _output(program: Path, text: str) -> str:
    command = ["gcc", "-x", "c", "-O1", "-fopenmp", "-w", "-o", str(program), "-"]
    subprocess.run(command, input=text, text=True, check=True)
    done = subprocess.run([program], env={"OMP_NUM_THREADS": "3"}, text=True, capture_output=True, check=True)
    return done.stdout
