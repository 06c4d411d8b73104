"""Split tiling of repeated sweeps: several time steps over a block of rows while it is in the cache.

All blocks make some steps at once, each step on a few rows less at both ends (trapezoids, wide at the
bottom); then the gaps in between are filled, each step on a few rows more.  Both phases are parallel over the
blocks, so that threads meet twice in so many steps, and not after every sweep (Grosser et al. 2013, "Split
tiling for GPUs").
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import product

import islpy as isl

from models.sizes.amounts import UNKNOWN
from skeletons.schedule.core.constants import constant
from skeletons.schedule.core.marks import Mark
from skeletons.schedule.core.model import ScopModel
from skeletons.schedule.core.passes import NestPass, on_trees
from skeletons.schedule.core.tree import Band, Part, Sequence, Tree, copied, sequence, statements
from skeletons.schedule.core.walk import Whole, places

NAME = "time-tile"

CACHE = 0.8  # of the second level: so much all arrays of a block of rows may take
MOST_SWEEPS = 4
MOST_GROWTH = 2  # rows that a sweep needs beyond its own, on either side
LEAST_STEPS, MOST_STEPS = 3, 128
LEAST_ROWS, MOST_ROWS = 16, 2048
FEW = 8  # blocks for a thread


@dataclass(frozen=True)
class _Shape:
    """A block: it shrinks by `slope` rows per step, and by `offsets[p]` before sweep p of a step."""

    rows: int
    steps: int
    slope: int
    offsets: tuple[int, ...]
    few: bool


def apply(model: ScopModel, tree: Tree, *, least: int = 0) -> Tree:
    """The tree with such loops tiled: serial ones around parallel sweeps over the rows of the same arrays.

    Loops over arrays that are known to have less than `least` bytes together are left.
    """
    done: set[str] = set()
    while True:
        found = next(((p, w) for p, w in places(tree) if isinstance(p, Band) and _key(p) not in done), None)
        if found is None:
            return tree
        part, whole = found
        done.add(_key(part))
        tree = _tiled(model, part, whole, least) or tree


def _key(band: Tree) -> str:
    return " ".join(statements(band)) + (band.name if isinstance(band, Band) else "")


def _tiled(model: ScopModel, part: Tree, whole: Whole, least: int) -> Tree | None:
    assert isinstance(part, Band)
    sweeps = part.child.children if isinstance(part.child, Sequence) else (part.child,)
    if (
        not all(isinstance(s, Band) for s in sweeps)
        or len(sweeps) > MOST_SWEEPS
        or part.marks & {Mark.TILE, Mark.APART, Mark.SERVED}
    ):
        return None
    before = whole(part)
    loops = [s for s in sweeps if isinstance(s, Band)]
    if model.is_parallel(before, part) or not all(model.is_parallel(before, s) for s in loops):
        return None
    if not _repeats(model, part) or _is_small(model, loops, least):
        return None
    shapes = list(_shapes(model, part, loops))
    widest = next((s for s in reversed(shapes) if s.slope == MOST_GROWTH * len(loops)), None)
    if widest is not None and not model.is_legal(whole(_split(model, part, loops, widest))):
        return None  # what blocks that shrink most do not allow, none does
    for shape in shapes:
        after = whole(_split(model, part, loops, shape))
        if model.is_legal(after) and _is_parallel(model, after):
            return after if shape.slope else None  # rows that need no other: it is no stencil
    return None


def _repeats(model: ScopModel, loop: Band) -> bool:
    """Do all iterations touch the same cells (a loop over time)?"""
    for name in statements(loop):
        statement = model.statements[name]
        value = loop.of[name]
        if value not in statement.iterators or not statement.plain:
            return False
        at = statement.iterators.index(value)
        written = [a.moves for a in statement.accesses if a.write]
        if any(move is None or move[at] for moves in written for move in moves):
            return False
    return True


def _shapes(model: ScopModel, time: Band, sweeps: list[Band]) -> Iterator[_Shape]:
    """Blocks to be tried, those that shrink least first."""
    fitting, last = _rows(model, sweeps), _last(model, [time])
    for grows in sorted(product(range(MOST_GROWTH + 1), repeat=len(sweeps)), key=sum):
        slope, rows = sum(grows), fitting
        if NAME in model.wanted:  # also where a block does not fit into the cache
            rows = max(rows, 2 * slope * (LEAST_STEPS + 1))
        steps = min(MOST_STEPS, (rows - 2 * slope) // (2 * slope)) if slope else MOST_STEPS
        if slope and last is not None and last >= steps >= LEAST_STEPS and last % steps == 0:
            steps, rows = steps + 1, rows + 2 * slope  # a last block of one step makes the loops' bounds long
        if steps >= LEAST_STEPS:
            offsets = tuple(sum(grows[1 : p + 1]) for p in range(len(sweeps)))
            yield _Shape(rows, steps, slope, offsets, _are_few(model, sweeps, rows))


def _rows(model: ScopModel, sweeps: list[Band]) -> int:
    """So many rows of all arrays that are written fit into the cache."""
    row = _bytes_of_rows(model, sweeps) or 8192 * len(_written(model, sweeps))
    fitting = int(CACHE * model.machine.cache(2).bytes) // row
    most, end = max(LEAST_ROWS, min(MOST_ROWS, fitting // 8 * 8)), _end(model, sweeps)
    return most if end is None else _even(end, most, model.machine.cores)


def _is_small(model: ScopModel, sweeps: list[Band], least: int) -> bool:
    """Are all rows of all arrays that are written known to have less than `least` bytes?"""
    end, row = _end(model, sweeps), _bytes_of_rows(model, sweeps)
    return end is not None and row is not None and end * row < least


def _are_few(model: ScopModel, sweeps: list[Band], rows: int) -> bool:
    """Are there so few blocks that half of one makes a difference to a thread?"""
    end = _end(model, sweeps)
    return end is not None and end <= FEW * rows * model.machine.cores


def _even(end: int, most: int, cores: int) -> int:
    """So many rows, no more than `most`, that all threads have as many blocks of rows before `end`."""
    blocks = max(1, -(-end // (most * cores))) * cores
    return max(LEAST_ROWS, -(-end // blocks))


def _end(model: ScopModel, sweeps: list[Band]) -> int | None:
    """The row behind the last one, counted from zero as blocks are, where that is a number."""
    last = _last(model, sweeps)
    return None if last is None else last + 1


def _last(model: ScopModel, loops: list[Band]) -> int | None:
    """The largest value that some loops have, where that is a number."""
    lasts = [constant(model.values_of(loop).dim_max(0)) for loop in loops]
    return None if None in lasts else max(last for last in lasts if last is not None)


def _written(model: ScopModel, sweeps: list[Band]) -> set[str]:
    names = (name for sweep in sweeps for name in statements(sweep))
    return {a.array for name in names for a in model.statements[name].accesses if a.write}


def _bytes_of_rows(model: ScopModel, sweeps: list[Band]) -> int | None:
    """One row of every array that is written, as if all were as long as the longest; None: nobody knows."""
    written = _written(model, sweeps)
    sizes = [_row_bytes(model, sweep, array) for sweep in sweeps for array in written]
    largest = max((size for size in sizes if size), default=None)
    return largest * len(written) if largest is not None else None


def _row_bytes(model: ScopModel, sweep: Band, array: str) -> int | None:
    """How far apart two rows are in memory."""
    extents = next(a.lengths for a in model.scop.arrays if a.name == array)
    for name in statements(sweep):
        statement = model.statements[name]
        if sweep.of[name] not in statement.iterators:
            continue
        at = statement.iterators.index(sweep.of[name])
        for access in statement.accesses:
            if access.array == array and None not in access.moves:
                return 8 * _distance([move[at] for move in access.moves if move is not None], extents)
    return None


def _distance(moves: list[int], extents: tuple[str | None, ...]) -> int:
    total = 0
    for move, extent in zip(moves, extents, strict=True):
        total = total * (int(extent) if extent is not None and extent.isdigit() else round(UNKNOWN)) + move
    return max(1, abs(total))


def _split(model: ScopModel, loop: Band, sweeps: list[Band], shape: _Shape) -> Tree:
    """The loop as blocks of steps, each in two phases."""
    h, w = shape.steps, shape.rows
    steps = {name: f"{h}*floor(({value})/{h})" for name, value in loop.of.items()}
    row = {name: _row(model, sweep, name) for sweep in sweeps for name in statements(sweep)}
    shrunk = {
        name: f"({shape.slope}*(({loop.of[name]}) mod {h}) + {offset})"
        for sweep, offset in zip(sweeps, shape.offsets, strict=True)
        for name in statements(sweep)
    }
    first = {
        n: f"({r}) mod {w} >= {shrunk[n]} and {w - 1} - (({r}) mod {w}) >= {shrunk[n]}"
        for n, r in row.items()
    }
    phases = [
        _phase(model, loop, sweeps, {n: f"{w}*floor(({r})/{w})" for n, r in row.items()}, first, "block"),
        _phase(
            model,
            loop,
            sweeps,
            {n: f"{w}*floor(({r} + {w // 2})/{w})" for n, r in row.items()},
            {n: f"not ({c})" for n, c in first.items()},
            "gap",
            *(
                [Mark.CYCLIC] if shape.few else []
            ),  # the first and the last gap are but half as wide: one thread's
        ),
    ]
    return Band(f"{loop.name}_block", steps, sequence(list(phases)), frozenset({Mark.TILE}))


def _row(model: ScopModel, sweep: Band, name: str) -> str:
    """The row that a statement writes: the sweep's value, or one row of which the sweep makes the cells."""
    statement = model.statements[name]
    written = next(a for a in statement.accesses if a.write)
    if len(written.moves) > 1 and written.moves[0] is not None and not any(written.moves[0]):
        cells = isl.Map(written.relation).intersect_domain(model.domains.sets[name]).range()
        fixed = constant(cells.dim_max(0))
        if fixed is not None:
            return str(fixed)
    return sweep.of[name]


def _phase(
    model: ScopModel,
    loop: Band,
    sweeps: list[Band],
    tiles: Mapping[str, str],
    where: Mapping[str, str],
    name: str,
    *marks: Mark,
) -> Part:
    body = Band(loop.name, loop.of, sequence([copied(sweep) for sweep in sweeps]), loop.marks)
    blocks = Band(f"{sweeps[0].name}_{name}", tiles, body, frozenset({Mark.TILE, Mark.STEPS, *marks}))
    return Part(blocks, {n: str(model.domains.restricted(n, c)) for n, c in where.items()})


def _is_parallel(model: ScopModel, tree: Tree) -> bool:
    """Are the blocks of both phases independent?"""
    found = [p for p, _ in places(tree) if isinstance(p, Band) and Mark.STEPS in p.marks]
    return all(model.is_parallel(tree, blocks) for blocks in found)


PASS = NestPass(
    NAME,
    "compute several time steps of a stencil in one block of rows before the next",
    apply=on_trees(apply),
    can_be_forced=True,
)
