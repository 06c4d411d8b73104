"""Conditions under which two pointers do not reach the same memory while a loop runs."""

from __future__ import annotations

from species.dependence.judge import Finding, Judge, Judgement
from species.loops.affine import Affine
from species.loops.nest import FunctionModel, Loop, Place, Pointer, Reference
from species.loops.symbols import Symbol
from species.regions import Regions


def disjointness(model: FunctionModel, judge: Judge, judgement: Judgement) -> list[str]:
    """C conditions that make a loop parallel that is so but for aliases and unknown start values.

    Where no condition can be written down, a finding is added to the judgement instead.
    """
    if not judgement.is_parallel:
        return []
    conditions = [c for r in judgement.reductions for c in r.conditions]
    for first, second in judgement.overlaps:
        text = _disjoint(model, judge, judgement.loop, first, second)
        if text is None:
            judgement.findings.append(_unclear(first, second))
            return []
        conditions.append(text)
    return list(dict.fromkeys(conditions))


def _unclear(first: Reference, second: Reference) -> Finding:
    message = f"'{first.place.name}' and '{second.place.name}' may be the same memory"
    if first.symbol is second.symbol:
        message = f"'{first.place.name}' may be the same memory in different iterations"
    return Finding("CV205", message, first.node, (second.node,))


def _disjoint(model: FunctionModel, judge: Judge, loop: Loop, a: Reference, b: Reference) -> str | None:
    """`[p, p+n) and [q, q+m) are disjoint`, as C."""
    if a.symbol is b.symbol:
        return None
    first, second = (_ends(model, judge, loop, r) for r in (a, b))
    if first is None or second is None:
        return None
    before = f"(const char *)({first[1]}) <= (const char *)({second[0]})"
    after = f"(const char *)({second[1]}) <= (const char *)({first[0]})"
    return f"({before} || {after})"


def _ends(model: FunctionModel, judge: Judge, loop: Loop, reference: Reference) -> tuple[str, str] | None:
    """The address of the first cell that is touched, and the one behind the last, as C."""
    symbol, name = reference.symbol, pointer_name(loop, reference.place)
    if name is None or loop.number in (reference.place.base.loops if reference.place.base else ()):
        return None
    if reference.place.is_variable and symbol.is_scalar:
        return f"&{name}", f"&{name} + 1"
    touching = [
        r for r in judge.references(loop) if r.symbol is symbol and r.place.base == reference.place.base
    ]
    if any(not isinstance(step, Affine) for r in touching for step in r.place.path[:1]):
        return None
    region = Regions(model, loop).hull(touching)
    if region is None:
        return None
    rows = region.ranges[0]
    return _moved(name, rows.low), f"{name} + ({rows.high}) + 1"


def pointer_name(loop: Loop, place: Place) -> str | None:
    """A variable that, right before the loop, is (or points to) the object that the place lies in."""
    own = place.symbol
    if own.storage != "memory" and loop.sees(own) and (place.base is None or own not in loop.entry):
        return own.name
    object_ = Place(own, (), place.base)
    for key, value in loop.entry.items():
        points = isinstance(value, Pointer) and value.place == object_ and value.offset == Affine()
        alike = isinstance(key, Symbol) and key.ctype.decayed.target == own.ctype.decayed.target
        if points and alike and loop.sees(key) and key not in loop.set_in_header:
            return str(key.name)
    return None


def _moved(name: str, low: str) -> str:
    return name if low == "0" else f"{name} + ({low})"
