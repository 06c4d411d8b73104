"""Panels: a triangle that is computed column by column, in blocks of columns, as LAPACK does.

In `for j { for (i > j) { for (k < j) a_ij -= a_ik * a_kj; ... } }` each column needs all columns before it,
so that the matrix goes through memory once for every column.  What the columns of a block add to later ones
is a product whose sums are independent: it is made behind each block, and goes through memory once for all of
them.  (Golub and Van Loan, Matrix Computations, sections 3.2.11 and 4.2.9.)
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from skeletons.schedule.core.constants import constant
from skeletons.schedule.core.marks import AnyMark, Like, Mark
from skeletons.schedule.core.model import ScopModel
from skeletons.schedule.core.passes import Nest, NestPass, Settings
from skeletons.schedule.core.reductions import cell, is_update, stays
from skeletons.schedule.core.tree import Band, Leaf, Tree, sequence
from skeletons.schedule.core.walk import children, places
from skeletons.schedule.transform.block import ROWS
from skeletons.schedule.transform.permute import cost

NAME = "panels"

LATER = "_later"  # of names of statements: what is added to later blocks


def apply(model: ScopModel, tree: Tree) -> tuple[ScopModel, Tree]:
    """The tree with serial loops in blocks, behind each of which stands what it adds to later ones; and a
    model in which that is done by statements of its own.
    """
    while (found := _found(model, tree)) is not None:
        model, tree = found
    return model, tree


def _found(model: ScopModel, tree: Tree) -> tuple[ScopModel, Tree] | None:
    for part, whole in places(tree):
        if not isinstance(part, Band) or Mark.IN_BLOCKS in part.marks or not _is_long(model, part):
            continue
        if model.is_parallel(tree, part):
            continue
        divided, new = _in_panels(model, part)
        if new is not part and divided.is_legal(whole(new)):
            return divided, whole(new)
    return None


def _is_long(model: ScopModel, part: Band) -> bool:
    """Are there several blocks, as far as numbers tell?"""
    values = model.values_of(part)
    low, high = constant(values.dim_min(0)), constant(values.dim_max(0))
    return low is None or high is None or high - low >= 4 * ROWS


def _in_panels(model: ScopModel, part: Band) -> tuple[ScopModel, Tree]:
    """A loop in blocks; itself where nothing is added to later ones."""
    of = {name: _first(value) for name, value in part.of.items()}
    before, behind = list[Tree](), list[Tree]()
    for loops, leaf in _sums(model, part):
        name, later, term = leaf.statement, leaf.statement + LATER, loops[-1].of[leaf.statement]
        waits = _is_along(model, loops)
        # The same, but bounds are found as they are told.
        needed = f"{term} < {of[name]}" if waits else f"{loops[0].of[name]} >= {_first(term)} + {ROWS}"
        own, earlier = (model.domains.restricted(name, c) for c in (needed, f"{term} <= {loops[0].of[name]}"))
        are_earlier = earlier.is_equal(model.domains.sets[name])  # all of the sum's terms
        if are_earlier and not own.is_empty():
            model = model.divided(name, later, own)
            of[later] = of[name] if waits else _first(term)
            (before if waits else behind).append(_nest(loops, name, later))
    if not before + behind:
        return model, part
    blocks: frozenset[AnyMark] = frozenset({Mark.IN_BLOCKS, Like(part.name)})
    return model, Band(f"{part.name}_block", of, sequence([*before, _done(part), *behind]), blocks)


def _is_along(model: ScopModel, loops: tuple[Band, ...]) -> bool:
    """Does the loop along the terms of a sum run along memory best?  Then long sums are best."""
    *others, terms = loops
    return cost(model, terms) < min(cost(model, loop) for loop in others)


def _first(value: str) -> str:
    """The first value of the block that a value of a loop is in."""
    return f"{ROWS}*floor(({value})/{ROWS})"


def _nest(loops: tuple[Band, ...], name: str, other: str) -> Tree:
    inner: Tree = Leaf(other)
    for loop in reversed(loops):
        inner = replace(loop.marked(Mark.IN_BLOCKS), child=inner, of={other: loop.of[name]})
    return inner


def _sums(model: ScopModel, part: Band) -> Iterator[tuple[tuple[Band, ...], Leaf]]:
    """What does nothing but add to cells, each all along its innermost loop, and the loops around it: the
    given one, at least one that goes through cells, and that one.
    """
    for loops, leaf in _leaves(part, ()):
        statement = model.statements[leaf.statement]
        if len(loops) > 2 and is_update(statement) and stays(cell(statement), statement, loops[-1]):
            yield loops, leaf


def _leaves(part: Tree, around: tuple[Band, ...]) -> Iterator[tuple[tuple[Band, ...], Leaf]]:
    if isinstance(part, Leaf):
        yield around, part
    inner = (*around, part) if isinstance(part, Band) else around
    for child, _ in children(part):
        yield from _leaves(child, inner)


def _done(tree: Tree) -> Tree:
    """With all loops marked as done."""
    if isinstance(tree, Band):
        return replace(tree.marked(Mark.IN_BLOCKS), child=_done(tree.child))
    if isinstance(tree, Leaf):
        return tree
    for child, put in [*children(tree)]:
        tree = put(_done(child))
    return tree


def _in_blocks(nest: Nest, _: Settings) -> Nest:
    return Nest(*apply(nest.model, nest.tree))


PASS = NestPass(
    NAME,
    "compute triangles in blocks of columns, most of the work as matrix products",
    apply=_in_blocks,
    can_be_forced=True,
)
