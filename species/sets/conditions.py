"""Conditions on iterations: comparisons of quasi-affine expressions, joined by and / or.

`Unknown` stands for a condition that is not affine; the domain is over-approximated there.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

from species.core.cached import once
from species.sets.affine import Affine, Atom
from species.sets.products import factors


@dataclass(frozen=True)
class Compare:
    """`expression >= 0` or, with `equal`, `expression == 0`."""

    expression: Affine
    equal: bool = False

    def __hash__(self) -> int:
        return self._hash

    @once
    def _hash(self) -> int:
        """Conditions are looked up more often than made."""
        return hash((self.expression, self.equal))

    @once
    def atoms(self) -> tuple[Atom, ...]:
        return tuple(dict.fromkeys(self.expression.atoms()))


@dataclass(frozen=True)
class Both:
    """All of the parts hold; no part at all: true."""

    parts: tuple[Condition, ...]

    def __hash__(self) -> int:
        return self._hash

    @once
    def _hash(self) -> int:
        return hash((Both, self.parts))

    @once
    def leaves(self) -> tuple[Compare | Unknown, ...]:
        return _leaves(self.parts)

    @once
    def atoms(self) -> tuple[Atom, ...]:
        return _atoms(self)


@dataclass(frozen=True)
class Either:
    """At least one of the parts holds; no part at all: false."""

    parts: tuple[Condition, ...]

    def __hash__(self) -> int:
        return self._hash

    @once
    def _hash(self) -> int:
        return hash((Either, self.parts))

    @once
    def leaves(self) -> tuple[Compare | Unknown, ...]:
        return _leaves(self.parts)

    @once
    def atoms(self) -> tuple[Atom, ...]:
        return _atoms(self)


@dataclass(frozen=True, eq=False)
class Fact(Either):
    """What the analysis knows of a `value`, such as `c ? a : b`: it always holds."""

    value: Atom


@dataclass(frozen=True)
class Unknown:
    """Holds or not, nobody knows; `why` says why."""

    why: str


Condition = Compare | Both | Either | Unknown
TRUE = Both(())
FALSE = Either(())
_NEARLY_NOTHING = (Affine(), Affine(constant=-1))  # > and >= choose alike


def negated(condition: Condition) -> Condition:
    match condition:
        case Compare(expression, equal=False):
            return Compare(-expression - 1)
        case Compare(expression):
            return Either((Compare(expression - 1), Compare(-expression - 1)))
        case Both(parts):
            return Either(tuple(negated(p) for p in parts))
        case Either(parts):
            return Both(tuple(negated(p) for p in parts))
    return condition


def joined(kind: type[Both] | type[Either], left: Condition, right: Condition) -> Condition:
    """Both conditions hold, or one of them does; long chains of them do not become deep."""
    neutral, decided = (TRUE, FALSE) if kind is Both else (FALSE, TRUE)
    if decided in (left, right):
        return decided
    if neutral in (left, right):
        return right if left == neutral else left
    return kind((*(left.parts if isinstance(left, kind) else (left,)), right))


def compare(left: Affine, operator: str, right: Affine) -> Condition:
    """The condition `left operator right` for one of < <= > >= == !=."""
    difference = left - right
    match operator:
        case "<":
            return Compare(-difference - 1)
        case "<=":
            return Compare(-difference)
        case ">":
            return Compare(difference - 1)
        case ">=":
            return Compare(difference)
        case "==":
            return Compare(difference, equal=True)
        case "!=":
            return negated(Compare(difference, equal=True))
    raise ValueError(f"no comparison: {operator}")


def of_extreme(first: tuple[Condition, Condition], second: tuple[Condition, Condition]) -> Condition | None:
    """`t < (a < b ? a : b)` is `t < a && t < b`, and so for maxima; None for other choices.

    The pairs are the condition of the choice, or its opposite, and the comparison that is made then.
    """
    (choice, one), (_, other) = first, second
    for part in (choice, one, other):
        if not isinstance(part, Compare) or part.equal:
            return None
    assert isinstance(choice, Compare) and isinstance(one, Compare) and isinstance(other, Compare)
    # Where the choice says that one comparison follows from the other, its opposite says the converse.
    between = other.expression - one.expression
    if choice.expression - between in _NEARLY_NOTHING:
        return Both((one, other))
    return Either((one, other)) if choice.expression + between in _NEARLY_NOTHING else None


def leaves(condition: Condition) -> tuple[Compare | Unknown, ...]:
    """All comparisons and unknowns of a condition."""
    return condition.leaves if isinstance(condition, Both | Either) else (condition,)


def atoms(condition: Condition) -> tuple[Atom, ...]:
    """All that the comparisons of a condition speak of, each once."""
    return () if isinstance(condition, Unknown) else condition.atoms


def _atoms(condition: Both | Either) -> tuple[Atom, ...]:
    return tuple(dict.fromkeys(atom for part in condition.parts for atom in atoms(part)))


def _leaves(parts: tuple[Condition, ...]) -> tuple[Compare | Unknown, ...]:
    return tuple(leaf for part in parts for leaf in leaves(part))


def without_idle(conditions: Sequence[Condition], subscripts: Iterable[Affine]) -> tuple[Condition, ...]:
    """Without what is known of values that no other condition names, and none of the subscripts."""
    used = {factor for subscript in subscripts for atom in subscript.atoms() for factor in factors(atom)}
    kept: list[Condition] = []
    for condition in reversed(conditions):
        if not isinstance(condition, Fact) or condition.value in used:
            used.update(factor for atom in atoms(condition) for factor in factors(atom))
            kept.append(condition)
    return tuple(reversed(kept))


def is_affine(condition: Condition) -> bool:
    return not any(isinstance(leaf, Unknown) for leaf in leaves(condition))


def rewritten(condition: Condition, change: Callable[[Affine], Affine]) -> Condition:
    """The condition with every expression changed."""
    match condition:
        case Compare(expression, equal):
            return Compare(change(expression), equal)
        case Both(parts):
            return Both(tuple(rewritten(p, change) for p in parts))
        case Either(parts):
            changed = tuple(rewritten(p, change) for p in parts)
            value = change(Affine.of(condition.value)) if isinstance(condition, Fact) else Affine()
            own = next(iter(value.atoms()), None)
            return Fact(changed, own) if own is not None and value == Affine.of(own) else Either(changed)
    return condition
