"""Iterations of which data decide how long they take, so that threads should not get fixed shares of them."""

from __future__ import annotations

from pycparser import c_ast

from models.estimate import Program
from models.nests import LOOPS
from models.run_time_thresholds import is_short
from models.sizes.headers import c_text, header_of
from species.facts.loops import LoopFacts
from species.source.syntax.tree import walk

CHUNKS = 64  # at least; so few cost little, however short iterations are
_SHORT = 1e-6  # seconds


def schedule(
    loop: LoopFacts,
    node: c_ast.Node,
    program: Program,
    trips: str,
    seconds: float,
    cores: int,
) -> str:
    """What `schedule` should say of a loop that makes `trips` iterations (C), each of which takes about
    `seconds`; empty: nothing.

    Sums that are rounded are computed in the same order on every run as long as threads have fixed shares.
    """
    if seconds < _SHORT or loop.uneven or loop.rounded or loop.linear or not _starts_at_zero(node):
        return ""
    if not trips or not is_short(trips) or not _is_irregular(node.stmt, program, set()):
        return ""
    chunks = max(CHUNKS, 16 * cores)
    if trips.isdigit():
        return f"dynamic, {int(trips) // chunks}" if int(trips) >= 2 * chunks else "dynamic"
    plain = trips.replace("->", "").replace("_", "").replace(".", "").isalnum()
    whole = f"(long)({trips})" if "1.0" in trips else trips if plain else f"({trips})"  # by steps of several
    return f"dynamic, {whole} / {chunks} + 1"


def _starts_at_zero(loop: c_ast.Node) -> bool:
    """Does it count up from 0?  gcc 12 makes other iterations of some that start behind their end."""
    header = header_of(loop)
    return header is not None and header.first is not None and c_text(header.first) == "0"


def _is_irregular(node: c_ast.Node, program: Program, seen: set[str]) -> bool:
    """Has a statement, or what it calls, a loop that data ends, or that data decides about, or recursion?"""
    loops = [each for each in walk(node) if isinstance(each, LOOPS)]
    if any(isinstance(each, c_ast.While | c_ast.DoWhile) for each in loops):
        return True
    if any(map(_is_bounded_by_data, loops)):
        return True
    inside = (part for each in loops for part in walk(each))
    if any(isinstance(part, c_ast.Return | c_ast.Break | c_ast.Goto) for part in inside):
        return True
    calls = [each for each in walk(node) if isinstance(each, c_ast.FuncCall)]
    named = {each.name.name for each in calls if isinstance(each.name, c_ast.ID)} & program.functions.keys()
    if named & seen:
        return True
    branches = [each for each in walk(node) if isinstance(each, c_ast.If)]
    if any(_takes_long(each, program) for each in branches):
        return True
    bodies = {name: program.functions[name].function.body for name in named}
    return any(_is_irregular(body, program, {*seen, name}) for name, body in bodies.items())


def _is_bounded_by_data(loop: c_ast.Node) -> bool:
    """`for (e = start[i]; e < start[i + 1]; e++)`: rows of a sparse matrix, say."""
    header = [part for part in (getattr(loop, "init", None), getattr(loop, "cond", None)) if part is not None]
    return any(isinstance(node, c_ast.ArrayRef) for part in header for node in walk(part))


def _takes_long(branch: c_ast.If, program: Program) -> bool:
    """Is there a loop in a branch, or the call of a function that runs one?"""
    parts = [*walk(branch)]
    calls = (part.name for part in parts if isinstance(part, c_ast.FuncCall))
    runs = any(isinstance(name, c_ast.ID) and name.name in program.with_loops for name in calls)
    return runs or any(isinstance(part, LOOPS) for part in parts)
