"""benchmarks/published.py: lists of programs, and the table of what came of them."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

from benchmarks.published import Entry, entries, summary, table

LIST = """# of others
* --target openmp -Ilib
a/gemm.c
* --target openmp --clock '^(.+)$'  # seconds
adi.c -DSMALL
"""


def test_options_for_all_lines_below() -> None:
    assert list(entries(LIST)) == [
        Entry("a/gemm.c", ("--target", "openmp", "-Ilib")),
        Entry("adi.c", ("--target", "openmp", "--clock", "^(.+)$", "-DSMALL")),
    ]


def test_the_table_says_what_is_missing_different_or_disturbed() -> None:
    def contender(name: str, seconds: float | None, different: str = "") -> dict[str, object]:
        return {"name": name, "seconds": seconds, "different": different}

    gemm = {"contenders": [contender("gcc", 2.0), contender("cuvier", 0.5)], "ratio": 4.0, "disturbed": ["x"]}
    adi = {
        "contenders": [contender("gcc", 1.0), contender("cuvier", 2.0, "x")],
        "ratio": None,
        "disturbed": [],
    }
    lines = table({"gemm": gemm, "adi": adi, "lu": "lu.c:1:1: error"})
    assert lines[0] == "| program | gcc | cuvier | ratio |"
    assert lines[2:] == [
        "| gemm | 2 | 0.5 | 4.00 (disturbed) |",
        "| adi | 1 | 2! | - |",
        "| lu | lu.c:1:1: error | | |",
    ]
    assert summary({"gemm": gemm, "adi": adi}).startswith("4.00 in the geometric mean of 1 programs")


def test_a_program_is_measured(tmp_path: Path) -> None:
    (tmp_path / "p.c").write_text("int main(void) { return 0; }\n")
    (tmp_path / "all.list").write_text("* --target openmp --against cc --patience 0\np.c\nabsent.c\n")
    command = [
        sys.executable,
        "benchmarks/published.py",
        str(tmp_path / "all.list"),
        "-o",
        str(tmp_path / "t.md"),
        "--",
        "--rounds=1",
    ]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 1 and (tmp_path / "t.md").read_text() == done.stdout
    assert "| p | " in done.stdout and "| absent | cuvier: error: no such file: 'absent.c'" in done.stdout
