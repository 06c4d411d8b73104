"""The matrix products by NumPy, that is by the BLAS it is linked with; speaks the protocol of timing.c.

    python blas.py PROGRAM NAME=SIZE ... RUNS SECONDS

The arrays are those of the programs in corpus/polybench, and so is what is printed.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Callable
from typing import Any

import numpy as np

Array = Any
Sizes = dict[str, int]
# The product, the name of its result, and the period of the weights it is checked with.
Prepared = tuple[Callable[[], Array], str, int]


def grid(rows: int, columns: int) -> tuple[Array, Array]:
    """The subscripts of a matrix, to be written into formulas."""
    i, j = np.ogrid[:rows, :columns]
    return i.astype(float), j.astype(float)


def gemm(s: Sizes) -> Prepared:
    ni, nj, nk = s["NI"], s["NJ"], s["NK"]
    i, k = grid(ni, nk)
    a = (i * nk + k + 1) / (ni * nk)
    i, j = grid(nk, nj)
    b = (i + j * nk) / (nk * nj) - 0.5
    i, j = grid(ni, nj)
    c = 2.0 - (i * nj + j) / (ni * nj)
    return lambda: 1.25 * (a @ b) + 0.75 * c, "C", 17


def two_products(s: Sizes) -> Prepared:
    ni, nj, nk, nl = s["NI"], s["NJ"], s["NK"], s["NL"]
    i, k = grid(ni, nk)
    a = (i * nk + k + 1) / (ni * nk)
    k, j = grid(nk, nj)
    b = 0.5 - (k * nj + j) / (nk * nj)
    j, m = grid(nj, nl)
    c = (j - 2 * m) / nj + 0.001 * j * m
    i, m = grid(ni, nl)
    d = 1.0 + (i + ni * m) / (ni * nl)
    return lambda: (1.5 * (a @ b)) @ c + 1.2 * d, "D", 17


def three_products(s: Sizes) -> Prepared:
    ni, nj, nk, nl, nm = s["NI"], s["NJ"], s["NK"], s["NL"], s["NM"]
    i, k = grid(ni, nk)
    a = (i * nk + k + 1) / (ni * nk)
    k, j = grid(nk, nj)
    b = 0.25 + (k - j * nk) / (nk * nj)
    j, m = grid(nj, nm)
    c = (3 * j * nm + m) / (5 * nj * nm)
    m, n = grid(nm, nl)
    d = (m + n * nm) / (nm * nl) - 0.4
    return lambda: (a @ b) @ (c @ d), "G", 19


def doitgen(s: Sizes) -> Prepared:
    nr, nq, np_ = s["NR"], s["NQ"], s["NP"]
    row, p = grid(nr * nq, np_)
    a = (row * np_ + p + 1) / (nr * nq * np_)
    i, p = grid(np_, np_)
    c4 = (i * np_ + p) / (np_ * np_) - 0.45
    return lambda: a @ c4, "A", 17


def symm(s: Sizes) -> Prepared:
    m, n = s["M"], s["N"]
    i, k = grid(m, m)
    low, high = np.maximum(i, k), np.minimum(i, k)
    a = (low * m + high + 1) / (m * m)
    i, j = grid(m, n)
    b = (n + i * n - j) / (m * n)
    c = (i - j * m) / (m * n)
    return lambda: 1.5 * (a @ b) + 1.2 * c, "C", 17


def syr2k(s: Sizes) -> Prepared:
    n, m = s["N"], s["M"]
    i, j = grid(n, n)
    c = (i * n + j + 3) / (n * n)
    i, k = grid(n, m)
    a = (i * m + k + 1) / (n * m)
    b = 0.6 - (i + k * n) / (n * m)

    def product() -> Array:
        half = a @ b.T
        return 1.5 * (half + half.T) + 1.2 * c

    return product, "C", 17


def syrk(s: Sizes) -> Prepared:
    n, m = s["N"], s["M"]
    i, k = grid(n, m)
    a = (i * m + k + 1) / (n * m)
    i, j = grid(n, n)
    c = (j * n - i + 2) / (n * n)
    return lambda: 1.5 * (a @ a.T) + 1.2 * c, "C", 17


def trmm(s: Sizes) -> Prepared:
    m, n = s["M"], s["N"]
    i, k = grid(m, m)
    a = np.where(k > i, (i * m + k + 1) / (m * m), np.where(k == i, 1.0, 0.0))
    i, j = grid(m, n)
    b = (n + i - j) / n + 0.001 * i * j
    return lambda: 1.5 * (a @ b), "B", 17


PROGRAMS: dict[str, Callable[[Sizes], Prepared]] = {
    "gemm": gemm,
    "2mm": two_products,
    "3mm": three_products,
    "doitgen": doitgen,
    "symm": symm,
    "syr2k": syr2k,
    "syrk": syrk,
    "trmm": trmm,
}


def main() -> None:
    name, *sizes, runs, seconds = sys.argv[1:]
    product, label, period = PROGRAMS[name]({k: int(v) for k, v in (size.split("=") for size in sizes)})
    end = time.monotonic() + float(seconds)
    for run in range(int(runs) + 1):
        if run and time.monotonic() > end:
            break
        started = time.perf_counter()
        result = product()
        elapsed = time.perf_counter() - started
        flat = result.reshape(-1)
        weights = np.arange(flat.size) % period + 1.0
        print(f"{label} {float(flat @ weights):.10e}\n@ {elapsed:.9f}", flush=True)


if __name__ == "__main__":
    main()
