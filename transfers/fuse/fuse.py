"""Kernels made one, on the text of their file: which, and what was said of the others."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace

from species.facts import Fusion, LoopFacts, UnitFacts
from species.loops import Names
from species.positions import Span
from species.source import TranslationUnit
from species.source.edits import Edit
from species.source.rewriting import Rewriting
from transfers.fuse.contraction import contractions
from transfers.fuse.legality import aligned, obstacle, refuted
from transfers.fuse.pairs import Neighbours, Surroundings
from transfers.fuse.profit import saving
from transfers.fuse.text import Trial, fused_text, region
from transfers.fuse.tuples import may_fuse

Lines = tuple[int, int]  # on which two kernels begin


@dataclass(frozen=True)
class Analysed:
    """A text of the file, and what is known of it."""

    unit: TranslationUnit
    facts: UnitFacts
    names: Names


@dataclass
class Fuser:
    """Makes kernels of one file one, two at a time, for as long as there are some that are worth it.

    `analysed` reads the file as if it read like a text.  `everything`: also where it does not seem to pay.
    `unwanted` are the lines of pairs that are left as they are, with why; so are pairs of which only one
    stands in one of `places`.
    """

    analysed: Callable[[str], Analysed]
    everything: bool = False
    places: Sequence[Span] = ()
    unwanted: dict[Lines, str] = field(default_factory=dict)
    verdicts: dict[Lines, Fusion] = field(default_factory=dict)
    _ways: dict[Lines, list[Trial]] = field(default_factory=dict)

    def fuse(self, now: Analysed) -> tuple[Analysed, Rewriting]:
        """The file with kernels made one."""
        text = Rewriting(now.unit.source.text)
        while trials := list(self._trials(now, text)):
            now, text = self._tried(trials, now, text)
        return now, text

    def _trials(self, now: Analysed, text: Rewriting) -> Iterator[Trial]:
        """What to try next: pairs that have no kernel in common."""
        around = Surroundings(now.unit, now.facts, now.names)
        last = -1
        for pair in around.neighbours():
            if pair.lines in self.verdicts or pair.first.span.start < last:
                continue
            if (edit := text.edit_at(pair.first.span.start)) and edit is text.edit_at(pair.second.span.start):
                continue  # what is left of two loops where their fusion is on condition
            trial = self._next(pair, around)
            if trial is not None:
                last = pair.second.span.end
                yield trial

    def _next(self, pair: Neighbours, around: Surroundings) -> Trial | None:
        if pair.lines not in self._ways:
            why = self._why_not(pair, around)
            if why:
                self._decide(pair, why)
                return None
            self._ways[pair.lines] = list(_ways(pair, around))
            if not self._ways[pair.lines]:
                self._decide(pair, "their loops do not make the same iterations")
        ways = self._ways[pair.lines]
        return replace(ways[0], pair=pair) if ways else None

    def _why_not(self, pair: Neighbours, around: Surroundings) -> str:
        if pair.lines in self.unwanted:
            return self.unwanted[pair.lines]
        if any(place.holds(pair.first.span) != place.holds(pair.second.span) for place in self.places):
            return "one of them has been put into another order"
        found = saving(pair)
        if not self.everything and not found.pays:
            return found.why
        return obstacle(pair, around)

    def _tried(self, trials: list[Trial], now: Analysed, text: Rewriting) -> tuple[Analysed, Rewriting]:
        new, after = self._made(trials, now, text)
        accepted = [trial for trial in trials if self._holds(trial, new, after, now)]
        if not accepted:
            return now, text
        return (new, after) if len(accepted) == len(trials) else self._made(accepted, now, text)

    def _made(self, trials: list[Trial], now: Analysed, text: Rewriting) -> tuple[Analysed, Rewriting]:
        around = Surroundings(now.unit, now.facts, now.names)
        edits = [Edit(region(t.pair), fused_text(t, around)) for t in trials]
        after = text.also(edits)
        return self.analysed(after.text), after

    def _holds(self, trial: Trial, new: Analysed, after: Rewriting, old: Analysed) -> bool:
        """Is the fused loop what it should be?  If not, another way may be tried next."""
        lines = trial.pair.lines
        fused = _fused(trial, new.facts)
        intact = len(new.facts.diagnostics) == len(old.facts.diagnostics)
        why = refuted(trial.pair, fused, trial.conditions) if intact else "its text is not understood"
        if not why:
            self._decide(trial.pair, "", trial)
            return True
        rest = self._ways[lines][1:]
        if fused is not None and fused.conditions and not trial.conditions:
            rest.insert(0, replace(trial, conditions=fused.conditions))
        self._ways[lines] = rest
        if not rest:
            self._decide(trial.pair, why)
        return False

    def _decide(self, pair: Neighbours, why: str, trial: Trial | None = None) -> None:
        by_tuples = may_fuse(pair.first.facts, pair.second.facts)
        replaced = (
            "".join(f"; '{c.symbol.name}' becomes a variable" for c in trial.contractions) if trial else ""
        )
        said = why or saving(pair).why + replaced
        self.verdicts[pair.lines] = Fusion(pair.lines, not why, said, by_tuples)


def _ways(pair: Neighbours, around: Surroundings) -> Iterator[Trial]:
    """The ways to make two kernels one, the best first."""
    for way in aligned(pair, around):
        found = contractions(pair, around, way)
        if found:
            yield Trial(pair, way, contractions=found)
        yield Trial(pair, way)


def _fused(trial: Trial, facts: UnitFacts) -> LoopFacts | None:
    """The facts of the fused loop: the first on the line of the first kernel that reaches the second."""
    line, column = trial.pair.first.facts.position.line, trial.pair.first.facts.position.column
    found = (f for f in facts.loops if f.position.line == line and f.position.column >= column and f.spans)
    return next((f for f in found if f.function == trial.pair.first.facts.function), None)
