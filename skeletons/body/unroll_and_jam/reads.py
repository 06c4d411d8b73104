"""The cells that merged iterations read all alike, and for certain."""

from __future__ import annotations

from collections.abc import Iterator

from skeletons.body.unroll_and_jam.joint import Together, Unit
from skeletons.body.unroll_and_jam.loads import Read
from skeletons.kernel.certainty import is_evaluated, is_plain
from species.source.syntax.statement_tree import Statement
from species.source.text.code import Access, code_tokens

IN_LOOPS = 16  # times that what stands in an inner loop counts more
_PLACES = frozenset(("+", "-", "*", "(", ")"))


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
            for read in together.loads:
                inside = part.span.start <= read.use.span.start < part.span.end
                if inside and _is_common(together, read.use, around):
                    yield read


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
