"""Wavefronts: nests of which every loop carries a dependence, in tiles that threads share along diagonals.

    for (t) for (i) for (j) a[i][j] = f(a[i-1][j], a[i][j-1], a[i][j], a[i+1][j], a[i][j+1]);

With the loops' values skewed, `t`, `i + t` and `j + t`, no dependence goes back in any of them: the nest can
be cut into tiles.  Tiles of one sum of the first two tile numbers need nothing of each other (Lamport 1974,
"The parallel execution of DO loops"; Wolfe 1986, "Loop skewing"; seed 001, chapter 4: tiled wavefronts).
Within a tile, iterations keep their order.
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
from skeletons.schedule.core.tree import Band, Tree, any_marked, nested, perfect, statements
from skeletons.schedule.core.walk import Whole, rewrite
from skeletons.schedule.transform.parallel import is_long, parallel_marks

NAME = WAVEFRONT

MOST_LOOPS = 3
MOST_SKEW = 2  # for each loop further out
SIDE, LEAST_SIDE = 64, 16  # of a tile
STEPS = 16  # of a loop over time, in a tile
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

    Loops that threads share with copies of what they add to are left, if sums may be reordered.
    """
    model = nest.model

    def step(part: Tree, whole: Whole) -> Tree | None:
        loops, inner = perfect(part)
        if not 2 <= len(loops) <= MOST_LOOPS or any_marked(loops, *_TAKEN):
            return None
        before = whole(part)
        if not all(map(model.repeats, loops)) or any(
            parallel_marks(model, before, loop, reorder=settings.reorder) for loop in loops
        ):
            return None
        skewed = _skewed(model, before, loops)
        if skewed is None:
            return None
        tiles = _tiled(model, _Skewed(loops, inner, skewed))
        after, shared = whole(tiles), tiles.child
        if not isinstance(shared, Band) or not model.is_legal(after) or not model.is_parallel(after, shared):
            return None
        return after if NAME in model.wanted or (_comes_back(loops) and is_long(model, shared)) else None

    return nest.ordered(rewrite(nest.tree, step))


def _comes_back(loops: tuple[Band, ...]) -> bool:
    """Is a loop over time around, so that tiles use what is in the cache again?

    Tables that are filled once gain nothing of that: with few cores, tiles of them took longer than the rows
    one after the other (longest common subsequence, two threads: 0.4 to 0.9 of gcc's speed).
    """
    return len(loops) == MOST_LOOPS


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


def _tiled(model: ScopModel, nest: _Skewed) -> Band:
    """Diagonals, the tiles of each, and the iterations of a tile."""
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
    points = (loop.marked(Mark.TILED) for loop in nest.loops)
    tiles = nested((*over, *points), nest.inner)
    assert isinstance(tiles, Band)
    return tiles


def _sides(model: ScopModel, nest: _Skewed) -> tuple[int, ...]:
    """How long tiles are, by loop: so that diagonals have tiles for all cores, where sizes are known."""
    if len(nest.loops) == MOST_LOOPS:
        return STEPS, _side(model, nest.loops[1]), 4 * SIDE
    return _side(model, nest.loops[0]), _side(model, nest.loops[1])


def _side(model: ScopModel, loop: Band) -> int:
    values = model.values_of(loop)
    low, high = constant(values.dim_min(0)), constant(values.dim_max(0))
    if low is None or high is None:
        return SIDE
    return max(LEAST_SIDE, min(SIDE, (high - low + 1) // (DIAGONAL * model.machine.cores)))


PASS = NestPass(
    NAME,
    "run nests whose loops all carry dependences in tiles, diagonal by diagonal",
    apply=apply,
    can_be_forced=True,
)
