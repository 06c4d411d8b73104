"""How gcc counts the iterations of a `parallel for`: in the iterator's own type, where sums may wrap around.

It divides `bound - start + step - 1` by the step before the loop, and multiplies again to find the value
after the last one (gcc 12, at least).  Both must be numbers of that type, or iterations are lost.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import partial

from species.loops.model import Loop
from species.sets.affine import Affine, Atom, Value, constant
from species.sets.conditions import Compare, Condition
from species.sets.domains import implied, satisfiable
from species.symbols.enumerations import constant_value
from species.symbols.symbols import Symbol
from species.symbols.types import INT, CType


def counts_safely(loop: Loop) -> bool:
    """Does gcc find as many iterations as there are?

    Starts, bounds and steps of wide types that nobody knows are taken to be moderate.
    """
    if loop.iterator is None or not loop.iterator.ctype.is_integer:
        return True  # a pointer: no object is that large
    ctype, distance = loop.iterator.ctype, _distance(loop)
    if distance is not None and ctype.bits >= INT.bits and _is_too_far(loop, distance):
        return False
    if distance is None:
        return ctype.bits >= INT.bits and (not loop.lower.is_constant or _is_moderate(loop.lower, ctype))
    facts = (*loop.conditions, *_granted(loop, distance))
    moderate = tuple(_moderate(loop, distance)) if ctype.bits >= INT.bits else ()
    facts = (*facts, *moderate) if satisfiable((*facts, *moderate)) else facts
    low, high = ctype.certain_range
    total = distance + _step(loop) - 1
    if not implied(Compare(-total + high), facts):
        return False
    last = _after_last(loop, distance)
    return _ends_in_range(loop) or all(implied(Compare(c), facts) for c in (last - low, -last + high))


def _distance(loop: Loop) -> Affine | None:
    """From the start to the first value that is none; None where no single comparison says which."""
    if not isinstance(loop.bound, Compare):
        return None
    return loop.bound.expression.substitute(lambda a: constant(0) if a == loop.counter else None) + 1


def _is_too_far(loop: Loop, distance: Affine) -> bool:
    """Are there too many iterations in one of the function's calls, whose numbers are known?"""
    assert loop.iterator is not None
    known = {atom: _known(atom) for atom in distance.atoms()}
    calls = max((len(numbers) for numbers in known.values()), default=0)
    if not all(len(numbers) in (1, calls) for numbers in known.values()):
        return False
    found = (distance.substitute(partial(_number, of)) for of in _by_call(known, calls))
    most = loop.iterator.ctype.certain_range[1]
    return any(each.is_constant and each.constant > most for each in found)


def _number(of: Mapping[Atom, int], atom: Atom) -> Affine:
    return constant(of[atom])


def _by_call(known: Mapping[Atom, tuple[int, ...]], calls: int) -> Iterator[Mapping[Atom, int]]:
    for k in range(calls):
        yield {atom: numbers[k] if len(numbers) > 1 else numbers[0] for atom, numbers in known.items()}


def _known(atom: Atom) -> tuple[int, ...]:
    """What a parameter is in the calls of its function, or a variable that is never set; (): unknown."""
    symbol = atom.key[2] if isinstance(atom, Value) and atom.key[:2] == ("entry", 0) else None
    if not isinstance(symbol, Symbol):
        return ()
    if symbol.given:
        return symbol.given
    is_fixed = symbol.storage == "static" and symbol.scope is None and not symbol.writes
    start = getattr(symbol.node, "init", None)
    value = constant_value(start, {}) if is_fixed and not symbol.address_taken and start is not None else None
    return (value,) if value is not None else ()


def _step(loop: Loop) -> Affine:
    """How far an iteration is from the next one."""
    return (loop.stride or constant(1)).scaled(abs(loop.step))


def _after_last(loop: Loop, distance: Affine) -> Affine:
    """The value after the last iteration; the farthest that it may be, unless all is known."""
    step, sign = _step(loop), 1 if loop.step > 0 else -1
    if step.is_constant and distance.is_constant:
        trips = -(-distance.constant // step.constant)
        return loop.lower + sign * max(0, trips) * step.constant
    return loop.lower + (distance + step - 1).scaled(sign)


def _ends_in_range(loop: Loop) -> bool:
    """Does a correct program see to it that the value after the last one is of the type?

    Signed numbers do not overflow; steps of one that wrapped around would never come to an end.
    """
    ctype = loop.iterator.ctype if loop.iterator else INT
    return not ctype.wraps_around or _step(loop) == constant(1)


def _granted(loop: Loop, distance: Affine) -> Iterator[Condition]:
    """That the bound is of the type, where it is that which ends the loop."""
    if loop.iterator is None or not _ends_in_range(loop):
        return
    low, high = loop.iterator.ctype.certain_range
    if loop.step > 0:
        yield Compare(-(loop.lower + distance) + high)
    else:
        yield Compare(loop.lower - distance - low)


def _moderate(loop: Loop, distance: Affine) -> Iterator[Condition]:
    """That numbers which nobody knows are at most a quarter of the largest."""
    assert loop.iterator is not None
    quarter = loop.iterator.ctype.certain_range[1] // 4
    bound = loop.lower + (distance if loop.step > 0 else -distance)
    for number in (loop.lower, bound, _step(loop)):
        if not number.is_constant:
            yield from (Compare(number + quarter), Compare(-number + quarter))


def _is_moderate(number: Affine, ctype: CType) -> bool:
    return abs(number.constant) <= ctype.certain_range[1] // 4
