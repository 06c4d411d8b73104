"""The plan that is always right: before each kernel all that it needs, after it all that it wrote."""

from __future__ import annotations

from collections.abc import Iterator

from species.facts import CopyPlan, Kernel, KernelArray, Transfer, UnitFacts


def around_kernels(facts: UnitFacts) -> CopyPlan:
    """The copies of every kernel of a file, each kernel on its own (theory.md section 5, before any rule)."""
    kernels = [kernel for loop in facts.loops for kernel in (loop.kernel, loop.scheme) if kernel is not None]
    return {kernel.name: tuple(_copies(kernel)) for kernel in kernels}


def _copies(kernel: Kernel) -> Iterator[Transfer]:
    for array in kernel.arrays:
        if array.reads is not None:
            yield Transfer(array.name, "in", array.reads)
        if array.writes is not None:
            if not is_overwritten(array):
                yield Transfer(array.name, "in", array.writes)
            yield Transfer(array.name, "out", array.writes)


def is_overwritten(array: KernelArray) -> bool:
    """Is every cell between the first and the last one that goes back written for certain?

    Otherwise the cells that are not must come to the accelerator first, to go back with their values.
    """
    return array.covered and is_contiguous(array)


def is_contiguous(array: KernelArray) -> bool:
    """Do the written cells follow one another in storage?  True only where the texts show it.

    Rows that a table of pointers leads to (`double **a`) lie anywhere.
    """
    region = array.writes
    if not region or len(region) != len(array.extent):
        return False
    rows = zip(region[1:], array.extent[1:], strict=True)
    return all(
        bound.low.strip() == "0" and extent is not None and _is_last(bound.high, extent)
        for bound, extent in rows
    )


def _is_last(high: str, extent: str) -> bool:
    high, extent = "".join(high.split()), "".join(extent.split())
    if high.isdigit() and extent.isdigit():
        return int(high) == int(extent) - 1
    return high in (f"{extent}-1", f"({extent})-1")
