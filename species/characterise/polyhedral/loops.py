"""Base loops and structure loops (seed 003, algorithm 3.1)."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from species.characterise.base_loops import outermost, perfect_chain, same_reductions
from species.characterise.statements import grouped
from species.dependence.judge import Judge
from species.dependence.judgement import Judgement
from species.loops.model import Loop, Reference


def structure_loops(loops: Iterable[Loop], references: list[Reference]) -> frozenset[int]:
    """The loops that some statement's reads depend on and its writes do not, or the other way round.

    A statement of which no read, or no write, depends on any loop has nothing to say (line 10).
    `loops` is the whole nest; scalars count as arrays that no loop moves.
    """
    numbers = [loop.number for loop in loops]
    found: set[int] = set()
    for loop in loops:
        for _, own in grouped(loop, references):
            reads, writes = (_moving(own, write, numbers) for write in (False, True))
            if reads and writes:
                found |= reads ^ writes
    return frozenset(found)


def _moving(references: list[Reference], write: bool, loops: list[int]) -> set[int]:
    """The projection R (or W): the loops that occur in a subscript of a read (or a write)."""
    subscripts = [s for r in references if r.write == write for s in r.place.subscripts]
    return {n for s in subscripts for n in loops if n in s.loops}


def split(
    judge: Judge, judgements: Mapping[int, Judgement], top: Loop, structure: frozenset[int]
) -> tuple[Loop, ...]:
    """The base loops of the nest that starts at `top`, outermost first.

    They are those loops that are no structure loops, that all statements share (a base iteration holds
    them all), and of which equation 3.19 holds: different base iterations may run in any order.
    The algorithm says `x <- x + (t_S and y)` in line 18; it means those of t_S that are not in y.
    """

    def may(loop: Loop, chosen: Sequence[Loop]) -> bool:
        own = judgements[loop.number]
        free = own.is_parallel and (loop is top or not own.checks)
        alike = not chosen or same_reductions(judgements[chosen[0].number], own)
        return free and loop.number not in structure and alike

    return outermost(judge, (top, *perfect_chain(top)), may)
