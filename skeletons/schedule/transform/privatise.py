"""Array privatisation: loops whose iterations share nothing but memory for temporary arrays.

Every thread has copies of these; the one that makes the last iteration copies back what is needed afterwards.
"""

from __future__ import annotations

from dataclasses import replace
from math import prod

import islpy as isl

from skeletons.schedule.core.constants import constant
from skeletons.schedule.core.marks import Mark, Own
from skeletons.schedule.core.model import ScopModel
from skeletons.schedule.core.passes import Nest, NestPass, Settings
from skeletons.schedule.core.private_arrays import source, view
from skeletons.schedule.core.tree import Band, Part, Sequence, Tree, sequence, statements
from skeletons.schedule.transform.parallel import parallel_marks
from species.facts import ScopArray, ScopLoop

NAME = "privatise"

MOST_BYTES = 1 << 26  # of one copy of one array
ROUNDS = 2  # iterations for each core, at least


def apply(model: ScopModel, tree: Tree, *, reorder: bool) -> Tree:
    """The tree with such outermost loops marked `Own` for every array that threads need copies of.

    `reorder` allows them to compute sums in another order.
    """
    parts: list[Tree] = list(tree.children) if isinstance(tree, Sequence) else [tree]
    for k, part in enumerate(parts):
        marked = _marked(model, tree, part)
        if isinstance(marked, Band) and marked is not part:
            new = sequence([*parts[:k], marked, *parts[k + 1 :]])
            shared = parallel_marks(view(model, marked), new, marked, reorder=reorder)
            parts[k] = marked if shared is not None else part
    return sequence(parts)


def _marked(model: ScopModel, tree: Tree, part: Tree) -> Tree:
    loop = source(model, part) if isinstance(part, Band) else None
    if loop is None or not isinstance(part, Band):
        return part
    arrays = [a for a in model.scop.arrays if a.name in loop.temporary]
    if not arrays or not all(_is_copied(model, part, loop, a) for a in arrays):
        return part
    if not _has_rounds(model, part) or model.is_parallel(tree, part):
        return part
    return replace(part.marked(*(Own(array.name) for array in arrays)), child=_served(part.child))


def _served(tree: Tree) -> Tree:
    if isinstance(tree, Band):
        return replace(tree.marked(Mark.SERVED), child=_served(tree.child))
    if isinstance(tree, Part):
        return replace(tree, child=_served(tree.child))
    return sequence([_served(c) for c in tree.children]) if isinstance(tree, Sequence) else tree


def _is_copied(model: ScopModel, part: Band, loop: ScopLoop, array: ScopArray) -> bool:
    """May threads have copies of it, and can what is needed be copied back?"""
    extents = [int(extent) for extent in array.extents if extent is not None and extent.isdigit()]
    if array.pointer or not extents or len(extents) != len(array.extents) or array.bytes is None:
        return False
    if prod(extents) * array.bytes > MOST_BYTES:
        return False
    if array.name not in loop.live:
        return True
    return not array.rows and _is_box(model.written(array.name, statements(part)))


def _has_rounds(model: ScopModel, part: Band) -> bool:
    """Are there surely iterations for all threads?"""
    values = model.values_of(part)
    first, last = constant(values.dim_min(0)), constant(values.dim_max(0))
    return first is not None and last is not None and last - first + 1 >= ROUNDS * model.machine.cores


def _is_box(cells: isl.Set) -> bool:
    """Are they all cells between the least and the greatest subscript, for every dimension?"""
    kind, count = isl.dim_type.set, cells.dim(isl.dim_type.set)
    box = isl.Set.universe(cells.get_space())
    for d in range(count):
        box = box.intersect(cells.eliminate(kind, d + 1, count - d - 1).eliminate(kind, 0, d))
    return bool(cells.is_bounded() and box.is_equal(cells))


def _with_copies(nest: Nest, settings: Settings) -> Nest:
    return nest.ordered(apply(nest.model, nest.tree, reorder=settings.reorder))


PASS = NestPass(
    NAME,
    "give every thread its own copies of temporary arrays, where that makes an outermost loop parallel",
    apply=_with_copies,
    can_be_forced=True,
)
