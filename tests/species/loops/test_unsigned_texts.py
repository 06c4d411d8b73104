"""Bounds that contain differences of unsigned numbers are printed with the wrap-around that C has."""

from __future__ import annotations

import re
import subprocess
from pathlib import Path

import pytest

from species import analyse
from species.analysis.options import AnalysisOptions
from species.source import PreprocessOptions, read_translation_unit

BODY = "if (j > {}) a[j] = 1; else b[j + 1] = 2;"


@pytest.mark.parametrize("difference", ["0u - k", "u - k", "u * 2 - k", "k - u", "(u << 1) - k"])
def test_a_bound_is_the_value_that_the_program_has(difference: str, tmp_path: Path) -> None:
    text = f"""int a[99], b[99];
        void f(int m, int k, unsigned u) {{ for (int j = 0; j < m; j++) {{ {BODY.format(difference)} }} }}"""
    unit = read_translation_unit("u.c", PreprocessOptions(), text=text)
    species = str(analyse(unit, AnalysisOptions()).loops[0].species)
    low = re.search(r"a\[(.*?):", species)
    assert low is not None
    program = f"""#include <stdio.h>
        int main(void) {{ for (int k = -3; k < 4; k++) for (unsigned u = 0; u < 4; u++)
            if ((long)({low[1]}) != (long)(unsigned)({difference}) + 1) return printf("%d %u\\n", k, u), 1;
            return 0; }}"""
    (tmp_path / "check.c").write_text(program)
    subprocess.run(["gcc", "-w", "check.c", "-o", "check"], cwd=tmp_path, check=True)
    done = subprocess.run(["./check"], cwd=tmp_path, capture_output=True, text=True, check=False)
    assert not done.returncode, f"{low[1]} for {difference}: {done.stdout}"


@pytest.mark.parametrize(
    ("written", "bound"),
    [
        ("(int)(unsigned)m", "m"),
        ("(int)(long)(unsigned)m", "m"),
        ("(int)(unsigned long)m", "m"),
        ("(short)(unsigned)m", ""),
        ("(int)(unsigned short)m", ""),
        ("(long)(unsigned)m", ""),
    ],
)
def test_numbers_that_were_converted_and_come_back(written: str, bound: str) -> None:
    text = f"int a[99]; void f(int m) {{ for (long j = 0; j < {written}; j++) a[j] = 1; }}"
    unit = read_translation_unit("u.c", PreprocessOptions(), text=text)
    species = str(analyse(unit, AnalysisOptions()).loops[0].species)
    assert (species == f"void -> a[0:{bound}-1]|element") is bool(bound), species
