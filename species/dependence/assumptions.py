"""What is assumed of subscripts where a loop cannot be shown to be parallel without, and asked before it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from species.dependence.assumed_ranges import within_ranges
from species.dependence.data_checks import Claim
from species.dependence.wrapped import without_wrapping
from species.loops.model import Loop, Reference
from species.sets.conditions import Both, Condition


@dataclass(frozen=True)
class Assumption:
    """The references of a loop as they are where a condition and some claims hold."""

    references: list[Reference]
    condition: Condition
    claims: tuple[Claim, ...] = ()


def assumptions(loop: Loop, references: Sequence[Reference]) -> Iterator[Assumption]:
    """That no unsigned subscript wraps around; that sizes are powers of two, and tables hold subscripts; or
    both.
    """
    plain = without_wrapping(loop, references)
    if plain is not None:
        yield Assumption(*plain)
    ranged = within_ranges(loop, references)
    if ranged is None:
        return
    told, condition, claims = ranged
    yield Assumption(told, condition, tuple(claims))
    plain = without_wrapping(loop, told)
    if plain is not None:
        yield Assumption(plain[0], Both((condition, plain[1])), tuple(claims))
