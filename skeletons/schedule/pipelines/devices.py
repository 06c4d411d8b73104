"""The order of loops for accelerators: every statement in as many parallel loops as there can be around it.

Loops are split and interchanged as for OpenMP, but by another measure: threads that start together, parallel
loops directly inside of one another, and neighbours among them that read neighbours in memory.  What is in
order then may come in parts (`indexsplit`), or in blocks (`block`).
"""

from __future__ import annotations

from dataclasses import replace
from itertools import permutations
from math import inf, prod

from skeletons.schedule.core.constants import constant
from skeletons.schedule.core.model import ScopModel
from skeletons.schedule.core.passes import Nest, Settings, on_trees, run
from skeletons.schedule.core.tree import Band, Sequence, Tree, nested, perfect, statements
from skeletons.schedule.core.walk import Whole, neighbours, rewrite
from skeletons.schedule.transform import block, deadsteps, distribute, indexsplit, permute
from skeletons.schedule.transform.fuse import have_same_range, joined
from skeletons.schedule.transform.parallel import parallel_marks
from skeletons.schedule.transform.permute import MOST_LOOPS, cost

DIMENSIONS = 3  # of a grid
THREADS = 1024  # fewer leave most of a device idle
FURTHER = (indexsplit.PASS.doing(on_trees(indexsplit.for_threads)), block.PASS)
PASSES = (deadsteps.PASS, distribute.PASS, permute.PASS, *FURTHER)

Shape = tuple[int, int]  # serial loops around the first parallel one; parallel ones from there on, negative


def ordered(model: ScopModel, settings: Settings) -> tuple[ScopModel, Tree, tuple[str, ...]]:
    """The best tree for an accelerator, over the statements of a model, and the passes that it took; the
    original where none is better.
    """
    alive, dead = run((deadsteps.PASS,), Nest(model, model.original), settings)
    tree, steps = _in_order(alive.model, settings)
    nest, further = run(FURTHER, alive.ordered(tree), settings)
    return nest.model, nest.tree, (*dead, *steps, *further)


def _in_order(model: ScopModel, settings: Settings) -> tuple[Tree, tuple[str, ...]]:
    """The tree with loops split and interchanged, which only together may make it better."""
    split, turned = model.original, model.original
    if settings.takes(distribute.PASS):
        split = turned = distribute.apply(model, model.original)
    if settings.takes(permute.PASS):
        turned = _turned(model, split, reorder=settings.reorder)
    tree = _rejoined(model, turned)
    before, after = shapes(model, model.original), shapes(model, tree)
    if not any(after[s] < before[s] for s in before) or any(after[s] > before[s] for s in before):
        return model.original, ()
    return tree, (distribute.NAME, permute.NAME)


def shapes(model: ScopModel, tree: Tree) -> dict[str, Shape]:
    """How parallel the loops around each statement are; less is better."""
    found: dict[str, Shape] = {}
    _enter(model, tree, tree, 0, found)
    return found


def _enter(model: ScopModel, tree: Tree, part: Tree, serial: int, found: dict[str, Shape]) -> None:
    if isinstance(part, Band):
        run = _run(model, tree, part)
        if run:
            found.update(dict.fromkeys(statements(part), (serial, -run)))
            return
        _enter(model, tree, part.child, serial + model.repeats(part), found)
    elif isinstance(part, Sequence):
        for child in part.children:
            _enter(model, tree, child, serial, found)
    else:
        found.update(dict.fromkeys(statements(part), (serial, 0)))


def _run(model: ScopModel, tree: Tree, part: Tree) -> int:
    """How many parallel loops there are from this one inwards, directly inside of one another."""
    count = 0
    while isinstance(part, Band) and count < DIMENSIONS and model.is_parallel(tree, part):
        count, part = count + 1, part.child
    return count


def _turned(model: ScopModel, tree: Tree, *, reorder: bool) -> Tree:
    """The loops of each perfect nest in their best order."""
    done: set[frozenset[str]] = set()

    def step(part: Tree, whole: Whole) -> Tree | None:
        names = frozenset(statements(part))
        if not isinstance(part, Band) or names in done:
            return None
        done.add(names)
        best = _best(model, *perfect(part), whole)
        if best == part or (reorder and _is_better_summed(model, whole(part), part, whole(best), best)):
            return None
        return whole(best)

    return rewrite(tree, step)


def _is_better_summed(model: ScopModel, before: Tree, sums: Band, after: Tree, best: Tree) -> bool:
    """Would a few threads make what many could that add up?"""
    run = perfect(best)[0][: _run(model, after, best)]
    threads = prod(_values(model, loop) for loop in run)
    if threads >= THREADS or _values(model, sums) <= threads or model.is_parallel(before, sums):
        return False
    return parallel_marks(model, before, sums, reorder=True) is not None


def _values(model: ScopModel, loop: Band) -> float:
    """How many values a loop runs through."""
    found = model.values_of(loop)
    low, high = constant(found.dim_min(0)), constant(found.dim_max(0))
    return high - low + 1 if low is not None and high is not None else inf


def _best(model: ScopModel, loops: tuple[Band, ...], inner: Tree, whole: Whole) -> Tree:
    ranked = []
    for order in permutations(range(len(loops))) if len(loops) <= MOST_LOOPS else ():
        candidate = nested(tuple(loops[k] for k in order), inner)
        if list(order) == sorted(order) or model.is_legal(whole(candidate)):
            ranked.append((_key(model, whole(candidate), candidate), order, candidate))
    return min(ranked, key=lambda item: item[:2])[2] if ranked else nested(loops, inner)


def _key(model: ScopModel, tree: Tree, candidate: Tree) -> tuple[float, ...]:
    """Serial loops outside, parallel ones, and what neighbouring threads cost memory."""
    loops, _ = perfect(candidate)
    free = [model.is_parallel(tree, loop) for loop in loops]
    if True not in free:
        return (len(loops), 0, 0)
    first = free.index(True)
    run = _run(model, tree, loops[first])
    return (first, -run, cost(model, loops[first + run - 1]))


def _rejoined(model: ScopModel, tree: Tree) -> Tree:
    """What was split without gain, together again."""
    origin = _outermost(model)

    def step(part: Tree, whole: Whole) -> Tree | None:
        for first, second, put in neighbours(part, whole):
            if origin[next(statements(first))] != origin[next(statements(second))]:
                continue
            for after in map(put, _joined(model, first, second)):
                if model.is_legal(after) and _is_no_worse(model, after, whole(part)):
                    return after
        return None

    return rewrite(tree, step)


def _is_no_worse(model: ScopModel, tree: Tree, before: Tree) -> bool:
    new, old = shapes(model, tree), shapes(model, before)
    return all(new[s] <= old[s] for s in old)


def _outermost(model: ScopModel) -> dict[str, int]:
    """Which of the source's outermost loops each statement stands in."""
    tree = model.original
    parts = tree.children if isinstance(tree, Sequence) else (tree,)
    return {name: k for k, part in enumerate(parts) for name in statements(part)}


def _joined(model: ScopModel, first: Band, second: Band) -> list[Band]:
    """Two loops as one, as deep as can be first."""
    if not have_same_range(model, first, second):
        return []
    one = joined(first, second)
    if not isinstance(first.child, Band) or not isinstance(second.child, Band):
        return [one]
    return [*(replace(one, child=inner) for inner in _joined(model, first.child, second.child)), one]
