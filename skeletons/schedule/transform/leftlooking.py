"""Left-looking forms: a triangle that is computed row by row is computed column by column.

`for i { for (j < i) { s_ij = ...; x_ij = g(s_ij, x_jj); } x_ii = ...; }` goes through the rows in order, each
from left to right: nothing may run at the same time.  `for j { x_jj = ...; for (i > j) { s_ij = ...; x_ij =
g(s_ij, x_jj); } }` computes the same in all rows of a column at once.  Each sum has its terms in the same
order (Golub and Van Loan, Matrix Computations, section 4.2: the Cholesky factorisation by gaxpy operations).
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from skeletons.schedule.core.model import ScopModel
from skeletons.schedule.core.passes import NestPass, on_trees
from skeletons.schedule.core.tree import Band, Sequence, Tree, bands, sequence, statements
from skeletons.schedule.core.walk import Whole, rewrite

NAME = "left-looking"


def apply(model: ScopModel, tree: Tree) -> Tree:
    """The tree with such loops exchanged with one of the loops that they hold, if that one gets parallel."""

    def step(part: Tree, whole: Whole) -> Tree | None:
        if not isinstance(part, Band) or _has_threads(model, part, whole):
            return None
        found = ((whole(new), rows) for new, rows in _exchanged(part))
        return next(
            (new for new, rows in found if model.is_legal(new) and model.is_parallel(new, rows)), None
        )

    return rewrite(tree, step)


def _has_threads(model: ScopModel, part: Band, whole: Whole) -> bool:
    """May threads share the loop, or a loop of those that it holds, as they are?"""
    tree, inner = whole(part), [band for band in bands(part) if isinstance(band.child, Sequence)]
    return any(model.is_parallel(tree, loop) for loop in (part, *inner))


def _exchanged(part: Band) -> Iterator[tuple[Tree, Band]]:
    """A loop with one of the loops that it holds outside, and itself inside, behind all else or before it;
    each with the loop that is inside then.
    """
    children = part.child.children if isinstance(part.child, Sequence) else (part.child,)
    for inner in children:
        if not isinstance(inner, Band) or not isinstance(inner.child, Sequence):
            continue
        others = [child for child in children if child is not inner]
        rows = replace(part, child=inner.child, of={name: part.of[name] for name in statements(inner)})
        for order in ([*others, rows], [rows, *others]):
            yield replace(inner, of={**part.of, **inner.of}, child=sequence(order)), rows


PASS = NestPass(
    NAME,
    "compute triangles column by column, where only the rows of a column are independent",
    apply=on_trees(apply),
    can_be_forced=True,
)
