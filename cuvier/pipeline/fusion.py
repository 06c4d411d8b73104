"""Kernels made one before they are compiled, and what was compiled put in terms of the file again."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

from cuvier.pipeline.base.reading import Reader
from skeletons import Choice, Program
from skeletons.catalogue.passes import FUSE
from species.core.positions import Span
from species.facts.loops import Fusion, LoopFacts
from species.source.text.rewriting import Rewriting
from transfers.fuse import Analysed, Fuser

Starts = tuple[int, int]


@dataclass(frozen=True)
class Fused:
    """A file with kernels made one, where that is worth it.  `ends`: see `Fuser`."""

    now: Analysed
    text: Rewriting
    verdicts: Mapping[Starts, Fusion]
    ends: Mapping[int, int]

    @property
    def fusions(self) -> tuple[Fusion, ...]:
        """What became of each pair of kernels, in the order of the source."""
        return tuple(self.verdicts[starts] for starts in sorted(self.verdicts))

    def unserved(self, program: Program) -> dict[Starts, str]:
        """The fusions whose kernel no skeleton takes."""
        left = {c.kernel.name for c in program.choices if c.skeleton is None}
        loops = (f for f in self.now.facts.loops if f.kernel and f.kernel.name in left)
        found = {span.start for loop in loops if (span := self._edit(loop)) is not None}
        made = (starts for starts, fusion in self.verdicts.items() if fusion.fused)
        return {starts: "no skeleton takes both in one" for starts in made if starts[0] in found}

    def in_source(self, program: Program) -> Program:
        """The program, its loops and choices in terms of the file: what is fused counts as one loop."""
        owners: dict[Span, LoopFacts] = {}
        names = set()
        for loop in program.replaced:
            moved = self._moved(loop)
            assert moved.spans is not None and moved.kernel is not None
            if owners.setdefault(moved.spans.whole, moved) is moved and self._edit(loop) is not None:
                names.add(moved.kernel.name)
        replaced = tuple(owners[span] for span in sorted(owners))
        choices = tuple(_stepped(c) if c.kernel.name in names else c for c in program.choices)
        return replace(program, replaced=replaced, choices=choices, fusions=self.fusions)

    def _edit(self, loop: LoopFacts) -> Span | None:
        """The stretch of the file that a loop of the text stands for, if it is another loop there."""
        assert loop.spans is not None
        edit = self.text.edit_at(loop.spans.whole.start)
        return edit.span if edit is not None else None

    def _moved(self, loop: LoopFacts) -> LoopFacts:
        assert loop.spans is not None
        whole = self._edit(loop)
        if whole is not None:
            end = max(whole.end, self.ends.get(whole.start, 0))
            return replace(loop, spans=replace(loop.spans, whole=Span(whole.start, end)))
        return replace(loop, spans=self.text.in_original(loop.spans))


def _stepped(choice: Choice) -> Choice:
    return replace(choice, steps=(*choice.steps, FUSE))


def fused(
    now: Analysed,
    reader: Reader,
    places: tuple[Span, ...],
    unwanted: Mapping[Starts, str],
    *,
    everything: bool,
    watched: bool = False,
    several: bool = False,
) -> Fused:
    """The file with kernels made one.  See `Fuser`."""
    fuser = Fuser(reader, everything, places, dict(unwanted), watched, several)
    found, text = fuser.fuse(now)
    return Fused(found, text, fuser.verdicts, fuser.ends)
