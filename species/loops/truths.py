"""Values of conditions, and choices by them, as operations: equal conditions have equal values."""

from __future__ import annotations

from functools import reduce

from species.loops.affine import CHOICE, Affine, constant, operation
from species.loops.conditions import Both, Compare, Condition, Either
from species.loops.types import INT, CType


def truth_of(condition: Condition) -> Affine:
    """1 where a condition of comparisons holds, else 0; raises `ValueError` where others are in it."""
    match condition:
        case Compare(expression, equal):
            return operation("==" if equal else ">=", INT, expression, constant(0))
        case Both((Compare(low, False), Compare(high, False))) if low + high == constant(0):
            return operation("==", INT, high, constant(0))
        case Either((Compare(above, False), Compare(below, False))) if above + below == constant(-2):
            return operation("!=", INT, above + 1, constant(0))
        case Both(parts) if parts:
            return reduce(lambda a, b: operation("&&", INT, a, b), map(truth_of, parts))
        case Either(parts) if parts:
            return reduce(lambda a, b: operation("||", INT, a, b), map(truth_of, parts))
    raise ValueError(f"no number: {condition}")


def choice_of(ctype: CType, condition: Condition, first: Affine, second: Affine) -> Affine:
    """`condition ? first : second`; raises `ValueError` as `truth_of` does."""
    return operation(CHOICE, ctype, truth_of(condition), first, second)
