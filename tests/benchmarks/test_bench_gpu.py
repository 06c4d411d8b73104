"""The benchmark of kernels on devices at tiny sizes in the host shim: all but the speed."""

from __future__ import annotations

import shutil
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest

from benchmarks.contest.contenders import PRODUCTS, Workshop, gcc
from benchmarks.contest.devices import LIBRARY, OURS, PLAIN, SHIM, TENSOR, Builder, Built, Kernel, inside
from benchmarks.contest.gpu_table import failures, page, summary
from benchmarks.contest.launches import Timed, Times, per_run, timed
from benchmarks.contest.precision import in_single, precisions
from benchmarks.contest.programs import load
from benchmarks.contest.running import difference, execute
from benchmarks.contest.shares import Result, rows
from models.machine import ASSUMED
from tests.support.places import ROOT

STAND_IN = ROOT / "tests" / "cublas"
PROGRAMS = {program.name: program for program in load(at=())}
DEVICE = replace(ASSUMED, bandwidth=100e9, double=1e12, single=2e12)

needs_compilers = pytest.mark.skipif(
    not (shutil.which("gcc") and shutil.which("g++")), reason="needs gcc and g++"
)


@needs_compilers
@pytest.mark.parametrize("name", ["gemm", "adi", "nbody", "gramschmidt"])
def test_single_precision_computes_the_same_with_fewer_digits(name: str, tmp_path: Path) -> None:
    shop, program = Workshop(1, ("-O1",)), PROGRAMS[name]
    found = []
    for precision, text in precisions(program).items():
        folder = tmp_path / precision
        folder.mkdir()
        found.append(execute(gcc(shop, text, folder), 0, 0.0, 1).outputs[0])
    assert found[0] != found[1]
    assert difference(*found, 1e-3) is None


def test_all_that_is_double_becomes_float() -> None:
    head = "#include <d1.5.h>\n/* double 0.5 */ "
    text = 'double x = 0.5 * sqrt(y) + 1e-3 + 7 + 2.5f; printf("%.3e 1.5", x);'
    single = in_single(replace(PROGRAMS["gemm"], text=head + text))
    expected = 'float x = 0.5f * sqrtf(y) + 1e-3f + 7 + 2.5f; printf("%.3e 1.5", x);'
    assert single.text == head + expected
    assert set(precisions(PROGRAMS["saxpy"])) == {"single"}


def test_all_programs_can_be_timed_in_all_precisions() -> None:
    assert all(
        "timing_stop();" in p.timed() for named in PROGRAMS.values() for p in precisions(named).values()
    )


def test_times_are_sums_of_a_run_and_the_first_run_warms_up() -> None:
    assert per_run([9.0, 9.0, 1.0, 2.0, 3.0, 4.0, 1.0, 1.0], 4) == Times(3.0, 2)
    assert per_run([5.0], 1) == Times(5.0, 1)


def result(seconds: float, plain: float, library: float, tensor: float = 0.005) -> Result:
    """A product of 2e9 operations, and a copy of 1e9 bytes, in double precision."""
    product = Kernel("p_k1", "contraction", "a|element -> b|element", 1e6, 2e9)
    copy = Kernel("p_k2", "default", "a|element -> b|element", 1e9, 1.0)
    found = Result("p", "double")
    for variant, time in (
        (OURS, seconds),
        (PLAIN, plain),
        (LIBRARY, library),
        (TENSOR, tensor),
    ):
        kernels = {
            k.name: replace(k, is_asked_for=variant in (LIBRARY, TENSOR) and k is product)
            for k in (product, copy)
        }
        found.built[variant.key] = Built([], kernels)
        times = {"p_k1": Times(time, 1), "p_k2": Times(0.01, 1)}
        found.times[variant.key] = Timed(times, 1.0, "")
    return found


def test_shares_and_bars() -> None:
    product, copy = rows(result(0.008, 0.032, 0.004), DEVICE)
    assert (product.share, product.ratio, product.of_library) == (0.25, 4.0, 0.5)
    assert product.tensor_of_library == pytest.approx(0.8)
    assert (copy.share, copy.of_library, copy.tensor_of_library) == (1.0, None, None)
    lines = summary([product, copy])
    assert lines[0] == "double, kernels bound by memory: 1 of 1 reach 80% (geometric mean 100%)"
    assert lines[1].startswith("double, products against cuBLAS: 0 of 1 reach 60%")
    assert lines[1].endswith("; below: p p_k1 50%")
    assert lines[2].startswith("double, products by tensor cores against cuBLAS: 1 of 1 reach 60%")
    assert lines[3].endswith("4.00 times as fast as by `default`")


def test_all_kernels_together_against_the_formulas_of_the_program() -> None:
    found = result(0.008, 0.032, 0.004)
    found.bytes, found.operations = 9e8, 2e9
    *_, whole = rows(found, DEVICE)
    assert (whole.kernel.name, whole.launches) == ("all of it", 2)
    assert whole.share == pytest.approx(0.5)
    assert whole.of_library == pytest.approx(0.014 / 0.018)
    assert summary(rows(found, DEVICE)) == summary(rows(result(0.008, 0.032, 0.004), DEVICE))


def test_which_kernels_the_formulas_are_about() -> None:
    is_inside = inside(PROGRAMS["syrk"])  # its region is a part of main
    lines = PROGRAMS["syrk"].timed().split("\n")
    first = lines.index("  timing_start();") + 1
    assert is_inside((first + 1, "main"))
    assert not is_inside((first - 1, "main"))
    assert inside(PROGRAMS["gemm"])((1, "kernel_gemm"))


def test_the_page_has_what_failed() -> None:
    found = result(0.008, 0.032, 0.004)
    found.notes.append("library: no -lcublas")
    text = page([found, Result("q", "single")], DEVICE, "Title", ["a note"])
    assert failures([found]) == ["p, double: library: no -lcublas"]
    assert (
        "| p | double | p_k1 | contraction | a\\|element -> b\\|element | 1 | 8 | 25% | 4.00 | 50% | 80% |"
        in text
    )
    assert text.index("- a note") < text.index("- p, double: library: no -lcublas")
    assert rows(Result("q", "single"), DEVICE) == []


@pytest.mark.long
@needs_compilers
def test_products_are_compared_with_the_library(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CUBLAS_FLAGS", f"-I{STAND_IN}")
    monkeypatch.setenv("CUBLAS_LIBS", "")
    builder = Builder(Workshop(1, ("-O1",)), SHIM)
    program, found = PROGRAMS["gemm"], Result("gemm", "double")
    assert program.name in PRODUCTS
    assert [variant.key for variant in builder.wanted(program)] == ["ours", "default", "library", "tensor"]
    assert TENSOR not in builder.wanted(replace(program, single=True))
    assert [variant.key for variant in builder.wanted(PROGRAMS["saxpy"])] == ["ours", "default"]
    (tmp_path / "gcc").mkdir()
    expected = execute(gcc(builder.shop, program, tmp_path / "gcc"), 0, 0.0, 1).outputs[0]
    for variant in (OURS, LIBRARY, TENSOR):
        folder = tmp_path / variant.key
        found.built[variant.key] = builder.build(program, variant, folder)
        times = timed(found.built[variant.key], folder, 1, 30.0, expected, program.tolerance)
        found.times[variant.key] = times
        assert times.wrong == ""
    compared = [row for row in rows(found, DEVICE) if row.of_library and row.tensor_of_library]
    assert [row.kernel.skeleton for row in compared] == ["contraction"]
    wrong = timed(found.built["ours"], tmp_path / "ours", 0, 1.0, "C 1.0", program.tolerance)
    assert "instead of" in wrong.wrong


@pytest.mark.long
@needs_compilers
def test_the_script_runs_what_was_built_elsewhere(tmp_path: Path) -> None:
    output, here, there = tmp_path / "page.md", tmp_path / "here", tmp_path / "there"
    command = [sys.executable, "benchmarks/gpu.py", "--device", SHIM, "--sizes", "own", "--programs", "saxpy"]
    command += ["--machine", "built-in", "--flags=-O1", "--runs", "1"]
    subprocess.run([*command, "--folder", here, "--build-only"], cwd=ROOT, check=True)
    here.rename(there)
    for file in there.glob("**/*"):
        if file.is_file() and file.suffix not in (".json", ""):
            file.unlink()
    command += ["--folder", str(there), "-o", str(output)]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True)
    assert "saxpy, single: ok" in done.stderr
    assert done.stdout.strip() == output.read_text().strip()
    assert "| saxpy | single | saxpy_k1 | default |" in done.stdout
