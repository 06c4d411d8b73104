"""Headers that count up by one to a bound, so that a loop can be made of parts of its iterations."""

from __future__ import annotations

from pycparser import c_ast

from species.loops.environment import is_shared
from species.loops.model import FunctionModel, Loop, inner_loops, nested
from species.loops.unsigned_bounds import UnsignedBounds
from species.source.syntax.tree import walk
from species.symbols.static_types import type_of
from species.symbols.symbols import Resolution
from species.symbols.types import TypeTable

_WHOLE = ("int", "char", "long int", "unsigned int", "unsigned long int")  # types of constants


def counts_to_bound(model: FunctionModel, loop: Loop, resolution: Resolution, types: TypeTable) -> bool:
    """Is it `for (..; i < n; i++)`, or `i <= n`, with an iterator of 32 bits or more, and no number in it
    that may wrap around?
    """
    plain = loop.kind == "for" and loop.counted and loop.step == 1 and not (loop.assumed or loop.strided)
    if not plain or not _compares(loop):
        return False
    if not type_of(loop.node.cond.right, resolution.symbols, types).is_integer:
        return False
    return not UnsignedBounds(model, inner_loops(loop), loop.conditions).relied_on(nested(loop))


def _compares(loop: Loop) -> bool:
    condition, iterator = loop.node.cond, loop.iterator
    compares = isinstance(condition, c_ast.BinaryOp) and condition.op in ("<", "<=")
    parts = walk(condition.right) if compares else ()
    compares = compares and all(part.type in _WHOLE for part in parts if isinstance(part, c_ast.Constant))
    named = compares and isinstance(condition.left, c_ast.ID) and iterator is not None
    if not named or iterator is None or condition.left.name != iterator.name or is_shared(iterator):
        return False
    return loop.steps_in_header and not loop.steps and iterator.ctype.is_integer and iterator.ctype.bits >= 32
