"""Thread coarsening: several iterations per thread, of one text, for compilers to mix.

The loads of one need not wait for the stores of another then, and what neighbours read is loaded once.  Where
iterations of an outer base loop read cells that the next ones read, too, as stencils do, a thread makes
neighbours of that loop.  Else it makes iterations of the innermost one as far apart as there are threads, so
that neighbouring threads touch neighbouring cells.

Unlike merging, this leaves statements as they are: what the compiler may mix is what it knows to be apart.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from models.sizes.amounts import UNKNOWN, Amounts
from skeletons.body.unroll import is_short
from skeletons.kernel.certainty import macro_bodies
from skeletons.kernel.context import Subject, holds_at, value_at
from skeletons.kernel.views import CoarseView, LoopView
from species.core.refusal import Refusal
from species.facts.loops import Characterisation
from species.source.syntax.statement_tree import read_statement
from species.source.text.code import code_tokens

_MOST_TOKENS = 320  # of a body: four larger ones would not fit into the registers
_NEXT = frozenset(("continue", "break"))  # not to be seen in what macros stand for
_LEAVES = frozenset(("goto", "return", "asm", "__asm__"))


@dataclass(frozen=True)
class Coarsening:
    """The place of a base loop, 0 the outermost, of which a thread makes several iterations; neighbours?"""

    place: int
    neighbours: bool


def coarsening(subject: Subject) -> Coarsening | None:
    """How the kernel's threads may be made coarser; None where that is not possible, or pays for nobody."""
    loops = subject.kernel.loops
    try:
        fits = len(subject.spread) == len(loops) and not subject.tied and _is_small(subject)
    except Refusal:
        return None
    if not fits:
        return None
    outer = range(len(loops) - 1)
    place = next((place for place in outer if _shares(subject, place)), None)
    return Coarsening(len(loops) - 1, False) if place is None else Coarsening(place, True)


def fitted(
    subject: Subject,
    found: Coarsening | None,
    loops: tuple[LoopView, ...],
    fresh: Callable[[str], str],
    dev: Callable[[str], str],
) -> CoarseView | None:
    """What the templates see of it: `fresh` makes names, `dev` says C text in the device's language."""
    if found is None:
        return None
    view, loop = loops[found.place], subject.spread[found.place]
    most, each, last, first = (
        fresh(f"{loop.iterator}_{what}") for what in ("coarse", "each", "last", "first")
    )
    return CoarseView(
        loop=view,
        others=tuple(other for other in loops if other is not view),
        neighbours=found.neighbours,
        iteration=fresh("iteration"),
        most=most,
        each=each,
        last=last,
        inside=dev(holds_at(loop, last, view.host_ctype)),
        first=first,
        first_value=dev(value_at(loop, view.base)),
    )


def _is_small(subject: Subject) -> bool:
    """Is the body a few statements, with no loops but short ones, that only ends at its end?"""
    text = subject.body
    hidden = [token.text for body in macro_bodies(subject, text) for token in code_tokens(body)]
    words = [token.text for token in code_tokens(text)] + hidden
    loops = (part for part in read_statement(text).walk() if part.kind in ("for", "while", "do"))
    return (
        len(words) <= _MOST_TOKENS
        and not _LEAVES & set(words)
        and not _NEXT & set(hidden)
        and all(is_short(subject, loop, text) for loop in loops)
    )


def _shares(subject: Subject, place: int) -> bool:
    """Does an iteration read cells that the next one of a base loop reads, too, as a window moves on?"""
    amounts = Amounts(subject.macro_body, UNKNOWN)
    return any(
        _is_wider(found, place, amounts) for found in subject.facts.characterisations if found.access == "r"
    )


def _is_wider(found: Characterisation, place: int, amounts: Amounts) -> bool:
    if place >= len(found.loop_steps):
        return False
    pairs = zip(found.loop_steps[place], found.elements, strict=False)
    return any(0 < abs(amounts.of(step)) < amounts.of(elements) for step, elements in pairs)
