"""Kernels for CPUs that speak OpenCL: stretches of iterations, inner loops along memory, sums for vectors."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from cuvier.base.errors import UserError
from cuvier.verification.verify import VerifyOptions, verify
from skeletons import CompileOptions, Library, compile_unit
from skeletons.schedule.reorder import reordered
from species import analyse
from species.analysis.options import AnalysisOptions
from species.sets.isl_to_c import written_out
from species.source import PreprocessOptions, read_translation_unit
from tests.nests import fuzz
from tests.support.machines import CORES
from tests.support.places import ROOT
from transfers import around_kernels

CORPUS = ROOT / "corpus"
VERIFIED = [
    *(f"polybench/{name}.c" for name in ("atax", "bicg", "gemver", "covariance", "lu", "jacobi-1d", "trmm")),
    *(f"kernels/{name}.c" for name in ("transpose", "dot", "argmin", "mandelbrot", "spmv")),
    *(f"features/{name}.c" for name in ("reductions_min_max", "last_private", "negative_step")),
]


def _kernels(text: str, **options: object) -> str:
    unit = read_translation_unit("app.c", PreprocessOptions(), text=text)
    facts = analyse(unit)
    flags = CompileOptions(machine=CORES, **options)  # type: ignore[arg-type]
    return compile_unit(unit, facts, around_kernels(facts), "opencl", Library.load(), flags).files[
        "app_kernels.cl"
    ]


SUM = """double a[90][80], x[80], y[90];
void f(void) { for (int i = 0; i < 90; i++) for (int j = 0; j < 80; j++) y[i] += a[i][j] * x[j]; }"""


def test_sums_say_that_their_order_does_not_matter() -> None:
    assert "CUVIER_ANY_ORDER\n" in _kernels(SUM)


@pytest.mark.parametrize("options", [{"strict_fp": True}, {"without": frozenset({"vectorise"})}])
def test_sums_in_order(options: dict[str, object]) -> None:
    assert "CUVIER_ANY_ORDER" not in _kernels(SUM, **options)


def test_sums_of_integers_need_no_mark() -> None:
    assert "CUVIER_ANY_ORDER" not in _kernels(SUM.replace("double", "int"))


TWO_SUMS = """double a[90][80], b[90][80], x[80], y[90], z[90];
void f(void) { for (int i = 0; i < 90; i++) { double s = 0, t = 0;
    for (int j = 0; j < 80; j++) { s += a[i][j] * x[j]; t += b[i][j] * x[j]; } y[i] = s; z[i] = t; } }"""


@pytest.mark.parametrize(
    ("text", "options", "rows"),
    [
        (SUM, {}, 8),
        (SUM, {"strict_fp": True}, 8),
        (SUM.replace("i++", "i += 3"), {}, 8),
        (TWO_SUMS, {}, 4),
        (SUM, {"parameters": {"jam": 5}}, 5),
        (SUM, {"parameters": {"jam": 0}}, 0),
        (TWO_SUMS, {"parameters": {"jam": 3}}, 0),
        (SUM, {"without": frozenset({"jam"})}, 0),
        (SUM.replace("j < 80", "j <= i"), {}, 0),
        (SUM.replace("x[j]", "2"), {}, 0),
        (SUM.replace("y[i] +=", "if (a[i][j] > 0) y[i] +="), {}, 0),
    ],
)
def test_rows_that_share_what_they_read_are_made_side_by_side(
    text: str, options: dict[str, object], rows: int
) -> None:
    found = re.findall(r"enum { i_merged = (\d+) };", _kernels(text, **options))
    assert found == ([str(rows)] if rows else [])


def test_a_sum_that_reads_itself_is_left() -> None:
    assert "CUVIER_ANY_ORDER" not in _kernels(SUM.replace("* x[j]", "* y[i]"))


SEVERAL = """double a[90][80], b[90][80], x[90], y[90];
void f(void) { for (int i = 0; i < 90; i++) { double s = 0, t = 0;
    for (int j = 0; j < 80; j++) { double d = a[i][j]; s += d; t = t + d * b[i][j]; }
    x[i] = s; y[i] = t; } }"""


def test_several_sums_in_one_loop() -> None:
    text = _kernels(SEVERAL)
    assert "{ CUVIER_ANY_ORDER s += d; }" in text
    assert "{ CUVIER_ANY_ORDER t = t + d * b[i][j]; }" in text
    assert text.count("interleave_count") == 1
    assert "CUVIER_ANY_ORDER" not in _kernels(SEVERAL, strict_fp=True)


def test_sums_that_stand_last() -> None:
    text = _kernels(SEVERAL.replace("t = t + d * b[i][j];", "t = d * b[i][j] + t;"))
    assert "{ CUVIER_ANY_ORDER t = d * b[i][j] + t; }" in text


@pytest.mark.parametrize(
    "more",
    [
        SEVERAL.replace("s += d", "s = d > 1 + s").replace("t = t + d", "t = 2 - d * t"),
        SEVERAL.replace("d * b[i][j]", "s * b[i][j]").replace("s += d", "s -= d * t"),
        SEVERAL.replace("s += d", "s = s + d > 1").replace("t = t + d", "t = t * d"),
    ],
    ids=["in other operators", "each reads the other", "no sums"],
)
def test_what_is_no_sum_is_left(more: str) -> None:
    assert "CUVIER_ANY_ORDER" not in _kernels(more)


SHORT = """#define SIDE 5
float in[70][90], out[60][80], mask[SIDE][SIDE];
void f(int n) { for (int i = 0; i < 60; i++) for (int j = 0; j < 80; j++) { float s = 0;
    for (int v = 0; v < SIDE; v++) for (int u = 0; u <= SIDE - 1; ++u) s += mask[v][u] * in[i + v][j + u];
    out[i][j] = s; } }"""


def test_short_inner_loops_are_unrolled() -> None:
    text = _kernels(SHORT)
    assert text.count("#pragma unroll\n") == 2
    assert "CUVIER_ANY_ORDER" not in text


@pytest.mark.parametrize(
    ("old", "new", "count"),
    [
        ("#define SIDE 5", "#define SIDE 9", 0),
        ("v < SIDE", "v < SIDE && v < n", 1),
        ("v < SIDE", "v < n", 1),
        ("v = 0; v < SIDE; v++", "v = SIDE - 1; v >= 0; v--", 1),
        ("v < SIDE; v++", "v < SIDE; v += 2", 1),
        ("u <= SIDE - 1; ++u", "u < n; ++u", 0),
    ],
)
def test_other_inner_loops_are_not(old: str, new: str, count: int) -> None:
    assert _kernels(SHORT.replace(old, new)).count("#pragma unroll\n") == count


def test_minima_are_written_out() -> None:
    assert written_out("i <= cuvier_min(cuvier_max(a, f(b, c)), n[k, l] - 1)") == (
        "i <= ((a > f(b, c) ? a : f(b, c)) < n[k, l] - 1 ? (a > f(b, c) ? a : f(b, c)) : n[k, l] - 1)"
    )


@pytest.mark.sampled(24)
@pytest.mark.parametrize("name", VERIFIED)
def test_computes_the_same(name: str) -> None:
    options = VerifyOptions(PreprocessOptions(), generation=CompileOptions(machine=CORES))
    try:
        assert verify(CORPUS / name, "opencl", options).ok
    except UserError as error:
        if "pocl" not in str(error):
            raise
        pytest.skip(str(error))


def test_random_nests_in_the_order_for_cores(tmp_path: Path) -> None:
    tally = fuzz.Tally()
    fuzz.run(list(range(9100, 9103)), tmp_path, tally, compiler=fuzz.for_cores)
    assert not tally.wrong
    assert tally.changed


BOTH_WAYS = """double a[90][80], x[90], y[80], u[80], v[90];
void f(void) { for (int i = 0; i < 90; i++) for (int j = 0; j < 80; j++) x[i] = x[i] + a[i][j] * u[j];
    for (int j = 0; j < 80; j++) for (int i = 0; i < 90; i++) y[j] = y[j] + a[i][j] * v[i]; }"""


def _ordered(text: str, **options: object) -> str:
    unit = read_translation_unit("app.c", PreprocessOptions(), text=text)
    flags = CompileOptions(machine=CORES, **options)  # type: ignore[arg-type]
    found = reordered(unit, analyse(unit, AnalysisOptions(scops=True)), flags, cpu=True)
    return found.text if found else text


def test_a_matrix_is_read_once_for_rows_and_columns() -> None:
    text = _ordered(BOTH_WAYS)
    assert text.count("for (") == 2
    device = _kernels(text)
    assert device.count("app_k1_fast(") == 1
    assert "{ CUVIER_ANY_ORDER x_kept = x_kept + a[i][j] * u[j]; }" in device


DECOMPOSITION = """double a[900][900];
void f(void) { for (int i = 0; i < 900; i++) {
    for (int j = i; j < 900; j++) { double w = a[i][j];
        for (int k = 0; k < i; k++) w -= a[i][k] * a[k][j];
        a[i][j] = w; }
    for (int j = i + 1; j < 900; j++) { double w = a[j][i];
        for (int k = 0; k < i; k++) w -= a[j][k] * a[k][i];
        a[j][i] = w / a[i][i]; } } }"""


def test_a_decomposition_looks_ahead() -> None:
    text = _ordered(DECOMPOSITION)
    assert text.count("for (") == 3
    assert "a[j][j_] -= a[j][i] * a[i][j_];" in text
    assert _ordered(DECOMPOSITION, strict_fp=True) == DECOMPOSITION
    assert _ordered(DECOMPOSITION, without=frozenset({"right-looking"})) == DECOMPOSITION


def test_iterations_share_what_none_of_them_writes() -> None:
    device = _kernels(_ordered(DECOMPOSITION))
    assert "const double a_shared_ = a[i][j_];" in device
    assert "a[j][j_] -= a[j][i] * a_shared_;" in device


def test_many_rows_do_not_matter() -> None:
    before = "void f(void) { for (int i = 0; i < 90; i++) v[i] = 1; "
    text = BOTH_WAYS.replace("void f(void) { ", before).replace("90", "9000")
    assert _ordered(text).count("for (") == 2


@pytest.mark.parametrize(
    ("text", "options"),
    [
        (BOTH_WAYS, {"strict_fp": True}),
        (BOTH_WAYS, {"without": frozenset({"gather"})}),
        (BOTH_WAYS, {"wanted": frozenset({"deterministic"})}),
        (BOTH_WAYS.replace("80", "8000"), {}),
    ],
    ids=["no other order", "left out", "always the same order", "too many columns for a work-item"],
)
def test_or_twice(text: str, options: dict[str, object]) -> None:
    assert _ordered(text, **options).count("for (") > 3


def test_is_only_for_cpus() -> None:
    unit = read_translation_unit("app.c", PreprocessOptions(), text=SUM)
    facts = analyse(unit, AnalysisOptions())
    program = compile_unit(unit, facts, around_kernels(facts), "opencl", Library.load(), CompileOptions())
    assert "stretch" not in program.files["app_kernels.cl"]
