"""Loops over parts of the iterations of another: strips whose length is unknown (strip-mining).

    for (part = 0; part < parts; part++)
        for (at = start + part * length; at < end_of_part; at++) body(at);

`part * length` is no affine expression, but no iteration is in two parts.  Without its end, the first part is
the loop that was cut: where any two iterations of that one are apart, those of different parts are.
"""

from __future__ import annotations

from dataclasses import replace

from species.core.memo import kept
from species.dependence.exact.dependence_test import Dependence, carried
from species.loops.model import Loop, Reference, inner_loops
from species.sets.affine import Affine, Atom, Counter
from species.sets.conditions import Condition, atoms, rewritten
from species.sets.products import replaced


def apart_in_any_parts(loop: Loop, inside: Loop, found: Dependence, tests: tuple[str, ...]) -> bool:
    """Is a dependence that `loop`, over parts, seems to carry none, as iterations of `inside` differ?"""
    inner = inner_loops(inside)
    ends = found.source, found.sink
    for each in ends:
        base = each.place.base
        if inside.number not in each.loops or (base is not None and _is_set_by_part(base, loop, inner)):
            return False
    source, sink = (_in_first_part(loop, inside, each) for each in ends)
    return not any(carried(inside, inner, *pair, tests) for pair in ((source, sink), (sink, source)))


def _is_set_by_part(atom: Atom, loop: Loop, inner: frozenset[int]) -> bool:
    return loop.number in atom.loops and not atom.loops & inner


def _in_first_part(loop: Loop, inside: Loop, reference: Reference) -> Reference:
    """The reference in the first part, as if that had no end."""
    place, counter = reference.place, loop.counter

    def first(expression: Affine) -> Affine:
        return _without(counter, expression)

    path = tuple(first(step) if isinstance(step, Affine) else step for step in place.path)
    flat, byte = (first(each) if each is not None else None for each in (place.flat, place.byte))
    row = (first(place.row[0]), place.row[1]) if place.row is not None else None
    conditions = _conditions(reference.conditions, counter, inside.counter, inner_loops(inside))
    return replace(
        reference,
        place=replace(place, path=path, flat=flat, byte=byte, row=row),
        conditions=conditions,
    )


@kept(2_000)
def _conditions(
    conditions: tuple[Condition, ...], part: Counter, at: Counter, inner: frozenset[int]
) -> tuple[Condition, ...]:
    """The conditions on iterations, whose numbers all have the number of the part in them.

    What speaks of the iteration's place in its part, or of values that the part sets, is about its end.
    """
    found = []
    for condition in conditions:
        numbers = {number for atom in atoms(condition) for number in atom.loops}
        if at.loop in numbers and part.loop not in numbers:
            continue
        first = rewritten(condition, lambda expression: _without(part, expression))
        if not any(part.loop in atom.loops and not atom.loops & inner for atom in atoms(first)):
            found.append(first)
    return tuple(found)


def _without(part: Counter, expression: Affine) -> Affine:
    return replaced(expression, part, Affine()) if part.loop in expression.loops else expression
