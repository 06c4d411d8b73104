"""Elements that are there even where a loop adds nothing to them.

OpenMP has copies of what it reduces, and adds these up, however many iterations there are: the element must
exist where none of them touches it, `for (...) if (s) *s += x`.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import Any

from pycparser import c_ast, c_generator

from species.dependence.judgement import Judgement
from species.dependence.reductions import Combined
from species.facts.loops import Reduction
from species.loops.model import FunctionModel, Loop, Place, Reference
from species.loops.modified import is_object
from species.loops.read_behind import JUMPS, executed
from species.regions.entry_names import conditions_of_first
from species.sets.affine import Affine, constant
from species.sets.conditions import Compare
from species.sets.domains import implied
from species.source.syntax.tree import variables, walk
from species.symbols.symbols import Symbol

_GENERATOR = c_generator.CGenerator()
_MOVING = ("++", "--", "p++", "p--")


def exists(combined: Combined, reduction: Reduction, judgement: Judgement, model: FunctionModel) -> bool:
    """Is what OpenMP has a copy of there whenever the loop is reached?"""
    own = [
        r for r in model.references if judgement.loop.number in r.loops and r.symbol is combined.place.symbol
    ]
    if ":" in reduction.variable:
        return _holds_section(combined.place.symbol, reduction.variable, model) or (
            all(is_nonempty(model.numbered[n]) for r in own for n in _around(r, judgement.loop))
        )
    if _holds(combined.place, judgement.loop, model):
        return True
    touched = (r for r in own if r.place == combined.place)
    if any(conditions_of_first(judgement.loop, r) == [] for r in touched):
        return True
    return _is_touched_beside(reduction.variable, judgement.loop, model)


def _holds(place: Place, loop: Loop, model: FunctionModel) -> bool:
    """Does an array that is declared have the element?"""
    if not is_object(place.symbol) or place.base is not None:
        return False
    sizes = model.extents.get(place.symbol, ())
    if len(sizes) != len(place.path):
        return False
    return all(
        size is not None
        and isinstance(step, Affine)
        and implied(Compare(step), loop.conditions)
        and implied(Compare(size - step - 1), loop.conditions)
        for step, size in zip(place.path, sizes, strict=True)
    )


def _holds_section(symbol: Symbol, variable: str, model: FunctionModel) -> bool:
    """The same of `a[low:count]...`, in numbers."""
    sizes = model.extents.get(symbol, ())
    parts = [part.split(":") for part in variable.replace("]", "").split("[")[1:]]
    is_there = is_object(symbol) or (symbol.is_there and symbol.elements is not None)
    if not is_there or len(sizes) < len(parts):
        return False
    return all(
        size is not None
        and size.is_constant
        and low.isdigit()
        and count.isdigit()
        and int(low) + int(count) <= size.constant
        for (low, count), size in zip(parts, sizes, strict=False)
    )


def _around(reference: Reference, loop: Loop) -> tuple[int, ...]:
    """The loop and those inside of it that the reference stands in."""
    return reference.loops[reference.loops.index(loop.number) :]


def is_nonempty(loop: Loop) -> bool:
    """Does the loop make an iteration for certain, whenever it is reached?"""
    if not isinstance(loop.bound, Compare):
        return False
    first = loop.bound.expression.substitute(lambda atom: constant(0) if atom == loop.counter else None)
    return implied(Compare(first), loop.conditions)


# What the function does before and after the loop


def _is_touched_beside(variable: str, loop: Loop, model: FunctionModel) -> bool:
    """Is the element touched by a statement that is executed whenever the loop is, at the same place?"""
    names = set(re.findall(r"[A-Za-z_]\w*", variable))
    if not all(map(_stays, (loop.visible.get(name) for name in names))):
        return False
    if any(isinstance(part, c_ast.Label | c_ast.Case | c_ast.Default) for part in walk(model.node)):
        return False
    for items, at in _blocks(model.node.body, loop.node):
        if items[at] is loop.node and _touches(items[at + 1 :], variable, names):
            return True
        if _touches(reversed(items[:at]), variable, names):
            return True
        if _changes(items[at], names) or _gives(items[at], names):
            return False  # in the loop around it, this may not be the first time
    return False


def _stays(symbol: Symbol | None) -> bool:
    """A variable of the function's own that nobody else changes, or an array."""
    if symbol is None or symbol.storage not in ("local", "parameter"):
        return is_object(symbol)
    return not symbol.address_taken


def _touches(items: Iterable[Any], variable: str, names: set[str]) -> bool:
    """Does one of the statements touch the element, before anything changes where it is, or may end it?"""
    for item in items:
        if _changes(item, names) or any(isinstance(part, c_ast.FuncCall) for part in walk(item)):
            return False
        if any(_element(part) == variable for part in executed(item)):
            return True
        if any(isinstance(part, JUMPS) for part in walk(item)):
            return False
    return False


def _blocks(body: Any, node: Any) -> Iterator[tuple[list[Any], int]]:
    """The blocks around a node, innermost first, and which of their items it stands in."""
    for _, child in body.children():
        yield from _blocks(child, node)
    if isinstance(body, c_ast.Compound):
        items = body.block_items or []
        yield from ((items, k) for k, item in enumerate(items) if any(part is node for part in walk(item)))


def _changes(item: Any, names: set[str]) -> bool:
    """Does it assign one of the variables, or declare another of the name?"""
    for part in walk(item):
        if isinstance(part, c_ast.Decl) and part.name in names:
            return True
        target = part.lvalue if isinstance(part, c_ast.Assignment) else None
        target = part.expr if isinstance(part, c_ast.UnaryOp) and part.op in _MOVING else target
        if isinstance(target, c_ast.ID) and target.name in names:
            return True
    return False


def _gives(item: Any, names: set[str]) -> bool:
    """Does it give one of the variables to a function, which may be `free`?"""
    calls = (part for part in walk(item) if isinstance(part, c_ast.FuncCall) and part.args)
    given = (arg for call in calls for arg in call.args.exprs)
    return any(part.name in names for arg in given for part in variables(arg))


def _element(node: Any) -> str:
    """An element as reductions have it: `*a` is `a[0]`."""
    if isinstance(node, c_ast.UnaryOp) and node.op == "*":
        return f"{_GENERATOR.visit(node.expr)}[0]"
    return str(_GENERATOR.visit(node)) if isinstance(node, c_ast.ArrayRef) else ""
