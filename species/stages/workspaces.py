"""Memory behind pointers that every iteration fills before it reads: a work area that a function was given.

    for (r = 0; r < rows; r++) transform(image + r * n, work, n);  /* writes work[0 .. n-1], then reads it */

Each iteration may have a work area of its own (array privatisation: Tu and Padua 1993), where nobody keeps
the pointer, and the last iteration leaves in the memory what all of them would have left.  The pointer may be
a member of a structure that is only read (`plan->work`), or whose other members are written before they are
read: each iteration then has a copy of the structure.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import takewhile

from species.dependence.findings import Finding
from species.dependence.flow.coverage import Coverage
from species.dependence.judge import Judge
from species.dependence.judgement import Judgement
from species.dependence.privates import is_written_alike
from species.dependence.reductions import of_one_place
from species.loops.model import Loop, Place, Reference
from species.loops.pointees import owner_of
from species.openmp.kept_pointers import follows_others, keeps_pointers, tells_apart
from species.openmp.member_sums import neutral_of
from species.stages.own_memory import OwnMemory, stays
from species.symbols.symbols import Symbol
from species.symbols.types import TypeTable


class WorkspaceJudge(Judge):
    """Judges loops as if every iteration had some memory of its own."""

    _own: OwnMemory
    _types: TypeTable

    def having(self, own: OwnMemory, types: TypeTable) -> WorkspaceJudge:
        """The same, for this memory."""
        self._own, self._types = own, types
        return self

    def _same_object(self, judgement: Judgement, references: list[Reference]) -> None:
        symbol = references[0].symbol
        if symbol not in self._own.areas | self._own.copied:
            super()._same_object(judgement, references)
            return
        is_area = symbol in self._own.areas
        for part in [references] if is_area else _by_member(references).values():
            why = self._refusal(judgement.loop, part, is_area=is_area)
            if why and (is_area or not self._are_combined(judgement, part)):
                message = f"the memory behind '{symbol.name}' {why}"
                judgement.findings.append(Finding("CV204", message, references[0].node, (), symbol))

    def _are_combined(self, judgement: Judgement, references: list[Reference]) -> bool:
        """Do iterations combine values into a member?  Notes it."""
        loop = judgement.loop
        combined = of_one_place(loop, list(self.dependences(loop, references)), references)
        if combined is None or not neutral_of(loop, combined):
            return False
        is_pointer = combined.place.symbol.ctype.kind == "pointer"
        if not all(isinstance(step, str) for step in combined.place.path[is_pointer:]):
            return False  # of an element of an array in the structure
        judgement.reductions.append(combined)
        return True

    def _refusal(self, loop: Loop, references: Sequence[Reference], *, is_area: bool) -> str:
        """Why iterations cannot have their own; empty: they can."""
        if not any(r.write for r in references):
            return ""  # a member that copies have from the beginning
        known = self._privates.private_array(self._model, loop, references) if is_area else None
        if known is not None and not known.live and all(len(r.place.path) == 1 for r in references):
            return ""
        if is_area and not all(self._is_plain(r, loop) for r in references):
            return "is reached in other ways, too"
        apart = [each for r in references for each in (_by_parts(r, self._types) if not r.write else [r])]
        if not Coverage(self._model).covered(loop, apart):
            return "is read before each iteration has written it"
        loops = {known.number: known for known in self._model.loops}
        if not all(is_written_alike(loop, r, loops) for r in references if r.write):
            return "is not written alike by all iterations"
        return ""

    def _is_plain(self, reference: Reference, loop: Loop) -> bool:
        """Is it an element, of its own type, or a member of one, of what one pointer leads to that the loop
        does not change?
        """
        place = reference.place
        named = bool(place.path) and all(isinstance(step, str) for step in place.path[1:])
        whole = named and place.byte is None and not place.loose and place.row is None
        return whole and stays(place, loop) and owner_of(place) == self._own.owners.get(reference.symbol)


def _by_parts(read: Reference, types: TypeTable) -> Iterator[Reference]:
    """A read of a structure as reads of its members, which may be written one by one."""
    members = types.named_members(read.place.ctype) if read.place.ctype.kind == "struct" else {}
    if not members or any("@" in name for name in members):
        yield read
        return
    for name, ctype in members.items():
        part = replace(read.place, path=(*read.place.path, name), ctype=ctype)
        yield from _by_parts(replace(read, place=part), types)


def _by_member(references: Sequence[Reference]) -> Mapping[tuple[str, ...], list[Reference]]:
    """References to a structure by members: by the outer one, where some are of the whole of it."""
    found: dict[tuple[str, ...], list[Reference]] = {}
    for reference in sorted(references, key=lambda r: len(_members(r.place))):
        names = _members(reference.place)
        outer = next((names[:n] for n in range(1, len(names)) if names[:n] in found), names)
        found.setdefault(outer, []).append(reference)
    return found


def _members(place: Place) -> tuple[str, ...]:
    """The members that a place is in, outside in, before the first array."""
    steps = place.path[place.symbol.ctype.kind == "pointer" :]
    return tuple(str(step) for step in takewhile(lambda step: isinstance(step, str), steps))


def keeps_area(
    judge: Judge,
    loop: Loop,
    own: OwnMemory,
    types: tuple[Mapping[int, Symbol], TypeTable],
) -> bool:
    """Might the loop note one of the pointers where it outlives an iteration, tell it from others, or follow
    another one to the same memory, which was set before?
    """
    named = own.areas | own.copied
    if keeps_pointers(judge, loop, *types) or follows_others(judge, loop, named, own.names):
        return True
    places = {
        r.symbol: r.place for r in judge.references(loop) if r.symbol in named and not r.place.is_variable
    }
    return tells_apart(judge, loop, [*places.values()], *types)
