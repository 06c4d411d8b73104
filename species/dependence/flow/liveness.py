"""Is the content of an array needed after a loop?  (A private copy of each iteration may then be dropped.)"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

from pycparser import c_ast

from species.dependence.flow.coverage import Coverage
from species.dependence.flow.private_copies import sees_array_copy
from species.loops.model import FunctionModel, Loop, Reference
from species.source.syntax.tree import repeated, walk
from species.symbols.symbols import Resolution, Symbol


class ArrayLiveness:
    """Looks for uses of arrays that may see what a loop left in them, in all functions of one file."""

    def __init__(self, functions: tuple[FunctionModel, ...], resolution: Resolution) -> None:
        self._models = {model.name: model for model in functions}
        self._resolution = resolution
        self._loops = {id(loop.node): (model, loop) for model in functions for loop in model.loops}
        self._parents: dict[str, dict[int, Any]] = {}
        self._inside: dict[int, list[Reference]] = {}
        for model in functions:
            for reference in model.references:
                for number in reference.loops:
                    self._inside.setdefault(number, []).append(reference)
        self._mentions: dict[Symbol, list[tuple[str, Any]]] | None = None

    def all_see_copy(self, loop: Loop, references: Iterable[Reference]) -> bool:
        """Would all references use a private copy, had the array one in the loop?"""
        return all(sees_array_copy(r, self._resolution.symbols, loop) for r in references)

    def live_after(self, model: FunctionModel, loop: Loop, symbol: Symbol) -> bool:
        """May something that is executed after `loop` read what it wrote into the array?

        False only where every later mention stands in a loop that writes, in each of its iterations,
        whatever it reads.
        """
        if symbol.exposed or symbol.address_taken or symbol.storage in ("global", "parameter"):
            return True
        if not model.structured:
            return True
        if symbol.storage == "static":
            own = set(map(id, repeated(loop.node)))
            uses = [(n, u) for n, u in self._all_mentions().get(symbol, []) if id(u) not in own]
        else:
            uses = [(model.name, u) for u in self._later_mentions(model, loop, symbol)]
        return not all(self._sees_its_own(name, use, loop, symbol) for name, use in uses)

    def _all_mentions(self) -> dict[Symbol, list[tuple[str, Any]]]:
        """Every identifier that means a static variable, with the function that it stands in."""
        if self._mentions is None:
            self._mentions = {}
            for name, function in self._resolution.functions.items():
                for node in walk(function.body):
                    symbol = self._resolution.symbols.get(id(node))
                    if symbol is not None and symbol.storage == "static" and isinstance(node, c_ast.ID):
                        self._mentions.setdefault(symbol, []).append((name, node))
        return self._mentions

    def _later_mentions(self, model: FunctionModel, loop: Loop, symbol: Symbol) -> Iterator[Any]:
        """The identifiers that mean the variable in code that may run after the loop."""
        parents = self._parents_of(model)
        node, own = loop.node, set(map(id, repeated(loop.node)))
        while node is not model.node and node is not symbol.scope:
            parent = parents[id(node)]
            if isinstance(parent, c_ast.For | c_ast.While | c_ast.DoWhile):
                later = [parent]  # what comes before is executed again
            else:
                children = [child for _, child in parent.children()]
                later = children[next(k for k, c in enumerate(children) if c is node) + 1 :]
            for found in (n for child in later for n in walk(child) if id(n) not in own):
                if isinstance(found, c_ast.ID) and self._resolution.symbols.get(id(found)) is symbol:
                    yield found
            node = parent

    def _sees_its_own(self, function: str, use: Any, loop: Loop, symbol: Symbol) -> bool:
        """Does the use stand in a loop each of whose iterations reads only what it wrote itself?"""
        model = self._models.get(function)
        if model is None or not model.structured:
            return False
        parents = self._parents_of(model)
        node, inner, outermost = parents.get(id(use)), use, None
        while node is not None and not _holds(node, loop.node):
            iterated = id(node) in self._loops and getattr(node, "init", None) is not inner
            outermost = node if iterated else outermost
            node, inner = parents.get(id(node)), node
        if outermost is None:
            return False
        owner, around = self._loops[id(outermost)]
        references = [r for r in self._inside.get(around.number, []) if r.symbol is symbol]
        return bool(references) and Coverage(owner).covered(around, references)

    def _parents_of(self, model: FunctionModel) -> dict[int, Any]:
        if model.name not in self._parents:
            self._parents[model.name] = {
                id(child): node for node in walk(model.node) for _, child in node.children()
            }
        return self._parents[model.name]


def _holds(node: Any, inner: Any) -> bool:
    return any(found is inner for found in walk(node))
