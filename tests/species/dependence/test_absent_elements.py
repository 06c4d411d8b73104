"""Elements that a loop adds to, perhaps: where it adds nothing, there need be none."""

from __future__ import annotations

from pathlib import Path

import pytest

from cuvier.pipeline.generate import generate
from skeletons import CompileOptions, Library
from species import AnalysisOptions, analyse
from species.facts.loops import LoopFacts
from species.source import PreprocessOptions, read_translation_unit
from tests.support import accelerated
from tests.support.analysing import loops_of

HEAD = "struct S { double x; }; static long fixed[8]; void g(long *); "

SANITIZED = ("-fopenmp", "-fsanitize=address,undefined", "-fno-sanitize-recover=all")

# Where nothing says that the element is there, OpenMP cannot be asked to have copies of it.
ABSENT = {
    "no iteration": "for (int i = 0; i < n; i++) s[0] += b[i];",
    "no iteration inside": "for (int i = 0; i < 9; i++) for (int j = 0; j < n; j++) *s += b[j];",
    "a pointer that is tested": "for (int i = 0; i < 9; i++) if (n > 3) s[1] += b[i];",
    "data decide": "for (int i = 0; i < 9; i++) if (b[i] > 3) s[1] += b[i];",
    "set under a condition": "if (n > 3) *s = 0; for (int i = 0; i < n; i++) *s += b[i];",
    "set elsewhere": "s[1] = 0; for (int i = 0; i < n; i++) *s += b[i];",
    "the pointer moves on": "*s = 0; s += 5; for (int i = 0; i < n; i++) *s += b[i];",
    "another of the name": "*s = 0; { long *s = q; for (int i = 0; i < n; i++) *s += b[i]; }",
    "given away": "*s = 0; g(s); for (int i = 0; i < n; i++) *s += b[i];",
    "another time": """for (int t = 0; t < 9; t++) {
        if (t < m) { s++; continue; } for (int i = 0; i < n; i++) *s += b[i]; }""",
    "looked at before the function may end": """
        for (int i = 0; i < n; i++) *s += b[i];
        if (m) return; *s = 1;""",
    "not looked at": "long z = sizeof *s + (m && *s); for (int i = 0; i < n; i++) *s += b[i] + z;",
    "another subscript": "s[m] = 0; m++; for (int i = 0; i < n; i++) s[m] += b[i];",
    "beyond an array": "for (int i = 0; i < n; i++) fixed[m] += b[i];",
    "a section beyond an array": "for (int i = 0; i < n; i++) for (int j = 0; j < 20; j++) fixed[j] += b[i];",
    "a section of what a pointer leads to": """
        for (int i = 0; i < n; i++) for (int j = 0; j < 4; j++) s[j] += b[i];""",
}

PRESENT = {
    "set before": "*s = 0; for (int i = 0; i < n; i++) s[0] += b[i];",
    "read before": "long t = s[0]; for (int i = 0; i < n; i++) *s += b[i] + t;",
    "read behind": "for (int i = 0; i < n; i++) *s += b[i]; return *s;",
    "divided behind": "for (int i = 0; i < n; i++) if (b[i]) *s += b[i]; *s /= 3;",
    "always touched": "for (int i = 0; i < 9; i++) *s += b[i];",
    "always touched inside": "for (int i = 0; i < 9; i++) for (int j = 0; j <= i; j++) *s += b[j];",
    "tested before": "if (n > 0) for (int i = 0; i < n; i++) *s += b[i];",
    "in an array": "for (int i = 0; i < n; i++) fixed[3] += b[i];",
    "in an array, as tested": "if (m >= 0 && m < 8) for (int i = 0; i < n; i++) fixed[m] += b[i];",
    "a section": "for (int i = 0; i < n; i++) for (int j = 0; j < 8; j++) fixed[j] += b[i];",
    "set in the loop around it": """
        for (int t = 0; t < n; t++) { q[t] = 0; for (int i = 0; i < n; i++) q[t] += b[i]; }""",
}


PROGRAM = """
#include <stdio.h>
void sum(int n, double *s, const float *b) { for (int i = 0; i < n; i++) s[0] += b[i]; }
void opt(int n, long *s, const int *b) { for (int i = 0; i < n; i++) if (s) *s += b[i]; }
void nest(int n, int m, long *s, const int *b) {
    for (int i = 0; i < n; i++) for (int j = 0; j < m; j++) *s += b[i + j]; }
void only(int n, int m, int k, long *s, const int *b) {
    for (int i = 0; i < n; i++) for (int j = 0; j < m; j++) if (k > 0) s[k] += b[i + j]; }
void two(int n, int m, int k, long *s, long *restrict t, const int *b) {
    for (int i = 0; i < n; i++) for (int j = 0; j < m; j++) { if (k > 0) s[k] += b[i + j]; t[j] += 1; } }
void part(int n, long *h, const int *b) {
    for (int i = 0; i < n; i++) for (int j = 0; j < 8; j++) h[j] += b[i + j]; }
void data(int n, long *s, const int *b) { for (int i = 0; i < n; i++) if (b[i] > 2) s[0] += b[i]; }
static int b[40] = {1, 2};
static float f[9] = {1, 2};
static long h[8];
int main(void) {
    sum(0, 0, f); opt(5, 0, b); nest(0, 5, 0, b); nest(5, 0, 0, b); only(5, 5, -1000000, 0, b);
    two(5, 5, -1000000, 0, h, b); part(0, 0, b); part(9, h, b); data(4, 0, b);
    for (int i = 0; i < 8; i++) printf("%ld ", h[i]);
    return 0; }
"""


def last_of(body: str) -> LoopFacts:
    """The innermost loop with a reduction, or the outermost of several."""
    parameters = "int n, int m, long *restrict s, long *restrict q, const int *b"
    text = f"{HEAD} long f({parameters}) {{ {body} return 0; }}"
    return next(loop for loop in loops_of(text) if loop.reductions and loop.verdict.is_parallel)


@pytest.mark.parametrize("body", ABSENT.values(), ids=ABSENT.keys())
def test_nothing_is_touched_that_need_not_be_there(body: str) -> None:
    loop = last_of(body.replace("return;", "return 1;"))
    assert loop.openmp_obstacle


@pytest.mark.parametrize("body", PRESENT.values(), ids=PRESENT.keys())
def test_what_is_there_for_certain_is_combined(body: str) -> None:
    assert last_of(body).openmp_obstacle == ""


def test_compiled_programs_touch_nothing_either(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    source = tmp_path / "absent.c"
    source.write_text(PROGRAM)
    expected = accelerated.run(accelerated.build_plain(source, tmp_path))
    flags, library = PreprocessOptions(), Library.load()
    unit, analysis = read_translation_unit(str(source), flags), AnalysisOptions(scops=True)
    options = CompileOptions(without=frozenset({"threshold"}))
    made = generate(unit, analyse(unit, analysis), "openmp", library, flags, analysis, options)
    host, binary = tmp_path / "host.c", tmp_path / "host"
    host.write_text(made.files["absent.c"])
    accelerated.run("gcc", "-O1", *SANITIZED, host, "-o", binary)
    monkeypatch.setenv("OMP_NUM_THREADS", "3")
    assert "reduction(+:" in made.files["absent.c"]
    assert accelerated.run(binary) == expected
