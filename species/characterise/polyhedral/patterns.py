"""Patterns, ranges and species of access functions (seed 003, algorithm 3.2, equations 3.18 to 3.27)."""

from __future__ import annotations

import islpy as isl

from species.characterise.polyhedral.access import Access, Row, total
from species.grammar.nodes import AccessPattern, ArraySpecies, Range, Species
from species.regions.c_printer import Renderer
from species.sets.affine import Affine
from species.sets.domains import Names, Printer, limited


def pattern_kind(item: Access) -> str:
    """Algorithm 3.2."""
    if not item.has_structure:
        return "element" if item.moves else "shared"
    if not item.moves:
        return "full"
    return "neighbourhood" if overlaps(item) else "chunk"


def overlaps(item: Access) -> bool:
    """Do two base iterations touch a common element, but not all the same ones (equation 3.18)?

    The equation asks for two different iterations (x1, y1) and (x2, y2) that meet.  It means `A x1 != A x2`:
    else the rows of a matrix product, which all iterations of j share, would be neighbourhoods.
    """
    names = Names()
    printer = Printer(names)
    parts, moved = [], []
    for number, (low, high) in item.bounds:
        for side in "12":
            parts.append(f"{printer.expression(low)} <= x{side}_{number} <= {printer.expression(high)}")
    for position, row in enumerate(item.rows):
        first, second = (_row_text(row, position, side) for side in "12")
        parts += [f"{row.unrolled[0]} <= k{side}_{position} <= {row.unrolled[1]}" for side in "12"]
        parts.append(f"{first} = {second}")
        moved.append(f"{_sum(row, '1')} != {_sum(row, '2')}")
    loops = [f"x{side}_{number}" for number, _ in item.bounds for side in "12"]
    artificial = [f"k{side}_{position}" for position in range(len(item.rows)) for side in "12"]
    variables = ", ".join([*loops, *artificial, *(name for _, name in names.items())])
    text = f"{{ [{variables}] : {' and '.join(parts)} and ({' or '.join(moved)}) }}"
    return limited(lambda: not isl.Set(text).is_empty(), when_exhausted=True)


def _row_text(row: Row, position: int, side: str) -> str:
    terms = [f"{c} * x{side}_{number}" for number, c in (*row.base, *row.structure)]
    return " + ".join([*terms, f"k{side}_{position}"])


def _sum(row: Row, side: str) -> str:
    return " + ".join([*(f"{c} * x{side}_{number}" for number, c in row.base), "0"])


def part_of(item: Access, renderer: Renderer) -> ArraySpecies:
    """One array of a species (equation 3.27); raises `Unprintable`."""
    kind = pattern_kind(item)
    ranges = tuple(_structure_range(row, item, renderer) for row in item.rows)
    domain = tuple(_range(row, item, renderer, kind) for row in item.rows) or (Range("0", "0"),)
    if kind in ("chunk", "neighbourhood"):
        return ArraySpecies(item.name, domain, AccessPattern(kind, ranges))
    operator = item.operator if kind == "shared" else None
    return ArraySpecies(item.name, domain, AccessPattern(kind, operator=operator))


def _structure_range(row: Row, item: Access, renderer: Renderer) -> Range | None:
    """S, the range of the structure loops (equation 3.23), relative to the base loops' iterators."""
    if not row.has_structure:
        return None
    low, high = total(row.structure, dict(item.bounds))
    first, last = (row.offset + end for end in row.unrolled)
    return _text(first + low, last + high, renderer)


def _range(row: Row, item: Access, renderer: Renderer, kind: str) -> Range:
    """R, the range of the array (equation 3.24).

    Of a neighbourhood it is the range of the base loops alone, in the dimensions that they move: in figure
    3.10, `a` has 1:126 and not 0:127.
    """
    bounds = dict(item.bounds)
    low, high = total(row.base, bounds)
    if kind == "neighbourhood" and row.base and row.has_structure:
        start = row.constant - row.offset
        return _text(low + start, high + start, renderer)
    first, last = total(row.structure, bounds)
    start, end = (row.constant + k for k in row.unrolled)
    return _text(low + first + start, high + last + end, renderer)


def _text(low: Affine, high: Affine, renderer: Renderer) -> Range:
    return Range(renderer.text(low), renderer.text(high))


def species_of(accesses: list[Access], renderer: Renderer) -> Species:
    """Reads on the left, writes on the right; raises `Unprintable`.

    What a reduction reads in order to update it is no input.
    """
    combined = {a.name for a in accesses if a.write and not a.moves}
    reads = [a for a in accesses if not a.write and (a.moves or a.name not in combined)]
    writes = [a for a in accesses if a.write]
    inputs, outputs = (tuple(part_of(a, renderer) for a in side) for side in (reads, writes))
    return Species(inputs, outputs)
