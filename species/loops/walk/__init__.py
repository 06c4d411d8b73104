"""Loop nests, statements, array references and iteration domains of one translation unit."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from pycparser import c_ast

from species.core.budget import DEFAULT_SECONDS
from species.loops.callsites import note_call_sites
from species.loops.defects import contained
from species.loops.model import FunctionModel
from species.loops.scanner import Scanner
from species.loops.walk.allocators import note_allocators
from species.loops.walk.walker import Walker
from species.symbols.confined import note_confined
from species.symbols.effect_table import Effect
from species.symbols.effects import ALL_KNOWN, Effects, Origins
from species.symbols.symbols import Resolution, Resolver
from species.symbols.types import TypeTable


@dataclass(frozen=True)
class Doubts:
    """Names whose declarations do not tell all of what they mean.

    `variables` may be other variables of the file as well; the definitions of `weak` ones may be those of
    another file; what is named in `assembly` may be changed, and called, by it.
    """

    variables: frozenset[str] = frozenset()
    weak: frozenset[str] = frozenset()
    assembly: frozenset[str] = frozenset()


NO_DOUBTS = Doubts()


@dataclass(frozen=True)
class Names:
    """What the names of a file mean, its types, and what its calls do."""

    resolution: Resolution
    types: TypeTable
    effects: Effects


@dataclass(frozen=True)
class FileModel(Names):
    """The loop model of a file: its functions in source order, and its names and types."""

    functions: tuple[FunctionModel, ...]


def resolve(
    ast: c_ast.FileAST,
    *,
    complete: bool,
    table: Iterable[Effect] = (),
    promises: Mapping[str, str] | None = None,
    origins: Origins = ALL_KNOWN,
    strict_aliasing: bool = True,
    error_order: bool = True,
    threadprivate: frozenset[str] = frozenset(),
    doubts: Doubts = NO_DOUBTS,
) -> Names:
    """Finds out what every name of a file means.

    `complete` says that no part of the file was left out.  `table`, `promises` and `origins`: see `Effects`.
    `threadprivate` are variables of which each thread has its own.
    `doubts` are about what names mean.
    `strict_aliasing` is C's rule that lvalues of different types are different cells (C11 6.5p7);
    `error_order`: see `species.symbols.failures`.
    """
    resolver = Resolver(strict_aliasing=strict_aliasing, doubtful=doubts.variables)
    resolution = resolver.file(ast)
    resolver.separate(threadprivate)
    resolver.replaceable(doubts.weak)
    resolver.distrust(doubts.assembly)
    if not complete:
        resolver.distrust()
    else:
        hidden = origins.hidden | doubts.assembly
        note_call_sites(ast, resolution, resolver.types, hidden)
        own = (s for s in resolution.symbols.values() if s.scope is not None or s.storage == "parameter")
        doubtful = hidden | doubts.weak | {symbol.name for symbol in own}
        resolution.known = {**resolution.functions, **dict.fromkeys(doubtful)}
    effects = Effects(resolution, resolver.types, table, promises, origins, error_order=error_order)
    if complete:
        note_allocators(resolution, resolver.types, effects)
        note_confined(resolution, resolver.types, effects)
    return Names(resolution, resolver.types, effects)


def build_model(ast: c_ast.FileAST, wanted: Any, names: Names, seconds: float = DEFAULT_SECONDS) -> FileModel:
    """Models every function definition for which `wanted(FuncDef)` holds; nests may take `seconds`."""
    resolution, types, effects = names.resolution, names.types, names.effects
    walker = Walker(Scanner(resolution, types, effects), resolution, types, effects, seconds)
    functions = []
    for node in (n for n in ast.ext if isinstance(n, c_ast.FuncDef) and wanted(n)):
        with contained(node):
            functions.append(walker.function(node))
    return FileModel(resolution, types, effects, tuple(functions))
