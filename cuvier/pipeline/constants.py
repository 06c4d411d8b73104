"""Constant propagation into nests: what a variable always is stands where it was named.

    int radius = 2;
    for (y = ..) for (x = ..) for (k = -radius; k <= radius; k++) ...

Compilers unroll the inner loop, and make vectors of those around it, as long as they see that number; they
lose sight of it once threads or a device share the nest, for then the variable is handed to a function of
its own.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator

from cuvier.pipeline.stage import Again, Nest, Renewed, renewed
from models.sizes.typical_sizes import FEW
from skeletons.catalogue.passes import CONSTANTS
from species.core.positions import Span
from species.facts.loops import Kernel, KernelScalar, LoopFacts, UnitFacts
from species.source import TranslationUnit
from species.source.text.edits import Edit, apply_edits


def with_constants(unit: TranslationUnit, facts: UnitFacts, again: Again) -> Renewed | None:
    """The file with numbers in place of variables in parallel nests whose iterations use small ones; None:
    nowhere.  `again` reads the file as if it read like a text, and analyses it.
    """
    return renewed(CONSTANTS, unit, facts, again, lambda refused: _nests(unit, facts, refused), _is_parallel)


def _nests(unit: TranslationUnit, facts: UnitFacts, refused: Collection[Span]) -> Iterator[Nest]:
    """The outermost parallel loops with such variables."""
    end = -1
    for loop in facts.loops:
        if loop.kernel is None or loop.users or loop.spans is None or loop.position.file != unit.source.path:
            continue
        whole = loop.spans.whole
        if whole.start < end or whole in refused or "#" in whole.of(unit.source.text):
            continue
        if any(_is_small(scalar, loop.spans.body) for scalar in loop.kernel.scalars):
            end = whole.end
            yield Nest(loop, {}, Edit(whole, _text(unit, loop.kernel, whole)))


def _is_small(scalar: KernelScalar, body: Span) -> bool:
    """Is it a number that iterations use, and that makes other code of them?"""
    return scalar.number is not None and abs(scalar.number) <= FEW and any(map(body.holds, scalar.places))


def _text(unit: TranslationUnit, kernel: Kernel, whole: Span) -> str:
    """The nest with numbers in it."""
    edits = [
        Edit(Span(place.start - whole.start, place.end - whole.start), _literal(scalar.ctype, scalar.number))
        for scalar in kernel.scalars
        if scalar.number is not None
        for place in scalar.places
    ]
    return apply_edits(whole.of(unit.source.text), sorted(edits, key=lambda edit: edit.span))


def _literal(ctype: str, number: int) -> str:
    text = str(number) if number >= 0 else f"({number})"
    return text if ctype == "int" else f"(({ctype}){text})"


def _is_parallel(loop: LoopFacts) -> bool:
    return loop.kernel is not None and loop.verdict.is_parallel
