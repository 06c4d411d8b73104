"""Threads get copies of temporary arrays where that makes an outermost loop parallel, and only there."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from tests.skeletons.schedule.test_transformed_nests import compiled, steps

DECLARED = "double t[30];"
FILL = "for (int j = 0; j < 30; j++) t[j] = x[i + j];"
ADD = "for (int j = 1; j < 30; j++) t[j] += t[j - 1];"
MADE = {
    "dead afterwards": f"{DECLARED} for (int i = 0; i < 99; i++) {{ {FILL} {ADD} y[i] = t[29]; }}",
    "needed afterwards": f"""{DECLARED} for (int i = 0; i < 99; i++) {{ {FILL} {ADD} y[i] = t[29]; }}
        s = t[3];""",
    "in part": f"""{DECLARED} for (int j = 0; j < 30; j++) t[j] = 5;
        for (int i = 0; i < 99; i++) {{ for (int j = 2; j < 9; j++) t[j] = x[i + j];
        for (int j = 3; j < 9; j++) t[j] += t[j - 1]; y[i] = t[8]; }} s = t[3] + t[1] + t[20];""",
    "downwards": f"{DECLARED} for (int i = 98; i >= 0; i--) {{ {FILL} {ADD} y[i] = t[29]; }} s = t[3];",
    "large": """double t[99][70]; for (int i = 0; i < 99; i++) {
        for (int j = 0; j < 99; j++) for (int k = 0; k < 70; k++) t[j][k] = x[i + j] + k;
        for (int j = 1; j < 99; j++) for (int k = 1; k < 70; k++) t[j][k] += t[j - 1][k - 1];
        y[i] = t[98][69]; } s = t[3][4];""",
    "large and small": """double t[99][70], u[5]; for (int i = 0; i < 99; i++) {
        for (int j = 0; j < 99; j++) for (int k = 0; k < 70; k++) t[j][k] = x[i + j] + k;
        for (int j = 1; j < 99; j++) for (int k = 1; k < 70; k++) t[j][k] += t[j - 1][k - 1];
        for (int j = 0; j < 5; j++) u[j] = t[j][j] + i; for (int j = 4; j > 0; j--) u[j] -= u[j - 1];
        y[i] = t[98][69] + u[4]; } s = t[3][4] + u[2];""",
    "two dimensions": """double t[9][7]; for (int i = 0; i < 99; i++) {
        for (int j = 0; j < 9; j++) for (int k = 0; k < 7; k++) t[j][k] = x[i + j] + k;
        for (int j = 1; j < 9; j++) for (int k = 1; k < 7; k++) t[j][k] += t[j - 1][k - 1];
        y[i] = t[8][6]; } s = t[3][4];""",
    "and a sum": f"{DECLARED} for (int i = 0; i < 99; i++) {{ {FILL} {ADD} s += t[29]; }}",
}
LEFT = {
    "a cell from before": f"{DECLARED} t[0] = 1; for (int i = 0; i < 99; i++) {{ {ADD} y[i] = t[29]; }}",
    "too few iterations": f"{DECLARED} for (int i = 0; i < 3; i++) {{ {FILL} {ADD} y[i] = t[29]; }}",
    "carried": f"{DECLARED} for (int i = 1; i < 99; i++) {{ {FILL} {ADD} y[i] = y[i - 1] + t[29]; }}",
    "one that only the last sees": f"""{DECLARED} for (int i = 0; i < 99; i++) {{
        for (int j = 0; j < 30 && j < i; j++) t[j] = x[i + j];
        for (int j = 1; j < 30 && j < i; j++) t[j] += t[j - 1]; y[i] = 1; }} s = t[29];""",
}


@pytest.mark.parametrize("name", MADE)
def test_is_made(name: str) -> None:
    program = compiled(MADE[name], without=frozenset({"threshold"}))
    assert "privatise" in steps(program)
    assert ("t_copies" in program.files["nests.c"]) == name.startswith("large")


@pytest.mark.parametrize("name", LEFT)
def test_is_left(name: str) -> None:
    assert "privatise" not in steps(compiled(LEFT[name]))


@pytest.mark.sampled(4)
@pytest.mark.parametrize("name", MADE)
@pytest.mark.parametrize("threads", [1, 4])
def test_runs(name: str, threads: int, tmp_path: Path) -> None:
    main = """
#include <stdio.h>
int main(void)
{
  for (int i = 0; i < 400; i++) x[i] = i % 7;
  f(99, 9);
  for (int i = 0; i < 400; i++) s += y[i] * (i % 5);
  printf("%.17g\\n", s);
  return 0;
}
"""
    texts = {"before": f"double x[400], y[400], s;\nvoid f(int n, int m) {{ {MADE[name]} }}"}
    texts["after"] = compiled(MADE[name], without=frozenset({"threshold"})).files["nests.c"]
    printed = []
    for stem, text in texts.items():
        source = tmp_path / f"{stem}.c"
        source.write_text(text + main)
        flags = [
            "-O1",
            "-fopenmp",
            "-Wall",
            "-Wextra",
            "-Werror",
            "-Wno-unused-parameter",
            "-Wno-misleading-indentation",
        ]
        subprocess.run(
            ["gcc", *flags, "-fsanitize=address,undefined", source, "-o", tmp_path / stem], check=True
        )
        environment = {"OMP_NUM_THREADS": str(threads), "ASAN_OPTIONS": "detect_leaks=1"}
        done = subprocess.run([tmp_path / stem], capture_output=True, text=True, check=True, env=environment)
        printed.append(done.stdout)
    assert printed[0] == printed[1]
