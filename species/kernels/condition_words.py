"""Conditions in words, for people: 'n' is at most 4096; 'p' and 'q' do not overlap.

What is said is short: the C text, which is tested, also guards what it reads, and computes without overflow.
"""

from __future__ import annotations

from collections.abc import Iterable

from species.dependence.reductions import Combined
from species.regions.c_printer import Renderer
from species.regions.symbolic import is_guard, sides
from species.sets.affine import Affine, Value
from species.sets.conditions import Both, Compare, Condition, Either

_RELATIONS = {
    ">=": "is at least",
    ">": "is more than",
    "<=": "is at most",
    "<": "is less than",
    "==": "is",
}


def in_words(condition: Condition, renderer: Renderer) -> str:
    """A condition on values; raises `Unprintable`."""
    match condition:
        case Compare(expression, True) if (rest := _rest(expression)) is not None:
            whole, divisor = (renderer.text(part) for part in rest.parts)
            return f"'{whole}' is a multiple of {divisor if _is_number(divisor) else repr(divisor)}"
        case Compare(expression, True) if (size := _power(expression)) is not None:
            return f"'{renderer.text(size)}' is a power of two"
        case Compare():
            left, relation, right = sides(condition, renderer, cast=False)
            right = right if _is_number(right) else f"'{right}'"
            return f"'{left}' {_RELATIONS[relation]} {right}"
        case Both(parts):
            powers = {power for p in parts if isinstance(p, Compare) and (power := _power(p.expression))}
            implied = {Compare(power - 1) for power in powers}
            told = [p for p in parts if not is_guard(p) and p not in implied]
            return _joined(told or parts, "and", renderer)
        case Either(parts):
            return _joined(parts, "or", renderer)
    return "a run-time condition holds (--verbose shows it)"


def _rest(expression: Affine) -> Value | None:
    """The remainder that the expression is, of a division."""
    if len(expression.terms) != 1 or expression.constant:
        return None
    ((atom, factor),) = expression.terms
    return atom if factor == 1 and isinstance(atom, Value) and atom.key[:2] == ("op", "%") else None


def _power(expression: Affine) -> Affine | None:
    """What is a power of two, if it is positive, where the expression is zero: `n & (n - 1)`."""
    if len(expression.terms) != 1 or expression.constant:
        return None
    ((atom, factor),) = expression.terms
    if factor != 1 or not isinstance(atom, Value) or atom.key[:2] != ("op", "&") or len(atom.parts) != 2:
        return None
    less, size = sorted(atom.parts, key=lambda part: part.constant)
    return size if size - less == Affine(constant=1) else None


def _joined(parts: Iterable[Condition], word: str, renderer: Renderer) -> str:
    return f" {word} ".join(sorted(in_words(part, renderer) for part in parts))


def _is_number(text: str) -> bool:
    return text.removeprefix("-").isdigit()


def start_in_words(combined: Combined) -> str:
    """Of a reduction by && or ||, whose variable must have been a truth value before."""
    return f"'{combined.place.name}' is 0 or 1 before the loop"


def zero_in_words(text: str, relation: str) -> str:
    """Of a number that is compared with zero."""
    return f"'{text.replace('(long)', '')}' {_RELATIONS[relation]} 0"


def apart_in_words(first: tuple[str, str], second: tuple[str, str]) -> str:
    """Of two pieces of memory, each its name and, of a table of pointers, what these lead to: `row`,
    `structure`.
    """
    (name, one), (other, another) = first, second
    if one and another:
        return (
            f"no two {one}s of '{name}' overlap"
            if name == other
            else f"no {one} of '{name}' overlaps with one of '{other}'"
        )
    if one or another:
        table, kind, array = (name, one, other) if one else (other, another, name)
        return f"no {kind} of '{table}' overlaps with " + ("the table" if array == table else f"'{array}'")
    return f"'{name}' and '{other}' do not overlap"
