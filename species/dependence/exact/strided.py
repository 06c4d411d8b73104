"""Loops whose steps are values, `i += s`, by their iterations: `i` is its start plus `s` times their number.

The model counts what such an iterator skips, too, so that bounds stay affine.  Here it is a product, so that
rows and columns are told apart: `for (p = e; p < n; p += w)`, `for (b = 0; b < n; b += len)`.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from functools import partial

from species.core.memo import kept
from species.loops.model import Loop, Reference, nested
from species.sets.affine import Affine, Atom, Counter, Value
from species.sets.conditions import Condition, rewritten
from species.sets.products import affine, divided, factors, polynomial, product, replaced

Strides = Mapping[Counter, Affine]


def strides_in(loop: Loop) -> Strides:
    """What the counters of a loop and those inside it are multiples of, where that is a value."""
    return {each.counter: each.stride for each in nested(loop) if each.stride is not None}


def by_iteration(reference: Reference, strides: Strides) -> Reference:
    """The reference with the numbers of iterations for counters."""
    place = reference.place
    path = tuple(_counted(step, strides) if isinstance(step, Affine) else step for step in place.path)
    flat = _counted(place.flat, strides) if place.flat is not None else None
    conditions = _conditions_by_iteration(reference.conditions, tuple(strides.items()))
    return replace(reference, place=replace(place, path=path, flat=flat), conditions=conditions)


@kept(2_000)
def _conditions_by_iteration(
    conditions: tuple[Condition, ...], strides: tuple[tuple[Counter, Affine], ...]
) -> tuple[Condition, ...]:
    known = dict(strides)
    return tuple(rewritten(c, lambda e: _counted(e, known)) for c in conditions)


def _counted(expression: Affine, strides: Strides) -> Affine:
    """The expression for iterations.  Opaque values are names for what an iteration finds, and stay."""
    for counter, stride in strides.items():
        skipped = product(stride, Affine.of(counter))
        if skipped is not None:
            expression = expression.substitute(partial(_part, counter, skipped, stride))
    return expression


def _part(counter: Counter, by: Affine, stride: Affine, atom: Atom) -> Affine | None:
    if counter in factors(atom):
        return replaced(Affine.of(atom), counter, by)
    if isinstance(atom, Value) and atom.key[:2] == ("op", "/") and atom.parts[1] == stride:
        whole = replaced(atom.parts[0], counter, by)
        quotient, rest = divided(polynomial(whole), polynomial(stride))
        return affine(quotient) if not rest else None  # there is nothing to round
    return None
