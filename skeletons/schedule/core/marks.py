"""Marks: what passes say of a loop to later passes, and to the printer."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from enum import Enum
from typing import TypeVar


class Mark(Enum):
    """Something that is so, or not."""

    PARALLEL = "threads share its iterations"
    SHORT = "threads could share it, but one of them has it done sooner"
    CYCLIC = "threads take its iterations in turns"
    SIMD = "for vectors"
    ACCUMULATE = "for vectors: its iterations only add to values that stay the same in it"
    UNROLLED = "of a few values that are added up: compilers unroll it"
    SCALAR = "looked at, and not for vectors"
    PRODUCT = "the outermost loop of a matrix product"
    APART = "of a matrix product: other passes leave it alone"
    TILE = "over tiles"
    TILED = "within a tile"
    STRIP = "of a nest in strips"
    BLOCKS = "unroll-and-jam: over several iterations at once"
    JAM = "unroll-and-jam: the iterations that are made at once"
    JAMMED = "unroll-and-jam: its body is that of several iterations"
    REST = "unroll-and-jam: the iterations that are left"
    WHOLE = "index splitting has looked at it, or made it"
    IN_BLOCKS = "over blocks of rows or columns, or within them"
    STEPS = "over blocks of several time steps, which threads share"
    SERVED = "within a loop whose threads have copies of arrays: those share the iterations further out"


@dataclass(frozen=True, order=True)
class Sum:
    """Every thread adds to a copy of an array; the copies are combined behind the loop."""

    operator: str
    array: str


@dataclass(frozen=True)
class Own:
    """Every thread has a copy of a temporary array."""

    array: str


@dataclass(frozen=True)
class Like:
    """The loop's variable has the type of another loop's."""

    name: str


@dataclass(frozen=True)
class Chunks:
    """Threads ask for so many iterations at a time."""

    iterations: int


AnyMark = Mark | Sum | Own | Like | Chunks
K = TypeVar("K", Sum, Own, Like, Chunks)


def of_kind(kind: type[K], marks: Iterable[AnyMark]) -> list[K]:
    """The marks of one kind, in no order."""
    return [mark for mark in marks if isinstance(mark, kind)]
