"""What rules a nest out: loops that do not count by themselves, jumps, effects that no set describes."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Any

from pycparser import c_ast

from species.dependence.flow.scalars import FlowAnalysis
from species.facts.loop_forms import NOTE
from species.loops.model import Loop, Reference
from species.openmp.counts import counts_safely
from species.openmp.rules import starts_in_header
from species.scops.leaves import Leaf
from species.scops.refused import Refused
from species.source import TranslationUnit
from species.source.syntax.tree import walk
from species.symbols.symbols import Symbol

_JUMPS = (c_ast.Break, c_ast.Continue, c_ast.Goto, c_ast.Return)


def check_calls(top: Loop) -> None:
    """Refuses a nest in which iterations note what they put off, in an order that no vectors keep."""
    calls = (node.name for node in walk(top.node) if isinstance(node, c_ast.FuncCall))
    if any(getattr(name, "name", "") == NOTE for name in calls):
        raise Refused("it puts statements off")


def check_loop(loop: Loop, unit: TranslationUnit, flows: FlowAnalysis) -> None:
    """Raises Refused unless the header alone says how often the loop runs, and nothing else is done there."""
    if not isinstance(loop.node, c_ast.For) or loop.iterator is None or not loop.steps_in_header:
        raise Refused("a loop does not count in its header")
    if not starts_in_header(loop.node.init, loop) or not _is_comparison(loop.node.cond):
        raise Refused("a loop does more in its header than to count")
    if not loop.counted or not loop.exact or loop.assumed or loop.strided or loop.steps:
        raise Refused("the trip count of a loop is unknown before it")
    if loop.iterator.ctype.bits < 32 or loop.iterator.ctype.enumerated or not counts_safely(loop):
        raise Refused(f"gcc counts iterations in the type of {loop.iterator.name}")
    if not loop.declared_inside and _is_live(loop, loop.iterator, flows):
        raise Refused(f"{loop.iterator.name} is needed after its loop")
    if unit.loop_spans(loop.node) is None:
        raise Refused("a loop comes from a macro")


def _is_comparison(condition: Any) -> bool:
    """One comparison, without effects?  A header need not have a condition (None)."""
    if condition is None:
        return False
    changes = (c_ast.Assignment, c_ast.FuncCall, c_ast.Compound)
    effects = any(isinstance(n, changes) or _increments(n) for n in walk(condition))
    return (
        isinstance(condition, c_ast.BinaryOp) and condition.op in ("<", "<=", ">", ">=", "!=") and not effects
    )


def _increments(node: Any) -> bool:
    return isinstance(node, c_ast.UnaryOp) and ("++" in node.op or "--" in node.op)


def _is_live(loop: Loop, symbol: Symbol, flows: FlowAnalysis) -> bool:
    return symbol.outlives_function or symbol.address_taken or flows.live_after(loop.node, symbol)


def check_leaf(leaf: Leaf) -> None:
    """Raises Refused where a statement jumps: what it jumps to is another place in another order."""
    if any(isinstance(n, _JUMPS) for item in leaf.items for n in walk(item)):
        raise Refused("a statement leaves its place by a jump")


def check_covered(references: Iterable[Reference], leaves: Iterable[Leaf], loops: Iterable[Loop]) -> None:
    """Raises Refused unless every reference stands in a statement or in a header."""
    known = frozenset().union(*(leaf.holds() for leaf in leaves))
    for loop in loops:
        header = (loop.node.init, loop.node.cond, loop.node.next)
        known |= {id(n) for part in header if part is not None for n in walk(part)}
    for reference in references:
        if id(reference.node) not in known:
            raise Refused(f"{reference.place.name} is touched outside of the statements")


def check_parameters(texts: Iterable[tuple[str, str]], references: Iterable[Reference]) -> None:
    """Raises Refused where a statement writes what bounds are made of: they may be read in another order."""
    named = {word for _, text in texts for word in re.findall(r"\w+", text)}
    written = {r.symbol.name for r in references if r.write and r.place.is_variable}
    for name in sorted(named & written):
        raise Refused(f"{name} is written, and bounds depend on it")
