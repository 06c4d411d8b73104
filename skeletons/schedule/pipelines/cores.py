"""The order of loops for kernels of a CPU: as for OpenMP, without what only its directives can say."""

from __future__ import annotations

from dataclasses import replace

from skeletons.schedule.core.marks import AnyMark, Mark
from skeletons.schedule.core.model import ScopModel
from skeletons.schedule.core.passes import Nest, NestPass, Settings, on_trees, run
from skeletons.schedule.core.reductions import is_scalar, private_sums, section_of
from skeletons.schedule.core.tree import Band, Tree, statements
from skeletons.schedule.core.walk import Whole, children, rewrite
from skeletons.schedule.transform import (
    contract,
    deadsteps,
    distribute,
    fuse,
    gather,
    indexsplit,
    jam,
    parallel,
    permute,
    rightlooking,
    strip,
    tile,
    timetile,
    unify,
)

_FOR_VECTORS = frozenset({Mark.SIMD, Mark.SCALAR})
FEW_CELLS = 3072  # doubles of which a work-item may have its own, in skeletons for sums of arrays


def ordered(model: ScopModel, settings: Settings) -> tuple[ScopModel, Tree, tuple[str, ...]]:
    """The best tree for cores with vectors, over the statements of a model, and the passes that it took."""
    alive, dead = run((deadsteps.PASS,), Nest(model, model.original), settings)
    nest, steps = run(ORDERING, alive, settings)
    nest, last = run((unify.PASS, JAM) if steps else (JAM,), nest, settings)
    steps = (*steps, *last)
    return (nest.model, _plain(nest.tree), (*dead, *steps)) if steps else (alive.model, alive.tree, dead)


def _apart(nest: Nest, settings: Settings) -> Nest:
    """What is a product stays as it is: it has skeletons of its own."""
    return nest.ordered(contract.apply(nest.model, nest.tree, settings.recognise))


def _gathered(nest: Nest, _: Settings) -> Nest:
    new = gather.apply(nest.model, nest.tree)
    return nest.ordered(new) if _has_few_sums(nest.model, new, new) else nest


def _in_time(nest: Nest, _: Settings) -> Nest:
    """Launches take longer than threads that meet: what fits into a cache anyhow is not worth any."""
    model = nest.model
    least = 0 if timetile.NAME in model.wanted else model.machine.cache(2).bytes
    return nest.ordered(timetile.apply(model, nest.tree, least=least))


def _jammed(model: ScopModel, tree: Tree) -> Tree:
    """The tree with serial loops of kernels unrolled (see `jam`), and nothing marked that compilers see by
    themselves.
    """
    marked = parallel.vectorise(model, tree, reorder=False)
    jammed = jam.apply(model, marked, inside=True)
    return tree if jammed is marked else _unmarked(jammed, _FOR_VECTORS)


def _has_few_sums(model: ScopModel, tree: Tree, part: Tree) -> bool:
    """May threads share the outermost loops as they are, or with a few cells each that they add to?"""
    if not isinstance(part, Band):
        return all(_has_few_sums(model, tree, child) for child, _ in children(part))
    if model.is_parallel(tree, part):
        return True
    arrays = [array for array in private_sums(model, part) or () if not is_scalar(model, array)]
    if not arrays:
        return _has_few_sums(model, tree, part.child)
    sections = [section_of(model, array, statements(part)) for array in arrays]
    cells = [FEW_CELLS + 1 if s is None or s.cells is None else s.cells for s in sections]
    return sum(cells) <= FEW_CELLS


def _plain(tree: Tree) -> Tree:
    """The tree in which products are loops like others."""

    return _unmarked(tree, frozenset({Mark.PRODUCT}))


def _unmarked(tree: Tree, marks: frozenset[AnyMark]) -> Tree:
    def step(part: Tree, whole: Whole) -> Tree | None:
        if not isinstance(part, Band) or not part.marks & marks:
            return None
        return whole(replace(part, marks=part.marks - marks))

    return rewrite(tree, step)


SET_APART = NestPass("set-apart", "leave products as they are", apply=_apart, marks_only=True)
ORDERING = (
    distribute.PASS,
    SET_APART,
    rightlooking.PASS,
    permute.PASS,
    gather.PASS.doing(_gathered),
    fuse.PASS,
    indexsplit.PASS,
    strip.PASS,
    timetile.PASS.doing(_in_time),
    tile.PASS,
)
JAM = jam.PASS.doing(on_trees(_jammed))
PASSES = (deadsteps.PASS, *ORDERING, unify.PASS, JAM)
