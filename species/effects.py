"""What functions do besides returning a value."""

from __future__ import annotations

from functools import cache
from importlib.resources import files
from typing import Any

import yaml
from pycparser import c_ast

from species.loops.symbols import Resolution, Symbol
from species.loops.updates import walk


@cache
def _library() -> dict[str, str]:
    text = (files("species") / "effects.yaml").read_text(encoding="utf-8")
    return {name: effect for effect, names in yaml.safe_load(text).items() for name in names}


class Effects:
    """The effect of a call, by name: pure, output, input, state, exit or unknown.

    A function of the same file is pure if it works on its parameters and local scalars alone.
    """

    def __init__(self, resolution: Resolution) -> None:
        self._resolution = resolution
        self._known: dict[str, str] = {}

    def of(self, name: str) -> str:
        if name not in self._known:
            self._known[name] = "unknown"  # the answer for recursion
            self._known[name] = self._find(name)
        return self._known[name]

    def of_call(self, node: c_ast.FuncCall) -> str:
        """The effect of a call: unknown where the name means a pointer to a function."""
        if not isinstance(node.name, c_ast.ID):
            return "unknown"
        symbol = self._resolution.symbols.get(id(node.name))
        pointer = symbol is not None and (symbol.storage == "parameter" or symbol.ctype.kind != "function")
        return "unknown" if pointer else self.of(node.name.name)

    def _find(self, name: str) -> str:
        function = self._resolution.functions.get(name)
        if function is None:
            return _library().get(name, "unknown")
        return "pure" if self._is_pure(function) else "unknown"

    def _is_pure(self, function: c_ast.FuncDef) -> bool:
        return all(self._is_harmless(node) for node in walk(function.body))

    def _is_harmless(self, node: Any) -> bool:
        if isinstance(node, c_ast.ID):
            symbol = self._resolution.symbols.get(id(node))
            return symbol is None or symbol.storage == "function" or _is_private(symbol)
        if isinstance(node, c_ast.FuncCall):
            return self.of_call(node) == "pure"
        if isinstance(node, c_ast.UnaryOp):
            return node.op not in ("*", "&")
        if isinstance(node, c_ast.StructRef):
            return bool(node.type == ".")
        return not isinstance(node, c_ast.Goto | c_ast.Label | c_ast.ArrayRef | c_ast.While | c_ast.DoWhile)


def _is_private(symbol: Symbol) -> bool:
    if symbol.ctype.volatile:
        return False
    if symbol.storage in ("global", "static"):
        return symbol.ctype.const and symbol.is_scalar
    return symbol.ctype.kind in ("int", "float", "struct")
