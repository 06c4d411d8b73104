"""Loops whose iterations side by side fill vectors: from one to the next, every reference moves by one cell,
or stays, and the loops inside make as many iterations in each (outer-loop vectorisation).
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from pycparser import c_ast

from species.dependence.judge import Judge
from species.dependence.judgement import Judgement
from species.loops.model import FunctionModel, Loop, Reference
from species.sets.affine import Affine
from species.sets.conditions import Compare
from species.source.syntax.tree import walk

_JUMPS = (c_ast.Break, c_ast.Continue, c_ast.Goto, c_ast.Label, c_ast.Switch)
_VECTORS = frozenset(
    f"{name}{suffix}" for name in ("sqrt", "fabs", "fmin", "fmax") for suffix in ("", "f")
)  # functions of the library that processors have for vectors


def iterations_across(model: FunctionModel, judge: Judge, judgement: Judgement) -> int:
    """How many iterations the loops inside of one of a parallel loop make, if that is the same number
    in all, and all references go along; 1 where there are no loops inside.  0: it is no loop for vectors.
    """
    loop = judgement.loop
    references = judge.references(loop)
    if not all(_goes_along(judge, judgement, each) for each in references) or not _is_plain(model, loop.node):
        return 0
    if not any(each.write and not each.place.is_variable for each in references):
        return 0
    return _inside(loop.children)


def overlap_tests(judge: Judge, loop: Loop) -> int:
    """How many pairs of stretches of memory a compiler has to test before it makes vectors of an innermost
    loop, where it does not see that arrays are apart.

    What is the same but for a number, as `a[i - 1]` and `a[i + 1]`, is one stretch.
    """
    stretches = dict[object, bool]()
    for reference in judge.references(loop):
        place = reference.place
        if place.is_variable or judge.is_inside(reference.symbol, loop):
            continue
        path = tuple(step - step.constant if isinstance(step, Affine) else step for step in place.path)
        key = reference.symbol, place.base, path
        stretches[key] = stretches.get(key, False) or reference.write
    written = sum(stretches.values())
    return written * (len(stretches) - written) + written * (written - 1) // 2


def _goes_along(judge: Judge, judgement: Judgement, reference: Reference) -> bool:
    place, symbol, loop = reference.place, reference.symbol, judgement.loop
    if judge.is_inside(symbol, loop) or symbol in judgement.private:
        return symbol.ctype.kind != "array"  # which every iteration has for itself
    if place.is_variable:
        return not reference.write or symbol is loop.iterator or symbol in loop.steps
    if place.loose or place.flat is not None or (place.base is not None and loop.number in place.base.loops):
        return False
    moves = [_move(step, loop) if isinstance(step, Affine) else 0 for step in place.path]
    if None in moves or any(moves[:-1]):
        return False
    last = (moves[-1] or 0) if moves else 0
    return last * loop.step in ((1, -1) if reference.write else (0, 1, -1))


def _move(step: Affine, loop: Loop) -> int | None:
    """By how much a subscript grows with the loop's counter; None where that is no number."""
    others = (atom for atom, _ in step.terms if atom != loop.counter)
    return None if any(loop.number in atom.loops for atom in others) else step.coefficient(loop.counter)


def _is_plain(model: FunctionModel, node: Any, within: tuple[str, ...] = ()) -> bool:
    """Is it executed from top to bottom, and calls nothing but functions of which that is true, too, and such
    that are instructions?  It stands `within` functions of the file.
    """
    for part in walk(node):
        if isinstance(part, _JUMPS):
            return False
        if isinstance(part, c_ast.FuncCall):
            name = str(getattr(part.name, "name", ""))
            own = model.callees.get(name) if name not in within else None
            if own is None and (name in model.callees or name not in _VECTORS):
                return False
            if own is not None and not (_ends_once(own) and _is_plain(model, own.body, (*within, name))):
                return False
    return True


def _ends_once(function: c_ast.FuncDef) -> bool:
    """Does it return at its end, if anywhere?"""
    last = (function.body.block_items or [None])[-1]
    return all(node is last for node in walk(function.body) if isinstance(node, c_ast.Return))


def _inside(loops: Iterable[Loop]) -> int:
    """The iterations of the longest of some loops, with those inside; 0 where one has no number."""
    found = [_trips(each) * _inside(each.children) for each in loops]
    return max(found, default=1) if all(found) else 0


def _trips(loop: Loop) -> int:
    """How often it repeats what it does, if that is a number; else 0."""
    if not loop.counted or not loop.exact or loop.ends_early or not isinstance(loop.bound, Compare):
        return 0
    left = loop.bound.expression
    if left.coefficient(loop.counter) != -1 or len(left.terms) != 1 or loop.bound.equal:
        return 0
    return max(0, left.constant + 1)
