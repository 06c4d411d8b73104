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

Starts = tuple[int, int]  # of two kernels: where in the original text they begin


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
    `unwanted` are pairs that are left as they are, with why; so are those of which only one stands in one of
    `places`.
    """

    analysed: Callable[[str], Analysed]
    everything: bool = False
    places: Sequence[Span] = ()
    unwanted: dict[Starts, str] = field(default_factory=dict)
    verdicts: dict[Starts, Fusion] = field(default_factory=dict)
    _ways: dict[Starts, list[Trial]] = field(default_factory=dict)

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
            starts = _starts(pair, text)
            if starts in self.verdicts or starts[0] == starts[1] or pair.first.span.start < last:
                continue  # (starts are equal where a fusion on condition has left two loops as they were)
            trial = self._next(starts, pair, around)
            if trial is not None:
                last = pair.second.span.end
                yield trial

    def _next(self, starts: Starts, pair: Neighbours, around: Surroundings) -> Trial | None:
        if starts not in self._ways:
            why = self._why_not(starts, pair, around)
            self._ways[starts] = [] if why else list(_ways(pair, around))
            if not self._ways[starts]:
                self._decide(starts, pair, why or "their loops do not make the same iterations")
        ways = self._ways[starts]
        return replace(ways[0], pair=pair) if ways else None

    def _why_not(self, starts: Starts, pair: Neighbours, around: Surroundings) -> str:
        if starts in self.unwanted:
            return self.unwanted[starts]
        if any(place.holds(pair.first.span) != place.holds(pair.second.span) for place in self.places):
            return "one of them has been put into another order"
        found = saving(pair)
        if not self.everything and not found.pays:
            return found.why
        return obstacle(pair, around)

    def _tried(self, trials: list[Trial], now: Analysed, text: Rewriting) -> tuple[Analysed, Rewriting]:
        """The file with those fused that may be.  What is refused may have made others seem legal, so that
        they are looked at again without it.
        """
        left = trials
        while left:
            new, after = self._made(left, now, text)
            if len(left) > 1 and _is_broken(new, now):
                return self._tried(left[:1], now, text)  # one of them is not understood: one by one
            refusals = [self._refusal(trial, _starts(trial.pair, text), new, after, now) for trial in left]
            for trial, why in zip(left, refusals, strict=True):
                self._refuse(trial, _starts(trial.pair, text), why, new, after)
            if not any(refusals):
                break
            left = [trial for trial, why in zip(left, refusals, strict=True) if not why]
        if not left:
            return now, text
        contracted, made = self._contracted(left, now, text)
        for trial in contracted:
            names = "".join(f"; '{c.symbol.name}' becomes a variable" for c in trial.contractions)
            self._decide(_starts(trial.pair, text), trial.pair, saving(trial.pair).why + names, fused=True)
        return made or (new, after)

    def _contracted(
        self, trials: list[Trial], now: Analysed, text: Rewriting
    ) -> tuple[list[Trial], tuple[Analysed, Rewriting] | None]:
        """Fusions that are legal, with variables for arrays where they stay so; and the file with these.

        That the arrays themselves were no obstacle shows that iterations have cells of their own.
        """
        around = Surroundings(now.unit, now.facts, now.names)
        wanted = [_with_variables(trial, around) for trial in trials]
        while any(trial.contractions for trial in wanted):
            made = self._made(wanted, now, text)
            refusals = [self._refusal(trial, _starts(trial.pair, text), *made, now) for trial in wanted]
            if not any(refusals):
                return wanted, made
            pairs = zip(wanted, refusals, strict=True)
            wanted = [replace(trial, contractions=()) if why else trial for trial, why in pairs]
        return wanted, None

    def _made(self, trials: list[Trial], now: Analysed, text: Rewriting) -> tuple[Analysed, Rewriting]:
        around = Surroundings(now.unit, now.facts, now.names)
        edits = [Edit(region(t.pair), fused_text(t, around)) for t in trials]
        after = text.also(edits)
        return self.analysed(after.text), after

    @staticmethod
    def _refusal(trial: Trial, starts: Starts, new: Analysed, text: Rewriting, old: Analysed) -> str:
        """Why the fused loop is not what it should be; empty: it is."""
        if _is_broken(new, old):
            return "its text is not understood"
        return refuted(trial.pair, _fused(starts[0], new.facts, text), trial.conditions)

    def _refuse(self, trial: Trial, starts: Starts, why: str, new: Analysed, text: Rewriting) -> None:
        """Another way may be tried next."""
        if not why:
            return
        fused = _fused(starts[0], new.facts, text)
        rest = self._ways[starts][1:]
        if fused is not None and fused.conditions and not trial.conditions:
            rest.insert(0, replace(trial, conditions=fused.conditions))
        self._ways[starts] = rest
        if not rest:
            self._decide(starts, trial.pair, why)

    def _decide(self, starts: Starts, pair: Neighbours, why: str, *, fused: bool = False) -> None:
        by_tuples = may_fuse(pair.first.facts, pair.second.facts)
        self.verdicts[starts] = Fusion(pair.lines, fused, why, by_tuples)


def _is_broken(new: Analysed, old: Analysed) -> bool:
    return len(new.facts.diagnostics) != len(old.facts.diagnostics)


def _starts(pair: Neighbours, text: Rewriting) -> Starts:
    return text.origin(pair.first.span.start), text.origin(pair.second.span.start)


def _ways(pair: Neighbours, around: Surroundings) -> Iterator[Trial]:
    """The ways to make two kernels one, the best first."""
    yield from (Trial(pair, way) for way in aligned(pair, around))


def _with_variables(trial: Trial, around: Surroundings) -> Trial:
    if trial.conditions:
        return trial
    return replace(trial, contractions=contractions(trial.pair, around, trial.way))


def _fused(start: int, facts: UnitFacts, text: Rewriting) -> LoopFacts | None:
    """The facts of the fused loop: the first of those that stand where the first kernel stood."""
    own = (f for f in facts.loops if f.spans and f.position.file == facts.file)
    found = (f for f in own if f.spans and text.origin(f.spans.whole.start) == start)
    return min(found, key=lambda f: f.spans.whole if f.spans else Span(0, 0), default=None)
