"""Right-looking forms: what a loop computes is added to all sums that need it as soon as it is there.

`for j { s_j = ...; for (k < j) s_j += f(x_k, j); x_j = g(s_j); }` looks back for every x_j at all before it,
`for j s_j = ...; for k { x_k = g(s_k); for (j > k) s_j += f(x_k, j); }` looks ahead.  Each sum has its terms
in the same order; what differs is the innermost loop (Golub and Van Loan, Matrix Computations, section 3.2).
"""

from __future__ import annotations

from dataclasses import replace

from skeletons.transform.model import ScopModel
from skeletons.transform.permute import CHAIN, cost
from skeletons.transform.tree import Band, Leaf, Sequence, Tree, nested, sequence, statements
from skeletons.transform.walk import Whole, rewrite

NAME = "right-looking"
SUMMARY = "add what a loop computes to all sums that need it, as soon as it is there"


def apply(model: ScopModel, tree: Tree) -> Tree:
    """The tree with sums in their right-looking form, where that is legal and better for memory."""

    def step(part: Tree, whole: Whole) -> Tree | None:
        new = _right_looking(model, part)
        return whole(new) if new is not None and model.is_legal(whole(new)) else None

    return rewrite(tree, step)


def _right_looking(model: ScopModel, part: Tree) -> Tree | None:
    """A loop around statements and one loop of sums in the other form; None where it is no such loop, or no
    better."""
    if not isinstance(part, Band) or not isinstance(part.child, Sequence):
        return None
    children = list(part.child.children)
    sums = [k for k, child in enumerate(children) if isinstance(child, Band)]
    if len(sums) != 1 or not all(isinstance(child, Leaf | Band) for child in children):
        return None
    at = sums[0]
    inner = children[at]
    assert isinstance(inner, Band)
    before, behind = children[:at], children[at + 1 :]
    if not behind or not isinstance(inner.child, Leaf):
        return None
    ahead = nested((part,), inner.child)
    assert isinstance(ahead, Band)
    if cost(model, ahead) >= cost(model, inner) + CHAIN:
        return None
    of = {name: part.of[name] for leaf in behind for name in statements(leaf)}
    outer = replace(part, of={**of, **inner.of}, child=sequence([*behind, ahead]))
    return sequence([*([nested((part,), sequence(before))] if before else []), outer])
