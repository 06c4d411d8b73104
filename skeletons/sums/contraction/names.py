"""Names in generated contractions that clash with none of the original's."""

from __future__ import annotations

from collections.abc import Set
from dataclasses import dataclass

from species.core.refusal import Refusal
from species.source.text.code import identifier

_SHARED = ("block", "range", "min", "max", "count", "part", "aligned", "pays", "many", "threads")
_CONSTANTS = {
    "VECTOR_BYTES": "VECTOR_BYTES",
    "ROWS": "TILE_ROWS",
    "VECTORS": "TILE_VECTORS",
    "TASK_ROWS": "TASK_ROWS",
    "DEPTH": "BLOCK_DEPTH",
    "PACKED": "BLOCK_TASKS",
    "UNROLL": "UNROLL",
    "FUSED": "FUSED_FUNCTION",
    "FUSE": "FUSED_BLOCK",
}
_OF_TYPE = ("vector", "anywhere", "tile")
_CONSTANTS_OF_TYPE = {"COLUMNS": "TILE_COLUMNS", "TASK_COLUMNS": "TASK_COLUMNS"}
PRELUDE_LOCALS = (
    *("left", "right", "tile", "sum", "columns", "rows", "whole", "most", "unit", "parts", "size", "memory"),
    *("a", "b", "p", "r", "v"),
)
_FIELDS = frozenset(("row", "row_end", "column", "column_end", "depth", "depth_end", "first", "end"))


@dataclass(frozen=True)
class FileNames:
    """Names that one generated file uses for all its contractions.

    `taken` are the identifiers in the file, `macros` those that are macros, its own and its headers'.
    """

    taken: frozenset[str]
    macros: frozenset[str] = frozenset()

    def check(self) -> None:
        """Refusal where a macro has the name of a field of our structures."""
        for name in sorted(_FIELDS & self.macros):
            raise Refusal(f"the macro {name} would change the generated structures")

    def of(self, element: str) -> dict[str, str]:
        """Names by role for contractions of elements of this type."""
        kind = identifier(element)
        shared = {role: f"contraction_{role}" for role in _SHARED}
        shared |= {role: f"contraction_{role}_{kind}" for role in _OF_TYPE}
        shared |= _CONSTANTS
        shared |= {role: f"{name}_{kind.upper()}" for role, name in _CONSTANTS_OF_TYPE.items()}
        return {role: free(name, self.taken | self.macros) for role, name in shared.items()}


def free(name: str, taken: Set[str]) -> str:
    """`name`, longer by so many underscores that nobody has it."""
    while name in taken:
        name += "_"
    return name


@dataclass
class Fresh:
    """Gives out names, each only once."""

    taken: set[str]

    def __call__(self, name: str) -> str:
        name = free(name, self.taken)
        self.taken.add(name)
        return name
