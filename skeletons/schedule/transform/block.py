"""Blocks of rows: sums that change a matrix in place, from rows that change later, or have changed before.

`for i, j, k > i: b[i][j] += a[i][k] * b[k][j]` keeps the rows in their order.  In blocks of rows, what other
blocks add to a block is a matrix product, all of whose sums are independent; in order remain the few sums
that come from the block itself.  (LAPACK's blocked algorithms; Golub and Van Loan, Matrix Computations, 1.3.)
"""

from __future__ import annotations

from dataclasses import replace
from itertools import permutations

from skeletons.catalogue.passes import BLOCK
from skeletons.schedule.core.constants import constant
from skeletons.schedule.core.marks import AnyMark, Like, Mark
from skeletons.schedule.core.model import ScopModel
from skeletons.schedule.core.passes import NestPass, on_trees
from skeletons.schedule.core.reductions import is_update
from skeletons.schedule.core.tree import Band, Leaf, Part, Tree, any_marked, copied, nested, perfect, sequence
from skeletons.schedule.core.walk import Whole, places

NAME = BLOCK

ROWS = 64  # of a block: a tile of a product


def apply(model: ScopModel, tree: Tree) -> Tree:
    """The tree with such nests in blocks."""
    for part, whole in places(tree):
        loops, inner = perfect(part)
        if len(loops) == 3 and isinstance(inner, Leaf) and not any_marked(loops, Mark.IN_BLOCKS):
            new = _blocked(model, loops, inner, part, whole)
            if new is not None:
                return apply(model, new)
    return tree


def _blocked(model: ScopModel, loops: tuple[Band, ...], inner: Leaf, part: Tree, whole: Whole) -> Tree | None:
    """The tree with the nest in blocks of one of its loops; None where that makes nothing independent."""
    before = whole(part)
    if (
        not is_update(model.statements[inner.statement])
        or sum(model.is_parallel(before, loop) for loop in loops) > 1
    ):
        return None
    for rows, terms in permutations(loops, 2):
        if not model.is_parallel(before, rows) and _is_long(model, rows):
            for relation in (">", "<"):
                new = _cut(model, loops, inner, (rows, terms, relation), whole)
                if new is not None:
                    return new
    return None


def _is_long(model: ScopModel, rows: Band) -> bool:
    """Are there two blocks of rows, as far as numbers tell?"""
    values = model.values_of(rows)
    low, high = constant(values.dim_min(0)), constant(values.dim_max(0))
    return low is None or high is None or high - low >= 2 * ROWS


def _cut(
    model: ScopModel, loops: tuple[Band, ...], inner: Leaf, by: tuple[Band, Band, str], whole: Whole
) -> Tree | None:
    """The tree with blocks of rows, each with the terms of its own and those behind (before) it."""
    rows, terms, relation = by
    name = inner.statement
    row, term = (loop.of[name].lstrip("-") for loop in (rows, terms))
    if not {row, term} <= set(model.domains.iterators[name]):
        return None
    first, sign = f"{ROWS}*floor({row}/{ROWS})", "-" if rows.of[name].startswith("-") else ""
    near = model.domains.restricted(name, f"{first} <= {term} < {first} + {ROWS}")
    behind = f"{term} >= {first} + {ROWS}" if relation == ">" else f"{term} < {first}"
    far = model.domains.restricted(name, behind)
    if far.is_empty() or not model.domains.sets[name].is_subset(near.union(far)):
        return None
    marked = tuple(loop.marked(Mark.IN_BLOCKS) for loop in loops)
    free = next(loop for loop in marked if loop.name not in (rows.name, terms.name))
    product = nested((_named(marked, rows), free, _named(marked, terms)), inner)
    inside = Part(copied(nested(marked, inner)), {name: str(near)})
    outside = Part(copied(product), {name: str(far)})
    # The variable does not wrap around: nobody waits for the squares of so many rows.
    marks: frozenset[AnyMark] = frozenset({Mark.IN_BLOCKS, Like(row)})
    blocks = Band(f"{rows.name}_block", {name: f"{sign}{first}"}, inside, marks)
    for parts in ([inside, outside], [outside, inside]):
        after = whole(replace(blocks, child=sequence(list[Tree](parts))))
        if model.is_legal(after) and _is_free(model, after, outside):
            return after
    return None


def _named(loops: tuple[Band, ...], loop: Band) -> Band:
    return next(other for other in loops if other.name == loop.name)


def _is_free(model: ScopModel, tree: Tree, product: Part) -> bool:
    """Are the two outer loops of the product parallel?"""
    assert isinstance(product.child, Band) and isinstance(product.child.child, Band)
    return model.is_parallel(tree, product.child) and model.is_parallel(tree, product.child.child)


PASS = NestPass(
    NAME,
    "compute in-place sums of rows in blocks of rows: what one block adds to another is a product",
    apply=on_trees(apply),
)
