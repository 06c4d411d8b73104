"""May a host statement stand in a loop of one iteration, and is that loop a kernel?"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from pycparser import c_ast

from species.facts.loops import LoopFacts
from species.source.syntax.tree import walk
from species.symbols.exact_functions import EXACT_FUNCTIONS
from species.symbols.static_types import type_of
from transfers.glue.accesses import changed
from transfers.plan.functions import LOOPS
from transfers.plan.program import HostProgram

_LEAVING = (c_ast.Return, c_ast.Goto, c_ast.Label, c_ast.Case, c_ast.Default)
_DECLARING = (c_ast.Decl, c_ast.DeclList, c_ast.Typedef, c_ast.Pragma, c_ast.StaticAssert)
_SETTING = (c_ast.Assignment, c_ast.UnaryOp, c_ast.ExprList)
_MEMORY = re.compile(r"\[|->|(?:^|[-+*/%(<>=!&|?:,])\s*\*")  # a subscript, a member, a unary star


@dataclass(frozen=True)
class Rounding:
    """Whether the device must compute what the host would, to the last bit (`is_strict`), and whether it does
    so with numbers of single precision.
    """

    is_strict: bool = False
    single_is_exact: bool = True


class Eligibility:
    """For the statements of one file."""

    def __init__(self, program: HostProgram, rounding: Rounding) -> None:
        self._program, self._rounding = program, rounding

    def obstacle(self, node: Any) -> str:
        """Why a statement stays on the host, whatever it costs; empty: nothing in its text says so."""
        return next(self._obstacles(node), "")

    def _obstacles(self, node: Any) -> Iterator[str]:
        if isinstance(node, _DECLARING):
            yield "it declares a variable"
        if any(isinstance(part, _LEAVING) for part in walk(node)) or _escapes(node):
            yield "control may leave it"
        for part in walk(node):
            if isinstance(part, c_ast.FuncCall) and not self._is_mathematical(part):
                yield f"it calls '{getattr(part.name, 'name', 'a pointer')}'"
        own = {s for part in walk(node) if isinstance(part, c_ast.Decl) and (s := self._program.symbol(part))}
        if isinstance(node, _SETTING):
            for symbol in sorted(changed(node, self._program.names) - own, key=lambda s: s.name):
                yield f"it sets '{symbol.name}', a variable of the host"
        yield from self._of_text(node)
        yield from self._of_numbers(node)

    def _of_text(self, node: Any) -> Iterator[str]:
        span = self._program.span(node)
        if span is None:
            yield "a macro makes it, or a part of it"
        else:
            text = span.of(self._program.unit.source.text)
            place = self._program.pragmas.place(span.start)
            if "#" in text or "%:" in text or "_Pragma" in text or place.start != span.start:
                yield "a directive applies to it"

    def _of_numbers(self, node: Any) -> Iterator[str]:
        if not self._rounding.is_strict:
            return
        for part in walk(node):
            name = getattr(part.name, "name", "") if isinstance(part, c_ast.FuncCall) else ""
            if name and name not in EXACT_FUNCTIONS:
                yield f"'{name}' may round differently on a device (--strict-fp)"
            if not self._rounding.single_is_exact and self._is_single(part):
                yield "single precision may round differently on a device (--strict-fp)"

    def _is_single(self, node: Any) -> bool:
        names = self._program.names
        if isinstance(node, c_ast.Cast):
            ctype = names.types.resolve(node.to_type)
        elif isinstance(node, c_ast.FuncCall):
            return str(getattr(node.name, "name", "")).endswith("f")
        else:
            ctype = type_of(node, names.resolution.symbols, names.types)
        return (ctype.kind == "float" and ctype.bits == 32) or _is_single_constant(node)

    def _is_mathematical(self, call: c_ast.FuncCall) -> bool:
        effects = self._program.names.effects
        effect = effects.of(call)
        alone = not effect.reads and not effect.writes and effect.calls is None
        return effects.summaries.called(call) is None and effect.kind in ("pure", "errno") and alone


def _is_single_constant(node: Any) -> bool:
    return isinstance(node, c_ast.Constant) and node.type == "float"


def _escapes(node: Any, *, in_loop: bool = False, in_switch: bool = False) -> bool:
    """Is there a `break` or `continue` of what is around the statement?"""
    if isinstance(node, c_ast.Break):
        return not (in_loop or in_switch)
    if isinstance(node, c_ast.Continue):
        return not in_loop
    if node is None or not isinstance(node, c_ast.Node):
        return False
    in_loop, in_switch = in_loop or isinstance(node, LOOPS), in_switch or isinstance(node, c_ast.Switch)
    return any(_escapes(child, in_loop=in_loop, in_switch=in_switch) for _, child in node.children())


def refusal(loop: LoopFacts | None) -> str:
    """Why the loop around a statement is no kernel that could take its place; empty: it is one."""
    kernel = loop.kernel if loop is not None else None
    if loop is None or kernel is None or not loop.verdict.is_parallel:
        return loop.reasons[0].message if loop is not None and loop.reasons else "it is not a kernel"
    if kernel.obstacles:
        return kernel.obstacles[0].message
    if loop.conditions or kernel.conditions or kernel.provided:
        return "it would need a run-time condition"
    for scalar in kernel.scalars:
        if scalar.role in ("lastprivate", "reduction"):
            return f"it sets '{scalar.name}', a variable of the host"
    bounds = (b for a in kernel.arrays for r in (a.reads or (), a.writes or ()) for b in r)
    if any(_MEMORY.search(text) for bound in bounds for text in (bound.low, bound.high)):
        return "what it accesses depends on data"
    return ""
