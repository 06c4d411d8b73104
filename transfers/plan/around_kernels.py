"""The plan that is always right: before each kernel all that it needs, after it all that it wrote."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from species.facts.loops import CopyPlan, Kernel, KernelArray, Transfer, UnitFacts, part_of
from species.grammar.nodes import Range


def around_kernels(facts: UnitFacts) -> CopyPlan:
    """The copies of every kernel of a file, each kernel on its own (theory.md section 5, before any rule)."""
    kernels = [kernel for loop in facts.loops for kernel in (loop.kernel, loop.scheme) if kernel is not None]
    parts = (
        (part_of(kernel.name, level), replace(kernel, arrays=arrays))
        for kernel in kernels
        for level, arrays in enumerate(kernel.parts)
    )
    named = (*((kernel.name, kernel) for kernel in kernels), *parts)
    return {name: tuple(copies_around(kernel)) for name, kernel in named}


def copies_around(kernel: Kernel) -> Iterator[Transfer]:
    """The copies of one kernel on its own."""
    for array in kernel.arrays:
        if array.reads is not None:
            yield Transfer(array.name, "in", array.reads, array.read_rows)
        if array.writes is not None and array.is_rows and array.covered and len(array.writes) == 2:
            yield Transfer(array.name, "out", array.writes)  # of every row, all cells up to the last one
        elif array.writes is not None:
            rows = () if is_overwritten(array) else _exact_rows(array)
            if not is_overwritten(array) and not rows:
                yield Transfer(array.name, "in", array.writes)
            yield Transfer(array.name, "out", array.writes, rows)


def is_overwritten(array: KernelArray) -> bool:
    """Is every cell between the first and the last one that goes back written for certain?

    Otherwise the cells that are not must come to the accelerator first, to go back with their values.
    """
    return array.covered and len(array.writes or ()) == len(array.extent) and _is_stretch(array.writes, array)


def _exact_rows(array: KernelArray) -> tuple[Range, ...]:
    """The written rows, where the cells of one follow one another in storage."""
    rows = array.written_rows
    return rows if rows and len(rows) == len(array.extent) and _is_stretch(rows[1:], array) else ()


def _is_stretch(region: Sequence[Range] | None, array: KernelArray) -> bool:
    """Do the cells of a region, of the last dimensions, follow one another in storage?  True only where the
    texts show it.

    Rows that a table of pointers leads to (`double **a`) lie anywhere.
    """
    if not region:
        return False
    extents = array.extent[len(array.extent) - len(region) :]
    rows = list(zip(region, extents, strict=True))
    while len(rows) > 1 and rows[0][0].low == rows[0][0].high:
        del rows[0]
    return all(
        bound.low.strip() == "0" and extent is not None and _is_last(bound.high, extent)
        for bound, extent in rows[1:]
    )


def _is_last(high: str, extent: str) -> bool:
    high, extent = "".join(high.split()), "".join(extent.split())
    if high.isdigit() and extent.isdigit():
        return int(high) == int(extent) - 1
    return high in (f"{extent}-1", f"({extent})-1")
