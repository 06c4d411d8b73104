"""Branches that an affine condition on iterators decides: what is in them runs in some iterations only."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from pycparser import c_ast

from species.loops.model import FunctionModel, Reference
from species.scops.refused import Refused
from species.scops.sets import Parameters
from species.sets.conditions import Compare, Condition, leaves, negated
from species.source.syntax.tree import walk

_EFFECTS = (c_ast.Assignment, c_ast.FuncCall, c_ast.Compound)


@dataclass(frozen=True)
class Branch:
    """What runs where `condition` holds."""

    body: Any
    condition: Condition


def branches(
    item: Any, model: FunctionModel, parameters: Parameters, references: Iterable[Reference]
) -> tuple[Branch, ...]:
    """The branches of an `if`; none where the item is no `if`, or its condition is not affine alone.

    `references` are all those of the nests.
    """
    if not isinstance(item, c_ast.If) or id(item) not in model.guards or _has_effects(item.cond):
        return ()
    condition = model.guards[id(item)]
    try:
        parameters.condition(condition)
    except Refused:
        return ()
    if not any(isinstance(leaf, Compare) and leaf.expression.loops for leaf in leaves(condition)):
        return ()  # it holds for all iterations, or for none
    found = [Branch(item.iftrue, condition)]
    if item.iffalse is not None:
        found.append(Branch(item.iffalse, negated(condition)))
    known = all(_is_known(branch, references) for branch in found)
    return tuple(found) if known else ()


def _has_effects(condition: Any) -> bool:
    return any(
        isinstance(n, _EFFECTS) or (isinstance(n, c_ast.UnaryOp) and n.op in ("p++", "p--", "++", "--", "*"))
        or isinstance(n, c_ast.ArrayRef | c_ast.StructRef)
        for n in walk(condition)
    )  # fmt: skip


def _is_known(branch: Branch, references: Iterable[Reference]) -> bool:
    """Do the references in the branch say so, too?  (They were walked at another time.)"""
    inside = {id(n) for n in walk(branch.body)}
    own = [r for r in references if id(r.node) in inside]
    return bool(own) and all(branch.condition in r.conditions for r in own)
