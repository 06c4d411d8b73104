"""Cells that inner loops update are kept in registers, where nothing else can tell the difference."""

from __future__ import annotations

from pathlib import Path

import pytest

from skeletons import CompileOptions
from tests.support import accelerated

HEAD = """#include <math.h>
#define N 50
#define ROW C[i]
#define STOP(c) if (c) break
#define ABOVE (c > 3)
#define AGAIN(x) ((x) += 1)
typedef struct { double x, y; } pair;
double A[N][N], B[N][N], C[N][N], D[N], E[N];
unsigned char small[N];
pair P[N];
int place[N];
static double peek(int i) { return D[i]; }
"""

ALONE = CompileOptions(preferred=("default",))  # no team of threads makes the sums


def device(body: str, target: str, folder: Path, loops: str = "for (int i = 0; i < n; i++)") -> str:
    """The device code of a loop with this body."""
    source = folder / "p.c"
    source.write_text(f"{HEAD}void f(int n, int m, double c) {{ int k; {loops} {{ {body} }} }}\n")
    found = accelerated.written(source, target, folder / "out", options=ALONE)
    assert found.skeletons
    return next(file.read_text() for file in (folder / "out").glob("p_kernels.c[ul]"))


PRODUCT = "for (int k = 0; k < m; k++) D[i] += A[k][i] * E[k];"
KEPT = {
    "under the loop's own condition": (PRODUCT, "if (0 < m) {"),
    "beside a plain store": (f"D[i] = 0; {PRODUCT}", "double D_kept = 0;"),
    "before a plain store": (f"{PRODUCT} D[i] *= c;", "double D_kept = D[i];"),
    "an iterator from outside": (PRODUCT.replace("int k = 0", "k = 1"), "if (1 < m) {"),
    "a longer type": (PRODUCT.replace("int k = 0", "long k = n"), "if ((long)n < m) {"),
    "backwards": (
        PRODUCT.replace("int k = 0; k < m; k++", "int k = m - 1; k >= 0; k--"),
        "if ((m - 1) >= 0) {",
    ),
    "an iterator that is set again": (
        "for (k = 0; k < m; k++) D[i] += A[k][i]; for (k = 1; k < m; k++) E[k] > 0 ? C[i][0] = k : 0;",
        "if (0 < m) {",
    ),
    "two loops": (
        "for (k = 0; k < m; k++) for (int l = n; l > 0; l--) D[i] -= A[k][l];",
        "if (0 < m && n > 0) {",
    ),
    "a condition inside": (
        f"D[i] = 1; {PRODUCT.replace('D[i] +=', 'if (E[k] > 0) D[i] +=')}",
        "double D_kept = 1;",
    ),
    "an early end inside": (
        "D[i] = 1; for (int k = 0; k < m; k++) { if (E[k] > 3) break; D[i] += A[k][i]; }",
        "double D_kept = 1;",
    ),
    "a narrow type": ("for (int k = 0; k < m; k++) small[i] += place[k];", "unsigned char small_kept"),
    "a cell of a matrix": ("for (int k = 0; k < m; k++) C[i][2 * i + 1 - i] += A[k][i];", "double C_kept"),
}


@pytest.mark.parametrize(("body", "text"), KEPT.values(), ids=KEPT.keys())
def test_kept(body: str, text: str, tmp_path: Path) -> None:
    assert text in device(body, "cuda", tmp_path)


def test_kept_in_opencl(tmp_path: Path) -> None:
    body, text = KEPT["a narrow type"]
    assert text in device(body, "opencl", tmp_path)


VALUES = {
    "a factor": (
        "small[i] = 1; for (int k = 0; k < m; k++) C[i][k] = D[i] * A[i][k];",
        "const double D_kept = D[i];",
    ),
    "two of them": (
        "small[i] = 1; "
        "for (int k = 0; k < m; k++) { C[i][k] = D[i] + E[i - 1 + 1] * A[i][k]; B[i][k] = D[i]; }",
        "const double E_kept = E[i - 1 + 1];",
    ),
    "in two loops": (
        "small[i] = 1; "
        "for (int k = 0; k < m; k++) for (int l = 1; l < n; l++) B[i][k] += D[i] * A[k][l] - C[i][l - 1];",
        "if (0 < m && 1 < n) {",
    ),
}


@pytest.mark.parametrize(("body", "text"), VALUES.values(), ids=VALUES.keys())
def test_values_kept(body: str, text: str, tmp_path: Path) -> None:
    assert text in device(body, "cuda", tmp_path)


LEFT = {
    "a value that a condition asks for": (
        "small[i] = 1; for (int k = 0; k < m; k++) C[i][k] = A[i][k] > c ? D[i] : 0;"
    ),
    "a value under a condition": "small[i] = 1; for (int k = 0; k < m; k++) if (A[i][k] > c) C[i][k] = D[i];",
    "a value after an end": (
        "small[i] = 1; for (int k = 0; k < m; k++) { if (A[i][k] > c) continue; C[i][k] = D[i]; }"
    ),
    "a value that moves": "small[i] = 1; for (int k = 0; k < m; k++) C[i][k] = D[k] + D[i - i + k];",
    "a value of a written array": "small[i] = 1; for (int k = 1; k < m; k++) C[i][k] = C[i][0] + A[i][k];",
    "a value that a loop inside asks for": (
        "small[i] = 1; "
        "for (int k = 0; k < m; k++) { C[i][k] = 1; for (int l = 0; l < k; l++) B[i][l] = D[i]; }"
    ),
    "no loop inside": "D[i] += A[i][0]; D[i] += A[i][1];",
    "a store on a condition": "for (int k = 0; k < m; k++) if (A[k][i] > c) D[i] += A[k][i];",
    "a store after an early end": "for (int k = 0; k < m; k++) { if (A[k][i] > c) break; D[i] += A[k][i]; }",
    "a store that && decides": "for (int k = 0; k < m; k++) A[k][i] > c && (D[i] += A[k][i]);",
    "read for certain, stored perhaps": "double t = D[i]; for (int k = 0; k < m; k++) if (t > k) D[i] += 1;",
    "another cell of the array": "for (int k = 0; k < m; k++) C[i][0] += C[i][k + 1];",
    "a place that moves": "for (int k = 0; k < m; k++) C[i][k] += A[i][k];",
    "a place from an array": "for (int k = 0; k < m; k++) C[i][place[0]] += A[i][k];",
    "a macro for a row": "for (int k = 0; k < m; k++) ROW[0] += A[i][k];",
    "a macro that ends the loop": "for (int k = 0; k < m; k++) { STOP(A[k][i] > c); D[i] += A[k][i]; }",
    "a macro that assigns": "int t = 0; for (int k = 0; k < m; k++) { AGAIN(t); D[i] += A[k][i] + t; }",
    "a function that may read it": "for (int k = 0; k < m; k++) D[i] += A[k][i] + peek(i);",
    "a structure": "for (int k = 0; k < m; k++) P[i].x += A[k][i];",
    "another array of the name": (
        "{ double D[2] = {0, 1}; for (int k = 0; k < m; k++) D[k % 2] += A[k][i]; C[i][0] = D[0]; }"
    ),
    "an end of the iteration between": f"D[i] = 0; if (E[i] > c) continue; {PRODUCT}",
    "a bound from an array": PRODUCT.replace("k < m", "k < place[i]"),
    "a bound that the body moves": "int e = m; for (int k = 0; k < e; k++) { D[i] += A[k][i]; e--; }",
    "a label": "again: for (int k = 0; k < m; k++) { if (A[k][i] > c) continue; D[i] += A[k][i]; }",
    "a condition from a macro": "if ABOVE for (int k = 0; k < m; k++) D[i] += A[k][i];",
    "a call in the header": PRODUCT.replace("k < m", "k < abs(m)"),
    "a loop with while": "int k = 0; while (k < m) { D[i] += A[k][i]; k++; }",
    "an outer loop that does more": (
        "double t = 0; for (int k = 0; k < m; k++) { for (int l = 0; l < n; l++) D[i] += A[k][l]; t = k; }"
        " C[i][0] = t;"
    ),
    "an iterator that is used later": "for (k = 0; k < m; k++) D[i] += A[k][i]; C[i][0] = k;",
    "an inner iterator that is used later": (
        "for (int l = 0; l < m; l++) for (k = l; k < 9; k++) D[i] += A[k][i]; C[i][0] = k;"
    ),
    "an iterator from before": "k = m / 2; for (; k < m; k++) D[i] += A[k][i];",
}


@pytest.mark.sampled(2)
@pytest.mark.parametrize("body", LEFT.values(), ids=LEFT.keys())
def test_left_alone(body: str, tmp_path: Path) -> None:
    source = tmp_path / "p.c"
    text = f"int k; (void)k; for (int i = 0; i < n; i++) {{ {body} }}"
    source.write_text(f"#include <stdlib.h>\n{HEAD}void f(int n, int m, double c) {{ {text} }}\n")
    accelerated.written(source, "cuda", tmp_path / "out")
    device = (tmp_path / "out" / "p_kernels.cu").read_text()
    assert "_kept" not in device.replace("place_kept", "")  # that is a value, and no cell that is written


def test_names_that_are_taken(tmp_path: Path) -> None:
    found = device(f"double D_kept = 2; {PRODUCT} C[i][0] = D_kept;", "cuda", tmp_path)
    assert "double D_kept_ = D[i];" in found


def test_an_iterator_that_is_looked_at_behind_the_kernel_is_set_in_any_case(tmp_path: Path) -> None:
    """`k = 2 * i` is its last value where the inner loop makes no iteration."""
    source = tmp_path / "p.c"
    text = "for (int i = 0; i < n; i++) for (k = 2 * i; k < m; k++) D[i] += A[k][i];"
    source.write_text(f"{HEAD}int f(int n, int m) {{ int k = 3; {text} return k; }}\n")
    accelerated.written(source, "cuda", tmp_path / "out")
    assert "_kept" not in (tmp_path / "out" / "p_kernels.cu").read_text()
