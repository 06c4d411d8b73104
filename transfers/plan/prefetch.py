"""Copies to the host that begin before they are needed: behind the kernels, while other host code runs."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from pycparser import c_ast

from species.source.syntax.tree import walk
from species.symbols.symbols import Symbol
from transfers.plan.accesses import ANY_READ, ANYTHING, Touch
from transfers.plan.functions import LOOPS

if TYPE_CHECKING:
    from transfers.plan.coherence_calls import Asking

_CHOOSING = (c_ast.If, c_ast.Switch, c_ast.TernaryOp)
_LEAVING = (c_ast.Return, c_ast.Break, c_ast.Continue, c_ast.Goto, c_ast.Label)


@dataclass(frozen=True)
class Ahead:
    """A copy that can begin in front of the statement `first`, for what `reader` reads."""

    touch: Touch
    first: Any
    reader: Any


def ahead(asking: Asking, groups: list[list[Any]]) -> Iterator[Ahead]:
    """What statements behind a launch read for certain, where others take their time before.

    `groups` are the rest of the block, the declarators of one declaration together.
    """
    changed, calls, busy = set[Symbol](), False, False
    seen: set[Symbol | str] = set()
    for group in groups:
        node = group[0]
        if len(group) > 1 or asking.has_launch(node):
            return
        touched = asking.sorted_out(node, asking.touches.of(node))
        if any(touch in (ANYTHING, ANY_READ) or touch.ends for touch in touched):
            return
        for touch in touched if busy and not any(isinstance(part, _CHOOSING) for part in walk(node)) else ():
            moved = touch.symbol in changed or not is_fixed(touch, changed, calls)
            if not (moved or touch.writes or _memory(touch) in seen):
                yield Ahead(touch, groups[0][0], node)
        seen |= {_memory(touch) for touch in touched}
        if any(isinstance(part, _LEAVING) for part in walk(node)):
            return
        own, called = asking.changed(node)
        changed, calls = changed | own, calls or called
        busy = busy or any(isinstance(part, (*LOOPS, c_ast.FuncCall)) for part in walk(node))


def _memory(touch: Touch) -> Symbol | str:
    return touch.symbol or touch.place


def is_fixed(touch: Touch, changed: set[Symbol], calls: bool) -> bool:
    """Does the place of a touch mean the same in front of code that changes variables, and perhaps calls what
    changes more?
    """
    if touch.names & changed:
        return False
    return not calls or not any(
        s.address_taken or s.storage in ("global", "static") for s in touch.names if s.is_scalar
    )
