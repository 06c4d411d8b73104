"""Values of conditions, and choices by them, as operations: equal conditions have equal values."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import reduce
from itertools import product

from species.sets.affine import CHOICE, Affine, Atom, Value, constant, operation
from species.sets.conditions import Both, Compare, Condition, Either, Fact
from species.sets.domains import implied
from species.sets.relevance import relevant
from species.symbols.types import INT, CType

Case = tuple[tuple[Condition, ...], Affine]  # a value, and when it is chosen


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


def has_choice(value: Affine) -> bool:
    """Is a part of it one of two numbers?"""
    return any(isinstance(atom, Value) and atom.key[:2] == ("op", CHOICE) for atom in value.atoms())


def chosen_among(chosen: Affine, cases: Sequence[Case], known: tuple[Condition, ...]) -> Fact:
    """What is known of a value that is chosen: it is that of one case.

    Where a number of which nothing else is `known` is clamped, it lies between the limits: who asks about
    several such values need not look at all their cases.
    """
    (value,) = chosen.atoms()
    limits = tuple(_limits(chosen, [each for case in cases for each in _flat(*case)], known))
    if len(limits) == 2:
        return Fact((Both(limits),), value)
    return Fact(tuple(Both((*when, Compare(chosen - v, True))) for when, v in cases), value)


def _flat(when: tuple[Condition, ...], value: Affine) -> Iterator[Case]:
    """A case that is a choice itself as several."""
    fact = next((c for c in when if isinstance(c, Fact) and Affine.of(c.value) == value), None)
    parts = [(part, value_in(part, fact.value)) for part in fact.parts] if fact is not None else []
    known = [(part, chosen) for part, chosen in parts if chosen is not None]
    if not known or len(known) < len(parts):
        yield when, value
        return
    others = tuple(c for c in when if c is not fact)
    for part, chosen in known:
        yield from _flat((*others, part), chosen)


def value_in(case: Condition, value: Atom) -> Affine | None:
    """What a case of a fact says, last of all, that its value is; None where it does not say it."""
    if not isinstance(case, Both) or not case.parts or not isinstance(last := case.parts[-1], Compare):
        return None
    sign = last.expression.coefficient(value)
    return Affine.of(value) - last.expression.scaled(sign) if last.equal and abs(sign) == 1 else None


def _limits(chosen: Affine, cases: Sequence[Case], known: tuple[Condition, ...]) -> Iterator[Condition]:
    data = [v for _, v in cases if _is_data(v)]
    named = [v for _, v in cases if not _is_data(v)]
    if not data or any(isinstance(c, Fact) for c in relevant(data, known)):
        return
    low = next((a for a in named if all(implied(Compare(v - a), when) for when, v in cases)), None)
    high = next((b for b in named if all(implied(Compare(b - v), when) for when, v in cases)), None)
    if low is not None and high is not None:
        yield from (Compare(chosen - low), Compare(high - chosen))


def _is_data(value: Affine) -> bool:
    """Does it depend on numbers that loops find in memory?"""
    return any(isinstance(atom, Value) and atom.loops for atom in value.atoms())


def limits(condition: Condition, first: Case, second: Case) -> bool:
    """Does the condition compare two values (or one that they are chosen from), whatever is added to them?"""
    if not isinstance(condition, Compare) or condition.equal:
        return False
    ways = ([case[1], *(value for _, value in _flat(*case))] for case in (first, second))
    differences = [a - b for a, b in product(*ways)]
    both = (way for d in differences if not d.is_constant for way in (d, -d))
    return any((condition.expression - way).is_constant for way in both)
