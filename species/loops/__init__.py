"""Loop nests, statements, array references and iteration domains of one translation unit."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from pycparser import c_ast

from species.effects import Effects
from species.loops.modified import Scanner
from species.loops.nest import FunctionModel
from species.loops.symbols import Resolution, Resolver
from species.loops.types import TypeTable
from species.loops.walker import Walker


@dataclass(frozen=True)
class FileModel:
    """The loop model of a file: its functions in source order, and its names and types."""

    functions: tuple[FunctionModel, ...]
    resolution: Resolution
    types: TypeTable
    effects: Effects


def build_model(ast: c_ast.FileAST, wanted: Any, *, complete: bool) -> FileModel:
    """Models every function definition for which `wanted(FuncDef)` holds.

    `complete` says that no part of the file was left out.
    """
    resolver = Resolver()
    resolution = resolver.file(ast)
    if not complete:
        resolver.distrust()
    effects = Effects(resolution)
    scanner = Scanner(resolution, resolver.types, effects)
    walker = Walker(scanner, resolution, resolver.types, effects)
    functions = [walker.function(n) for n in ast.ext if isinstance(n, c_ast.FuncDef) and wanted(n)]
    return FileModel(tuple(functions), resolution, resolver.types, effects)
