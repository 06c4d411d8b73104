"""Threads and vectors: which loops of a tree a team of threads shares, and which are vectorised."""

from __future__ import annotations

import re
from collections.abc import Iterable
from collections.abc import Sequence as Texts
from dataclasses import replace
from math import prod

import islpy as isl

from models.sizes import amounts
from skeletons.catalogue.passes import VECTORISE
from skeletons.schedule.core.constants import constant
from skeletons.schedule.core.marks import AnyMark, Chunks, Mark, Sum, of_kind
from skeletons.schedule.core.model import ScopModel
from skeletons.schedule.core.passes import Nest, NestPass, Settings
from skeletons.schedule.core.private_arrays import own_arrays, view, without
from skeletons.schedule.core.reductions import (
    cell,
    free_sums,
    is_scalar,
    is_update,
    private_sums,
    relaxed,
    section_of,
    stays,
)
from skeletons.schedule.core.shapes import are_even, have_equal_counts, is_even, position_of
from skeletons.schedule.core.short_sums import short_sums
from skeletons.schedule.core.tree import Band, Leaf, Sequence, Tree, bands, statements
from skeletons.schedule.core.walk import Whole, children, places
from skeletons.schedule.transform.permute import cost_along
from species.facts import ScopStatement

LONG_ENOUGH, MOST_CHUNK = 64000, 16  # cells that a thread goes through before it asks for more; iterations
FEW, UNKNOWN = 8, int(amounts.UNKNOWN)  # iterations of short loops, and of those of which nobody knows
MEETINGS = 8  # a core that waits has to fetch, too, what others have written


def share(model: ScopModel, tree: Tree, *, reorder: bool) -> Tree:
    """The tree with the outermost parallel loops marked for threads, or short where threads would meet too
    often.

    With `reorder`, also loops whose iterations add to the same cells of small arrays: threads then have
    copies of those (mark `Sum`).
    """
    return _share(model, tree, lambda new: new, reorder)


def _share(model: ScopModel, part: Tree, whole: Whole, reorder: bool, inside: bool = False) -> Tree:
    """`inside`: a serial loop is around it, in each iteration of which all threads would have to meet."""
    if isinstance(part, Band) and Mark.APART in part.marks:
        return part
    if isinstance(part, Band) and model.repeats(part):
        marks = parallel_marks(view(model, part), whole(part), part, reorder=reorder)
        if marks is None and own_arrays(part):
            return _share(model, without(part), whole, reorder, inside)
        if marks is not None and inside and not is_long(model, part):
            return part.marked(Mark.SHORT)
        if marks is not None:
            return part.marked(*marks, *_schedule(model, part))
    current = part
    for k in range(len(list(children(part)))):
        child, inner = list(children(current))[k]
        serial = inside or (isinstance(part, Band) and model.repeats(part))
        current = inner(_share(model, child, lambda new, inner=inner: whole(inner(new)), reorder, serial))  # type: ignore[misc]
    return current


def _schedule(model: ScopModel, loop: Band) -> tuple[Chunks, ...]:
    """The mark `Chunks` for a loop whose iterations take different times, as in a triangle."""
    uneven = [name for name in statements(loop) if _is_uneven(model, loop, name)]
    if not uneven or (not any(model.statements[name].uneven for name in uneven) and are_even(model, loop)):
        return ()
    trips = max(_trips(model, name, position_of(model, loop, name) or 0) for name in statements(loop))
    chunk = LONG_ENOUGH * trips // _work(model, loop)
    return (Chunks(max(1, min(MOST_CHUNK, chunk))),)


def _is_uneven(model: ScopModel, loop: Band, name: str) -> bool:
    if is_innermost(loop) or position_of(model, loop, name) is None:
        return model.statements[name].uneven
    is_same = is_even(model, name, loop) or have_equal_counts(model, name, loop)
    return model.statements[name].uneven or not is_same


def is_long(model: ScopModel, loop: Band) -> bool:
    """Does it take one core much longer to read the loop's cells than threads take to meet?"""
    return _work(model, loop) >= round(MEETINGS * model.machine.region * model.machine.bandwidth.one / 8)


def _work(model: ScopModel, loop: Band) -> int:
    """About what the cells cost that a loop touches; loops of unknown lengths count a thousand iterations."""
    found = 0
    for name in statements(loop):
        cost = cost_along(model, model.statements[name], _along(model, loop, name))
        found += _executions(model, loop, name) * (1 + cost)
    return found


def _along(model: ScopModel, loop: Band, name: str) -> int:
    """Which iterator of a statement the innermost loop runs through; the last where that is another value."""
    inside = [position_of(model, band, name) for band in bands(loop) if name in band.of]
    last = inside[-1] if inside else None
    return len(model.statements[name].iterators) - 1 if last is None else last


def _executions(model: ScopModel, loop: Band, name: str) -> int:
    """How often, at most, a statement runs in one run of a loop of the tree."""
    statement = model.statements[name]
    own = prod(int(each) if each.isdigit() else UNKNOWN for each in inner_trips(statement))
    inside = _moving([band.of[name] for band in bands(loop) if name in band.of], statement.iterators)
    return own * prod(_trips(model, name, statement.iterators.index(iterator)) for iterator in inside)


def inner_trips(statement: ScopStatement) -> tuple[str, ...]:
    """The iterations of the loops in a statement: C texts, numbers where nobody knows."""
    if statement.straight and not all(statement.trips):
        return (str(FEW),)
    return tuple(each or str(UNKNOWN) for each in statement.trips)


def _moving(values: Texts[str], iterators: Texts[str]) -> set[str]:
    """The iterators that loops with these values move: one each, its own or, of a skewed one, another's."""
    found = {value.removeprefix("-") for value in values} & {*iterators}
    for value in values:
        skewed = not value.startswith("floor") and value.removeprefix("-") not in found
        words = (word for word in re.findall(r"[A-Za-z_]\w*", value) if word in iterators)
        left = next((word for word in words if word not in found), None)
        found |= {left} if skewed and left else set()
    return found


def _trips(model: ScopModel, name: str, position: int) -> int:
    """The most values that an iterator of a statement has."""
    domain = model.domains.sets[name]
    low, high = constant(domain.dim_min(position)), constant(domain.dim_max(position))
    return high - low + 1 if low is not None and high is not None else UNKNOWN


def parallel_marks(model: ScopModel, tree: Tree, loop: Band, *, reorder: bool) -> frozenset[AnyMark] | None:
    """The marks of a loop that threads may share; None where they may not."""
    if model.is_parallel(tree, loop):
        return frozenset({Mark.PARALLEL})
    sums = private_sums(model, loop) if reorder else None
    often = isinstance(loop.child, Leaf) or _is_inside(tree, loop)
    if sums and often and not _pays(model, loop, sums):
        return None  # every thread would need an array for a few additions, on its stack, each time
    if not sums or not model.is_parallel(tree, loop, relaxed(model, _updaters(model, loop, sums))):
        return None
    return frozenset({Mark.PARALLEL, *(Sum(operator, array) for array, operator in sums.items())})


def _is_inside(tree: Tree, loop: Band) -> bool:
    """Is the loop inside another one, so that it is entered more than once?"""
    return any(band is not loop and any(each is loop for each in bands(band)) for band in bands(tree))


def _pays(model: ScopModel, loop: Band, arrays: Iterable[str]) -> bool:
    """Does a loop add much more often than there are cells, of which every thread needs its own?"""
    sections = [section_of(model, a, statements(loop)) for a in arrays if not is_scalar(model, a)]
    cells = [section.cells if section else None for section in sections]
    additions = max(_executions(model, loop, name) for name in statements(loop))
    return all(number is not None and additions >= 4 * number for number in cells)


def _updaters(model: ScopModel, loop: Band, arrays: dict[str, str]) -> list[str]:
    inside = (model.statements[name] for name in statements(loop))
    sums = (s for s in inside if is_update(s) or free_sums(s))
    return [s.name for s in sums if any(a.write and a.array in arrays for a in s.accesses)]


def vectorise(model: ScopModel, tree: Tree, *, reorder: bool) -> Tree:
    """The tree with innermost loops marked: "simd" where they are parallel; "accumulate" where all that an
    iteration needs of others is a cell which they all add to (only if sums may be reordered: `reorder`); else
    "scalar"."""
    while True:
        found = next(((p, w) for p, w in places(tree) if _is_open(p)), None)
        if found is None:
            return tree
        part, whole = found
        assert isinstance(part, Band)
        mark = _vector_mark(model, whole(part), part, reorder)
        tree = whole(part.marked(Mark.UNROLLED if _is_unrolled(model, tree, part) else mark))


def _is_unrolled(model: ScopModel, tree: Tree, loop: Band) -> bool:
    """Does it, with those inside, add up a few values in each iteration of a loop for vectors around it?"""
    inner = [loop]
    while True:
        around = next((band for band in bands(tree) if _holds_directly(band, inner[0])), None)
        if around is None or short_sums(model, inner) < len(inner):
            return False
        if model.is_parallel(tree, around):
            return True
        inner = [around, *inner]


def _holds_directly(band: Band, loop: Band) -> bool:
    inner = band.child.children if isinstance(band.child, Sequence) else (band.child,)
    return any(each is loop for each in inner)


_LOOKED_AT = {Mark.SIMD, Mark.ACCUMULATE, Mark.SCALAR, Mark.UNROLLED, Mark.APART}


def _is_open(part: Tree) -> bool:
    """Is it a loop that has not been looked at, of statements and loops that compilers unroll?"""
    if not isinstance(part, Band) or part.marks & _LOOKED_AT:
        return False
    inner = part.child.children if isinstance(part.child, Sequence) else (part.child,)
    return all(
        isinstance(each, Leaf) or (isinstance(each, Band) and Mark.UNROLLED in each.marks) for each in inner
    )


def is_innermost(part: Tree) -> bool:
    """Is it a loop that holds no other?"""
    inner = part.child if isinstance(part, Band) else None
    leaves = inner.children if isinstance(inner, Sequence) else (inner,)
    return isinstance(part, Band) and all(isinstance(leaf, Leaf) for leaf in leaves)


def _vector_mark(model: ScopModel, tree: Tree, loop: Band, reorder: bool) -> Mark:
    inside = [model.statements[name] for name in statements(loop)]
    if not all(statement.plain or statement.straight for statement in inside):
        return Mark.SCALAR
    if model.is_parallel(tree, loop):
        return Mark.SIMD
    if not all(statement.plain for statement in inside):
        return Mark.SCALAR
    if reorder and Mark.PARALLEL not in loop.marks:
        names = [s.name for s in map(model.statements.__getitem__, statements(loop)) if _accumulates(s, loop)]
        if names and model.is_parallel(tree, loop, relaxed(model, names)):
            return Mark.ACCUMULATE
    return Mark.SCALAR


def _accumulates(statement: ScopStatement, loop: Band) -> bool:
    """Does the statement only add to (or multiply) one cell, which stays the same in the loop?"""
    return (
        is_update(statement) and statement.operator in ("+", "*") and stays(cell(statement), statement, loop)
    )


def marks_hold(model: ScopModel, tree: Tree) -> bool:
    """May all loops that are marked for threads or vectors still be so?"""
    return all(_holds(model, tree, band) for band in bands(tree))


def _holds(model: ScopModel, tree: Tree, loop: Band) -> bool:
    arrays = {mark.array: mark.operator for mark in of_kind(Sum, loop.marks)}
    own = view(model, loop)
    if Mark.PARALLEL in loop.marks and not own.is_parallel(tree, loop, _without_sums(own, loop, arrays)):
        return False
    if Mark.SIMD in loop.marks and not model.is_parallel(tree, loop):
        return False
    return Mark.ACCUMULATE not in loop.marks or _vector_mark(model, tree, loop, True) != Mark.SCALAR


def _without_sums(model: ScopModel, loop: Band, arrays: dict[str, str]) -> isl.UnionMap:
    return relaxed(model, _updaters(model, loop, arrays)) if arrays else model.dependences


def unshared(loop: Band) -> Band:
    """The loop without what says that threads share it."""
    marks = {m for m in loop.marks if m != Mark.PARALLEL and not isinstance(m, Sum | Chunks)}
    return replace(loop, marks=frozenset(marks))


def _with_vectors(nest: Nest, settings: Settings) -> Nest:
    return nest.ordered(vectorise(nest.model, nest.tree, reorder=settings.reorder))


VECTORS = NestPass(
    VECTORISE,
    "mark innermost loops for vectors, with sums in variables",
    apply=_with_vectors,
    marks_only=True,
)
