"""Which cells of an array must be on the device: flat ranges over the array's storage, as C text."""

from __future__ import annotations

from dataclasses import dataclass

from species.core.refusal import Refusal
from species.facts.loops import ROW, KernelArray
from species.grammar.nodes import Range
from species.sets.isl_to_c import MAXIMUM, MINIMUM
from species.source.text.code import parenthesised


@dataclass(frozen=True)
class CellRange:
    """Cells `first..last` (inclusive) of the array's storage; C expressions of type long."""

    first: str
    last: str


def flat_offset(indices: list[str], extents: list[str]) -> str:
    """The place of `[i0][i1]..` in storage; `extents` are those of the dimensions after the first."""
    result = indices[0]
    for index, extent in zip(indices[1:], extents, strict=True):
        rows = [] if result == "0" else [f"{_long(result)} * {parenthesised(extent)}"]
        cells = [] if index == "0" else [parenthesised(index)]
        result = " + ".join(rows + cells) or "0"
    return result


def _long(text: str) -> str:
    return f"(long){parenthesised(text)}"


def cell_range(array: KernelArray, region: tuple[Range, ...]) -> CellRange:
    """The cells of `region`, or of the whole array where it is empty; Refusal if its size is not known."""
    if not region:
        return whole(array)
    inner = inner_extents(array)
    return CellRange(
        flat_offset([bound.low.strip() for bound in region], inner),
        flat_offset([bound.high.strip() for bound in region], inner),
    )


def row_range(array: KernelArray, rows: tuple[Range, ...]) -> CellRange:
    """The cells of one row, whose number is `ROW`."""
    return cell_range(array, (Range(ROW, ROW), *rows[1:]))


def whole(array: KernelArray) -> CellRange:
    """All cells of the array."""
    if any(extent is None for extent in array.extent):
        raise Refusal(f"the accessed part of {array.name}, and its size, are unknown")
    product = " * ".join(parenthesised(str(extent)) for extent in array.extent)
    return CellRange("0", f"(long){product} - 1")


def inner_extents(array: KernelArray) -> list[str]:
    """The extents of all dimensions but the first; Refusal where one is not known."""
    if any(extent is None for extent in array.extent[1:]):
        raise Refusal(f"the size of a row of {array.name} is not known")
    return [str(extent) for extent in array.extent[1:]]


def hull(array: KernelArray) -> CellRange:
    """All cells that the kernel reads or writes."""
    ranges = [cell_range(array, region) for region in (array.reads, array.writes) if region is not None]
    if len(ranges) == 1 or ranges[0] == ranges[1]:
        return ranges[0]
    (a, b) = ranges
    first = a.first if a.first == b.first else f"{MINIMUM}({a.first}, {b.first})"
    last = a.last if a.last == b.last else f"{MAXIMUM}({a.last}, {b.last})"
    return CellRange(first, last)
