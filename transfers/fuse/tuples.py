"""Algorithm 4.1 of seed 003: may two kernels become one, by the characterisations of their references alone?

It knows nothing of scalars, headers, or aliases: it is there to be compared with.
"""

from __future__ import annotations

from math import gcd

from species.facts.loops import Characterisation, LoopFacts


def may_fuse(first: LoopFacts, second: LoopFacts) -> bool:
    """Do no two references of one name, of which one writes, stand in the way?"""
    loops = len(first.base_loops)
    if loops != len(second.base_loops):
        return False
    pairs = (
        (one, other)
        for one in first.characterisations
        for other in second.characterisations
        if one.name == other.name and "w" in (one.access, other.access)
    )
    return all(_is_equal(*p) or _is_apart(*p) or _is_compatible(*p, loops) for p in pairs)


def _is_equal(one: Characterisation, other: Characterisation) -> bool:
    return (one.domain, one.elements, one.step) == (other.domain, other.elements, other.step)


def _is_apart(one: Characterisation, other: Characterisation) -> bool:
    """Have their domains nothing in common?  One dimension is enough."""
    for a, b in zip(one.domain, other.domain, strict=False):
        low, high, low_other, high_other = (_number(text) for text in (a.low, a.high, b.low, b.high))
        if high is not None and low_other is not None and high < low_other:
            return True
        if high_other is not None and low is not None and high_other < low:
            return True
    return False


def _is_compatible(one: Characterisation, other: Characterisation, loops: int) -> bool:
    """Equation 4.1: do different iterations never meet in a cell?  For each of so many base loops there must
    be a dimension in which no other one moves, and in which its iterations stay apart.
    """
    if len(one.domain) != len(other.domain) or min(len(one.loop_steps), len(other.loop_steps)) < loops:
        return False
    dimensions = range(len(one.domain))
    return all(any(_stays_apart(one, other, loop, k, loops) for k in dimensions) for loop in range(loops))


def _stays_apart(one: Characterisation, other: Characterisation, loop: int, k: int, loops: int) -> bool:
    steps = [[_number(step[k]) for step in c.loop_steps[:loops]] for c in (one, other)]
    if any(step != 0 for found in steps for step in found[:loop] + found[loop + 1 :]):
        return False
    low, many, step = _number(one.domain[k].low), _number(one.elements[k]), steps[0][loop]
    low_other, many_other, step_other = (
        *(_number(other.domain[k].low), _number(other.elements[k])),
        steps[1][loop],
    )
    if one.domain[k].low == other.domain[k].low:
        low = low_other = 0
    if low is None or many is None or low_other is None or many_other is None or not step or not step_other:
        return False
    offsets = range(low_other - low - many + 1, low_other - low + many_other)
    if step == step_other:
        return not any(offset and offset % step == 0 for offset in offsets)
    return not any(offset % gcd(step, step_other) == 0 for offset in offsets)


def _number(text: str) -> int | None:
    return int(text) if text.lstrip("-").isdigit() else None
