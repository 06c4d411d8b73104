"""What a loop will read of memory: names for the values there when it is entered."""

from __future__ import annotations

from typing import Any

from pycparser import c_ast

from species.loops.environment import Known, is_shared
from species.loops.model import Pointer
from species.loops.walk.iterations import Iterations
from species.source.syntax.tree import walk
from species.symbols.symbols import Symbol


class EntryReads(Iterations):
    """What the header, the body and the functions that a loop calls read of memory that is known then."""

    def read_ahead(self, node: Any) -> None:
        """Gives names to the values that conditions and addresses inside will read, while still unchanged.

        Pointers that are set inside, `p = &g->part`, lead where they do as far as that is known before.
        """
        outer, self.ahead = self.ahead, True
        pointed = dict[Symbol, tuple[Known, ...]]()  # where pointers led; nothing: nobody had looked
        with self.quietly():
            for inner in walk(node):
                self._point_ahead(inner, pointed)
                is_choice = isinstance(inner, c_ast.For | c_ast.While | c_ast.If)
                wanted = inner.cond if is_choice else inner if self._reads_shared_value(inner) else None
                if wanted is None:
                    continue
                before = self.env.copy() if self.scanner.modified(wanted).anything else None
                self.evaluate(wanted)
                if before is not None:
                    for key in self.env.values:
                        before.get(key)
                    self.env = before
        for symbol, values in pointed.items():
            self.env.values.pop(symbol, None)
            self.env.values.update((symbol, value) for value in values)
        self.ahead = outer

    def _point_ahead(self, node: Any, pointed: dict[Symbol, tuple[Known, ...]]) -> None:
        """Sets a pointer that the node sets; notes in `pointed` what it was."""
        match node:
            case c_ast.Decl(init=value) if value is not None:
                symbol = self.symbol(node)
            case c_ast.Assignment(op="=", lvalue=c_ast.ID() as target, rvalue=value):
                symbol = self.symbol(target)
            case _:
                return
        if (
            symbol is None
            or symbol.ctype.kind != "pointer"
            or symbol.outlives_function
            or symbol.address_taken
        ):
            return
        if isinstance(value, c_ast.InitList) or self.scanner.modified(value).anything:
            return
        found = self.evaluate(value).value
        if isinstance(found, Pointer):
            values = self.env.values
            pointed.setdefault(symbol, (values[symbol],) if symbol in values else ())
            values[symbol] = found

    def _reads_shared_value(self, node: Any) -> bool:
        """An integer or pointer in memory, or a variable that others may change; a callee may read some."""
        if isinstance(node, c_ast.FuncCall):
            return self.effects.summaries.called(node) is not None
        if isinstance(node, c_ast.ID):
            symbol = self.symbol(node)
            return symbol is not None and is_shared(symbol) and symbol.is_scalar
        is_place = isinstance(node, c_ast.StructRef | c_ast.ArrayRef) or getattr(node, "op", "") == "*"
        if not is_place or isinstance(node, c_ast.BinaryOp):
            return False
        return self.scanner.type_of(node).kind in ("int", "pointer")
