"""Subscripts of 32 bits without a sign, on the condition that none wraps around: `cell[row * 13 + k]`.

What is computed in `unsigned` is a number modulo 2^32, of which nothing is known where the sizes are not.
One comparison before the loop, of the largest subscript, makes it the sum that it looks like.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from species.dependence.windows import usually_met
from species.loops.model import Loop, Reference, inner_loops
from species.regions.flattened import Flattened
from species.sets.affine import Affine, Value
from species.sets.conditions import Condition
from species.sets.modular import unwrapped


def without_wrapping(loop: Loop, references: Sequence[Reference]) -> tuple[list[Reference], Condition] | None:
    """The references with plain sums for subscripts, and the condition on values that the loop does not
    change under which they are the same.  None: there are none to be had, or no such condition.
    """
    found, needed = list[Reference](), list[Affine]()
    for reference in references:
        sums = dict(_sums(loop, reference))
        path = tuple(_with(step, sums) if isinstance(step, Affine) else step for step in reference.place.path)
        found.append(replace(reference, place=replace(reference.place, path=path)) if sums else reference)
        for atom, total in sums.items():
            ends = _ends(loop, reference, total)
            if ends is None:
                return None
            needed += [*ends[0], *(-high + (2**atom.ctype.bits - 1) for high in ends[1])]
    condition = usually_met(loop, needed, ()) if needed else None
    return (found, condition) if condition is not None else None


def _sums(loop: Loop, reference: Reference) -> Iterator[tuple[Value, Affine]]:
    """The values in a reference's subscripts that may have wrapped around, and what they were made of."""
    inside = inner_loops(loop)
    for atom in dict.fromkeys(a for step in reference.place.subscripts for a in step.atoms()):
        if isinstance(atom, Value) and atom.loops & inside and atom.ctype.unsigned:
            total = unwrapped(Affine.of(atom), atom.ctype.bits) if atom.ctype.bits < 64 else Affine.of(atom)
            if total != Affine.of(atom):
                yield atom, total


def _with(step: Affine, sums: dict[Value, Affine]) -> Affine:
    return step.substitute(lambda atom: sums.get(atom) if isinstance(atom, Value) else None)


def _ends(loop: Loop, reference: Reference, total: Affine) -> tuple[tuple[Affine, ...], ...] | None:
    """The least and the greatest values that a sum may have in the loop."""
    inside = inner_loops(loop)
    place = replace(reference.place, path=(total,), flat=None)
    limits = Flattened((replace(reference, place=place),), 0, inside).limits()
    if limits is None or any(option.loops & inside for end in limits for option in end.options):
        return None
    return limits[0].options, limits[1].options
