"""Memory that is gone when a function returns."""

from __future__ import annotations

from collections.abc import Iterator

from pycparser import c_ast

from species.source.syntax.tree import walk
from species.symbols.symbols import Symbol
from transfers.plan.functions import Function
from transfers.plan.program import HostProgram


class Endings:
    """What nobody looks at any more behind the end of the functions of a file."""

    def __init__(self, program: HostProgram) -> None:
        self._program = program
        self._arrays = frozenset(self._named_arrays())
        calls = program.unit.all_of(c_ast.FuncCall)
        self._frees = any(getattr(call.name, "name", None) == "free" for call in calls)

    def of(self, function: Function, end: int) -> Iterator[tuple[Symbol, bool]]:
        """What is gone when the function returns, of the variables declared before the offset `end`.

        With each, whether it is what the variable points to: memory that an owner alone leads to.
        """
        for parameter in self._parameters(function):
            if self._program.is_reachable(parameter) and not self._program.watched:
                yield parameter, False
        is_last = function.name == "main" and not self._goes_on
        for item in function.node.body.block_items or []:
            symbol = self._program.symbol(item) if isinstance(item, c_ast.Decl) else None
            span = self._program.span(item) if symbol is not None else None
            if symbol is None or span is None or span.start >= end or self._program.watched:
                continue
            if symbol.storage != "local" and not (is_last and symbol.storage == "static"):
                continue
            if self._program.is_reachable(symbol):
                yield symbol, False
            elif symbol in self._program.owners and not self._frees and item.init is not None:
                yield symbol, True
        if is_last:
            yield from ((symbol, False) for symbol in self._statics())

    def _parameters(self, function: Function) -> Iterator[Symbol]:
        listed = function.node.decl.type.args.params if function.node.decl.type.args else []
        for declared in function.node.param_decls or listed:
            symbol = self._program.symbol(declared)
            if symbol is not None:
                yield symbol

    @property
    def _goes_on(self) -> bool:
        """May other code, or somebody who watches, look at variables when main has returned?"""
        called = [call for f in self._program.functions.values() for call in f.calls]
        again = self._program.taken or any(self._program.called(call) == "main" for call in called)
        return self._program.watched or bool(again) or not self._program.is_whole

    def _is_launched(self, symbol: Symbol) -> bool:
        """May a kernel have touched it, under its name or another?"""
        return symbol.exposed or symbol.address_taken or symbol in self._arrays

    def _statics(self) -> Iterator[Symbol]:
        for item in self._program.unit.ast.ext:
            symbol = self._program.symbol(item) if isinstance(item, c_ast.Decl) else None
            is_array = symbol is not None and symbol.outlives_function and symbol.ctype.kind == "array"
            if symbol is not None and is_array and self._is_launched(symbol):
                yield symbol

    def _named_arrays(self) -> Iterator[Symbol]:
        """The arrays of kernels."""
        for function in self._program.functions.values():
            for node in walk(function.node.body):
                if id(node) in function.kernels:
                    loop = function.kernels[id(node)]
                    names = {a.name for k in (loop.kernel, loop.scheme) if k is not None for a in k.arrays}
                    found = (
                        self._program.names.resolution.symbols.get(id(n))
                        for n in walk(node)
                        if isinstance(n, c_ast.ID)
                    )
                    yield from (s for s in found if s is not None and s.name in names)
