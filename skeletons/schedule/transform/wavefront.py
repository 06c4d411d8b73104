"""Wavefronts: nests of which every loop carries a dependence, in tiles that threads share along diagonals.

    for (t) for (i) for (j) a[i][j] = f(a[i-1][j], a[i][j-1], a[i][j], a[i+1][j], a[i][j+1]);

With the loops' values skewed, `t`, `i + t` and `j + t`, no dependence goes back in any of them: the nest can
be cut into tiles.  Tiles of one sum of the first two tile numbers need nothing of each other (Lamport 1974,
"The parallel execution of DO loops"; Wolfe 1986, "Loop skewing"; seed 001, chapter 4: tiled wavefronts).
Within a tile, rows stand side by side, so that no core waits for the result of its last iteration.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from itertools import product

from skeletons.catalogue.passes import WAVEFRONT
from skeletons.schedule.core.constants import constant
from skeletons.schedule.core.marks import Mark
from skeletons.schedule.core.model import ScopModel
from skeletons.schedule.core.passes import Nest, NestPass, Settings
from skeletons.schedule.core.reductions import variables_of_sums
from skeletons.schedule.core.tree import Band, Tree, any_marked, nested, perfect, statements
from skeletons.schedule.core.walk import Whole, rewrite
from skeletons.schedule.transform.parallel import is_long, parallel_marks
from species.characterise.wavefronts import MOST_SKEW

NAME = WAVEFRONT

MOST_LOOPS = 3
# Sides of tiles, and rows that are side by side in one: of gcc's time, one core takes for seidel-2d of 2000
# 0.16, five points of 4000 0.25, one sweep of them 0.8, edit distances of 6000 1.0.
STEPS, TIMED_ROWS, TABLE_ROWS = 16, 32, 64
COLUMNS, LEAST_COLUMNS = 512, 64
ROWS = 16
DIAGONAL = 4  # tiles that every core is to have on a diagonal

_TAKEN = (Mark.TILE, Mark.TILED, Mark.STRIP, Mark.APART, Mark.SERVED)
Values = Mapping[str, str]  # by statement: isl text over its iterators


@dataclass(frozen=True)
class _Skewed:
    """Loops directly inside of one another, with the skewed values in which no dependence goes back."""

    loops: tuple[Band, ...]
    inner: Tree
    skewed: tuple[Values, ...]


def apply(nest: Nest, settings: Settings) -> Nest:
    """The nest with such loops in tiles, one loop over diagonals around a parallel one over their tiles.

    Loops that threads share with copies of what they add to are left, if sums may be reordered.  Of variables
    that the nest only adds to (a residual beside a sweep), threads have copies on every diagonal.
    """

    def step(part: Tree, whole: Whole) -> Tree | None:
        loops, inner = perfect(part)
        if not 2 <= len(loops) <= MOST_LOOPS or any_marked(loops, *_TAKEN):
            return None
        before = whole(part)
        if not all(map(nest.model.repeats, loops)) or any(
            parallel_marks(nest.model, before, loop, reorder=settings.reorder) for loop in loops
        ):
            return None
        sums = variables_of_sums(nest.model, loops[0]) if settings.reorder else frozenset()
        model = nest.model.ignoring(sums) if sums else nest.model
        skewed = _skewed(model, before, loops)
        if skewed is None:
            return None
        found = _Skewed(loops, inner, skewed)
        tiles = _tiled(model, found, loops)
        after, shared = whole(tiles), tiles.child
        if not isinstance(shared, Band) or not model.is_legal(after) or not model.is_parallel(after, shared):
            return None
        if NAME not in model.wanted and not is_long(model, shared):
            return None
        return _staggered(model, whole, found) or after

    return nest.ordered(rewrite(nest.tree, step))


def _skewed(model: ScopModel, tree: Tree, loops: tuple[Band, ...]) -> tuple[Values, ...] | None:
    """A value for each loop in which no dependence goes back: its own, and some times those further out."""
    found: list[Values] = []
    for k, loop in enumerate(loops):
        ways = sorted(product(range(MOST_SKEW + 1), repeat=k), key=lambda way: (sum(way), way))
        fitting = (way for way in ways if model.goes_forward(tree, loops[0], _sum(loops, loop, way)))
        way = next(fitting, None)
        if way is None:
            return None
        found.append(_sum(loops, loop, way))
    return tuple(found)


def _sum(loops: tuple[Band, ...], loop: Band, way: tuple[int, ...]) -> Values:
    """`j + 2*t + i`, for each statement."""
    return {name: " + ".join([f"({loop.of[name]})", *_terms(loops, name, way)]) for name in loop.of}


def _terms(loops: tuple[Band, ...], name: str, way: tuple[int, ...]) -> Iterator[str]:
    yield from (f"{times}*({outer.of[name]})" for outer, times in zip(loops, way, strict=False) if times)


def _staggered(model: ScopModel, whole: Whole, nest: _Skewed) -> Tree | None:
    """The nest with the rows of a tile side by side, each some columns behind the one before.

    Cores wait for nothing then: the next iterations are of other rows, and do not need the last one's result.
    """
    for times in range(1, MOST_SKEW + 2):
        tiles = _tiled(model, nest, _rows(nest, times))
        after, row = whole(tiles), tiles
        while isinstance(row.child, Band):
            row = row.child
        if model.is_legal(after) and model.is_parallel(after, row):
            return after
    return None


def _rows(nest: _Skewed, times: int) -> tuple[Band, ...]:
    """The iterations of a tile: a few rows, columns across all of them, and the rows."""
    row, column = nest.loops[-2:]
    few = {name: f"floor(({value})/{ROWS})" for name, value in nest.skewed[-2].items()}
    across = {name: f"({column.of[name]}) + {times}*({row.of[name]})" for name in column.of}
    rows = replace(row, name=f"{row.name}_rows", of=few)
    columns = replace(column, name=f"{column.name}_across", of=across)
    return (*nest.loops[:-2], rows, columns, row.marked(Mark.SCALAR))


def _tiled(model: ScopModel, nest: _Skewed, loops: tuple[Band, ...]) -> Band:
    """Diagonals, the tiles of each, and the iterations of a tile in some `loops`."""
    sides = _sides(model, nest)
    numbers = [
        {name: f"floor(({value})/{side})" for name, value in values.items()}
        for values, side in zip(nest.skewed, sides, strict=True)
    ]
    names = list(statements(nest.inner))
    diagonal = {name: f"{numbers[0][name]} + {numbers[1][name]}" for name in names}
    outer, second = nest.loops[:2]
    over = [replace(outer, name=f"{outer.name}_wave", of=diagonal, marks=frozenset({Mark.TILE}))]
    over += [
        replace(loop, name=f"{loop.name}_tile", of=number, marks=frozenset({Mark.TILE}))
        for loop, number in zip((second, *nest.loops[2:]), numbers[1:], strict=True)
    ]
    points = (loop.marked(Mark.TILED) for loop in loops)
    tiles = nested((*over, *points), nest.inner)
    assert isinstance(tiles, Band)
    return tiles


def _sides(model: ScopModel, nest: _Skewed) -> tuple[int, ...]:
    """How long tiles are, by loop: as many columns as leave tiles on a diagonal for all cores."""
    columns = _columns(model, nest.loops[-1])
    return (STEPS, TIMED_ROWS, columns) if len(nest.loops) == MOST_LOOPS else (TABLE_ROWS, columns)


def _columns(model: ScopModel, loop: Band) -> int:
    values = model.values_of(loop)
    low, high = constant(values.dim_min(0)), constant(values.dim_max(0))
    if low is None or high is None:
        return COLUMNS
    return max(LEAST_COLUMNS, min(2 * COLUMNS, (high - low + 1) // (DIAGONAL * model.machine.cores)))


PASS = NestPass(
    NAME,
    "run nests whose loops all carry dependences in tiles, diagonal by diagonal",
    apply=apply,
    can_be_forced=True,
)
