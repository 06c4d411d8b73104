"""Where subscripts lie that powers of two, or tables of subscripts, make: Fourier transforms, reordered rows.

    for (half = 1; half < n; half *= 2)
      for (base = 0; base < n; base += 2 * half)      /* n a power of two: base + 2 * half <= n */
        for (k = 0; k < half; k++)
          .. x[base + k], x[base + k + half] .., x[table[i]] ..   /* table[0 .. m-1] from 0 to m - 1 */

That the size is a power of two is one comparison before the loop, and that a table's numbers are subscripts
of it is a pass over the table.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from species.dependence.data_checks import Claim, Within
from species.dependence.data_reads import is_left_alone
from species.loops.model import Loop, Multiplied, Reference, inner_loops, nested
from species.loops.polynomials import upper_ends
from species.loops.shifted import place_of
from species.sets.affine import Affine, Atom, Counter, Division, Value, operation
from species.sets.conditions import Both, Compare, Condition, Fact
from species.sets.domains import implied

MOST = 4  # sizes, and tables, of one loop


def within_ranges(
    loop: Loop, references: Sequence[Reference]
) -> tuple[list[Reference], Condition, list[Claim]] | None:
    """The references with what is known of their subscripts where a condition and some claims hold.

    None: there is nothing to be known.
    """
    powers = list(_powers(loop))
    tables = {atom: found for atom in _moving(loop, references) if (found := _table(atom, loop, references))}
    if not (powers or tables) or len(powers) > MOST or len(tables) > MOST:
        return None
    facts = [(numbers, fact) for numbers, fact, _ in powers]
    told = [_told(reference, facts, tables) for reference in references]
    needed = dict.fromkeys(part for _, _, parts in powers for part in parts)
    return told, Both(tuple(needed)), list(dict.fromkeys(claim for _, claim in tables.values()))


def _told(
    reference: Reference,
    facts: Sequence[tuple[int, Compare]],
    tables: dict[Atom, tuple[tuple[Compare, ...], Within]],
) -> Reference:
    """The reference with what holds where it is made."""
    own = [fact for number, fact in facts if number in reference.loops]
    own += [f for s in reference.place.subscripts for atom in s.atoms() for f in tables.get(atom, ((),))[0]]
    new = tuple(fact for fact in dict.fromkeys(own) if fact not in reference.conditions)
    return replace(reference, conditions=(*reference.conditions, *new)) if new else reference


# Powers of two


def _powers(loop: Loop) -> Iterator[tuple[int, Compare, tuple[Condition, ...]]]:
    """Of loops whose step divides a power of two: their number, that the last step ends where they do, and
    what has to hold.
    """
    inside = inner_loops(loop)
    around = [each for each in nested(loop) if each.multiplied]
    for inner in nested(loop):
        size = _size(inner) if inner.strided and inner.stride is not None else None
        if size is None or size.loops & inside:
            continue
        power = _is_power(size)
        for outer in (each for each in around if each.number in inner.path and power is not None):
            multiplied = next((m for m in outer.multiplied if _divides(m, inner, size)), None)
            if multiplied is not None and inner.stride is not None and power is not None:
                yield inner.number, Compare(size - Affine.of(inner.counter) - inner.stride), power
                yield outer.number, Compare(multiplied.value - 1), power


def _size(inner: Loop) -> Affine | None:
    """What an iterator stays below that starts at 0, or later."""
    bound = inner.bound
    if not isinstance(bound, Compare) or bound.equal or bound.expression.coefficient(inner.counter) != -1:
        return None
    starts_late = implied(Compare(inner.lower), inner.conditions)
    return bound.expression + Affine.of(inner.counter) + inner.lower + 1 if starts_late else None


def _divides(multiplied: Multiplied, inner: Loop, size: Affine) -> bool:
    """Does the step of a loop divide its size, where that is a power of two?"""
    value, stride, known = multiplied.value, inner.stride, (*inner.conditions, inner.bound)
    factor = stride.constant if stride is not None and stride.is_constant else 0
    (atom,) = value.atoms() if len(value.terms) == 1 else (None,)
    if stride is not None and atom is not None and len(stride.terms) == 1 and not stride.constant:
        factor = stride.coefficient(atom)
    if factor < 1 or factor & (factor - 1) or stride != value.scaled(factor):
        return False
    if multiplied.rises:  # two powers of two of which one is smaller: twice that one is no larger
        half = implied(Compare(size - value - 1), known) and factor == 2
        return half or (factor <= 2 and implied(Compare(size - stride), known))
    if not implied(Compare(value - 1), known):
        return False
    start = multiplied.start
    return start == size if factor == 1 else _is_part(start, size, factor)


def _is_part(start: Affine, size: Affine, factor: int) -> bool:
    """Is it the size, divided by so much at least?"""
    if size.is_constant or start.is_constant:
        return size.is_constant and start.is_constant and start.constant * factor == size.constant
    atoms = [*start.atoms()] if len(start.terms) == 1 else []
    halves = [a for a in atoms if isinstance(a, Division) and not a.remainder and a.numerator == size]
    return any(a.divisor == factor and start == Affine.of(a) for a in halves)


def _is_power(size: Affine) -> tuple[Condition, ...] | None:
    """That it is a power of two; no condition where it is a number that is one, None where it is another."""
    if size.is_constant:
        return () if size.constant > 0 and size.constant & (size.constant - 1) == 0 else None
    atoms = [atom for atom in size.atoms() if isinstance(atom, Value)]
    if not atoms:
        return None
    ctype = max((atom.ctype for atom in atoms), key=lambda each: each.bits)
    return Compare(size - 1), Compare(operation("&", ctype, size, size - 1), equal=True)


# Tables of subscripts


def _moving(loop: Loop, references: Sequence[Reference]) -> list[Atom]:
    """The values in subscripts that are no counters."""
    steps = (step for r in references for step in r.place.subscripts)
    inside = inner_loops(loop)
    found = (a for s in steps for a in s.atoms() if isinstance(a, Value) and a.loops & inside)
    return list(dict.fromkeys(found))


def _table(
    atom: Atom, loop: Loop, references: Sequence[Reference]
) -> tuple[tuple[Compare, ...], Within] | None:
    """That a number of a table is a subscript of the table, and the claim that says so of all of them."""
    place, inside = place_of(atom), inner_loops(loop) - {loop.number}
    if place is None or place.loose or place.flat is not None or place.byte is not None:
        return None
    counters = [a for step in place.subscripts for a in step.atoms() if isinstance(a, Counter)]
    if len(counters) != 1 or place.loops & (inside | {loop.number}) != {counters[0].loop}:
        return None
    if not (place.ctype.is_integer and place.ctype.bits in (8, 16, 32, 64)):
        return None
    counter = counters[0]
    whole = any(step == Affine.of(counter) for step in place.subscripts)
    reads = (r for r in references if not r.write and r.place == place)
    ends = [end for r in reads for end in _whole_passes(r, loop, counter)]
    if not whole or not ends or not is_left_alone(place, loop, references):
        return None
    value = Affine.of(atom)
    return (Compare(value), Compare(ends[0] - value)), Within(place, counter, ends[0])


def _whole_passes(reference: Reference, loop: Loop, counter: Counter) -> Iterator[Affine]:
    """To what a counter goes where a reference is made for all its values, in every iteration of a loop."""
    own = {loop.bound, Compare(Affine.of(loop.counter)), Compare(Affine.of(counter))}
    left = [c for c in reference.conditions[len(loop.conditions) :] if c not in own]
    left = [c for c in left if not isinstance(c, Fact)]
    for end in upper_ends(counter, left):
        bound = Compare(end - Affine.of(counter))
        if left == [bound] and not end.loops & inner_loops(loop):
            yield end
