"""References as if loops by steps of 2 and more stopped at every number in between: for bounds with names.

The last cell of `for (j = 1 + (i + red) % 2; j < n; j += 2)` depends on what is even; that it is less than n
does not.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from species.loops.model import FunctionModel, Reference
from species.sets.affine import Affine, Counter, Division
from species.sets.conditions import Both, Compare, Condition, Either, Fact


def stepless(model: FunctionModel, reference: Reference) -> Reference | None:
    """A reference that touches the same cells and perhaps others; None: it would be no other."""
    loops = (model.numbered[number] for number in reference.loops)
    steps = {loop.counter: abs(loop.step) for loop in loops if loop.iterator and abs(loop.step) > 1}
    path = [_without(step, steps) if isinstance(step, Affine) else step for step in reference.place.path]
    if not steps or None in path:
        return None
    conditions = (_relaxed(condition, steps) for condition in reference.conditions)
    place = replace(reference.place, path=tuple(step for step in path if step is not None))
    return replace(reference, place=place, conditions=tuple(c for c in conditions if c is not None))


def _relaxed(condition: Condition, steps: Mapping[Counter, int]) -> Condition | None:
    """The condition in numbers that are skipped, too; None where it cannot be said in them."""
    match condition:
        case Compare(expression, equal):
            found = _without(expression, steps)
            return Compare(found, equal) if found is not None else None
        case Both(parts):
            kept = (_relaxed(part, steps) for part in parts)
            return Both(tuple(part for part in kept if part is not None))
        case Either(parts):
            options = [_relaxed(part, steps) for part in parts]
            if None in options:
                return None
            changed = tuple(option for option in options if option is not None)
            return Fact(changed, condition.value) if isinstance(condition, Fact) else Either(changed)
    return condition


def _without(expression: Affine, steps: Mapping[Counter, int]) -> Affine | None:
    """The expression with each counter standing for all that its loop moves by."""
    for counter, step in steps.items():
        coefficient = expression.coefficient(counter)
        inside = (a for a in expression.atoms() if isinstance(a, Division))
        if coefficient % step or any(counter in division.numerator.atoms() for division in inside):
            return None
        expression += Affine.of(counter, coefficient // step - coefficient)
    return expression
