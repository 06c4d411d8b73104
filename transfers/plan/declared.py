"""What the run-time library is told of variables, where programs find the extent of memory when they run.

It sees what `malloc` and its like allocate; global variables, and local ones that kernels may reach, are
declared to it (`declareGlobal` and `declareAlloca` of section 2.2 in Jablin's thesis).  What it is not told
of, it does not know; nothing else depends on it.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from pycparser import c_ast

from species.core.positions import Span
from species.source.syntax.tree import walk
from species.source.text.edits import Edit
from species.symbols.symbols import Symbol
from transfers.plan.functions import Function
from transfers.plan.program import HostProgram

_WHOLES = ("array", "struct", "union")
_JUMPING = ("setjmp", "_setjmp", "sigsetjmp", "__sigsetjmp")


class Declared:
    """The declarations for a file; `prefix` begins the names of the functions that it calls for them."""

    def __init__(self, program: HostProgram, prefix: str) -> None:
        self._program, self._prefix = program, prefix

    def edits(self) -> Iterator[Edit]:
        """Global variables before `main` begins, others behind their declarations."""
        lines = [self._call("unit", symbol) for symbol in self._globals()]
        text = self._program.unit.source.text
        if lines:
            head = f"__attribute__((__constructor__)) static void {self._prefix}units(void)"
            body = "".join(f"    {line}\n" for line in lines)
            before = "\n" if text.endswith("\n") else "\n\n"
            yield Edit(Span(len(text), len(text)), f"{before}{head}\n{{\n{body}}}\n")
        if not any(getattr(n, "name", None) in _JUMPING for n in walk(self._program.unit.ast)):
            for function in self._program.functions.values():
                yield from self._within(function)

    def _call(self, verb: str, symbol: Symbol) -> str:
        name = symbol.name
        address = name if symbol.ctype.kind == "array" else f"&{name}"
        return f'{self._prefix}{verb}("{name}", {address}, sizeof {name});'

    def _globals(self) -> Iterator[Symbol]:
        seen: set[str] = set()
        for item in self._program.unit.ast.ext:
            symbol = self._program.symbol(item) if isinstance(item, c_ast.Decl) else None
            if symbol is None or symbol.name in seen or not self._is_plain(symbol):
                continue
            storage = set(item.storage or ())
            if not storage & {"extern", "_Thread_local", "__thread", "thread_local"}:
                seen.add(symbol.name)
                yield symbol

    def _is_plain(self, symbol: Symbol) -> bool:
        """Is it an object with a size and one meaning of its name?"""
        program, ctype = self._program, symbol.ctype
        if ctype.kind not in _WHOLES or ctype.volatile or ctype.element.volatile or symbol.peculiar:
            return False
        sized = ctype.kind != "array" or (ctype.extent is not None and symbol.name not in program.incomplete)
        return sized and symbol.name not in program.macros and program.is_reachable(symbol)

    def _within(self, function: Function) -> Iterator[Edit]:
        """Of variables of a function that hands them to kernels."""
        body = self._program.span(function.node.body)
        leads = any(f.kernels for f in (function, *self._called(function)))
        has_literals = any(isinstance(n, c_ast.CompoundLiteral) for n in walk(function.node.body))
        if body is None or not leads or has_literals:
            return  # literals may have the memory of variables that have ended
        found = [(s, at) for s, at in self._variables(function.node.body) if self._is_plain(s)]
        if any(symbol.storage == "local" for symbol, _ in found):
            yield Edit(Span(body.start + 1, body.start + 1), f" {self._prefix}scope;")
        for symbol, at in found:
            verb = "local" if symbol.storage == "local" else "unit"
            yield Edit(Span(at, at), f" {self._call(verb, symbol)}")

    def _called(self, function: Function) -> Iterator[Function]:
        """The functions of the file that may be called before it returns."""
        open_, seen = [function], {function.name}
        while open_:
            names = (self._program.called(call) for call in open_.pop().calls)
            for name in names:
                if name in self._program.functions and name not in seen:
                    seen.add(str(name))
                    open_.append(self._program.functions[str(name)])
                    yield open_[-1]

    def _variables(self, node: Any) -> Iterator[tuple[Symbol, int]]:
        """The variables that blocks declare, with the places behind their declarations."""
        blocks = (part for part in walk(node) if isinstance(part, c_ast.Compound))
        bodies = {id(part.stmt) for part in walk(node) if isinstance(part, c_ast.Switch)}
        for block in blocks:
            for item in block.block_items or [] if id(block) not in bodies else []:
                symbol = self._program.symbol(item) if isinstance(item, c_ast.Decl) else None
                span = self._program.span(item) if symbol is not None else None
                if symbol is not None and span is not None and "extern" not in (item.storage or ()):
                    yield symbol, span.end
