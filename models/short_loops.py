"""Loops that make too few iterations for sums in vectors, whose parts are put together behind the loop."""

from __future__ import annotations

from dataclasses import replace

from pycparser import c_ast

from models.estimate import Program, loop_nodes
from models.indirect.accesses import chosen_by_data, is_data
from models.nests import FunctionLoops
from models.profitability import RARELY
from models.sizes.headers import trip_count
from species.facts.loops import UnitFacts
from species.source import TranslationUnit

# Measured with gcc 12 and 512-bit vectors: in them, a sum of 16 takes up to three times as long, one of 32
# half as long.
ENOUGH = 32


def short_loops(unit: TranslationUnit, facts: UnitFacts) -> frozenset[str]:
    """The ids of counted loops that make fewer iterations.

    Those are loops of which the file tells the number, those of helpers, which are called again and again
    and have no other loop around (of these, only a call tells), and rows of sparse matrices and of meshes,
    whose ends are data: they have a handful of elements.
    """
    program, found = Program.of(unit.ast), set[str]()
    for name, function in program.functions.items():
        chosen = chosen_by_data(function.function)
        for node, loop in loop_nodes(unit, function, facts.loops):
            is_helper = program.called[name] > RARELY and len(function.chains[id(node)]) == 1
            trips = _trips(node, function)
            is_short = is_helper or _is_row(node, chosen) if trips is None else trips < ENOUGH
            if isinstance(node, c_ast.For) and is_short:
                found.add(loop.id)
    return frozenset(found)


def _is_row(node: c_ast.Node, chosen: frozenset[str]) -> bool:
    """Is it `for (e = start[v]; e < start[v + 1]; e++)`, or the same with these in variables?"""
    match node:
        case c_ast.For(init=c_ast.DeclList(decls=[c_ast.Decl(init=first)]), cond=c_ast.BinaryOp(right=last)):
            pass
        case c_ast.For(init=c_ast.Assignment(rvalue=first), cond=c_ast.BinaryOp(right=last)):
            pass
        case _:
            return False
    return first is not None and is_data(first, chosen) and is_data(last, chosen)


def _trips(node: c_ast.Node, function: FunctionLoops) -> float | None:
    """How many iterations a `for` makes, where no size has to be guessed."""
    if not isinstance(node, c_ast.For):
        return None
    amounts = replace(function.amounts, taken={})
    trips = trip_count(node, amounts)
    return None if amounts.taken else trips
