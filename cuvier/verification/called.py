"""The functions that kernels call, directly or not: how often, and in which order, is nobody's affair."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from pycparser import c_ast

from skeletons.vectors import with_sums
from species.facts import LoopFacts
from species.loops.updates import walk
from species.source import TranslationUnit


def called_in_kernels(unit: TranslationUnit, owners: Iterable[LoopFacts]) -> set[str]:
    """The functions that the kernels of `owners` call."""
    return _reached((name for loop in owners if loop.kernel for name in loop.kernel.functions), _calls(unit))


def with_called_sums(unit: TranslationUnit, owners: Sequence[LoopFacts]) -> tuple[LoopFacts, ...]:
    """The loops; those whose kernels call functions with reordered sums depend on these in all they write."""
    calls = _calls(unit)
    adding = {loop.function for loop in owners if any(r.operator in ("+", "*") for r in loop.reductions)}

    def called(loop: LoopFacts) -> LoopFacts:
        if loop.kernel is None or not adding & _reached(loop.kernel.functions, calls):
            return loop
        return with_sums(loop, loop.kernel)

    return tuple(map(called, owners))


def _calls(unit: TranslationUnit) -> dict[str, set[str]]:
    """Per function of the file those that it names as called."""
    return {
        node.decl.name: {str(n.name.name) for n in walk(node.body) if _names_function(n)}
        for node in unit.ast.ext
        if isinstance(node, c_ast.FuncDef)
    }


def _names_function(node: c_ast.Node) -> bool:
    return isinstance(node, c_ast.FuncCall) and isinstance(node.name, c_ast.ID)


def _reached(names: Iterable[str], calls: Mapping[str, set[str]]) -> set[str]:
    found: set[str] = set()
    open_ = list(names)
    while open_:
        name = open_.pop()
        if name not in found:
            found.add(name)
            open_ += calls.get(name, ())
    return found
