"""Histograms and the like: how updates are found, what is refused, and the right values at every size."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from skeletons.kernel.updates import updates
from species.core.refusal import Refusal
from tests.support import accelerated

SOURCE = accelerated.PROGRAMS / "histograms.c"
SIZES = (0, 1, 63, 64, 65, 255, 256, 257, 1200)
ALWAYS_GLOBAL = {"fast_bytes": 0}
SMALL = {"width": 32, "groups": 3}

MACROS = {"SUM": "a + b", "SAFE": "(a - b)", "ONE": "1", "MAX": "((a) > (b) ? (a) : (b))", "H": "h"}


@pytest.mark.parametrize(
    ("text", "operator", "found"),
    [
        ("h[k[i]]++;", "+", ("h[k[i]]", "+", "1")),
        ("{ --h[k[i]]; }", "+", ("h[k[i]]", "-", "1")),
        ("if (c[i]) h[0] += c[i] ? 1 : 2;", "+", ("h[0]", "+", "c[i] ? 1 : 2")),
        ("for (j = 0; j < 4; j++) h[j] -= a - b;", "+", ("h[j]", "-", "a - b")),
        ("h[i] = h[i] + f(a, b) * 3;", "+", ("h[i]", "+", "f(a, b) * 3")),
        ("h[i] = h[i] - SAFE;", "+", ("h[i]", "-", "SAFE")),
        ("h[i] = a - b + h[i];", "+", ("h[i]", "+", "a - b")),
        ("h[i] = (double)a * -b + h[ i ];", "+", ("h[i]", "+", "(double)a * -b")),
        ("h[i][j] *= a + b;", "*", ("h[i][j]", "*", "a + b")),
        ("h[i] = h[i] & ~a;", "&", ("h[i]", "&", "~a")),
        ("h[i] |= 1 << a;", "|", ("h[i]", "|", "1 << a")),
        ("if (a[i] < h[k]) h[k] = a[i];", "min", ("h[k]", "min", "a[i]")),
        ("if (h[k] < a[i]) { h[k] = a[i]; }", "max", ("h[k]", "max", "a[i]")),
        ("h[k] = (h[k] < x) ? x : h[k];", "max", ("h[k]", "max", "x")),
        ("h[k] = fmax(x + 1, h[k]);", "max", ("h[k]", "max", "x + 1")),
    ],
)
def test_updates(text: str, operator: str, found: tuple[str, str, str]) -> None:
    (update,) = updates(text, "h", operator, MACROS.get)
    assert (update.place, update.operator, update.operand) == found


@pytest.mark.parametrize(
    ("text", "operator"),
    [
        ("x = h[i]++;", "+"),
        ("h[i] += 1, x = 2;", "+"),
        ("x = 1, h[i] += 1;", "+"),
        ("for (h[0] += 1; a; ) ;", "+"),
        ("for (; a; h[0]++) ;", "+"),
        ("h[i] += h[j];", "+"),
        ("h[h[i]] += 1;", "+"),
        ("h[i] += 1; x = h[i];", "+"),
        ("h[i] = h[i] + a - b;", "+"),
        ("h[i] = h[i] - SUM;", "+"),
        ("h[i] = SUM + h[i];", "*"),
        ("h[i] = SUM * h[i];", "*"),
        ("h[i] = h[i] * a + b;", "*"),
        ("h[i] = a - h[i];", "+"),
        ("h[i] = h[i] + (x = 2);", "+"),
        ("h[i] = h[i] * a / b;", "*"),
        ("h[i] = h[j] + a;", "+"),
        ("h[i] = a ? h[i] + 1 : h[i];", "+"),
        ("h[i] *= 2;", "+"),
        ("LOOP(i) h[i] += 2;", "+"),
        ("x = (int)h[i]++;", "+"),
        ("if (a[i] < h[k]) h[k] = a[i]; else x = 2;", "min"),
        ("if (a[i] < h[k]) { h[k] = a[i]; x = i; }", "min"),
        ("if (a[i] < h[k] && c) h[k] = a[i];", "min"),
        ("if (a[i] < h[k]) h[k] = a[i] + 1;", "min"),
        ("h[k] = h[j] < x ? x : h[k];", "max"),
        ("h[k] = MAX(h[k], x);", "max"),
        ("h[k] = max(h[k], x) + 1;", "max"),
        ("p = h;", "+"),
    ],
)
def test_what_is_no_plain_update_is_refused(text: str, operator: str) -> None:
    with pytest.raises(Refusal):
        updates(text, "h", operator, MACROS.get)


REFUSED = {
    "char h[9];": ("h[k[i]] += 1;", "no device combines char elements like those of h in one step"),
    "int h[9];\n#define H h": ("H[k[i]] += 1;", "h is used under another name, or another h is declared"),
    "int h[9]; ": ("{ h[k[i]] += 1; { int h = i; k[i] = h; } }", "h is used under another name"),
    "int h[9];  ": ("if (h[k[i]] < i && i < 7) h[k[i]] = i;", "has no atomic form"),
}


@pytest.mark.parametrize("declarations", REFUSED)
def test_what_has_no_atomic_form_stays_on_the_host(declarations: str, tmp_path: Path) -> None:
    statement, reason = REFUSED[declarations]
    source = tmp_path / "p.c"
    source.write_text(
        f"{declarations}\nint k[50];\nvoid f(void) {{ for (int i = 0; i < 50; i++) {statement} }}\n"
    )
    found = accelerated.written(source, "cuda", tmp_path / "out")
    assert found.skeletons == [] and reason in found.reason("combine")
    assert "is reduced and is no scalar" in found.reason("default") or "a scalar is reduced" in found.reason(
        "default"
    )


@pytest.fixture(scope="module")
def expected(tmp_path_factory: pytest.TempPathFactory) -> dict[int, str]:
    plain = accelerated.build_plain(SOURCE, tmp_path_factory.mktemp("plain"))
    return {size: accelerated.run(plain, str(size)) for size in SIZES}


@pytest.mark.sampled(4)
@pytest.mark.parametrize("parameters", [{}, ALWAYS_GLOBAL, SMALL])
def test_in_the_shim(parameters: dict[str, int], tmp_path: Path, expected: dict[int, str]) -> None:
    found = accelerated.written(SOURCE, "cuda", tmp_path, parameters)
    assert found.skeletons == ["combine"] * 11 + ["default"] * 3
    binary = accelerated.build_shim(found)
    for order in accelerated.ORDERS:
        assert {size: accelerated.run(binary, str(size), order=order) for size in SIZES} == expected


@pytest.mark.sampled(4)
@pytest.mark.parametrize("parameters", [{}, ALWAYS_GLOBAL, SMALL])
def test_with_opencl(parameters: dict[str, int], tmp_path: Path, expected: dict[int, str]) -> None:
    if not accelerated.has_opencl():
        pytest.skip("no OpenCL device on this machine")
    found = accelerated.written(SOURCE, "opencl", tmp_path, parameters)
    assert found.skeletons == ["combine"] * 11 + ["default"] * 3
    binary = accelerated.build_opencl(found)
    assert {size: accelerated.run(binary, str(size)) for size in SIZES} == expected


@pytest.mark.sampled(3)
@pytest.mark.parametrize("architecture", accelerated.ARCHITECTURES)
def test_no_spills(architecture: str, tmp_path: Path) -> None:
    if shutil.which("nvcc") is None:
        pytest.skip("no nvcc on this machine")
    assert accelerated.spills(accelerated.written(SOURCE, "cuda", tmp_path), architecture) == []


def test_reordered_sums_are_announced(tmp_path: Path) -> None:
    found = accelerated.written(SOURCE, "cuda", tmp_path)
    text = (found.folder / "histograms_kernels.cu").read_text()
    assert text.count("/* The sums and products are made in no fixed order") == 3


def test_strict_sums_stay_on_the_host(tmp_path: Path) -> None:
    found = accelerated.written(SOURCE, "opencl", tmp_path, strict_fp=True)
    assert [c.kernel.name[-3:] for c in found.choices if c.skeleton is None] == ["_k8", "k10", "k11"]
    reason = "floating-point values would be combined in another order (--strict-fp)"
    assert found.reason("combine", 7) == reason
