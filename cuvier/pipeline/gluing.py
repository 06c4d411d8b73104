"""Host statements that become kernels of one thread, and what was compiled put in terms of the file again."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace

from skeletons import CompileOptions, Program, Target
from skeletons.catalogue.passes import GLUE
from skeletons.cost.roofline import thread_rates
from species.core.positions import LoopSpans, Span
from species.facts.loops import LoopFacts
from species.source.text.rewriting import Rewriting
from transfers import resident
from transfers.fuse import Analysed
from transfers.glue import Gluer, Glues, Prices
from transfers.glue.eligible import Rounding

_CELL = 8  # bytes


@dataclass(frozen=True)
class Glued:
    """A file with some host statements in loops of one iteration."""

    before: Analysed
    made: Glues

    @property
    def now(self) -> Analysed:
        """The file as it is now."""
        return self.made.now

    @property
    def text(self) -> Rewriting:
        """Where its text comes from."""
        return self.made.text

    def places(self, places: tuple[Span, ...]) -> tuple[Span, ...]:
        """Where stretches of the file are now, at the ends of which nothing was changed."""
        ends = ((self.text.place(p.start), self.text.place(p.end)) for p in places)
        return tuple(Span(start, end) for start, end in ends if start is not None and end is not None)

    def unserved(self, program: Program) -> dict[int, str]:
        """The statements, by their starts, whose kernel no skeleton takes."""
        taken = _launched(program)
        pairs = zip(self.text.edits, self.text.places(), strict=True)
        left = (edit for edit, place in pairs if not any(span.holds(place) for span in taken))
        return {edit.span.start: "no skeleton takes it" for edit in left}

    def in_source(self, program: Program) -> Program:
        """The program, its loops in terms of the file; a statement counts as a loop."""
        names = {
            loop.kernel.name
            for loop in program.replaced
            if loop.spans and loop.kernel and self.text.edit_at(loop.spans.whole.start) is not None
        }
        choices = tuple(
            replace(c, steps=(GLUE, *c.steps)) if c.kernel.name in names else c for c in program.choices
        )
        glues = tuple(sorted(self.made.verdicts.values(), key=lambda glue: glue.line))
        replaced = tuple(map(self._in_source, program.replaced))
        return replace(program, replaced=replaced, choices=choices, glues=glues)

    def _in_source(self, loop: LoopFacts) -> LoopFacts:
        assert loop.spans is not None
        parts = (loop.spans.whole, loop.spans.header, loop.spans.body)
        spans = LoopSpans(*map(self._original, parts))
        position = self.before.unit.source.position(spans.whole.start)
        return replace(loop, spans=spans, position=position)

    def _original(self, span: Span) -> Span:
        last = self.text.edit_at(span.end - 1)
        end = last.span.end if last is not None else self.text.origin(span.end - 1) + 1
        return Span(self.text.origin(span.start), end)


def prices_of(target: Target, options: CompileOptions) -> Prices:
    """What a kernel and copies take on the machine's device for a target; a CPU works in the host's memory,
    and nothing is copied.
    """
    device = options.machine.device(target.name)
    copies = device.kind != "cpu"
    bandwidth, operations = thread_rates(target, options.machine)
    return Prices(
        launch=device.launch,
        latency=device.latency if copies else 0.0,
        byte=1 / device.copying if copies else 0.0,
        cell=_CELL / bandwidth,
        operation=1 / operations,
    )


def glued(
    now: Analysed,
    base: Program,
    target: Target,
    options: CompileOptions,
    again: Callable[[str], Analysed],
    unwanted: Mapping[int, str],
    *,
    strict_aliasing: bool,
) -> Glued | None:
    """The file with statements in loops, `base` being the program without; None where nothing stays on the
    device.  See `Gluer`.
    """
    program = resident(now.unit, now.facts, now.names, strict_aliasing=strict_aliasing).program
    if program is None:
        return None
    rounding = Rounding(options.strict_fp, single_is_exact=target.name == "cuda")
    everything = GLUE in options.wanted
    gluer = Gluer(again, prices_of(target, options), _launched(base), rounding, everything, unwanted)
    return Glued(now, gluer.glue(now, program))


def _launched(program: Program) -> list[Span]:
    """The loops that are kernels on a device."""
    names = {copies.kernel for copies in program.copies}
    replaced = (loop for loop in program.replaced if loop.kernel and loop.kernel.name in names)
    return [loop.spans.whole for loop in replaced if loop.spans is not None]
