"""What later iterations find in memory that a loop leaves alone: `start[v + 1]` after `start[v]`."""

from __future__ import annotations

from dataclasses import replace

from species.loops.model import PathStep, Place
from species.sets.affine import Affine, Atom, Counter, Value


def place_of(atom: Atom) -> Place | None:
    """Where a number was read, if it is one that was there before the loop."""
    known = isinstance(atom, Value) and atom.key[:1] == ("entry",) and len(atom.key) == 4
    place = atom.key[2] if known and isinstance(atom, Value) else None
    return place if isinstance(place, Place) else None


def shifted(atom: Atom, counter: Counter, to: Affine) -> Atom:
    """The number that is found there at another value of the counter."""
    place = place_of(atom)
    if place is None or not isinstance(atom, Value) or counter.loop not in place.loops:
        return atom
    return replace(atom, key=(*atom.key[:2], at(place, counter, to), *atom.key[3:]))


def at(place: Place, counter: Counter, to: Affine) -> Place:
    """The place at another value of a counter in its subscripts."""

    def moved(step: PathStep) -> PathStep:
        return step.substitute(lambda a: to if a == counter else None) if isinstance(step, Affine) else step

    return replace(place, path=tuple(map(moved, place.path)))
