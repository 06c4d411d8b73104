"""Whether what is left of iterations, when statements are put off, is more than these: a rough count.

What a statement does is weighed where most is done, in the innermost loops.  Programs measure it anyway; this
keeps loops as they are of which hardly anything would be left.
"""

from __future__ import annotations

from collections.abc import Container, Iterable

from pycparser import c_ast

from species.source.syntax.tree import walk
from species.stages.pieces import LOOPS, Piece

_CALL, _LOOP = 5, 10  # what a call counts, and how much more if the callee has a loop
_SELDOM = 0.25  # how often what stands under a condition is done
_TIMES = 2  # how much more has to be left


def is_worth(root: Piece, late: Container[Piece], looping: Container[str]) -> bool:
    """Is enough left of a body?  `looping` are the functions with loops."""
    outermost = [piece for piece in root.walk() if piece in late and piece.around not in late]
    left = [piece for piece in root.walk() if piece not in late and not _chooses(piece, late)]
    efforts = [(_depth(piece), _effort(piece.own_nodes(), looping)) for piece in left if _does(piece)]
    parts = (part for piece in outermost for part in piece.walk() if _does(part))
    put_off = [(_depth(each), _often(each) * _effort(each.own_nodes(), looping)) for each in parts]
    deepest = max((depth for depth, _ in efforts), default=0)
    if any(depth > deepest for depth, _ in put_off):
        return False
    rest = sum(effort for depth, effort in efforts if depth == deepest)
    more = deepest > 0 or any(effort > _CALL for _, effort in efforts)
    return more and rest > _TIMES * sum(effort for depth, effort in put_off if depth == deepest)


def _does(piece: Piece) -> bool:
    """Does it do anything by itself?"""
    return not isinstance(piece.node, (*LOOPS, c_ast.Compound, c_ast.Break, c_ast.Continue))


def _chooses(piece: Piece, late: Container[Piece]) -> bool:
    """Does it only choose between others that are all put off?"""
    return len(piece.parts) > 1 and all(part in late for part in piece.parts)


def _depth(piece: Piece) -> int:
    """In how many loops of the body it is."""
    return sum(isinstance(each.node, LOOPS) for each in piece.outwards())


def _often(piece: Piece) -> float:
    """How often it is done in the innermost loop around it."""
    for each in piece.outwards():
        if isinstance(each.node, LOOPS):
            break
        if each.around is not None and isinstance(each.around.node, c_ast.If):
            return _SELDOM
    return 1


def _effort(nodes: Iterable[object], looping: Container[str]) -> float:
    calls = [node for node in nodes if isinstance(node, c_ast.FuncCall)]
    names = (getattr(call.name, "name", "") for call in calls)
    return 1 + _CALL * len(calls) + _LOOP * sum(name in looping for name in names)


def functions_with_loops(functions: Iterable[c_ast.FuncDef]) -> frozenset[str]:
    """The names of those with a loop in their bodies."""
    return frozenset(f.decl.name for f in functions if any(isinstance(n, LOOPS) for n in walk(f.body)))
