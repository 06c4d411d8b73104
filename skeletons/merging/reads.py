"""The cells that merged iterations read all alike, and for certain."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from skeletons.array_views import BYTES
from skeletons.certainty import is_evaluated, is_plain
from skeletons.ctext import Access, accesses, code_tokens
from skeletons.merging.joint import Together, Unit
from skeletons.statements import Statement, is_stored
from species.facts import KernelArray

IN_LOOPS = 16  # times that what stands in an inner loop counts more
_PLACES = frozenset(("+", "-", "*", "(", ")"))


@dataclass(frozen=True)
class Read:
    """One use of a shared cell; `key` is the same for all uses of it."""

    array: str
    use: Access
    key: tuple[str, ...]


def share(together: Together) -> int:
    """How much iterations share: cells, those in inner loops counted more."""
    return sum(_counted(together, together.sequence, frozenset()))


def _counted(together: Together, sequence: tuple[Statement, ...], around: frozenset[str]) -> Iterator[int]:
    for unit in together.units(sequence):
        if unit.joint:
            part = unit.statements[0]
            inside = together.inside(part, around)
            yield from _counted(together, part.parts[0].sequence(), inside)
        else:
            cells = {read.key for read in shared_reads(together, unit, around)}
            yield len(cells) * IN_LOOPS ** len(around)


def shared_reads(together: Together, unit: Unit, around: frozenset[str]) -> Iterator[Read]:
    """The reads of such cells in a unit, within joint loops over `around`."""
    for part in unit.statements:
        if together.jumps(part):
            return
        if part.kind == "plain" and is_evaluated(together.subject, part.span.of(together.text)):
            for array in together.subject.kernel.arrays:
                yield from _of_array(together, part, array, around)


def _of_array(
    together: Together, part: Statement, array: KernelArray, around: frozenset[str]
) -> Iterator[Read]:
    subject, text = together.subject, together.text
    ctype = subject.declarations.canonical(array.element.removeprefix("const "))
    if ctype not in BYTES or (array.writes is not None and not _stays(together, array)):
        return
    if array.name in subject.redeclared | subject.macro_names(text):
        return
    uses = accesses(text, array.name)
    stored = {_key(use, text) for use in uses if is_stored(use.span, text)}
    for use in uses:
        inside = part.span.start <= use.span.start < part.span.end
        whole = inside and len(use.subscripts) == len(array.extent)
        if whole and _is_common(together, use, around) and _key(use, text) not in stored:
            yield Read(array.name, use, _key(use, text))


def _key(use: Access, text: str) -> tuple[str, ...]:
    return tuple(token.text for token in code_tokens(use.span.of(text)))


def _stays(together: Together, array: KernelArray) -> bool:
    """Do cells of a written array keep their values that several iterations read?

    An iteration that wrote to them would not be independent of the others, unless all of them combine
    something into them, or there is only one.
    """
    combined = {reduction.array for reduction in together.subject.kernel.combined}
    return together.is_whole and array.name not in combined


def _is_common(together: Together, use: Access, around: frozenset[str]) -> bool:
    """Is it the same cell for all iterations?"""
    if together.text[: use.span.start].rstrip()[-1:] == "&":
        return False
    return all(
        is_plain(subscript)
        and all(t.kind in ("identifier", "number") or t.text in _PLACES for t in code_tokens(subscript))
        and together.is_uniform(subscript, around)
        for subscript in use.subscripts
    )
