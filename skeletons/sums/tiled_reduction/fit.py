"""An accumulation fitted to a device: names, types and texts for the templates."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from pycparser import c_ast

from skeletons.kernel.array_views import BYTES, ArrayView
from skeletons.kernel.views import LoopView, ScalarView
from skeletons.sums.tiled_reduction.model import Accumulation, Staged
from skeletons.sums.tiled_reduction.terms import products
from skeletons.sums.tiled_reduction.texts import Device, code, depth_of, replaced, used
from skeletons.sums.tiled_reduction.views import AccumulationView, BaseView, ProductView, StagedView, WalkView
from species.source.syntax.expressions import array_of, elements, names, parse_statement, text_of
from species.source.text.code import names_in, parenthesised

_LOCALS = (
    *("r", "c", "n", "at", "now", "next", "steps", "depth", "depth_base", "position", "used", "limit"),
    *("whole", "row", "column", "turn", "twice", "block"),
)


def fitted(
    found: Accumulation,
    loops: tuple[LoopView, ...],
    scalars: tuple[ScalarView, ...],
    arrays: tuple[ArrayView, ...],
    device: Device,
) -> AccumulationView:
    """The view; `loops`, `scalars` and `arrays` are the kernel's."""
    names = {role: device.fresh(role) for role in _LOCALS}
    names["sums"] = device.fresh(f"{_array(found.target)}_sums")
    bounds = {array.name: array.bounds for array in arrays}
    staged = tuple(_staged(value, found, bounds, names["n"], device) for value in found.staged)
    order = {loop.iterator: loop for loop in loops}
    rows, columns, batch = (
        tuple(_base(name, order[device.text(name)], found, device) for name in group)
        for group in (found.rows, found.columns, found.batch)
    )
    privates = [s for s in scalars if s.role == "private"]
    return AccumulationView(
        rows=_walk("row", rows, columns, device),
        columns=_walk("column", columns, rows, device),
        batch=_walk("batch", batch, rows + columns, device),
        depth=tuple(depth_of(loop, len(found.depth) > 1, device) for loop in found.depth),
        staged=staged,
        products=tuple(ProductView(staged[p.row], staged[p.column], p.negative) for p in products(found)),
        target=device.text(found.target),
        element=device.ctype(found.element),
        is_uniform=_is_uniform(found),
        update=device.text(_update(found, staged, names)),
        before=code(found.before, device),
        after=code(found.after, device),
        before_scalars=used(privates, found.before, found.target if found.is_scalar else ""),
        after_scalars=used(privates, found.after, ""),
        is_scalar=found.is_scalar,
        is_reached=found.is_reached,
        is_ragged=found.is_ragged,
        is_symmetric=found.is_symmetric,
        is_bare=found.is_bare,
        names=names,
    )


def _array(text: str) -> str:
    names = names_in(text)
    return names[0] if names else "value"


def _staged(
    value: Staged,
    found: Accumulation,
    bounds: Mapping[str, tuple[tuple[str, str], ...]],
    number: str,
    device: Device,
) -> StagedView:
    name = value.arrays[0][0] if value.arrays else "value"
    side = value.side.removesuffix("s")
    own = names_in(value.text)
    next_one = device.fresh(f"{name}_{side}_next")
    loaded, loaded_type, made = _loaded(value, found, f"{next_one}[{number}]")
    return StagedView(
        tile=device.fresh(f"{name}_{value.side}"),
        next=next_one,
        loaded=device.text(loaded),
        loaded_type=device.ctype(loaded_type),
        made=device.text(made),
        own=device.fresh(f"{name}_{side}"),
        text=device.text(value.text),
        ctype=device.ctype(value.ctype),
        bytes=BYTES[value.ctype],
        is_row=value.side == "rows",
        along_depth=value.along_depth,
        depth=tuple(device.text(o.iterator) for o in found.depth if o.iterator in own),
        clip=_clip(value, bounds, device) if found.is_ragged else "",
    )


def _loaded(value: Staged, found: Accumulation, place: str) -> tuple[str, str, str]:
    """What is loaded, its type, and what is made of it at `place`: the computing can wait, the loading not.

    A factor that all iterations have in common is left to be multiplied when the element has come.  Of the
    zero that is loaded where there is no element, a zero must be made.
    """
    tree = parse_statement(value.text)
    read = [node for node in elements(tree) if isinstance(node, c_ast.ArrayRef)]
    if len(read) == 1 and _is_factor(tree, read[0]):
        made = replaced(tree, {id(read[0]): place})
        array, loops = array_of(read[0]), {o.iterator for o in found.depth}
        loops |= {*found.rows, *found.columns, *found.batch}
        if not names(made) & {*loops, array}:
            return text_of(read[0]), found.types[array], text_of(made)
    return value.text, value.ctype, place


def _is_factor(node: Any, element: Any) -> bool:
    """Is `node` the element, or a product that it is a factor of?"""
    match node:
        case c_ast.BinaryOp(op="*"):
            return _is_factor(node.left, element) or _is_factor(node.right, element)
        case c_ast.BinaryOp(op="/"):
            return _is_factor(node.left, element)
        case c_ast.UnaryOp(op="+" | "-") | c_ast.Cast():
            return _is_factor(node.expr, element)
    return node is element


def _clip(value: Staged, bounds: Mapping[str, tuple[tuple[str, str], ...]], device: Device) -> str:
    """Are all elements within what the kernel reads of their arrays?"""
    found = []
    for array, places in reversed(value.arrays):  # those in subscripts of others first
        for at, place in enumerate(places):
            (low, _), (high, _) = bounds[array][2 * at : 2 * at + 2]
            text = parenthesised(device.text(place))
            found += [f"{low} <= {text}", f"{text} <= {high}"]
    return " && ".join(dict.fromkeys(found))


def _base(name: str, loop: LoopView, found: Accumulation, device: Device) -> BaseView:
    """The loop `name`; where its start depends on another loop, from the first value of all on."""
    start, conditions = loop.start, [parenthesised(loop.condition)]
    if name in found.hulls:
        first = device.text(found.hulls[name])
        start = loop.counter if first == "0" else f"{parenthesised(first)} + {loop.counter}"
        conditions.insert(0, f"{loop.iterator} >= {parenthesised(loop.lower)}")
    along, across = device.fresh(f"{loop.iterator}_load"), device.fresh(f"{loop.iterator}_load")
    return BaseView(
        loop.iterator, loop.ctype, loop.counter, loop.trips, start, tuple(conditions), (across, along)
    )


def _walk(kind: str, own: tuple[BaseView, ...], others: Iterable[BaseView], device: Device) -> WalkView:
    """Loops as one; `others` are those that other work-items of the group may be in another iteration of."""
    far = {loop.iterator for loop in others}
    near = (part for loop in own for part in loop.conditions if not far & set(names_in(part)))
    roles = (f"{kind}_base", f"{kind}_in", kind, f"{kind}s_here")
    base, place, number, here = map(device.fresh, roles)
    return WalkView(own, base, place, number, here, tuple(near))


def _update(found: Accumulation, staged: tuple[StagedView, ...], names: Mapping[str, str]) -> str:
    """The statement over the sums and over what the thread has of the shared values."""
    places = {-1: f"{names['sums']}[{names['r']}][{names['c']}]"}
    for number, value in enumerate(staged):
        places[number] = f"{value.own}[{names['r' if value.is_row else 'c']}]"
    return text_of(replaced(found.statement, {node: places[at] for node, at in found.places.items()})) + ";"


def _is_uniform(found: Accumulation) -> bool:
    """Is the update made of values of one type only, so that it says the same of vectors?"""
    is_one = {value.ctype for value in found.staged} == {found.element}
    return is_one and _is_of(found.statement.rvalue, found.places)


def _is_of(node: Any, places: Mapping[int, int]) -> bool:
    """Is the expression made of the values in `places` alone?"""
    if id(node) in places:
        return True
    match node:
        case c_ast.BinaryOp(op="+" | "-" | "*" | "/"):
            return _is_of(node.left, places) and _is_of(node.right, places)
        case c_ast.UnaryOp(op="+" | "-"):
            return _is_of(node.expr, places)
    return False
