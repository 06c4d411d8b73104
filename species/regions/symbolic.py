"""Conditions on values that a loop does not change, as C over names that are visible right before it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from species.loops.unsigned_bounds import LARGEST
from species.regions.c_printer import Renderer, Unprintable
from species.sets.affine import Affine, Atom, Counter, Value
from species.sets.conditions import Both, Compare, Condition, Either
from species.sets.products import factors
from species.symbols.types import LONG, CType

MOST_FACTORS = 4  # of sizes, which leave no sign of overflow in the widest type
_WIDE = "(long long)"
_WIDEST = "(__int128)"
_WIDE_BITS = 62  # of a product of two, so that a sum of some has a sign
_MIRRORED = {">=": "<=", ">": "<", "==": "=="}
_Terms = list[tuple[Atom, int]]


def condition_text(condition: Condition, renderer: Renderer) -> str:
    """C text that computes without overflow; raises `Unprintable`."""
    match condition:
        case Compare():
            return _comparison(condition, renderer)
        case Both(parts):
            texts = sorted(condition_text(p, renderer) for p in parts if not is_guard(p))
            return " && ".join([*_guards(parts, renderer), *texts])  # sums of others might overflow
        case Either(parts):
            texts = sorted(condition_text(p, renderer) for p in parts)
            return texts[0] if len(texts) == 1 else " || ".join(f"({t})" if "&&" in t else t for t in texts)
    raise Unprintable


def exact_text(conditions: Iterable[Compare], renderer: Renderer) -> str:
    """As `condition_text`, where generated code takes what is false for what does not hold: it says what the
    comparisons say, whatever the values are; raises `Unprintable`.
    """
    return " && ".join(sorted(_exact(condition, renderer) for condition in conditions))


def _exact(condition: Compare, renderer: Renderer) -> str:
    terms = [*renderer.in_iterators(condition.expression).terms]
    wide = [factor for atom, _ in terms for factor in factors(atom) if _is_wide(factor)]
    if not wide:
        return condition_text(condition, renderer)
    if any(len(factors(atom)) > 1 for atom, _ in terms):
        raise Unprintable  # there is no type for it
    if len(terms) == 1 and not condition.equal and abs(terms[0][1]) == 1:
        return _limit(renderer.text(Affine.of(terms[0][0])), terms[0][1], condition.expression.constant)
    parts = [f"{c}*{_WIDEST}({renderer.text(Affine.of(atom))})" for atom, c in terms]
    relation = "==" if condition.equal else ">="
    return f"{' + '.join(sorted(parts))} {relation} {-condition.expression.constant}"


def _limit(value: str, sign: int, constant: int) -> str:
    """`value >= -constant`, or `value <= constant`, of a value that is never negative."""
    if sign > 0:
        return f"{value} >= {-constant}" if constant < 0 else "1"
    return f"{value} <= {constant}" if constant >= 0 else "0"


def _guards(parts: tuple[Condition, ...], renderer: Renderer) -> Iterator[str]:
    """Bounds on values whose unsigned arithmetic might wrap around in the loop."""
    atoms = [a for p in parts if isinstance(p, Compare) for a, _ in p.expression.terms]
    values = {f for a in atoms for f in factors(a) if isinstance(f, Value)}
    wide = (v for v in values if _is_wide(v))
    yield from sorted(f"{renderer.text(Affine.of(v))} <= {LARGEST}" for v in wide)


def is_guard(part: Condition) -> bool:
    """Does it say the same as a guard does?"""
    if not isinstance(part, Compare) or part.equal or part.expression.constant != LARGEST:
        return False
    return [(c, _is_wide(a)) for a, c in part.expression.terms] == [(-1, True)]


def _is_wide(atom: Atom) -> bool:
    return isinstance(atom, Value) and atom.ctype.unsigned and atom.ctype.bits == 64


def _comparison(compare: Compare, renderer: Renderer) -> str:
    return " ".join(sides(compare, renderer))


def sides(compare: Compare, renderer: Renderer, *, cast: bool = True) -> tuple[str, str, str]:
    """The left side, the relation and the right side, in a type that is wide enough; or, for people, as they
    are.
    """
    expression = renderer.in_iterators(compare.expression)
    left = [(a, c) for a, c in expression.terms if c > 0]
    right = [(a, -c) for a, c in expression.terms if c < 0]
    relation, rest = ("==" if compare.equal else ">="), expression.constant
    if not left:
        left, right, relation, rest = right, left, _MIRRORED[relation], -rest
    if rest == -1 and right and relation == ">=":
        relation, rest = ">", 0
    if rest == 1 and not right and relation == "<=":
        relation, rest = "<", 0
    wide = len(left) > 1 or len(right) > 1 or (bool(right) and rest != 0) or _is_mixed([*left, *right])
    wide = wide and cast
    onto_left = rest if right and rest > 0 else 0
    first = _sum(left, onto_left, wide, renderer)
    return first, relation, _sum(right, onto_left - rest, wide, renderer)


def _is_mixed(terms: _Terms) -> bool:
    """Would the comparison be made, or a term computed, in a type that is too narrow or unsigned?"""
    return any(c != 1 or len(factors(a)) > 1 or _type(a).unsigned for a, c in terms)


def _type(atom: Atom) -> CType:
    """Of a loop around, whose iterations are counted in its iterator, the count: it fits."""
    if isinstance(atom, Counter):
        return LONG
    if not isinstance(atom, Value):
        raise Unprintable
    return atom.ctype


def _bits(atom: Atom) -> int:
    """How many bits a size takes; where it is guarded, it is less than 2^31 (see `_guards`)."""
    ctype = _type(atom)
    return 31 if _is_wide(atom) else ctype.bits if ctype.unsigned else ctype.bits - 1


def _sum(terms: _Terms, constant: int, wide: bool, renderer: Renderer) -> str:
    texts = sorted(_term(a, c, wide, renderer) for a, c in terms)
    if constant or not texts:
        texts.append(str(constant))
    return " + ".join(texts).replace("+ -", "- ")


def _term(atom: Atom, coefficient: int, wide: bool, renderer: Renderer) -> str:
    parts = (atom,) if renderer.name_of(atom) else factors(atom)
    if len(parts) > MOST_FACTORS or not all(_type(p).is_integer for p in parts):
        raise Unprintable
    names = [renderer.text(Affine.of(p)) for p in parts]
    type_ = _WIDE if len(parts) == 1 or sum(map(_bits, parts)) <= _WIDE_BITS else _WIDEST
    plain = [n if len(parts) == 1 or not {"+", "-"} & {*n} else f"({n})" for n in names]  # for people
    texts = [f"{type_}{n if n.isidentifier() else f'({n})'}" for n in names] if wide else plain
    return "*".join([*texts, *([str(coefficient)] if coefficient != 1 else [])])
