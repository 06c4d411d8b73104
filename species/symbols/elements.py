"""What functions of the file do with elements that they get pointers to: `void push(body *b) { b->x++; }`.

A parameter is confined if its function looks through it at a few elements only, whose numbers are known
(`force[k]`, k from 0 to 2), and hands it on, or a pointer to a part of an element, to such parameters only.
Other pointers lead elsewhere (`species.pointsto`).
"""

from __future__ import annotations

from collections.abc import Callable

from pycparser import c_ast

from species.symbols.element_uses import MOST, ElementUses, Parameter, Use
from species.symbols.summaries import Summaries
from species.symbols.symbols import Resolution, Symbol
from species.symbols.types import TypeTable


class Elements:
    """The confined parameters of the functions of one file.

    `by_pointer` gives the functions that a call by a pointer may lead to; None where others may be.
    """

    def __init__(
        self,
        resolution: Resolution,
        types: TypeTable,
        summaries: Summaries,
        by_pointer: Callable[[c_ast.FuncCall], list[str] | None],
    ) -> None:
        self._resolution = resolution
        self._summaries, self._by_pointer = summaries, by_pointer
        self.uses = ElementUses(resolution, types, self.handed_to)
        self._found: dict[Parameter, Use] | None = None

    def of(self, parameter: Parameter) -> Use | None:
        """The uses of the element; None where the parameter is not confined."""
        if self._found is None:
            self._found = self._solved()
        return self._found.get(parameter)

    def is_confined(self, function: str, symbol: Symbol) -> bool:
        """Is the variable a confined parameter of the function?"""
        symbols = self.uses.symbols(function) if function in self._resolution.functions else []
        return symbol in symbols and self.of(Parameter(function, symbols.index(symbol))) is not None

    def handed_to(self, call: c_ast.FuncCall, position: int) -> list[Parameter] | None:
        """The parameters of functions of the file that an argument becomes; None where others may get it."""
        own = self._summaries.called(call)
        names = [own] if own is not None else self._by_pointer(call)
        return [Parameter(name, position) for name in names] if names else None

    def _solved(self) -> dict[Parameter, Use]:
        """The greatest set of parameters that are given to each other only, with all that happens to them."""
        found: dict[Parameter, Use] = {}
        for function in self._resolution.functions:
            if self._summaries.knows(function):
                found.update(self.uses.of(function))
        changed = True
        while changed:
            changed = False
            for parameter, use in [*found.items()]:
                before = use.read, use.written, use.count
                if not self._holds(use, found):
                    del found[parameter]
                changed |= parameter not in found or before != (use.read, use.written, use.count)
        return found

    def _holds(self, use: Use, found: dict[Parameter, Use]) -> bool:
        """Are all that get the elements confined, to as many as they get?  Notes what they do to these."""
        for parameter, limit in use.handed:
            inner = found.get(parameter)
            if inner is None or (limit and inner.count > limit):
                return False
            use.read, use.written = use.read or inner.read, use.written or inner.written
            use.count = use.count if limit else max(use.count, inner.count)
        return use.count <= MOST
