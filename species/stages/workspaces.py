"""Memory behind pointers that every iteration fills before it reads: a work area that a function was given.

    for (r = 0; r < rows; r++) transform(image + r * n, work, n);  /* writes work[0 .. n-1], then reads it */

Each iteration may have a work area of its own (array privatisation: Tu and Padua 1993), where nobody keeps
the pointer, and the last iteration leaves in the memory what all of them would have left.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence

from species.dependence.coverage import Coverage
from species.dependence.findings import Finding
from species.dependence.judge import Judge
from species.dependence.judgement import Judgement
from species.dependence.privates import is_written_alike
from species.loops.model import Loop, Reference, inner_loops
from species.loops.pointees import owner_of
from species.openmp.kept_pointers import keeps_pointers, tells_apart
from species.symbols.symbols import Symbol
from species.symbols.types import TypeTable

_MEMORY = ("CV203", "CV204")  # reasons that speak of cells of one object


class WorkspaceJudge(Judge):
    """Judges loops as if every iteration had memory of its own behind some pointers."""

    _own: frozenset[Symbol]

    def having(self, own: Collection[Symbol]) -> WorkspaceJudge:
        """The same, for these pointers."""
        self._own = frozenset(own)
        return self

    def _same_object(self, judgement: Judgement, references: list[Reference]) -> None:
        if references[0].symbol not in self._own:
            super()._same_object(judgement, references)
            return
        why = self._refusal(judgement.loop, references)
        if why:
            message = f"the memory behind '{references[0].symbol.name}' {why}"
            judgement.findings.append(Finding("CV204", message, references[0].node, (), references[0].symbol))

    def _refusal(self, loop: Loop, references: Sequence[Reference]) -> str:
        """Why iterations cannot have their own; empty: they can."""
        known = self._privates.private_array(self._model, loop, references)
        if known is not None and not known.live and all(len(r.place.path) == 1 for r in references):
            return ""
        if not all(_is_plain(r, loop) for r in references):
            return "is reached in other ways, too"
        if not Coverage(self._model).covered(loop, references):
            return "is read before each iteration has written it"
        loops = {known.number: known for known in self._model.loops}
        if not all(is_written_alike(loop, r, loops) for r in references if r.write):
            return "is not written alike by all iterations"
        return ""


def _is_plain(reference: Reference, loop: Loop) -> bool:
    """Is it an element, of its own type, of what one pointer leads to that the loop does not change?"""
    place = reference.place
    whole = len(place.path) == 1 and place.byte is None and not place.loose and place.row is None
    stays = place.base is None or not place.base.loops & inner_loops(loop)
    return whole and stays and owner_of(place) is None


def pointers_in(judgement: Judgement) -> frozenset[Symbol]:
    """The pointers behind which each iteration might have its own memory, where memory is all that is wrong.

    What is said of others may be wrong then: it was found where the loop was known to be serial already.
    """
    private = [array.symbol for array in judgement.arrays if array.symbol.ctype.kind == "pointer"]
    if not all(f.code in _MEMORY and f.symbol is not None for f in judgement.findings):
        return frozenset()
    found = {*private, *(f.symbol for f in judgement.findings if f.symbol is not None)}
    return frozenset(filter(_may_be_own, found))


def _may_be_own(symbol: Symbol) -> bool:
    """Is it a pointer to numbers or structures, in a variable that only its function sees?"""
    is_array = symbol.storage == "parameter" and symbol.ctype.kind == "array"
    target = symbol.ctype.element if is_array else symbol.ctype.target
    if not (symbol.ctype.kind == "pointer" or is_array) or symbol.storage not in ("local", "parameter"):
        return False
    if target is None or target.volatile or not (target.is_number or target.kind == "struct"):
        return False
    return not (symbol.address_taken or symbol.peculiar or symbol.origin)


def keeps_area(
    judge: Judge,
    loop: Loop,
    own: Collection[Symbol],
    types: tuple[Mapping[int, Symbol], TypeTable],
) -> bool:
    """Might the loop note one of the pointers where it outlives an iteration, or tell it from others?"""
    if keeps_pointers(judge, loop, *types):
        return True
    references = judge.references(loop)
    places = {r.symbol: r.place for r in references if r.symbol in own and not r.place.is_variable}
    return tells_apart(judge, loop, [*places.values()], *types)
