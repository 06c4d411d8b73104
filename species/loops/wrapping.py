"""Counters that wrap around: unsigned and narrow variables start again beyond the end of their range."""

from __future__ import annotations

from species.loops.counting import inequality, is_linear, start
from species.loops.induction import in_range
from species.loops.model import Loop
from species.sets.affine import Affine, Value
from species.sets.conditions import Compare, Condition
from species.sets.domains import implied
from species.sets.modular import unwrapped

_SMALL = 2**16  # counters of 64 bits that move by less do not go through their range in a lifetime


def wraps(
    loop: Loop, condition: Condition, bound: Condition, facts: tuple[Condition, ...], alone: bool
) -> str:
    """Why the iterator may wrap around before the bound, made of the condition, stops it; empty: it does not.

    Without a proof, it does not either where the condition stands `alone` for the end of the loop, and is
    computed in the order of the iterator's numbers: with steps that hit the same values in each round, the
    loop would never end.
    """
    if loop.iterator is None or not loop.iterator.ctype.wraps_around or stays(loop, (*facts, bound)):
        return ""
    ctype = loop.iterator.ctype
    repeats = 2**ctype.bits % abs(loop.step) == 0 or (ctype.bits >= 64 and 0 < loop.step < _SMALL)
    if alone and repeats and isinstance(bound, Compare) and is_linear(loop, condition):
        return ""
    return f"its iterator '{loop.iterator.name}' may wrap around"


def stays(loop: Loop, facts: tuple[Condition, ...]) -> bool:
    """Has the iterator a value of its type in the next iteration, where `facts` hold in this one?"""
    if loop.iterator is None:
        return False
    low, high = loop.iterator.ctype.certain_range
    after = start(loop) + loop.step
    if high >= 2**63 and 0 < loop.step < _SMALL and implied(Compare(-loop.lower + 2**62), facts):
        return True
    return implied(Compare(after - low), facts) and implied(Compare(-after + high), facts)


def looking_ahead(loop: Loop, condition: Condition, facts: tuple[Condition, ...], alone: bool) -> Condition:
    """`i + 4 <= n`, whose sum is unsigned, as the same comparison of integers, if that is proved.

    The first sum is in range, and so is each that follows one which is not greater than the bound, either
    because the bound leaves room for a step, or because the loop would never end, as in `wraps`.
    """
    if not isinstance(condition, Compare) or condition.equal or loop.iterator is None or loop.step <= 0:
        return condition
    moving = [a for a, _ in condition.expression.terms if loop.number in a.loops]
    if len(moving) != 1 or condition.expression.coefficient(moving[0]) != -1:
        return condition
    (ahead,), bits = moving, loop.iterator.ctype.bits
    if not isinstance(ahead, Value) or ahead.key[:2] != ("op", "+") or ahead.ctype.bits != bits:
        return condition
    total = unwrapped(Affine.of(ahead), bits)
    first = total - Affine.of(loop.counter, loop.step)
    bound = condition.expression + Affine.of(ahead)
    is_ahead = implied(Compare(total - start(loop)), facts)  # else it may wrap around where no sum does
    if loop.number in first.loops or not is_ahead or not in_range(first, ahead.ctype, facts):
        return condition
    fits = implied(Compare(-bound - loop.step + ahead.ctype.value_range[1]), facts)
    return Compare(bound - total) if fits or (alone and 2**bits % loop.step == 0) else condition


def through_zero(
    loop: Loop, condition: Condition, facts: tuple[Condition, ...], alone: bool
) -> tuple[Affine, Condition] | None:
    """`for (i = n - 1; i < n; i--)` and `i != -1`, i unsigned: the start, as a number that may be -1, and the
    bound.  Behind 0 comes the largest number, with which the loop ends.
    """
    if loop.iterator is None or not loop.iterator.ctype.unsigned or loop.step != -1 or not alone:
        return None
    ctype = loop.iterator.ctype
    first = unwrapped(loop.lower, ctype.bits)
    distance = inequality(condition)
    if distance is not None:
        last = distance + start(loop) if distance.coefficient(loop.counter) > 0 else start(loop) - distance
        ends = last.is_constant and last.constant == ctype.value_range[1]
    else:
        counts = isinstance(condition, Compare) and not condition.equal and is_linear(loop, condition)
        room = condition.expression + start(loop) - first if isinstance(condition, Compare) else Affine()
        ends = counts and loop.number not in room.loops and implied(Compare(room), facts)
    if not ends or loop.number in first.loops or not implied(Compare(first + 1), facts):
        return None
    return first, Compare(first - Affine.of(loop.counter))
