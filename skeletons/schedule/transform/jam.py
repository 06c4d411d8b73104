"""Unroll-and-jam: iterations of an outer loop are made together, and read once what they share."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

import islpy as isl

from skeletons.schedule.core.marks import Mark
from skeletons.schedule.core.model import ScopModel, around
from skeletons.schedule.core.passes import NestPass, on_trees
from skeletons.schedule.core.reductions import cell, is_update, stays
from skeletons.schedule.core.shapes import is_even, position_of
from skeletons.schedule.core.tree import Band, Leaf, Part, Sequence, Tree, sequence, statements
from skeletons.schedule.core.walk import Whole, children, places
from skeletons.schedule.transform.parallel import is_innermost, marks_hold, unshared
from skeletons.schedule.transform.permute import shares_lines

NAME = "jam"

ITERATIONS = 8  # with more than so many sums, registers do not suffice


def apply(model: ScopModel, tree: Tree, *, inside: bool = False) -> Tree:
    """The tree with outer loops unrolled where innermost loops, which run along memory, read something again.

    Only where the number of inner iterations is the same in all of the outer ones.  With `inside`, only
    serial loops within parallel ones.
    """
    while True:
        tried = (_jammed(model, p, w, inside) for p, w in places(tree))
        found = next((new for new in tried if new is not None), None)
        if found is None:
            return tree
        tree = found


def _jammed(model: ScopModel, part: Tree, whole: Whole, inside: bool) -> Tree | None:
    if (
        not isinstance(part, Band)
        or is_innermost(part)
        or part.marks & {Mark.APART, Mark.TILE, Mark.TILED, Mark.JAM, Mark.BLOCKS, Mark.REST}
    ):
        return None
    if not all(model.statements[name].plain for name in statements(part)):
        return None
    if any(_is_tiled(child) for child in _bands(part.child)):
        return None
    if any(isinstance(inside, Part) for inside, _ in places(part.child)):
        return None
    if not model.repeats(part) or (NAME not in model.wanted and not _is_worthwhile(model, part)):
        return None
    outer = around(whole(part), part) or ()
    if not all(is_even(model, name, part, outer) for name in statements(part)):
        return None
    if inside and not _is_serial_inside(model, whole(part), part):
        return None
    count = ITERATIONS // max(1, *(_sums(model, band) for band in _bands(part.child) if is_innermost(band)))
    of = _blocks(model, whole(part), part, count)
    if of is None:
        return None
    full = _full_blocks(model, whole(part), part, of, count)
    point = Band(part.name, part.of, part.child, frozenset({Mark.JAM}))
    blocks = Band(part.name, of, _push(point, part.child), part.marks | {Mark.BLOCKS})
    rest = {name: str(_rest(model, whole(part), part, name, full[name])) for name in full}
    parts = [Part(blocks, {n: str(s) for n, s in full.items()}), Part(_plain(part), rest)]
    after = whole(Sequence(tuple(parts)))
    return after if model.is_legal(after) and marks_hold(model, after) else None


def _is_serial_inside(model: ScopModel, tree: Tree, loop: Band) -> bool:
    outer = around(tree, loop) or ()
    return any(model.is_parallel(tree, band) for band in outer) and not model.is_parallel(tree, loop)


def _plain(part: Band) -> Band:
    """The loop for the iterations that make no block."""
    return replace(unshared(part), marks=unshared(part).marks | {Mark.REST})


def _bands(tree: Tree) -> list[Band]:
    if isinstance(tree, Band):
        return [tree, *_bands(tree.child)]
    return [band for child, _ in children(tree) for band in _bands(child)]


def _is_tiled(band: Band) -> bool:
    return bool(band.marks & {Mark.JAM, Mark.JAMMED, Mark.BLOCKS, Mark.TILE})


def _push(point: Band, tree: Tree) -> Tree:
    """The copies of an iteration, moved into the loops inside: next to each statement."""
    if isinstance(tree, Leaf):
        return replace(point, child=tree, of={tree.statement: point.of[tree.statement]})
    if isinstance(tree, Sequence):
        return sequence([_push(point, child) for child in tree.children])
    assert isinstance(tree, Band)
    marks = {Mark.JAMMED} if is_innermost(tree) else set()
    return replace(tree, child=_push(point, tree.child), marks=tree.marks | marks)


def _sums(model: ScopModel, loop: Band) -> int:
    """How many cells a loop adds to that stay the same in it, so that they are kept in registers."""
    if Mark.ACCUMULATE not in loop.marks:
        return 1
    inside = [model.statements[name] for name in statements(loop)]
    return sum(is_update(s) and stays(cell(s), s, loop) for s in inside)


def _is_worthwhile(model: ScopModel, loop: Band) -> bool:
    """Does an innermost loop run along memory, and read (or update) there what the next outer iteration
    does, too, or cells of the same cache lines?
    """
    inner = [band for band in _bands(loop.child) if is_innermost(band)]
    vectors = [band for band in inner if band.marks & {Mark.SIMD, Mark.ACCUMULATE}]
    return bool(vectors) and any(_shares(model, loop, band) for band in vectors)


def _shares(model: ScopModel, loop: Band, inner: Band) -> bool:
    for name in statements(inner):
        statement = model.statements[name]
        outer_at, inner_at = (position_of(model, band, name) for band in (loop, inner))
        if outer_at is None or inner_at is None:
            continue
        for access in statement.accesses:
            if None in access.moves:
                continue
            moves = [move for move in access.moves if move is not None]
            if all(m[outer_at] == 0 for m in moves) and any(m[inner_at] for m in moves):
                return True
            if shares_lines(model, access.moves, inner_at, outer_at):
                return True
    return False


def _blocks(model: ScopModel, tree: Tree, loop: Band, count: int) -> dict[str, str] | None:
    """For each statement the first iteration of its block; blocks start where the loop does."""
    outer = around(tree, loop)
    assert outer is not None
    found: dict[str, str] = {}
    for name in statements(loop):
        start = _start(model, name, outer, loop)
        if start is None:
            return None
        found[name] = f"({start}) + {count}*floor(({loop.of[name]} - ({start}))/{count})"
    return found


def _start(model: ScopModel, name: str, outer: tuple[Band, ...], loop: Band) -> str | None:
    """The loop's first value, as isl text over the iterators; None where it is no single expression."""
    values = ", ".join(f"({band.of[name]})" for band in outer)
    places_ = isl.Map(f"{model.domains.parameters}{{ {model.domains.tuple_of(name)} -> [{values}] }}")
    first = _run(model, name, outer, loop).lexmin()
    pieces: list[isl.Aff] = []
    isl.PwMultiAff.from_map(places_.apply_range(first)).get_pw_aff(0).coalesce().foreach_piece(
        lambda _, piece: pieces.append(piece)
    )
    return _expression(pieces[0], model.domains.iterators[name]) if len(pieces) == 1 else None


def _expression(value: isl.Aff, iterators: tuple[str, ...]) -> str | None:
    """A function with whole values as isl text; None where it is a fraction."""
    if value.get_denominator_val().to_python() != 1:
        return None
    for k, name in enumerate(iterators):
        value = value.set_dim_name(isl.dim_type.in_, k, name)
    return str(value).rpartition("[(")[2].rpartition(")]")[0]


def _full_blocks(
    model: ScopModel, tree: Tree, loop: Band, of: Mapping[str, str], count: int
) -> dict[str, isl.Set]:
    """The iterations of each statement that belong to whole blocks, for all statements of the loop."""
    outer = around(tree, loop)
    assert outer is not None
    runs = [_run(model, name, outer, loop) for name in statements(loop)]
    common = runs[0]
    for run in runs[1:]:
        common = common.intersect(run)
    later = isl.Map(f"{{ [x] -> [x - {count - 1}] }}")
    whole = common.intersect(
        common.apply_range(later)
    ).coalesce()  # first iterations, of which a block follows
    found = {}
    for name in statements(loop):
        blocks = _values(model, name, outer, of[name])
        found[name] = (
            model.domains.sets[name].intersect(whole.wrap().flatten().apply(blocks.reverse())).coalesce()
        )
    return found


def _rest(model: ScopModel, tree: Tree, loop: Band, name: str, full: isl.Set) -> isl.Set:
    """The other iterations; from a first value of the loop on, where those are the same."""
    outer = around(tree, loop)
    assert outer is not None
    domain = model.domains.sets[name]
    rest = domain.subtract(full).coalesce()
    first = _run(model, name, outer, loop, rest).lexmin()
    later = first.apply_range(isl.Map("{ [x] -> [y] : y >= x }")).wrap().flatten()
    found = domain.intersect(later.apply(_values(model, name, outer, loop.of[name]).reverse()))
    return found if found.is_equal(rest) else rest


def _run(
    model: ScopModel, name: str, outer: tuple[Band, ...], loop: Band, domain: isl.Set | None = None
) -> isl.Map:
    """The loop's values (those in iterations of `domain`), by those of the loops around it."""
    values = _values(model, name, outer, loop.of[name])
    count = len(outer)
    pairs = values.intersect_domain(model.domains.sets[name] if domain is None else domain).range()
    return isl.Map.from_domain(pairs).move_dims(isl.dim_type.out, 0, isl.dim_type.in_, count, 1)


def _values(model: ScopModel, name: str, outer: tuple[Band, ...], value: str) -> isl.Map:
    """A statement's iterations, mapped to the values of the loops around and to one more."""
    values = ", ".join([*(f"({band.of[name]})" for band in outer), f"({value})"])
    return isl.Map(f"{model.domains.parameters}{{ {model.domains.tuple_of(name)} -> [{values}] }}")


PASS = NestPass(
    NAME,
    "unroll an outer loop and fuse its inner loops, so that iterations share what they read",
    apply=on_trees(apply),
    can_be_forced=True,
)
