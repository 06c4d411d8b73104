"""Strip-mining: the parallel innermost loop of a nest is cut into strips, which become its outermost loop.

What no other order of the loops gives, this does: threads share the outermost loop, and the innermost one
still runs along memory.
"""

from __future__ import annotations

from skeletons.schedule.core.constants import constant
from skeletons.schedule.core.marks import Mark
from skeletons.schedule.core.model import ScopModel
from skeletons.schedule.core.passes import NestPass, on_trees
from skeletons.schedule.core.shapes import is_constant
from skeletons.schedule.core.tree import Band, Tree, any_marked, bands, nested, perfect, statements
from skeletons.schedule.core.walk import Whole, rewrite

NAME = "strip"

LINES = 16  # of doubles that a strip goes through: a kilobyte, where lines have 64 bytes
MOST_LINES = 64  # where that leaves one for every core: a page, which rows then begin but once


def apply(model: ScopModel, tree: Tree) -> Tree:
    """The tree with such nests cut into strips."""

    def step(part: Tree, whole: Whole) -> Tree | None:
        loops, _ = perfect(part)
        if len(loops) < 2 or any_marked(loops, Mark.STRIP) or loops[0].marks & {Mark.APART, Mark.SERVED}:
            return None
        before = whole(part)
        is_shared = model.is_parallel(before, loops[0]) and NAME not in model.wanted
        if is_shared or not model.is_parallel(before, loops[-1]):
            return None
        return in_strips(model, part, whole)

    return rewrite(tree, step)


def in_strips(model: ScopModel, part: Tree, whole: Whole) -> Tree | None:
    """The tree with strips of the innermost loop around a nest; None where they depend on one another."""
    loops, inner = perfect(part)
    along = loops[-1]
    length = _lines(model, along) * model.machine.line // 8
    of = {name: f"{length}*floor(({value})/{length})" for name, value in along.of.items()}
    outer = Band(along.name + "_strip", of, along, frozenset({Mark.STRIP, Mark.TILE}))
    after = whole(nested((outer, *(loop.marked(Mark.STRIP) for loop in loops)), inner))
    return after if model.is_legal(after) and _is_shared(model, after, outer) else None


def _lines(model: ScopModel, along: Band) -> int:
    """How many lines a strip has: more than the fewest where all rows have as many cells."""
    values = model.values_of(along)
    first, last = constant(values.dim_min(0)), constant(values.dim_max(0))
    if (
        first is None
        or last is None
        or not all(is_constant(model, name, along) for name in statements(along))
    ):
        return LINES
    lines = -(-(last - first + 1) * 8 // model.machine.line)
    own = -(-lines // model.machine.cores)
    return max(LINES, -(-own // -(-own // MOST_LINES)))  # all cores have as many strips


def _is_shared(model: ScopModel, tree: Tree, strips: Band) -> bool:
    """Are the strips independent?"""
    same = (b for b in bands(tree) if b.name == strips.name and set(b.of) == set(strips.of))
    return any(model.is_parallel(tree, band) for band in same)


PASS = NestPass(
    NAME,
    "strip-mine the innermost loop of a nest for threads, where no outer loop is parallel",
    apply=on_trees(apply),
    can_be_forced=True,
)
