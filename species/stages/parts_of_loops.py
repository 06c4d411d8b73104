"""Loops over parts of the iterations of another: strips whose length is unknown (strip-mining).

    for (part = 0; part < parts; part++) {
        long at = start + part * length;
        for (i = min(at, stop); i < min(at + length, stop); i++) body(i);
    }

Parts have no affine bounds, but no iteration is in two.  A part that could start anywhere, and had no end,
would have all iterations of the loop that was cut: where any two of its own are apart, so are those of parts.
"""

from __future__ import annotations

from dataclasses import replace

from species.dependence.exact.dependence_test import Dependence, carried
from species.loops.model import Loop, Reference, inner_loops
from species.sets.affine import Atom
from species.sets.conditions import Condition, atoms


def apart_in_any_parts(loop: Loop, inside: Loop, found: Dependence, tests: tuple[str, ...]) -> bool:
    """Is a dependence that `loop`, over parts, seems to carry none, as iterations of `inside` differ?"""
    inner = inner_loops(inside)
    start = frozenset(atom for atom in inside.lower.atoms() if _is_set_by_part(atom, loop, inner))
    ends = found.source, found.sink
    for each in ends:
        base = each.place.base
        if inside.number not in each.loops or (base is not None and _is_set_by_part(base, loop, inner)):
            return False
    source, sink = (_in_endless_part(loop, inside, start, each) for each in ends)
    return not any(carried(inside, inner, *pair, tests) for pair in ((source, sink), (sink, source)))


def _is_set_by_part(atom: Atom, loop: Loop, inner: frozenset[int]) -> bool:
    return loop.number in atom.loops and not atom.loops & inner


def _in_endless_part(loop: Loop, inside: Loop, start: frozenset[Atom], reference: Reference) -> Reference:
    """The reference without what is known of the part, but for `start`, of which its iterators are made.

    What speaks of an iteration's place in its part, or of other values that the part sets, is about its end.
    """
    inner = inner_loops(inside)

    def is_of_iterations(condition: Condition) -> bool:
        found = atoms(condition)
        own = {atom for atom in found if _is_set_by_part(atom, loop, inner)}
        moves = any(inside.number in atom.loops for atom in found)
        return own <= start and bool(own) == moves

    kept = tuple(filter(is_of_iterations, reference.conditions))
    return replace(reference, conditions=kept)
