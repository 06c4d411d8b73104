"""Scans that read what the iteration before wrote to an array: `b[i] = b[i - 1] + a[i]`."""

from __future__ import annotations

from pathlib import Path
from random import Random

import pytest

from skeletons import CompileOptions
from skeletons.catalogue.passes import CARRY, THRESHOLD
from tests.support import accelerated
from tests.support.pattern_programs import program, sizes

SANITIZED = ("-fopenmp", "-fsanitize=address,undefined", "-fno-sanitize-recover=all")
QUIET = (
    *("-Wno-sign-compare", "-Wno-type-limits", "-Wno-misleading-indentation", "-Wno-unused"),
    *("-Wno-int-in-bool-context", "-Wno-maybe-uninitialized"),
)
SMALL = {"least": 1}


def compiled(text: str, folder: Path, target: str, **options: object) -> tuple[accelerated.Written, str]:
    source = folder / "p.c"
    source.write_text(text)
    if target == "openmp":  # short loops are to be taken, too
        options |= {"without": frozenset({THRESHOLD}) | options.get("without", frozenset())}  # type: ignore[operator]
    found = accelerated.resident(source, target, folder / target, CompileOptions(**options))  # type: ignore[arg-type]
    return found, (folder / target / "p.c").read_text()


def outputs(binary: Path, most: int) -> dict[int, str]:
    return {size: accelerated.run(binary, str(size)) for size in sizes(most)}


@pytest.mark.sampled(4)
@pytest.mark.parametrize("seed", range(3))
def test_random_loops_by_threads(seed: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    text = program(Random(seed), carried=True)
    found, _ = compiled(text, tmp_path, "openmp", parameters=SMALL)
    assert found.skeletons.count("scan") > 2
    expected = outputs(accelerated.build_plain(tmp_path / "p.c", tmp_path, QUIET), 1025)
    binary = found.folder / "p"
    flags = (*accelerated.FLAGS, *SANITIZED, *QUIET)
    accelerated.run("gcc", *flags, found.folder / "p.c", "-o", binary, "-lm")
    for threads in ("1", "2", "7"):
        monkeypatch.setenv("OMP_NUM_THREADS", threads)
        assert outputs(binary, 1025) == expected


@pytest.mark.sampled(2)
@pytest.mark.parametrize("seed", range(3, 5))
def test_random_loops_in_the_shim(seed: int, tmp_path: Path) -> None:
    found, _ = compiled(program(Random(seed), carried=True), tmp_path, "cuda")
    assert found.skeletons.count("scan") > 2
    expected = outputs(accelerated.build_plain(tmp_path / "p.c", tmp_path, QUIET), 65)
    assert outputs(accelerated.build_shim(found, (*QUIET, "-DCUVIER_POISON")), 65) == expected


@pytest.mark.long
def test_random_loops_with_opencl(tmp_path: Path) -> None:
    if not accelerated.has_opencl():
        pytest.skip("no OpenCL device on this machine")
    found, _ = compiled(program(Random(5), carried=True), tmp_path, "opencl")
    expected = outputs(accelerated.build_plain(tmp_path / "p.c", tmp_path, QUIET), 33)
    assert outputs(accelerated.build_opencl(found, QUIET), 33) == expected


FORMS = {
    "plain": "b[i] = b[i - 1] + a[i];",
    "turned": "b[i] = a[i] + b[i - 1];",
    "in place": "b[i] += b[i - 1];",
    "a macro": "b[i] = b[LESS(i)] + a[i];",
    "a block": "{ b[i] = b[i - 1] + a[i] * 2; }",
    "comments": "b[i] = b[i - 1] // before\n + a[i] // after\n ;",
}
OTHERS = {
    "another statement": "{ b[i] = b[i - 1] + a[i]; c[i] = b[i]; }",
    "further back": "b[i] = b[i - 2] + a[i];",
    "no scan": "b[i] = b[i - 1] / 2 + a[i];",
    "a condition": "if (a[i] > 0) b[i] = b[i - 1] + a[i];",
    "hidden in a macro": "b[i] = BEFORE + a[i];",
    "an iterator hidden in a macro": "b[i] = b[PREVIOUS] + a[i];",
    "two of them": "b[i] = b[i - 1] + b[i - 1];",
    "another array's subscript": "b[i] = b[i - 1] + a[(int)b[i]];",
}
FILE = """#define BEFORE b[i - 1]
#define PREVIOUS (i - 1)
#define LESS(k) ((k) - 1)
double a[100], b[100], c[100];
void f(int n) {{ for (int i = 2; i < n; i++) {} }}
"""


@pytest.mark.parametrize("form", FORMS.values(), ids=FORMS)
def test_forms(form: str, tmp_path: Path) -> None:
    found, text = compiled(FILE.format(form), tmp_path, "openmp")
    before = "b[LESS(2)]" if "LESS" in form else "b[1]"
    assert found.skeletons == ["scan"] and f"= {before};" in text
    name, taken, words = found.choices[0].why[0]
    assert (name, taken) == (CARRY, True) and words.endswith("] in variables")


@pytest.mark.parametrize("form", OTHERS.values(), ids=OTHERS)
def test_other_loops_stay(form: str, tmp_path: Path) -> None:
    found, text = compiled(FILE.format(form), tmp_path, "openmp")
    assert "scan" not in found.skeletons and form in text


def test_an_iterator_that_is_known_before_and_hidden_in_a_macro(tmp_path: Path) -> None:
    text = """#define PREVIOUS (i - 1)
    double a[100], b[100];
    void f(int n, int i) { for (i = 2; i < n; i++) b[i] = b[PREVIOUS] + a[i]; }"""
    found, kept = compiled(text, tmp_path, "openmp")
    assert "scan" not in found.skeletons and "= b[PREVIOUS] + a[i];" in kept


def test_short_loops_stay(tmp_path: Path) -> None:
    text = FILE.format(FORMS["plain"]).replace("i < n", "i < 90")
    found, kept = compiled(text, tmp_path, "openmp")
    assert found.skeletons == [] and FORMS["plain"] in kept


def test_it_can_be_left_out(tmp_path: Path) -> None:
    text = FILE.format(FORMS["plain"])
    found, _ = compiled(text, tmp_path, "openmp", without=frozenset((CARRY,)))
    assert found.skeletons == []
    found, kept = compiled(text, tmp_path, "openmp", strict_fp=True)
    assert found.skeletons == [] and FORMS["plain"] in kept


def test_another_pointer_may_lead_to_it(tmp_path: Path) -> None:
    text = "void f(int n, double *a, double *b) { for (int i = 1; i < n; i++) b[i] = b[i - 1] + a[i]; }"
    found, kept = compiled(text, tmp_path, "openmp")
    assert found.skeletons == ["scan"] and "_condition(a, n, b))) {" in kept


def test_rows_of_a_parallel_loop_stay(tmp_path: Path) -> None:
    text = """double a[50][70];
    void f(void) { for (int i = 0; i < 50; i++) for (int j = 1; j < 70; j++) a[i][j] += a[i][j - 1]; }"""
    found, kept = compiled(text, tmp_path, "openmp")
    assert "scan" not in found.skeletons and "a[i][j] += a[i][j - 1];" in kept
