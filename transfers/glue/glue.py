"""Small host statements between kernels in loops of one iteration, which become kernels of one thread."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from species.core.positions import Span
from species.facts.loops import Glue
from species.source.text.edits import Edit
from species.source.text.rewriting import Rewriting
from transfers.fuse.fuse import Analysed
from transfers.fuse.names import fresh
from transfers.glue.accesses import Arrays
from transfers.glue.eligible import Eligibility, Rounding, refusal
from transfers.glue.events import Event, Events
from transfers.glue.profit import Prices, Profit, is_countable
from transfers.plan.program import HostProgram

LOOSELY = Rounding()


@dataclass(frozen=True)
class Glues:
    """A file with some statements in loops; and what was said of each that was considered, by its start."""

    now: Analysed
    text: Rewriting
    verdicts: Mapping[int, Glue]


@dataclass
class Gluer:
    """Puts statements of one file in loops, where that is legal and cheaper.

    `analysed` reads the file as if it read like a text.  `everything`: wherever it is legal.  `unwanted` are
    statements, by their starts, that are left as they are, with why.  `kernels` are the stretches of the file
    that are kernels without any statement's help.
    """

    analysed: Callable[[str], Analysed]
    prices: Prices
    kernels: Sequence[Span]
    rounding: Rounding = LOOSELY
    everything: bool = False
    unwanted: Mapping[int, str] = field(default_factory=dict)

    def glue(self, now: Analysed, program: HostProgram) -> Glues:
        """The file with statements in loops; `program` is what a plan knows of it."""
        events = Events(program, Arrays(now.names, now.unit.ast), self.kernels)
        found = {id(event.node): event for event in _between(events.listed)}
        refused = {key: why for key, event in found.items() if (why := self._why_not(event, events, program))}
        profit = Profit(events.listed, self.prices)
        while True:
            left = [key for key in found if key not in refused]
            chosen = frozenset(left) if self.everything else profit.best(left)
            made = self._made(now, program, [found[key].node for key in left if key in chosen])
            more = {key: why for key, why in self._refusals(made, now, program, found, chosen).items() if why}
            if not more:
                break
            refused |= more
        verdicts = {
            _start(event.node, program): self._verdict(key, event, refused, chosen, profit, program)
            for key, event in found.items()
        }
        return Glues(made[0], made[1], verdicts)

    def _why_not(self, event: Event, events: Events, program: HostProgram) -> str:
        start = _start(event.node, program)
        if start in self.unwanted:
            return self.unwanted[start]
        why = Eligibility(program, self.rounding).obstacle(event.node)
        if why:
            return why
        there = {access.array for other in events.listed if other.is_launch for access in other.accesses}
        others = sorted({access.array.name for access in event.accesses if access.array not in there})
        if others:
            return f"'{others[0]}' is on the host only"
        if self.everything:
            return ""
        if not events.complete:
            return "execution count unknown at compile time"
        return "" if is_countable(event.node) else "cost unknown at compile time"

    def _made(self, now: Analysed, program: HostProgram, nodes: list[Any]) -> tuple[Analysed, Rewriting]:
        source, name = now.unit.source.text, fresh("once", now.unit)
        spans = sorted(span for node in nodes if (span := program.span(node)) is not None)
        header = f"for (int {name} = 0; {name} < 1; {name}++)"
        text = Rewriting(source, tuple(Edit(span, f"{header} {{ {span.of(source)} }}") for span in spans))
        return (self.analysed(text.text) if spans else now), text

    def _refusals(
        self,
        made: tuple[Analysed, Rewriting],
        now: Analysed,
        program: HostProgram,
        found: Mapping[int, Event],
        chosen: frozenset[int],
    ) -> dict[int, str]:
        """Why statements that were put in loops must not be; empty texts for those that may be."""
        new, text = made
        if len(new.facts.diagnostics) != len(now.facts.diagnostics):
            return dict.fromkeys(chosen, "its text is not understood")
        own = (loop for loop in new.facts.loops if loop.position.file == new.facts.file)
        by_start = {loop.spans.whole.start: loop for loop in own if loop.spans is not None}
        loops = {e.span: by_start.get(p.start) for e, p in zip(text.edits, text.places(), strict=True)}
        return {key: refusal(loops[_span(found[key].node, program)]) for key in chosen}

    def _verdict(
        self,
        key: int,
        event: Event,
        refused: Mapping[int, str],
        chosen: frozenset[int],
        profit: Profit,
        program: HostProgram,
    ) -> Glue:
        line = program.unit.position(event.node.coord).line
        if key in refused:
            return Glue(line, False, refused[key])
        copies, kernel = profit.copies_saved(key, chosen), profit.seconds(key)
        saved = f"copies of {_time(copies)}" if copies > 0 else "no copies"
        why = f"a kernel of one thread takes about {_time(kernel)} and saves {saved}"
        return Glue(line, key in chosen, why)


def _between(events: list[Event]) -> Iterator[Event]:
    """The statements that kernels are launched before and behind, and that touch what one of them touches."""
    launches: dict[str, list[tuple[int, Event]]] = {}
    for at, event in enumerate(events):
        if event.is_launch:
            launches.setdefault(event.root, []).append((at, event))
    for at, event in enumerate(events):
        own = launches.get(event.root, [])
        there = {access.array for _, other in own for access in other.accesses}
        if not event.is_statement or not any(access.array in there for access in event.accesses):
            continue
        if any(event.meets(other) for _, other in own) or (own[0][0] < at < own[-1][0]):
            yield event


def _span(node: Any, program: HostProgram) -> Span:
    span = program.span(node)
    assert span is not None
    return span


def _start(node: Any, program: HostProgram) -> int:
    """Where a statement begins; where a macro makes it, and nobody knows, a number that is no place."""
    span = program.span(node)
    return span.start if span is not None else -id(node)


def _time(seconds: float) -> str:
    for factor, unit in ((1.0, "s"), (1e-3, "ms")):
        if abs(seconds) >= factor:
            return f"{seconds / factor:.3g} {unit}"
    return f"{seconds / 1e-6:.3g} us"
