"""Sums of a few values in memory, which compilers keep in registers, but not in a region."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from models.machine import DEFAULT
from models.profitability import Worth
from tests.models.test_profitability import decided

HEAD = "#include <stdlib.h>\n#define R 8\n"
LOCAL = "float *a = calloc(n, sizeof *a), *b = calloc(n, sizeof *b);"
LOOP = "for (int i = R; i < n - R; i++) for (int k = i - R; k <= i + R; k++) b[i] += a[k];"
LOST = {
    "new memory": f"void f(int n) {{ {LOCAL} @{LOOP} }}",
    "restrict": f"void f(int n, float *restrict a, float *restrict b) {{ @{LOOP} }}",
    "a number": f"void f(int n, float *restrict a, float *restrict b) {{ @{LOOP.replace('R', '3')} }}",
    "from 0": f"""void f(int n) {{ {LOCAL}
        @for (int i = 0; i < n - R; i++) for (int k = 0; k < R; k++) b[i] += a[i + k]; }}""",
}
KEPT = {
    "compilers do not see that they are apart": f"void f(int n, float *a, float *b) {{ @{LOOP} }}",
    "arrays of the file, which they see": f"float a[99999], b[99999]; void f(int n) {{ @{LOOP} }}",
    "many values": f"void f(int n) {{ {LOCAL} @{LOOP.replace('R', '80')} }}",
    "unknown": f"void f(int n, int r) {{ {LOCAL} @{LOOP.replace('R', 'r')} }}",
    "a variable": f"""void f(int n) {{ {LOCAL} @for (int i = R; i < n - R; i++) {{
        float s = 0; for (int k = i - R; k <= i + R; k++) s += a[k]; b[i] = s; }} }}""",
    "no sum": f"""void f(int n) {{ {LOCAL}
        @for (int i = 0; i < n / 8; i++) for (int k = 0; k < R; k++) b[i * R + k] += a[i]; }}""",
}


def worth_of(text: str, folder: Path, cores: int) -> Worth:
    text = HEAD + text.replace("@", "\n").replace("for (int k", "\nfor (int k")
    line = text[: text.index("for (int i")].count("\n") + 1
    return decided(text, folder, replace(DEFAULT, cores=cores))[line]


@pytest.mark.parametrize("name", LOST)
def test_sums_that_leave_registers(name: str, tmp_path: Path) -> None:
    worth = worth_of(LOST[name], tmp_path, 2)
    assert worth.why == "compilers keep sums in 'b' in registers, but not in a region: use a variable"
    assert worth_of(LOST[name], tmp_path, 8).region


@pytest.mark.parametrize("name", KEPT)
def test_others(name: str, tmp_path: Path) -> None:
    assert worth_of(KEPT[name], tmp_path, 2).region
