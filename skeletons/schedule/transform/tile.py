"""Tiling of two loops, where one array lies along the inner and another along the outer of them.

In a transposition, whichever loop is the inner one goes through one of the matrices from line to line.  In
square tiles, all of a line is used while it is in the cache.
"""

from __future__ import annotations

from dataclasses import replace
from math import prod

from skeletons.schedule.core.constants import constant
from skeletons.schedule.core.marks import Mark
from skeletons.schedule.core.model import ScopModel
from skeletons.schedule.core.passes import NestPass, on_trees
from skeletons.schedule.core.shapes import position_of
from skeletons.schedule.core.tree import Band, Tree, any_marked, nested, perfect, statements
from skeletons.schedule.core.walk import Whole, rewrite
from skeletons.schedule.transform.parallel import UNKNOWN, inner_trips, is_innermost
from skeletons.schedule.transform.permute import shares_lines

NAME = "tile"

CACHE = 1 / 4  # of the second level: so much the tiles of all arrays may take
LEAST, USUAL, MOST = 16, 64, 128  # iterations on a side; the usual ones where the loops' lengths are unknown
SHARES = 4  # tiles that every core is to have


def apply(model: ScopModel, tree: Tree) -> Tree:
    """The tree with the two innermost loops of such nests tiled."""

    def step(part: Tree, whole: Whole) -> Tree | None:
        loops, inner = perfect(part)
        if len(loops) < 2 or not is_innermost(loops[-1]) or part is not loops[-2]:
            return None
        if any_marked(loops, Mark.TILE, Mark.TILED, Mark.STRIP, Mark.APART, Mark.SERVED):
            return None
        assert isinstance(part, Band)
        outer, along = loops
        if NAME not in model.wanted and not _is_worthwhile(model, outer, along):
            return None
        side = _side(model, outer, along)
        if side is None:
            return None
        points = (outer.marked(Mark.TILED), along)
        after = whole(nested((_tiles(outer, side), _tiles(along, side), *points), inner))
        return after if model.is_legal(after) else None

    return rewrite(tree, step)


def _is_worthwhile(model: ScopModel, outer: Band, along: Band) -> bool:
    """Does the inner loop go through an array line by line that the outer one goes along?  Where statements
    have long loops of their own, that costs next to nothing.
    """
    for name in statements(along):
        statement = model.statements[name]
        if statement.loops and prod(_number(each) for each in inner_trips(statement)) >= LEAST:
            continue
        outer_at, inner_at = (position_of(model, band, name) for band in (outer, along))
        if outer_at is None or inner_at is None:
            return False
        if any(shares_lines(model, access.moves, inner_at, outer_at) for access in statement.accesses):
            return True
    return False


def _number(trips: str) -> int:
    return int(trips) if trips.isdigit() else UNKNOWN


def _side(model: ScopModel, outer: Band, along: Band) -> int | None:
    """How many iterations a tile has in both directions; None where the loops are too short for tiles."""
    accesses = {(a.array, a.moves) for n in statements(along) for a in model.statements[n].accesses}
    cells = model.machine.cache(2).bytes * CACHE / 8 / max(1, len(accesses))
    side = MOST
    while side > LEAST and side * side > cells:
        side //= 2
    trips = [_trips(model, loop) for loop in (outer, along)]
    if trips[0] is None:
        side = min(side, USUAL)
    while side > LEAST and trips[0] is not None and trips[0] < SHARES * model.machine.cores * side:
        side //= 2
    return None if any(count is not None and count < 2 * side for count in trips) else side


def _trips(model: ScopModel, loop: Band) -> int | None:
    """The most iterations of a loop, where that is a number."""
    counts = []
    for name in statements(loop):
        domain, position = model.domains.sets[name], position_of(model, loop, name) or 0
        low, high = constant(domain.dim_min(position)), constant(domain.dim_max(position))
        count = _most(model, name, position) if low is None or high is None else high - low + 1
        if count is None:
            return None
        counts.append(count)
    return max(counts)


def _most(model: ScopModel, name: str, position: int) -> int | None:
    """The most iterations of a statement's loop, as long as subscripts stay in the arrays as declared."""
    extents = {array.name: array.extents for array in model.scop.arrays}
    lengths = [
        int(extent)
        for access in model.statements[name].accesses
        for move, extent in zip(access.moves, extents[access.array], strict=False)
        if move is not None and abs(move[position]) == 1 and extent is not None and extent.isdigit()
    ]
    return min(lengths, default=None)


def _tiles(loop: Band, side: int) -> Band:
    of = {name: f"{side}*floor(({value})/{side})" for name, value in loop.of.items()}
    return replace(loop, name=f"{loop.name}_tile", of=of, marks=frozenset({Mark.TILE}))


PASS = NestPass(
    NAME,
    "tile two loops that access arrays in different orders, as in a transposition",
    apply=on_trees(apply),
    can_be_forced=True,
)
