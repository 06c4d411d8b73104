"""How many iterations the base loops of a kernel make, and what tells that they make any."""

from __future__ import annotations

from dataclasses import replace

from species.loops.model import FunctionModel, Loop, inner_loops
from species.loops.unsigned_bounds import UnsignedBounds
from species.regions.bounds import Extreme, interval
from species.regions.c_printer import Unprintable
from species.regions.hull import Regions
from species.regions.nonempty_guards import Entered
from species.sets.affine import Affine, Division
from species.sets.conditions import Compare, Condition
from species.sets.domains import implied


def most_iterations(model: FunctionModel, top: Loop, loop: Loop) -> Extreme | None:
    """The most iterations that a loop makes, if it makes any, in terms of what is known before the nest."""
    bounds = {model.numbered[n].bound for n in loop.path}
    conditions = tuple(c for c in (*loop.conditions, loop.bound) if c in bounds)
    found = interval(Affine.of(loop.counter), conditions, inner_loops(top))
    return Extreme(found[1].operator, tuple(map(_one_more, found[1].options))) if found is not None else None


def entering(model: FunctionModel, top: Loop, loop: Loop) -> tuple[Compare, ...]:
    """What must hold besides for a base loop to make an iteration where its number of iterations is positive.

    The number is the one that a loop has if it makes any.  `for (i = b; i <= min(b + 7, 380); i++)`, b being
    0, 8, 16, ..., makes 8 or none.
    """
    trips, inside = most_iterations(model, top, loop), inner_loops(top)
    facts: tuple[Condition, ...] = top.conditions
    if trips is not None and (trips.operator == "min" or trips.single is not None):  # else who knows which
        facts += tuple(Compare(option - 1) for option in trips.options)
    first = (c for c in Entered(model, top, ()).first(loop.number) if not c.expression.loops & inside)
    return tuple(condition for condition in first if not implied(condition, facts))


def trips_text(regions: Regions, top: Loop, loop: Loop) -> str | None:
    """The most iterations that the loop makes, in names visible before the nest; none are 0, or less.

    None: they have no name there.
    """
    trips = most_iterations(regions.model, top, loop)
    bounds = UnsignedBounds(regions.model, inner_loops(top), top.conditions)
    if trips is None or bounds.starts_far(loop):
        return None
    try:
        text = regions.text(trips)
        conditions = entering(regions.model, top, loop)
        return f"({regions.condition(conditions)} ? {text} : 0)" if conditions else text
    except Unprintable:
        return None


def _one_more(last: Affine) -> Affine:
    """The number of iterations; a quotient takes the rest in, so that C rounds it to zero or less where there
    are none.
    """
    quotients = [(a, c) for a, c in last.terms if isinstance(a, Division) and not a.remainder]
    if [coefficient for _, coefficient in quotients] != [1]:
        return last + 1
    quotient = quotients[0][0]
    rest = last - Affine.of(quotient) + 1
    return Affine.of(replace(quotient, numerator=quotient.numerator + rest.scaled(quotient.divisor)))
