"""The calls of a loop whose callees' statements may be put off: each a function of the file, called once."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from functools import cached_property

from pycparser import c_ast

from species.core.positions import Span
from species.facts.loop_forms import LateFunction
from species.loops.model import Inlining
from species.source import TranslationUnit
from species.source.syntax.tree import walk
from species.source.text.code import code_tokens
from species.stages.body import LOOPS, Body
from species.stages.pieces import Opened
from species.symbols.symbols import Resolution


@dataclass(frozen=True)
class Calls:
    """Those of a loop whose body stands at a `place`."""

    body: Body
    place: Span
    resolution: Resolution

    @cached_property
    def known(self) -> dict[int, Inlining]:
        """The calls, by their nodes' ids, whose callees are analysed in their place, and have loops."""
        references, calls = self.body.judge.references(self.body.loop), self.body.model.calls
        inlinings = [*(r.inlining for r in references), *(call.inlining for call in calls)]
        found = {id(each.chain[0].call): each.chain[0] for each in inlinings if each is not None}
        inside = {id(node) for node in walk(self.body.loop.node.stmt)}
        found = {key: each for key, each in found.items() if key in inside}
        often = Counter(each.name for each in found.values())
        return {key: each for key, each in found.items() if often[each.name] == 1 and _has_loop(each)}

    def opened(self, call: c_ast.FuncCall) -> Opened | None:
        """The callee, if it is defined before the loop, in plain words; None: it is not to be looked at."""
        inlining = self.known.get(id(call))
        function = self.resolution.functions.get(inlining.name) if inlining is not None else None
        if inlining is None or function is None or not isinstance(call.name, c_ast.ID):
            return None
        unit = self.body.unit
        body = unit.statement_span(function.body)
        start = unit.declaration_start(body.start) if body is not None else None
        if body is None or start is None or body.end > self.place.start or function.param_decls:
            return None
        head = unit.source.text[start : body.start]
        if "#" in head or not unit.source.text.startswith("{", body.start):
            return None
        words = [token.text for token in code_tokens(head)]
        if words.count(inlining.name) != 1 or "extern" in words:
            return None
        return Opened(inlining, Span(start, body.end), body.start)


def _has_loop(inlining: Inlining) -> bool:
    return any(isinstance(node, LOOPS) for node in walk(inlining.body))


def late_function(unit: TranslationUnit, opened: Opened) -> LateFunction:
    """The function, and where it is called."""
    name = opened.inlining.call.name
    position = unit.position(name.coord)
    start = unit.source.offset(position.line, position.column)
    return LateFunction(opened.inlining.name, opened.definition, Span(start, start + len(name.name)))
