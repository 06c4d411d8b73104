"""Which loops are not worth a launch: short ones that run again and again, with no kernel to keep company."""

from __future__ import annotations

from collections.abc import Mapping

from pycparser import c_ast

from models.callgraph import callers_of, reaching
from models.estimate import Program, loop_nodes
from models.machine import Device, Machine
from models.profitability import Worth, decide
from species.facts.loops import UnitFacts
from species.source import TranslationUnit
from species.source.syntax.tree import walk

MARGIN = 4  # times what a launch costs that one core has to need
OFTEN = 100  # entries in a run of the program: fewer launches cost nothing that can be felt


def not_worth_launching(
    unit: TranslationUnit, facts: UnitFacts, machine: Machine, device: Device
) -> dict[str, str]:
    """By loop id, why the host had better make it.

    Where another kernel is launched in the same loops, in their function or around calls of it, data would
    have to come back for the host: such loops are launched whatever they take.  So are loops of unknown
    sizes, but those of helpers, which are called again and again.
    """
    worths = decide(unit, facts, machine, start=device.launch + device.latency, margin=MARGIN)
    company = _Company(unit, facts, worths)
    short = (loop for loop in facts.loops if loop.id in worths and worths[loop.id].why)
    return {
        loop.id: worths[loop.id].why
        for loop in short
        if worths[loop.id].entered > OFTEN
        and (worths[loop.id].known or company.is_helper(loop.function))
        and company.lacks(loop.id)
    }


class _Company:
    """Where kernels are launched that are worth it."""

    def __init__(self, unit: TranslationUnit, facts: UnitFacts, worths: Mapping[str, Worth]) -> None:
        self._program = Program.of(unit.ast)
        self._functions = self._program.functions
        self._callers = callers_of(self._functions)
        self._nodes: dict[str, tuple[str, c_ast.Node]] = {}
        for name, loops in self._functions.items():
            self._nodes |= {loop.id: (name, node) for node, loop in loop_nodes(unit, loops, facts.loops)}
        launched = [loop.id for loop in facts.loops if _is_launched(loop.id, worths) and loop.kernel]
        self._launched = {id(self._nodes[name][1]) for name in launched if name in self._nodes}
        launching = {name for name, loops in self._functions.items() if self._launched & set(loops.chains)}
        self._launching = reaching(self._functions, launching)

    def is_helper(self, name: str) -> bool:
        """Is a function called again and again?"""
        return self._program.called[name] > OFTEN

    def lacks(self, loop: str) -> bool:
        """Is nothing launched in the loops around it?"""
        name, node = self._nodes[loop]
        chain = self._functions[name].chains[id(node)]
        return not self._launches(chain[0].node) and not self._launched_around(name, set())

    def _launched_around(self, name: str, seen: set[str]) -> bool:
        """Is anything launched in loops around calls of a function?"""
        if name in seen:
            return False
        seen.add(name)
        return any(
            (call.around and self._launches(call.around[0].node)) or self._launched_around(caller, seen)
            for caller, call in self._callers.get(name, ())
        )

    def _launches(self, node: c_ast.Node) -> bool:
        for each in walk(node):
            called = getattr(each.name, "name", None) if isinstance(each, c_ast.FuncCall) else None
            if id(each) in self._launched or called in self._launching:
                return True
        return False


def _is_launched(name: str, worths: Mapping[str, Worth]) -> bool:
    return name in worths and not worths[name].why
