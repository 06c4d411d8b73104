"""What is asked, before a loop, of numbers in memory that its iterations find, one each."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from species.dependence.data_reads import is_left_alone, is_where_positive, read_of
from species.dependence.exact.dependence_test import Dependence
from species.dependence.findings import Finding
from species.loops.model import Loop, Place, Reference, inner_loops
from species.loops.shifted import place_of
from species.sets.affine import Affine, Atom, Counter
from species.sets.conditions import Condition


@dataclass(frozen=True)
class InOrder:
    """What an iteration and the next one find in memory: `after + slack` is at least `before`."""

    after: Place
    before: Place
    slack: int


@dataclass(frozen=True)
class Chunks:
    """Of those iterations whose length is positive, each starts at or behind the end of the one before.

    The start is there to be read where the length is positive, which it always is where they are `filled`.
    """

    starts: Place
    lengths: Place
    filled: bool = False


@dataclass(frozen=True)
class Distinct:
    """No two iterations find the same number at a place, where iterations read it (`where`)."""

    numbers: Place
    where: tuple[Condition, ...] = ()


@dataclass(frozen=True)
class AtMost:
    """The numbers that iterations find at a place, where they read it, are not negative, and no larger."""

    numbers: Place
    most: int
    where: tuple[Condition, ...] = ()
    lengths: Place | None = None  # read where these numbers are positive


@dataclass(frozen=True)
class Within:
    """The numbers that a counter inside finds at a place are from 0 to its last value."""

    numbers: Place
    counter: Counter
    last: Affine


Claim = InOrder | Chunks | Distinct | AtMost | Within


@dataclass(frozen=True)
class DataCheck:
    """Dependences that are not there while a claim on numbers in memory holds; `finding` if nobody asks."""

    claim: Claim
    dependences: tuple[Dependence, ...]
    finding: Finding


def element(atom: Atom, loop: Loop) -> Place | None:
    """Where a number is read that each iteration of a loop finds in the next element of an array."""
    place, inside = place_of(atom), inner_loops(loop)
    if place is None or place.loose or place.flat is not None or place.byte is not None:
        return None
    moving = [step for step in place.subscripts if step.loops & inside]
    steps = [
        step
        for step in moving
        if step.loops & inside == {loop.number} and abs(step.coefficient(loop.counter)) == 1
    ]
    plain = all(isinstance(a, Counter) for step in moving for a, _ in step.terms if a.loops & inside)
    leads = place.base is None or not place.base.loops & inside
    is_number = place.ctype.is_integer and place.ctype.bits in (8, 16, 32, 64)
    return place if len(moving) == len(steps) == 1 and plain and leads and is_number else None


def at_most(
    place: Place, most: int, loop: Loop, references: Sequence[Reference], ends: Sequence[Reference]
) -> AtMost | None:
    """That the numbers at a place are no larger, wherever the loop makes a reference in `ends`; None: nobody
    can ask.
    """
    read = read_of(place, loop, references)
    if read is None or not is_left_alone(place, loop, references) or not all(map(read.is_made_by, ends)):
        return None
    return AtMost(place, most, read.where, read.length)


def are_kept(
    claims: Iterable[InOrder | Chunks],
    loop: Loop,
    references: Sequence[Reference],
    ends: Sequence[Reference],
) -> bool:
    """Does the loop leave the numbers alone, and read all that is to be asked, wherever it makes a reference
    in `ends`?

    (What might be written through another pointer is asked for besides.)
    """
    return all(_is_kept(claim, loop, references, ends) for claim in claims)


def _is_kept(
    claim: InOrder | Chunks, loop: Loop, references: Sequence[Reference], ends: Sequence[Reference]
) -> bool:
    if isinstance(claim, Chunks):
        starts = read_of(claim.starts, loop, references)
        if starts is None or starts.where or starts.length not in (None, claim.lengths):
            return False
        filled = claim.filled or all(is_where_positive(end, claim.lengths, loop) for end in ends)
        return filled and _is_read(claim.lengths, loop, references)
    # The last iteration's numbers are not asked, so that the next one may be that which reads them.
    steps = (-1, 0)
    return all(_is_read(place, loop, references, steps) for place in (claim.after, claim.before))


def _is_read(
    place: Place, loop: Loop, references: Sequence[Reference], steps: tuple[int, ...] = (0,)
) -> bool:
    """Does every iteration read it, and none write it?"""
    read = read_of(place, loop, references, steps)
    return (
        read is not None and not read.where and read.length is None and is_left_alone(place, loop, references)
    )
