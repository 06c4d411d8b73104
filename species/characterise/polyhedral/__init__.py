"""The polyhedral theory of algorithmic species (seed 003, section 3.2): ASET, next to A-Darwin's.

It describes static affine loop nests only: counted loops, and bounds, conditions and subscripts that are
affine in the iterators and in what the nest does not change.  A reference is `A x + B y + c`; A and B
being zero or not makes its pattern, and boxes of loop bounds its ranges.

Both theories *apply* to a nest, and then say the same, where

- it is static affine, every domain is a box (the theory of references calls nothing over-approximated),
- holes are not merged over (`t_gap` is 0),
- both have the same base loops.  The polyhedral theory calls a loop structural, though it be parallel,
  where a statement's writes move with it and its reads do not, or the other way round,
- every loop makes two iterations or more, and a base loop as many as its neighbours overlap: else there is
  no overlap, and no structure, to be seen by looking at the iterations, which the polyhedral theory does,
- what one base iteration touches is a box without holes, each loop moves one dimension, and no dimension
  is moved by two base loops: the theory of references looks at each dimension, and each loop, by itself.

What differs by definition: of a neighbourhood the polyhedral theory prints the range of the base loops
(figure 3.10: `a[1:126]|neighbourhood(-1:1)`), the theory of references all that is touched (`a[0:127]`); and
of what no base loop moves it calls `full` what structure loops sweep and `shared` what none does,
whether read or written, the theory of references `full` what is read and `shared` what is written.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from species.characterise.polyhedral.access import (
    Access,
    NotStaticAffineError,
    access,
    check_condition,
    check_reference,
)
from species.characterise.polyhedral.loops import split, structure_loops
from species.characterise.polyhedral.patterns import species_of
from species.characterise.polyhedral.unrolled import rolled_up
from species.characterise.statements import grouped
from species.dependence.judge import Judge
from species.dependence.judgement import Judgement
from species.grammar.nodes import Species
from species.loops.model import FunctionModel, Loop, Reference, inner_loops
from species.regions.c_printer import Renderer, Unprintable

Operator = Callable[[Reference], str | None]  # with which the iterations combine what a reference writes


@dataclass(frozen=True)
class Described:
    """The base loops and the species of a nest, and whether all domains are boxes."""

    base: tuple[Loop, ...]
    species: Species
    exact: bool


class PolyhedralTheory:
    """Describes the nests of one function, once all of its loops are judged."""

    def __init__(self, model: FunctionModel, judge: Judge, judgements: Mapping[int, Judgement]) -> None:
        self._model, self._judge, self._judgements = model, judge, judgements
        self._loops = {loop.number: loop for loop in model.loops}

    def describe(self, top: Loop, references: list[Reference], operator: Operator) -> Described | str:
        """The nest that starts at `top`, by those of its references that a species speaks of; or why not."""
        try:
            return self._describe(top, references, operator)
        except NotStaticAffineError as error:
            return str(error)
        except Unprintable:
            return "a bound has no name before the loop"

    def _describe(self, top: Loop, references: list[Reference], operator: Operator) -> Described | str:
        nest = {n: self._loops[n] for n in inner_loops(top)}
        everything = [r for r in self._judge.references(top) if not _is_address(r)]
        self._check(nest, everything)
        base = split(self._judge, self._judgements, top, structure_loops(nest.values(), everything))
        if not base:
            return "all its loops are structure loops, or depend on their order"
        numbers = frozenset(loop.number for loop in base)
        accesses = rolled_up([access(r, nest, numbers, operator(r)) for r in references])
        species = species_of(accesses, Renderer(self._model, top))
        return Described(base, species, all(a.exact for a in accesses))

    def _check(self, nest: Mapping[int, Loop], references: list[Reference]) -> None:
        for loop in nest.values():
            if loop.inlined:
                raise NotStaticAffineError("a function that is called has a loop of its own")
            if not loop.counted or not loop.exact:
                raise NotStaticAffineError("a loop in it is not counted")
            check_condition(loop.bound, frozenset(nest), "the bounds of a loop in it are not affine")
        for reference in references:
            check_reference(reference, frozenset(nest))
        stated = sum(len(own) for loop in nest.values() for _, own in grouped(loop, references))
        if stated < len(references):
            raise NotStaticAffineError("it calls a function that touches arrays")


def _is_address(reference: Reference) -> bool:
    return reference.place.is_variable and reference.symbol.ctype.kind == "pointer"


__all__ = ["Access", "Described", "PolyhedralTheory"]
