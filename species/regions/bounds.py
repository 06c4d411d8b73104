"""Smallest and largest value of an expression over a domain, as expressions over what is fixed outside."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import product

import islpy as isl

from species.core.memo import remembered
from species.regions.quick import bounds
from species.sets.affine import Affine, Atom, Division, Value
from species.sets.conditions import Condition
from species.sets.domains import Names, Printer, all_hold, limited
from species.sets.elimination import Undecided
from species.sets.relevance import relevant

MOST_FRACTIONS = 3  # coefficients of one quotient


@dataclass(frozen=True)
class Extreme:
    """The smallest ("min") or largest ("max") of several expressions; usually there is only one."""

    operator: str
    options: tuple[Affine, ...]

    @property
    def single(self) -> Affine | None:
        return self.options[0] if len(self.options) == 1 else None


Interval = tuple[Extreme, Extreme]


@remembered(20_000)
def interval(expression: Affine, conditions: tuple[Condition, ...], inner: frozenset[int]) -> Interval | None:
    """The values that `expression` takes while the loops in `inner` run, assumed that they run at all.

    None if there is no bound, or none that can be found.
    """
    try:
        found = bounds(expression, conditions, inner)
    except Undecided:
        return _by_sets(expression, conditions, inner)
    return (Extreme("min", found[:1]), Extreme("max", found[1:])) if found else None


def _by_sets(expression: Affine, conditions: tuple[Condition, ...], inner: frozenset[int]) -> Interval | None:
    """As `interval`, by isl."""
    names = Names()
    printer = Printer(names)
    sought = f"x = {printer.expression(expression)}"
    text, fixed = set_text("[x]", [sought], printer, relevant((expression,), conditions), inner)
    return limited(lambda: _limits(text, fixed), when_exhausted=None)


def set_text(
    place: str, parts: list[str], printer: Printer, conditions: Iterable[Condition], inner: frozenset[int]
) -> tuple[str, dict[str, Atom]]:
    """A set as isl reads it: places with the parts where the conditions hold in some iteration of `inner`.

    Its parameters are what does not change there; they are returned by name.
    """
    parts = [*(printer.condition(c) for c in conditions), *parts]
    names = printer.names
    parts += [f"{n} >= 0" for (a, _), n in names.items() if not isinstance(a, Value)]
    parts += [r for (a, _), n in names.items() for r in _value_range(a, n, inner)]
    fixed = {n: a for (a, _), n in names.items() if not a.loops & inner}
    moving = [n for (a, _), n in names.items() if a.loops & inner]
    exists = f"exists ({', '.join(moving)} : {all_hold(parts)})" if moving else all_hold(parts)
    return f"[{', '.join(fixed)}] -> {{ {place} : {exists} }}", fixed


def _value_range(atom: Atom, name: str, inner: frozenset[int]) -> list[str]:
    """A value that changes inside is at least within its type's range; unsigned ones are not negative."""
    if not isinstance(atom, Value):
        return []
    low, high = atom.ctype.value_range
    if atom.loops & inner and atom.ctype.is_integer and atom.ctype.bits <= 16:
        return [f"{low} <= {name} <= {high}"]
    return [f"{name} >= 0"] if atom.ctype.unsigned else []


def _limits(text: str, fixed: dict[str, Atom]) -> Interval | None:
    """The bounds of a set of one dimension."""
    values = isl.Set(text)
    if values.is_empty() or not values.dim_is_bounded(isl.dim_type.set, 0):
        return None
    context = values.params()  # before the bounds, as in `row_regions.limits`
    low = extreme(values.dim_min(0), context, fixed, "min")
    high = extreme(values.dim_max(0), context, fixed, "max")
    return (low, high) if low and high else None


def extreme(bound: isl.PwAff, context: isl.Set, fixed: dict[str, Atom], which: str) -> Extreme | None:
    """A piecewise expression as one expression, or as the min or max of a few."""
    simple = _extreme(bound.gist(context), context, fixed, which)
    return simple or _extreme(bound, context, fixed, which)  # where t is n - 1, n - 3 may have become t - 2


def _extreme(bound: isl.PwAff, context: isl.Set, fixed: dict[str, Atom], which: str) -> Extreme | None:
    pieces = bound.get_pieces()
    options = [_affine(aff, fixed, context.intersect(where)) for where, aff in pieces]
    if not options or None in options or len(options) > 4:
        return None
    unique = tuple(dict.fromkeys(o for o in options if o is not None))
    if len(unique) == 1:
        return Extreme(which, unique)
    whole = bound.domain()
    for operator in (which, "min" if which == "max" else "max"):
        if _combined(operator, [a for _, a in pieces]).intersect_domain(whole).is_equal(bound):
            return Extreme(operator, unique)
    return None


def _combined(operator: str, parts: Iterable[isl.Aff]) -> isl.PwAff:
    result: isl.PwAff | None = None
    for part in parts:
        piece = isl.PwAff.from_aff(part)
        if result is not None:
            piece = result.min(piece) if operator == "min" else result.max(piece)
        result = piece
    return result


def _affine(aff: isl.Aff, fixed: dict[str, Atom], where: isl.Set) -> Affine | None:
    """isl's expression as ours; None where a denominator stays, or something negative is divided."""
    if aff.get_denominator_val().to_python() != 1:
        return None
    result = Affine(constant=aff.get_constant_val().to_python())
    for position in range(aff.dim(isl.dim_type.param)):
        coefficient = aff.get_coefficient_val(isl.dim_type.param, position).to_python()
        if coefficient:
            atom = fixed[aff.get_dim_name(isl.dim_type.param, position)]
            result += Affine.of(atom, int(coefficient))
    for position in range(aff.dim(isl.dim_type.div)):
        coefficient = aff.get_coefficient_val(isl.dim_type.div, position).to_python()
        if coefficient:
            part = _division(aff.get_div(position), fixed, where)
            if part is None:
                return None
            result += part.scaled(int(coefficient))
    return result


def _division(aff: isl.Aff, fixed: dict[str, Atom], where: isl.Set) -> Affine | None:
    """isl's quotient, rounded down, with whole parts taken out of it so that it is not negative: as in C."""
    divisor = isl.Val(int(aff.get_denominator_val().to_python()))
    for taken in _wholes(aff):
        rest = aff.sub(taken)
        if where.is_subset(isl.PwAff.from_aff(rest).nonneg_set()):
            inner, whole = _affine(rest.scale_val(divisor), fixed, where), _affine(taken, fixed, where)
            if inner is None or whole is None:
                return None
            return whole + Affine.of(Division(inner, int(divisor.to_python()), remainder=False))
    return None


def _wholes(aff: isl.Aff) -> Iterator[isl.Aff]:
    """What may be taken out of a fraction: nothing, or numbers next to its coefficients and its constant."""
    kind, nothing = isl.dim_type.param, isl.Aff.zero_on_domain(aff.get_domain_local_space())
    yield nothing
    positions = [k for k in range(aff.dim(kind)) if not aff.get_coefficient_val(kind, k).is_int()]
    if len(positions) > MOST_FRACTIONS:
        return
    coefficients = [aff.get_coefficient_val(kind, k).floor() for k in positions]
    for up in product((0, 1), repeat=len(positions)):
        whole = nothing.add_constant_val(aff.get_constant_val().floor())
        for position, coefficient, more in zip(positions, coefficients, up, strict=True):
            whole = whole.add_coefficient_val(kind, position, coefficient.add(isl.Val(more)))
        yield whole
