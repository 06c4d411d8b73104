"""The static types of expressions, as far as points-to analysis needs them."""

from __future__ import annotations

from typing import Any

from pycparser import c_ast

from species.pointsto.instructions import Code
from species.pointsto.variables import Variables
from species.symbols.static_types import type_of
from species.symbols.types import CType


class StaticTypes:
    """The types in one function."""

    def __init__(self, name: str, variables: Variables) -> None:
        self.code = Code(name)
        self.variables = variables
        self._symbols, self._types = variables.resolution.symbols, variables.types

    def type_of(self, node: Any) -> CType:
        """The static type of an expression; of parameters, the one that C gives them."""
        found = type_of(node, self._symbols, self._types)
        symbol = self._symbols.get(id(node)) if isinstance(node, c_ast.ID) else None
        if symbol is None or symbol.storage != "parameter":
            return found
        is_function = found.kind == "function"
        return CType("pointer", found.text, target=found) if is_function else found.decayed
