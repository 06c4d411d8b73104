"""Right-looking forms: what a loop computes is added to all sums that need it as soon as it is there.

`for j { s_j = ...; for (k < j) s_j += f(x_k, j); x_j = g(s_j); }` looks back for every x_j at all before it,
`for j s_j = ...; for k { x_k = g(s_k); for (j > k) s_j += f(x_k, j); }` looks ahead.  Each sum has its terms
in the same order; what differs is the innermost loop (Golub and Van Loan, Matrix Computations, section 3.2).
"""

from __future__ import annotations

from dataclasses import replace

from skeletons.schedule.core.marks import Mark
from skeletons.schedule.core.model import ScopModel
from skeletons.schedule.core.passes import NestPass, on_trees
from skeletons.schedule.core.reductions import cell, is_update, stays
from skeletons.schedule.core.tree import Band, Leaf, Sequence, Tree, nested, perfect, sequence, statements
from skeletons.schedule.core.walk import Whole, rewrite
from skeletons.schedule.transform.permute import CHAIN, cost

NAME = "right-looking"


def apply(model: ScopModel, tree: Tree) -> Tree:
    """The tree with sums in their right-looking form, where that is legal and better for memory."""

    def step(part: Tree, whole: Whole) -> Tree | None:
        new = _right_looking(model, part)
        return whole(new) if new is not None and model.is_legal(whole(new)) else None

    return rewrite(tree, step)


def _right_looking(model: ScopModel, part: Tree) -> Tree | None:
    """A loop around sums and what is made of them in the other form; None where it is none, or no better."""
    if not isinstance(part, Band) or not isinstance(part.child, Sequence) or Mark.IN_BLOCKS in part.marks:
        return None
    children = list(part.child.children)
    places = [k for k, child in enumerate(children) if _is_sum(model, child)]
    behind = [c for k, c in enumerate(children) if places and k > places[0] and k not in places]
    if not behind:
        return None
    before, sums = children[: places[0]], [children[k] for k in places]
    ahead = [_ahead(part, one) for one in sums]
    if sum(_cost(model, one, 0) for one in ahead) >= sum(_cost(model, one, 1) for one in sums):
        return None
    of = {name: part.of[name] for child in behind for name in statements(child)}
    for one in sums:
        of |= perfect(one)[0][-1].of
    outer = replace(part, of=of, child=sequence([*behind, *ahead]))
    return sequence([*([nested((part,), sequence(before))] if before else []), outer])


def _is_sum(model: ScopModel, part: Tree) -> bool:
    """Is it a nest that does nothing but add to cells, each of them all along its innermost loop?"""
    loops, inner = perfect(part)
    if not loops or not isinstance(inner, Leaf):
        return False
    statement = model.statements[inner.statement]
    return is_update(statement) and stays(cell(statement), statement, loops[-1])


def _ahead(part: Band, one: Tree) -> Tree:
    """The nest of a sum for one value of its innermost loop: the loop around it comes inside."""
    loops, inner = perfect(one)
    return nested((part, *loops[:-1]), inner)


def _cost(model: ScopModel, nest: Tree, chained: int) -> float:
    """What the best innermost loop of a nest costs memory; `chained` innermost ones wait for one another."""
    loops, _ = perfect(nest)
    chains = [0] * (len(loops) - chained) + [CHAIN] * chained
    return min(cost(model, loop) + chain for loop, chain in zip(loops, chains, strict=True))


PASS = NestPass(
    NAME,
    "add a computed value to all sums that need it as soon as it is known",
    apply=on_trees(apply),
    can_be_forced=True,
)
