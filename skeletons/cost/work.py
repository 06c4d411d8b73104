"""What a kernel does, whatever computes it: operations, and bytes per array, from its characterisations."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import reduce
from operator import mul

from pycparser import c_ast

from models.operations import depth, operations
from models.sizes.amounts import LARGE, Amounts
from skeletons.body.coarsening import Coarsening, coarsening
from skeletons.kernel.context import Subject
from species.facts.loops import Characterisation, KernelArray
from species.grammar.nodes import ArraySpecies, Range
from species.source.syntax.tree import only_statement, walk
from species.source.text.code import code_tokens, matching, names_in

_SIZES = {
    "char": 1,
    "signed char": 1,
    "unsigned char": 1,
    "_Bool": 1,
    "short": 2,
    "unsigned short": 2,
    "int": 4,
    "unsigned int": 4,
    "float": 4,
}


@dataclass(frozen=True)
class Traffic:
    """What a kernel reads or writes of one array, in bytes.

    `touched` counts every cell once, `requested` what all iterations ask for.  `elements` are the cells per
    dimension that one iteration touches.  `scattered`: neighbouring iterations do not touch neighbours.
    """

    array: str
    write: bool
    pattern: str  # "element", "neighbourhood", "chunk", "full" or "shared"
    size: int  # of an element
    elements: tuple[float, ...]
    touched: float
    requested: float
    scattered: bool
    still: frozenset[int] = frozenset()  # places of the base loops that do not move it
    for_all: bool = False  # neighbouring iterations ask for the same cells


@dataclass(frozen=True)
class Work:
    """Sums over the whole nest; `assumed` are the names whose values are not known, with those taken."""

    iterations: float  # of the base loops: so many may run at once
    operations: float
    double: bool  # the arrays have elements of double precision
    traffic: tuple[Traffic, ...]
    assumed: tuple[tuple[str, float], ...]
    assumed_inside: frozenset[str]  # those on which it depends how long one iteration takes
    coarse: Coarsening | None = None  # how threads may make several iterations

    @property
    def bytes(self) -> float:
        """What has to be moved at least."""
        return sum(part.touched for part in self.traffic)

    @property
    def intensity(self) -> float:
        """Operations per byte."""
        return self.operations / self.bytes if self.bytes else 0.0


def is_uneven(subject: Subject) -> bool:
    """May some iterations of the outermost loop have more work than others?  Headers of loops inside tell."""
    outer, *inner = subject.kernel.loops
    texts = [text for loop in inner for text in (loop.lower, loop.condition)]
    tokens = code_tokens(subject.kernel.loops[-1].spans.body.of(subject.text))
    for k, token in enumerate(tokens[:-1]):
        if token.text == "while":
            return True
        if token.text == "for" and tokens[k + 1].text == "(":
            texts += [token.text for token in tokens[k + 1 : matching(tokens, k + 1)]]
    return any(outer.iterator in names_in(text) for text in texts)


def work_of(subject: Subject) -> Work:
    """An estimate for one execution of the nest, as a whole."""
    subject = subject.shared.subject if subject.shared is not None else subject
    body = body_of(subject, len(subject.kernel.loops))
    amounts = amounts_for(subject)
    iterations = _iterations(subject, amounts)
    inner = replace(amounts, taken={})
    executed = iterations * operations(body, inner)
    amounts.taken.update(inner.taken)
    elements = [subject.declarations.canonical(array.element) for array in subject.kernel.arrays]
    return Work(
        iterations=iterations,
        operations=executed,
        double="float" not in elements or "double" in elements,
        traffic=tuple(_traffic(subject, amounts, iterations)),
        assumed=tuple(sorted(amounts.taken.items())),
        assumed_inside=frozenset(inner.taken),
        coarse=coarsening(subject),
    )


def amounts_for(subject: Subject) -> Amounts:
    """What its sizes are taken for: the deeper the nest, the smaller those that are unknown."""
    base = len(subject.kernel.loops)
    levels = base + depth(body_of(subject, base))
    return Amounts(subject.macro_body, round(LARGE ** (1 / max(1, levels))))


def body_of(subject: Subject, base: int) -> c_ast.Node | None:
    """What the innermost base loop repeats."""
    functions = (f for f in subject.unit.ast.ext if isinstance(f, c_ast.FuncDef))
    own = (f for f in functions if f.decl.name == subject.facts.function)
    loops = (node for f in own for node in walk(f) if isinstance(node, c_ast.For))
    found = next((n for n in loops if subject.unit.loop_position(n) == subject.facts.position), None)
    node: c_ast.Node | None = found
    for level in range(base):
        node = only_statement(node.stmt) if isinstance(node, c_ast.For) else None
        if level < base - 1 and not isinstance(node, c_ast.For):
            return node
    return node


def _iterations(subject: Subject, amounts: Amounts) -> float:
    """Of all base loops together; each iterator gets the value in the middle of its range."""
    total = 1.0
    for loop in subject.kernel.loops:
        trips = amounts.of(loop.trips) if loop.trips is not None else amounts.assumed
        if trips <= 0 and not (loop.trips or "").isdigit():
            trips = amounts.assumed  # a difference of two sizes, each of which is taken for the same
        amounts.values[loop.iterator] = amounts.of(loop.lower) + loop.step * trips / 2
        total *= trips
    return total


def _traffic(subject: Subject, amounts: Amounts, iterations: float) -> Iterator[Traffic]:
    arrays, seen = subject.arrays, set()
    for found in subject.facts.characterisations:
        if found.name in arrays:
            seen.add(found.name)
            yield _characterised(subject, found, amounts, iterations)
    for name, array in arrays.items():
        if name not in seen:
            yield from _of_regions(subject, array, amounts, iterations)


def _characterised(subject: Subject, found: Characterisation, amounts: Amounts, iterations: float) -> Traffic:
    array, write = subject.arrays[found.name], found.access == "w"
    elements = tuple(max(1.0, amounts.of(text)) for text in found.elements)
    if write and subject.kernel.pattern is not None:
        elements = (1.0,) * len(elements)  # a packing counter may say any place, but it says one
    cells = _product(_extent(bound, amounts) for bound in found.domain)
    pattern = _pattern(subject, found.name, write)
    part = _part(subject, array, write, pattern, elements, cells, iterations, _is_scattered(subject, found))
    still = _still(found)
    return replace(part, still=still, for_all=len(subject.kernel.loops) - 1 in still)


def _still(found: Characterisation) -> frozenset[int]:
    """The places of the loops from one iteration to the next of which the reference stays where it is."""
    steps = enumerate(found.loop_steps)
    return frozenset(place for place, moves in steps if all(step.strip() == "0" for step in moves))


def _of_regions(
    subject: Subject, array: KernelArray, amounts: Amounts, iterations: float
) -> Iterator[Traffic]:
    """For arrays that only have regions: the whole array, where these are not known either."""
    for region, write in ((array.reads, False), (array.writes, True)):
        if region is None:
            continue
        extents = [amounts.of(text) if text is not None else amounts.assumed for text in array.extent]
        cells = _product(_extent(bound, amounts) for bound in region) if region else _product(extents)
        elements = tuple(_elements(_species_part(subject, array.name, write), region, amounts))
        pattern = _pattern(subject, array.name, write)
        yield _part(subject, array, write, pattern, elements, cells, iterations, False)


def _part(
    subject: Subject,
    array: KernelArray,
    write: bool,
    pattern: str,
    elements: tuple[float, ...],
    cells: float,
    iterations: float,
    scattered: bool,
) -> Traffic:
    size = _SIZES.get(subject.declarations.canonical(array.element) or "", 8)
    requested = iterations * _product(elements)
    touched = min(cells, requested)
    return Traffic(array.name, write, pattern, size, elements, touched * size, requested * size, scattered)


def _elements(part: ArraySpecies | None, region: tuple[Range, ...], amounts: Amounts) -> Iterator[float]:
    """The cells per dimension that one iteration touches, as the species says."""
    if part is None or part.pattern.kind == "element":
        return
    bounds = part.domain if part.pattern.kind == "full" else part.pattern.ranges
    for bound in bounds or region:
        yield _extent(bound, amounts) if bound is not None else 1.0


def _is_scattered(subject: Subject, found: Characterisation) -> bool:
    """Does the next iteration of the innermost base loop touch cells that are not next to this one's?"""
    innermost = len(subject.kernel.loops) - 1
    if innermost >= len(found.loop_steps):
        return False
    moves = [step.strip() for step in found.loop_steps[innermost]]
    return any(step != "0" for step in moves[:-1]) or (bool(moves) and moves[-1] not in ("0", "1", "-1"))


def crosses(subject: Subject) -> bool:
    """Do neighbouring iterations of the outer of two base loops touch neighbours, where those of the inner
    one do not, as in a transposition?
    """
    if len(subject.kernel.loops) != 2:
        return False
    found = [each for each in subject.facts.characterisations if len(each.loop_steps) >= 2]
    outer = ([step.strip() for step in each.loop_steps[0]] for each in found if _is_scattered(subject, each))
    return any(moves[-1:] in (["1"], ["-1"]) and not {*moves[:-1]} - {"0"} for moves in outer)


def _pattern(subject: Subject, name: str, write: bool) -> str:
    part = _species_part(subject, name, write)
    return part.pattern.kind if part is not None else "element"


def _species_part(subject: Subject, name: str, write: bool) -> ArraySpecies | None:
    species = subject.facts.species
    parts = () if species is None else species.outputs if write else species.inputs
    return next((part for part in parts if part.name == name), None)


def _extent(bound: Range, amounts: Amounts) -> float:
    return max(1.0, amounts.of(bound.high) - amounts.of(bound.low) + 1)


def _product(numbers: Iterator[float] | list[float] | tuple[float, ...]) -> float:
    return reduce(mul, numbers, 1.0)
