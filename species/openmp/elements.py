"""Reductions into one element of an array, `*sum += x`, as OpenMP can say them: `reduction(+: sum[0:1])`.

Every thread has a copy of this element alone, and a pointer to it under the array's name.
"""

from __future__ import annotations

from typing import Any

from pycparser import c_ast

from species.dependence.judgement import Judgement
from species.dependence.reductions import Combined
from species.facts.loops import Reduction
from species.loops.model import FunctionModel, inner_loops
from species.sets.affine import Affine
from species.source.syntax.tree import variables, walk
from species.symbols.update_idioms import target_name


def is_single(combined: Combined, reduction: Reduction, judgement: Judgement, model: FunctionModel) -> bool:
    """Is it an element that has a plain name, and all that the loop does with its array, by that name?"""
    place, node, loop = combined.place, combined.node, judgement.loop
    if place.loops & inner_loops(loop) or ":" in reduction.variable:
        return False
    if place.symbol.ctype.kind == "array" and place.symbol.ctype.extent is None:
        return False  # `extern int w[];`: gcc 12 dies of it
    if any(not isinstance(s, Affine) for s in place.path) or reduction.variable.count("[") != len(place.path):
        return False
    own = [r for r in model.references if loop.number in r.loops and r.symbol is place.symbol]
    if any(r.inlining or not (r.place == place or r.place.is_variable) for r in own):
        return False
    if any(place.symbol in (a.symbol, b.symbol) for a, b in judgement.overlaps):
        return False  # where they are the same memory after all, a copy is wrong even for one thread
    if not isinstance(node, c_ast.ArrayRef | c_ast.UnaryOp) or target_name(node) != place.symbol.name:
        return False
    followed = {id(_followed(part)) for part in walk(loop.node)}
    names = (n for n in variables(loop.node) if n.name == place.symbol.name)
    return all(id(name) in followed for name in names)


def _followed(node: Any) -> Any:
    """What a node takes an element of."""
    if isinstance(node, c_ast.ArrayRef):
        return node.name
    return node.expr if isinstance(node, c_ast.UnaryOp) and node.op == "*" else None
