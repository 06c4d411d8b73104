"""Access patterns and species from characterisations (seed 003, algorithm 3.4; theory.md section 3)."""

from __future__ import annotations

from fractions import Fraction

from species.characterise.strides import Step
from species.characterise.tuples import Dimension, Tuple
from species.dependence.judgement import Judgement
from species.facts.loops import Characterisation
from species.grammar.nodes import AccessPattern, ArraySpecies, Range, Species
from species.loops.model import Reference
from species.regions.bounds import Extreme
from species.regions.c_printer import Renderer, Unprintable
from species.sets.affine import Affine, constant


def pattern_of(item: Tuple, renderer: Renderer) -> AccessPattern:
    """The pattern of one characterisation; raises `Unprintable` if a range has no name."""
    if item.is_still:
        return AccessPattern("shared", operator=item.operator) if item.write else AccessPattern("full")
    wide = [d for d, dimension in enumerate(item.dimensions) if dimension.elements != constant(1)]
    if not wide:
        return AccessPattern("element")
    kind = "neighbourhood" if any(_overlaps(item, d) for d in wide) else "chunk"
    ranges = tuple(_range(d, renderer) if i in wide else None for i, d in enumerate(item.dimensions))
    return AccessPattern(kind, ranges)


def combining(reference: Reference, judgement: Judgement) -> str | None:
    """The operator with which the iterations combine what the reference writes, in a reduction."""
    for reduction in judgement.reductions:
        if reference.write and reference.symbol is reduction.place.symbol:
            updates = reference.update is not None and reference.update.operator == reduction.operator
            if updates or reference.place == reduction.place:
                return reduction.operator
    return None


def _overlaps(item: Tuple, dimension: int) -> bool:
    """Do consecutive base iterations touch common elements in this dimension?"""
    steps = [s for s in item.base_steps(dimension) if s]
    elements = item.dimensions[dimension].elements
    numbers = [abs(s) for s in steps if isinstance(s, Fraction)]
    if numbers:
        return not elements.is_constant or elements.constant > min(numbers)
    excess = [elements - s for s in steps if isinstance(s, Affine)]
    return any(e.is_constant and e.constant > 0 for e in excess)


def _range(dimension: Dimension, renderer: Renderer) -> Range:
    if dimension.offset is None:
        raise Unprintable
    last = dimension.offset + dimension.elements - 1
    return Range(renderer.text(dimension.offset), renderer.text(last))


def part_of(item: Tuple, renderer: Renderer) -> ArraySpecies:
    """One array of a species."""
    return ArraySpecies(item.name, domain_of(item, renderer), pattern_of(item, renderer))


def domain_of(item: Tuple, renderer: Renderer) -> tuple[Range, ...]:
    if not item.dimensions:
        return (Range("0", "0"),)
    return tuple(
        Range(extreme_text(d.domain[0], renderer), extreme_text(d.domain[1], renderer))
        for d in item.dimensions
    )


def extreme_text(extreme: Extreme, renderer: Renderer) -> str:
    """`min(a,b)` or the only expression there is."""
    texts = sorted(renderer.text(o) for o in extreme.options)
    text = texts[0]
    for other in texts[1:]:
        text = f"{extreme.operator}({text},{other})"
    return text


def species_of(tuples: list[Tuple], renderer: Renderer) -> Species:
    """Reads on the left, writes on the right, in the order of the characterisations."""
    shared = {t.name for t in tuples if t.write and t.is_still and (t.operator or not t.why)}
    reads = [t for t in tuples if not t.write and not (t.is_still and t.name in shared)]
    writes = [t for t in tuples if t.write]
    return Species(
        tuple(part_of(t, renderer) for t in reads),
        tuple(part_of(t, renderer) for t in writes),
    )


def characterisation_of(item: Tuple, renderer: Renderer) -> Characterisation:
    """The printable form of a characterisation."""
    repetition = tuple("?" if t is None else renderer.text(t) for t in item.trips)
    rank = len(item.dimensions)
    return Characterisation(
        item.name,
        "w" if item.write else "r",
        domain_of(item, renderer),
        tuple(renderer.text(d.elements) for d in item.dimensions) or ("1",),
        tuple(_step(item, d, renderer) for d in range(rank)) or ("0",),
        tuple(tuple(_step_text(s, renderer) for s in vector) or ("0",) for vector in item.steps),
        repetition,
        item.exact,
        item.why,
    )


def _step(item: Tuple, dimension: int, renderer: Renderer) -> str:
    """The 5-tuple's step: of the innermost base loop that moves, spread over the base loops inside it."""
    inner: list[Affine | None] = []
    for vector, trips, is_base in reversed(list(zip(item.steps, item.trips, item.base, strict=True))):
        if is_base and vector[dimension]:
            return _spread(vector[dimension], inner, renderer)
        if is_base:
            inner.append(trips)
    return "0"


def _step_text(step: Step, renderer: Renderer) -> str:
    return str(step) if isinstance(step, Fraction) else renderer.text(step)


def _spread(step: Step, trips: list[Affine | None], renderer: Renderer) -> str:
    if isinstance(step, Affine):
        return renderer.text(step)
    names = []
    for count in trips:
        if count is not None and count.is_constant and count.constant > 0:
            step /= count.constant
        else:
            names.append("?" if count is None else renderer.text(count))
    if not names:
        return str(step)
    below = "*".join(n if n.isidentifier() or n == "?" else f"({n})" for n in names)
    rest = f"{step.denominator}*{below}" if step.denominator != 1 else below
    return f"{step.numerator}/{rest}" if "*" not in rest else f"{step.numerator}/({rest})"
