"""Iterations side by side, in vectors, where their inner loops end when data says so (`lanes`)."""

from __future__ import annotations

import re
import subprocess
from collections import Counter
from pathlib import Path

import pytest

from skeletons import CompileOptions, Library, Program, compile_unit
from skeletons.body.outer_vectorisation.conditions import bitwise
from skeletons.catalogue.passes import LANES, THRESHOLD
from skeletons.schedule.pipelines.registry import check_names
from species import analyse
from species.analysis.options import AnalysisOptions
from species.source import PreprocessOptions, read_translation_unit
from tests.lanes.fuzz import FAST, SANITIZED, by_opencl, differences, printed
from tests.support.accelerated import has_opencl, written
from transfers import around_kernels

FRAME = """#include <math.h>
#include <stdio.h>
#define STEPS 40
#define NEAR(x) ((x) > -9 && (x) < 9)
#define STOP if (x > 1e3) break;
struct pair {{ double x, y; }};
static double a[50], res[3][50];
static struct pair pairs[50];
static int b[50], out[3][50], table[64];
long f(int n, unsigned m, double *p, const double *q)
{{
    long total = n + m; (void)p, (void)q, (void)pairs, (void)table;
    {loop}
    return total;
}}
int main(void)
{{
    static const int sizes[] = {{ 0, 1, 15, 16, 17, 50 }};
    for (int k = 0; k < 6; k++) {{
        for (int i = 0; i < 50; i++)
            a[i] = (i * 37 % 101 - 30) / 16.0, b[i] = i * 29 % 60 + 1, out[0][i] = out[1][i] = -1;
        for (int i = 0; i < 64; i++)
            table[i] = i * 3 / 4;
        printf("%ld", f(sizes[k], sizes[k], res[2], a));
        for (int j = 0; j < 3; j++)
            for (int i = 0; i < 50; i++)
                printf(" %d %a", out[j][i], res[j][i]);
        printf("\\n");
    }}
    return 0;
}}
"""
ESCAPE = "double x = a[i]; int k = 0; while (k < STEPS && x * x < 1e4) { x = x * 1.5 + 1.0; k++; }"
MADE = {
    "while": f"for (int i = 0; i < n; i++) {{ {ESCAPE} out[0][i] = k; res[0][i] = x; }}",
    "two rows": f"for (int j = 0; j < 2; j++) for (int i = 0; i < n; i++) {{ {ESCAPE} out[j][i] = k; }}",
    "rows with values of their own": f"""for (int j = 0; j < 2; j++) {{ double c = j;
        for (int i = 0; i < n; i++) {{ {ESCAPE} res[j][i] = x + c; }} }}""",
    "a sum": f"for (int i = 0; i < n; i++) {{ {ESCAPE} total += k; }}",
    "downwards, declared outside": f"int i; for (i = n - 1; i >= 0; i--) {{ {ESCAPE} out[0][i] = k; }}",
    "an unsigned bound": f"for (unsigned i = 1; i < m; i++) {{ {ESCAPE} out[0][i] = k; }}",
    "Newton": """for (int i = 0; i < n; i++) { double c = fabs(a[i]) + 1, x = c;
        while (fabs(x * x - c) > 1e-9) x = 0.5 * (x + c / x); res[0][i] = x; }""",
    "do": """double d; for (int i = 0; i < n; i++) { float x = (float)b[i];
        do { float y = x; x = 0.5f * (y + b[i] / y); d = x - y; } while (d * d > 1e-4); res[0][i] = x; }""",
    "a break in the middle": """for (int i = 0; i < n; i++) { double x = a[i], y = 0.5; int k;
        for (k = 0; k < STEPS; k++) { double s = x * x, t = y * y; if (s + t > 4) break;
        y = 2 * x * y + 0.1; x = s - t + 0.2; } out[0][i] = k; res[0][i] = y; }""",
    "a break at the start": """for (int i = 0; i < n; i++) { int v = b[i], k;
        for (k = 0; k < STEPS; k++) { if (v == 1) break; v = v % 2 ? 3 * v + 1 : v / 2; } out[0][i] = k; }""",
    "breaks of no other condition": """for (int i = 0; i < n; i++) { unsigned h = b[i]; int k = 0;
        for (;;) { if ((h & 7) == 3 || k >= STEPS) break; h = h * 5u + 1; k++; } out[0][i] = h % 99; }""",
    "two iterators": """for (int i = 0; i < n; i++) { double x = a[i];
        for (int k = 0, l = 30; k < l && x < 1e5; k++, l--) x = x * 1.5 + l; res[0][i] = x; }""",
    "a search": """for (int i = 0; i < n; i++) { int low = 0, high = 64;
        while (low < high) { int mid = low + (high - low) / 2;
        if (table[mid] < b[i]) low = mid + 1; else high = mid; } out[0][i] = low; }""",
    "a step more would overflow": """for (int i = 0; i < n; i++) { int v = b[i], k = 0;
        do { v = v * 3 + 1; k += 2; } while (v < 700000000 && k < 99); out[0][i] = v; }""",
    "a step more would shift too far": """for (int i = 0; i < n; i++) { int s = b[i] % 31, v = 1;
        do { v ^= 1 << s; s += 1; v = v ^ (v >> 3); } while (s < 31); out[0][i] = v; }""",
    "a step more would read behind the array": """for (int i = 0; i < n; i++) { int p = b[i], s = 1;
        while (table[p] < 46) { s = (s * 3 + 7) % 1009 + table[p]; p = p + 1; } out[0][i] = s; }""",
    "names that are taken": """int at = 1, lane = 2;
        for (int i = 0; i < n; i++) { double x_lanes = a[i], x = at;
        int more = 0, go = lane, ready = 1;
        while (more < STEPS && x_lanes < 1e3) { x_lanes = x_lanes * 1.5 + x; x = x + go; more += ready; }
        out[0][i] = more; res[0][i] = x_lanes; }""",
    "comments": """for (int i = 0; i < n; i++) { // { first
        double x = a[i]; /* x; */ int k; // k }
        for (k = 0 /* ; */; k < STEPS /* ) */ && x * x < 1e4; k++ /* ( */) // step {
        { x = x * 1.5 + 1.0; // } end
        } out[0][i] = k; /* last */ }""",
    "variables without a value at first": """double t;
        for (int i = 0; i < n; i++) { double x = a[i], y; int k; if (b[i] > 9) k = 1; else k = 0;
        while (k < STEPS && x < 1e4) { t = x * x; y = t + 1; x = y + t; k++; }
        out[0][i] = k; res[0][i] = x; }""",
}
REFUSED = {
    "it is parallel on a condition only": f"""double *r = (double *)(long)p, *s = (double *)(long)q;
        for (int i = 0; i < n; i++) {{ {ESCAPE} r[i] = s[i] + k; }}""",
    "carries a value between iterations": f"""double x; for (int i = 0; i < n; i++) {{
        {ESCAPE.replace("double ", "")} out[0][i] = k; }} total += (long)x;""",
    "only loops with steps of one": f"for (int i = 0; i < n; i += 2) {{ {ESCAPE} out[0][i] = k; }}",
    "its iterator i is narrower than int": f"for (short i = 0; i < 40; i++) {{ {ESCAPE} out[0][i] = k; }}",
    "compares a signed with an unsigned": f"for (int i = n - n; i < m; i++) {{ {ESCAPE} out[0][i] = k; }}",
    "its bound is wider": f"for (unsigned i = 0; i < (unsigned long)m; i++) {{ {ESCAPE} out[0][i] = k; }}",
    "it makes only 9 iterations": f"for (int i = 0; i < 9; i++) {{ {ESCAPE} out[0][i] = k; }}",
    "more than one loop": f"""for (int i = 0; i < n; i++) {{ {ESCAPE}
        while (k > 0 && x > 2) {{ x = x * 0.5 - 0.1; k--; }} out[0][i] = k; }}""",
    "may end before the inner loop": f"""for (int i = 0; i < n; i++) {{
        if (b[i] == 7) continue; {ESCAPE} out[0][i] = k; }}""",
    "is left at more places": """for (int i = 0; i < n; i++) { double x = a[i]; int k;
        for (k = 0; k < STEPS; k++) { if (x > 3) { x = 0; break; } x = x * x + 0.5; } out[0][i] = k; }""",
    "its inner loop is counted": """for (int i = 0; i < n; i++) { double x = a[i]; int k;
        for (k = 0; k < STEPS && k < b[i]; k++) x = x * x * 0.5 + x * 0.25;
        out[0][i] = k; res[0][i] = x; }""",
    "a macro hides statements": """for (int i = 0; i < n; i++) { double x = a[i]; int k = 0;
        while (k < STEPS && NEAR(x)) { x = x * 1.5 + 1; k++; } out[0][i] = k; }""",
    "does too little arithmetic": """for (int i = 0; i < n; i++) { double x = a[i];
        while (x > 1) x *= 0.5; res[0][i] = x; }""",
    "writes memory": """for (int i = 0; i < n; i++) { double x = a[i]; out[0][i] = 0;
        while (out[0][i] < STEPS && x * x < 1e4) { x = x * 1.5 + 1; out[0][i]++; } }""",
    "does more than arithmetic": """for (int i = 0; i < n; i++) {
        double x = a[i]; int k = 0;
        while (k < STEPS && x * x < 1e4) { x = x * 1.5 + sin(x); k++; } out[0][i] = k; }""",
    "z is no plain number": """for (int i = 0; i < n; i++) { struct pair z = { a[i], 1 }; int k = 0;
        while (k < STEPS && z.x * z.x < 1e4) { z.x = z.x * 1.5 + z.y; k++; } out[0][i] = k; }""",
    "which vectors do not hold": """for (int i = 0; i < n; i++) { unsigned char c = b[i]; int k = 0;
        while (k < STEPS && c != 7) { c = c * 5 + 1; k++; } out[0][i] = k; }""",
    "vectors have no `%` for integers": """for (int i = 0; i < n; i++) { int u = b[i], v = 84;
        while (v != 0 && u < 99999) { int t = u % v; u = v; v = t; } out[0][i] = u; }""",
    "vectors have no `%` for long": """for (int i = 0; i < n; i++) { long v = b[i]; int k = 0;
        while (k < STEPS && v != 1) { v = v % 2 ? 3 * v + 1 : v / 2; k++; } out[0][i] = k; }""",
    "vectors do not convert long to double": """for (int i = 0; i < n; i++) { double x = a[i]; long k = 0;
        while (k < STEPS && x < 1e4) { x = x * 1.5 + k; k++; } out[0][i] = (int)k; }""",
    "gcc keeps a branch": """for (int i = 0; i < n; i++) { double x = a[i]; int k = 0;
        while (k < STEPS && x < 1e4) { if (x > 9) x = x * 2; else x = x + 5; k++; } out[0][i] = k; }""",
    "would speculate on a read of memory": """for (int i = 0; i < n; i++) { int p = b[i], s = 1;
        while (p < 64 && table[p] < 46) { s = s * 3 % 1009 + p; p = p + 1; } out[0][i] = s; }""",
    "would speculate on `*` of signed numbers": """for (int i = 0; i < n; i++) { int v = b[i], k = 0;
        while (k < STEPS && v * v < 90000) { v = v + k + 3; k++; } out[0][i] = v; }""",
    "which no test bounds": """for (int i = 0; i < n; i++) { double x = a[i]; int k = 2147483600;
        while (1) { x = x * x + 0.5; if (x > 9) break; k++; x = x + 0.5; } out[0][i] = k; }""",
    "may have no value": """for (int i = 0; i < n; i++) { double x = a[i], y; int k = 0; if (b[i] > 3) y = 1;
        while (k < STEPS && x < 1e4) { x = x * 1.5 + 1; k++; }
        out[0][i] = k; res[0][i] = b[i] > 3 ? y : x; }""",
    "is declared twice": f"""for (int i = 0; i < n; i++) {{ {ESCAPE} out[0][i] = k;
        {{ double x = 3; res[0][i] = x; }} }}""",
}
VECTORS = ("while", "two rows", "Newton", "a break in the middle", "a break at the start", "a search", "do")


def compiled(text: str, without: tuple[str, ...] = ()) -> Program:
    unit = read_translation_unit("program.c", PreprocessOptions(), text=text)
    facts = analyse(unit, AnalysisOptions(scops=True))
    options = CompileOptions(without=frozenset({THRESHOLD, *without}))
    return compile_unit(unit, facts, around_kernels(facts), "openmp", Library.load(), options)


def said(program: Program) -> list[tuple[bool, str]]:
    return [(made, why) for choice in program.choices for name, made, why in choice.why if name == LANES]


@pytest.mark.sampled(8)
@pytest.mark.parametrize("name", MADE)
def test_the_results_are_the_same(name: str, tmp_path: Path) -> None:
    text = FRAME.format(loop=MADE[name])
    program = compiled(text)
    assert [made for made, _ in said(program)] == [True]
    expected = printed(text, tmp_path, *SANITIZED, "-w")
    assert not expected.startswith("error")
    made = program.files["program.c"]
    for flags in (
        (*SANITIZED, "-fopenmp"),
        (*FAST, "-fopenmp", "-Wall", "-Wextra", "-Werror", "-Wno-sign-compare"),
    ):
        assert printed(made, tmp_path, *flags) == expected


@pytest.mark.sampled(2)
@pytest.mark.parametrize("reason", REFUSED)
def test_what_is_refused(reason: str) -> None:
    text = FRAME.format(loop=REFUSED[reason])
    program = compiled(text)
    ((made, why),) = said(program)
    assert not made and reason in why
    assert "_lanes" not in program.files["program.c"]


@pytest.mark.parametrize("name", VECTORS)
def test_gcc_makes_vectors(name: str, tmp_path: Path) -> None:
    if not re.search(r"^flags.* avx2 ", Path("/proc/cpuinfo").read_text() + " ", re.MULTILINE):
        pytest.skip("vectors of this machine differ")
    made = compiled(FRAME.format(loop=MADE[name])).files["program.c"]
    (tmp_path / "program.c").write_text(made)
    words = ["gcc", *FAST, "-fopenmp", "-fopt-info-vec-optimized", "-c", "program.c"]
    notes = subprocess.run(words, cwd=tmp_path, capture_output=True, text=True, check=True).stderr
    line = 1 + next(k for k, text in enumerate(made.split("\n")) if "omp simd reduction(|:" in text)
    assert any(f"program.c:{line + more}:" in notes for more in (0, 1))


def test_it_can_be_left_out() -> None:
    check_names([LANES])
    text = FRAME.format(loop=MADE["while"])
    program = compiled(text, without=(LANES,))
    assert not said(program) and MADE["while"] in program.files["program.c"]


def test_files_that_look_at_floating_point_flags_are_left_alone() -> None:
    text = FRAME.format(loop=MADE["while"] + " total += fetestexcept(1);")
    ((made, why),) = said(compiled("#include <fenv.h>\n" + text))
    assert not made and "flags" in why


@pytest.mark.parametrize(
    ("condition", "bits"),
    [
        ("a < b", "(a < b)"),
        ("(a < b) && c", "((a < b) & ((c) != 0))"),
        ("a < b || c == d && !(e > f && g)", "((a < b) | ((c == d) & !((e > f) & ((g) != 0))))"),
        ("a & b", "((a & b) != 0)"),
        ("a < b & c", "((a < b & c) != 0)"),
    ],
)
def test_conditions_are_tested_bit_by_bit(condition: str, bits: str) -> None:
    assert bitwise(condition) == bits


@pytest.mark.sampled(12)
@pytest.mark.parametrize("name", MADE)
def test_kernels_for_cpus(name: str, tmp_path: Path) -> None:
    if not has_opencl():
        pytest.skip("no OpenCL device on this machine")
    text, reasons = FRAME.format(loop=MADE[name]), Counter[str]()
    assert by_opencl(text, tmp_path, reasons) == printed(text, tmp_path, *SANITIZED, "-w")
    assert reasons["taken"] == 1 and "_lanes[" in (tmp_path / "out" / "program_kernels.cl").read_text()


def test_kernels_for_gpus_have_none(tmp_path: Path) -> None:
    source = tmp_path / "program.c"
    source.write_text(FRAME.format(loop=MADE["while"]))
    found = written(source, "opencl", tmp_path)
    assert "default" in found.skeletons and not [
        name for c in found.choices for name, _, _ in c.why if name == LANES
    ]
    assert "_lanes[" not in (tmp_path / "program_kernels.cl").read_text()


def test_random_programs_through_opencl(tmp_path: Path) -> None:
    if not has_opencl():
        pytest.skip("no OpenCL device on this machine")
    reasons = Counter[str]()
    assert differences([*range(100, 109)], tmp_path, reasons, "opencl") == []
    assert reasons["taken"] > 2


def test_random_programs(tmp_path: Path) -> None:
    reasons = Counter[str]()
    assert differences([*range(8)], tmp_path, reasons) == []
    assert reasons["taken"] > 4
