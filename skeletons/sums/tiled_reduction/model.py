"""What an accumulation is: every iteration of the base loops makes a sum, of values that they share."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal

from species.source.text.code import code_tokens

Side = Literal["rows", "columns"]


@dataclass(frozen=True)
class DepthLoop:
    """A loop that is summed over: `for (iterator = lower; iterator relation bound; iterator += step)`.

    The bounds are the same for all iterations of the base loops.
    """

    iterator: str
    ctype: str  # canonical
    lower: str
    relation: str  # "<", "<=", ">" or ">="
    bound: str
    step: int


@dataclass(frozen=True)
class Staged:
    """A value that all columns of a row (or all rows of a column) use, at every step of the depth."""

    text: str  # the expression, over the iterators of its side and of the depth
    ctype: str  # canonical: the type in which C computes it
    side: Side
    along_depth: bool  # neighbouring steps, not neighbouring rows or columns, are neighbours in memory
    arrays: tuple[tuple[str, tuple[str, ...]], ...]  # the elements that it reads: array and subscripts


@dataclass(frozen=True)
class Accumulation:
    """`before; for (depth) target = update; after`, once for every iteration of the base loops.

    `rows` and `columns` are the base loops that only one side's values depend on, `batch` the others, each in
    the order in which they are to be walked as one, the fastest last.
    """

    before: str
    after: str
    target: str  # the element or the scalar that is added to
    element: str  # its canonical type
    is_scalar: bool
    is_reached: bool  # the target is touched even if the inner loops make no step
    depth: tuple[DepthLoop, ...]
    rows: tuple[str, ...]
    columns: tuple[str, ...]
    batch: tuple[str, ...]
    staged: tuple[Staged, ...]
    statement: Any  # the tree of the update
    types: Mapping[str, str]  # of the names that the update may use, of arrays their elements'
    places: Mapping[int, int]  # by id of a node of the statement: the staged value that it is; -1: the target
    is_ragged: bool  # bounds of base loops depend on other base loops
    hulls: Mapping[str, str]  # first values of the base loops whose start depends on another one
    is_symmetric: bool  # row x and column y get the same sum as row y and column x

    @property
    def is_bare(self) -> bool:
        """Is nothing done but to add up?"""
        return not code_tokens(self.before + self.after)

    @property
    def clipped(self) -> frozenset[str]:
        """The arrays of which elements may be asked for that no iteration reads."""
        return frozenset(name for value in self.staged for name, _ in value.arrays if self.is_ragged)
