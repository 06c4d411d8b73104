"""What stands alone in a new loop is one statement to C, too."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.nests.compared import compiled, printed

HEAD = """#include <stdio.h>
#define BOTH(a, b) a = 2; b = 3
#define CLIP(a) if (a > 9) a = 9
#define TEMPORARY double t = 0
static double A[24][24], B[24][24], x[24];
"""
BODIES = {
    "a declaration": """for (int i = 0; i < 23; i++) for (int j = 0; j < i; j++) {
        double t = 0; for (int k = j; k < 9; k++) A[i][k] = 3; }""",
    "a declaration of a macro": """for (int i = 0; i < 23; i++) for (int j = 0; j < i; j++) {
        TEMPORARY; for (int k = j; k < 9; k++) A[i][k] = 3; }""",
    "an assertion": """for (int i = 0; i < 23; i++) for (int j = 0; j < i; j++) {
        _Static_assert(sizeof(int) == 4, ""); for (int k = j; k < 9; k++) A[i][k] = 3; }""",
    "two statements of a macro": """for (int i = 0; i < 23; i++) { BOTH(x[i], A[i][3]);
        for (int j = 4; j < 20; j++) B[j][i] = A[j][i] + 1; }""",
    "a condition of a macro": """for (int i = 0; i < 23; i++) for (int j = 0; j < 23; j++) {
        if (j < 7) CLIP(A[j][i]); else B[j][i] = 2; }""",
    "nothing": "for (int i = 0; i < 23; i++) for (int j = 0; j < 23; j++) { ; A[j][i] += 1; ; }",
}
MAIN = """int main(void) { double s = 0; nests(); for (int i = 0; i < 24; i++) { s += x[i] * i;
    for (int j = 0; j < 24; j++) s = s * 0.9 + A[i][j] + 2 * B[i][j]; } printf("%.17g\\n", s); return 0; }
"""


@pytest.mark.parametrize("name", BODIES)
def test_results_are_the_same(name: str, tmp_path: Path) -> None:
    text = f"{HEAD}static void nests(void)\n{{\n{BODIES[name]}\n}}\n{MAIN}"
    assert printed(compiled(text), tmp_path) == printed(text, tmp_path)
