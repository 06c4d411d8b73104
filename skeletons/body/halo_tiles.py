"""Neighbourhoods in fast memory: which arrays can be tiled, and the body over the tiles."""

from __future__ import annotations

from dataclasses import dataclass

from skeletons.kernel.array_views import BYTES, TileView
from skeletons.kernel.context import Subject
from species.core.positions import Span
from species.facts.loops import KernelArray
from species.source.text.code import Access, accesses, code_tokens
from species.source.text.edits import Edit, apply_edits


@dataclass(frozen=True)
class Tiling:
    """The arrays to be tiled by name, and per base loop the name of the index within a tile."""

    tiles: dict[str, TileView]
    local: dict[str, str]  # iterator -> local index


def tiled_arrays(subject: Subject, dimensions: int) -> dict[str, TileView]:
    """The arrays whose every use is a read at `iterator + constant` in the order of the base loops."""
    loops = [loop.iterator for loop in subject.spread]
    if len(loops) != dimensions or len(subject.kernel.loops) != dimensions:
        return {}
    found = {a.name: _tile(subject, a, loops) for a in subject.kernel.arrays}
    return {name: tile for name, tile in found.items() if tile is not None}


def _tile(subject: Subject, array: KernelArray, loops: list[str]) -> TileView | None:
    if array.writes is not None or not array.reads or len(array.extent) != len(loops):
        return None
    if subject.declarations.canonical(array.element) not in BYTES:
        return None
    if array.name in subject.macro_names(subject.body) or {array.name, *loops} & subject.redeclared:
        return None
    offsets = [_offsets(access, loops) for access in accesses(subject.body, array.name)]
    known = [offset for offset in offsets if offset is not None]
    if len(known) != len(offsets) or not known:
        return None
    low = tuple(min(column) for column in zip(*known, strict=True))
    high = tuple(max(column) for column in zip(*known, strict=True))
    return None if low == high else TileView(f"{array.name}_tile", low, high, len(set(known)))


def _offsets(access: Access, loops: list[str]) -> tuple[int, ...] | None:
    if len(access.subscripts) != len(loops):
        return None
    found = [offset(text, loop) for text, loop in zip(access.subscripts, loops, strict=True)]
    known = [offset for offset in found if offset is not None]
    return tuple(known) if len(known) == len(loops) else None


def offset(subscript: str, iterator: str) -> int | None:
    """The constant in `i`, `i + 2`, `i - 1` or `1 + i`; None for anything else."""
    match [token.text for token in code_tokens(subscript)]:
        case [name] if name == iterator:
            return 0
        case [name, "+", number] if name == iterator and number.isdecimal():
            return int(number)
        case [name, "-", number] if name == iterator and number.isdecimal():
            return -int(number)
        case [number, "+", name] if name == iterator and number.isdecimal():
            return int(number)
    return None


def tile_body(body: str, tiling: Tiling, loops: list[str]) -> str:
    """`body` with the tiled arrays' accesses moved to their tiles: `A[i-1]` becomes `A_tile[i_in+0]`.

    The tile's index 0 is the iteration number 0 of the work-group moved by the smallest offset.
    """
    edits = []
    for name, tile in tiling.tiles.items():
        for access in accesses(body, name):
            offsets = _offsets(access, loops)
            assert offsets is not None
            shifted = [o - low for o, low in zip(offsets, tile.low, strict=True)]
            index = "".join(
                _local_index(tiling.local[loop], s) for loop, s in zip(loops, shifted, strict=True)
            )
            edits.append(Edit(Span(access.span.start, access.span.end), tile.name + index))
    return apply_edits(body, edits)


def _local_index(local: str, offset: int) -> str:
    return f"[{local} + {offset}]" if offset else f"[{local}]"
