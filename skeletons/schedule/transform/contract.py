"""Matrix products and their relatives: nests of one statement that a blocked product can stand for."""

from __future__ import annotations

from collections.abc import Iterator

import islpy as isl

from skeletons.schedule.core.constants import constant
from skeletons.schedule.core.marks import Mark
from skeletons.schedule.core.model import ScopModel
from skeletons.schedule.core.passes import Nest, NestPass, Recognise, Settings
from skeletons.schedule.core.reductions import cell, relaxed
from skeletons.schedule.core.tree import Band, Leaf, Sequence, Tree, nested, perfect, sequence
from skeletons.sums.contraction import Contraction

NAME = "contract"

LEAST = 32  # iterations: below, a product is not worth its packing


def apply(model: ScopModel, tree: Tree, recognise: Recognise) -> Tree:
    """The tree with outermost nests marked "product" that `recognise` takes, as far as their sums may be
    reordered; a nest of several statements is split where every one is a product.
    """
    parts: list[Tree] = list(tree.children) if isinstance(tree, Sequence) else [tree]
    for k in range(len(parts)):
        for apart in _apart(parts[k]):
            products = [_marked(model, nest, recognise) for nest in apart]
            whole = sequence([*parts[:k], *products, *parts[k + 1 :]])
            if all(map(_is_product, products)) and (len(apart) == 1 or model.is_legal(whole)):
                parts[k] = sequence(products)
                break
    return sequence(parts)


def _apart(nest: Tree) -> Iterator[list[Tree]]:
    """The nests of the statements in one, in both orders; a nest with one statement as it is."""
    loops, inner = perfect(nest)
    leaves = list(inner.children) if isinstance(inner, Sequence) else [inner]
    if all(isinstance(leaf, Leaf) for leaf in leaves):
        alone = [nested(loops, leaf) for leaf in leaves]
        yield alone
        if len(alone) > 1:
            yield alone[::-1]


def _is_product(nest: Tree) -> bool:
    """Is it marked to be one?"""
    return isinstance(nest, Band) and Mark.PRODUCT in nest.marks


def _marked(model: ScopModel, nest: Tree, recognise: Recognise) -> Tree:
    loops, inner = perfect(nest)
    if len(loops) < 3 or not isinstance(inner, Leaf):
        return nest
    name = inner.statement
    if len(loops) < len(model.statements[name].iterators):
        return nest
    if NAME not in model.wanted and _is_small(model, name):
        return nest
    found = recognise(model, name)
    if found is None or not _is_sound(model, name, found):
        return nest
    first, *others = (loop.marked(Mark.APART) for loop in loops)
    return nested((first.marked(Mark.PRODUCT), *others), inner)


def _is_sound(model: ScopModel, name: str, found: Contraction) -> bool:
    """May its iterations run in any order, and has each output cell iterators of its own?"""
    own = isl.UnionSet.from_set(model.domains.sets[name])
    pairs = relaxed(model, [name]).intersect_domain(own).intersect_range(own)
    if not pairs.is_empty():
        return False
    written = isl.Map(cell(model.statements[name]).relation).intersect_domain(model.domains.sets[name])
    same = isl.UnionMap.from_map(written.apply_range(written.reverse()))
    outputs = ", ".join(f"({loop.iterator})" for loop in (*found.batch, *found.rows, *found.columns))
    values = isl.UnionMap(f"{{ {model.domains.tuple_of(name)} -> [{outputs}] }}")
    return bool(same.is_subset(values.apply_range(values.reverse())))


def _is_small(model: ScopModel, name: str) -> bool:
    """Do some of its loops make few iterations?"""
    domain = model.domains.sets[name]
    for position in range(domain.dim(isl.dim_type.set)):
        first, last = constant(domain.dim_min(position)), constant(domain.dim_max(position))
        if first is not None and last is not None and last - first + 1 < LEAST:
            return True
    return False


def _with_products(nest: Nest, settings: Settings) -> Nest:
    return nest.ordered(apply(nest.model, nest.tree, settings.recognise))


PASS = NestPass(
    NAME,
    "compute matrix products and other contractions as blocked products",
    apply=_with_products,
    can_be_forced=True,
    reorders_sums=True,
)
