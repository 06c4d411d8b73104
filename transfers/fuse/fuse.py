"""Kernels made one, on the text of their file: which, and what was said of the others."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace

from species.core.positions import Span
from species.facts.loops import Fusion, LoopFacts, UnitFacts
from species.loops.walk import Names
from species.source import TranslationUnit
from species.source.text.rewriting import Rewriting
from transfers.fuse.contraction import contractions
from transfers.fuse.legality import aligned, not_beside, not_together, obstacle, refuted
from transfers.fuse.moving import question, tied
from transfers.fuse.pairs import Neighbours, Part, Surroundings
from transfers.fuse.profit import beside, saving
from transfers.fuse.ranges import range_of
from transfers.fuse.text import Trial, edits_of
from transfers.fuse.tuples import may_fuse

Starts = tuple[int, int]  # of two kernels: where in the original text they begin
Key = tuple[str, Starts, bool]  # ... with their text, and whether their iterations are to follow one another


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
    `places`.  `watched`: somebody looks at the file's variables when the program has ended.
    `several` devices share the iterations of kernels.  `ends` has where
    the last part of a fused kernel ended that has moved away from there, by where the kernel begins.
    """

    analysed: Callable[[str], Analysed]
    everything: bool = False
    places: Sequence[Span] = ()
    unwanted: dict[Starts, str] = field(default_factory=dict)
    watched: bool = False
    several: bool = False
    verdicts: dict[Starts, Fusion] = field(default_factory=dict)
    ends: dict[int, int] = field(default_factory=dict)
    _ways: dict[Key, list[Trial]] = field(default_factory=dict)
    _refuted: set[Starts] = field(default_factory=set)
    _whys: dict[Starts, dict[bool, str]] = field(default_factory=dict)

    def fuse(self, now: Analysed) -> tuple[Analysed, Rewriting]:
        """The file with kernels made one."""
        text = Rewriting(now.unit.source.text)
        while trials := self._trials(now, text):
            now, text = self._tried(trials, now, text)
        return now, text

    def _trials(self, now: Analysed, text: Rewriting) -> list[Trial]:
        """What to try next: pairs that have no kernel in common.  What brings most comes first: neighbours,
        then what something has to be moved for, then what only saves a launch.
        """
        around = Surroundings(now.unit, now.facts, now.names, text)
        pairs = [
            p for p in around.neighbours() if all(_leads(part, now, text) for part in (p.first, p.second))
        ]
        near, far = ([p for p in pairs if bool(p.staying) == apart] for apart in (False, True))
        for candidates, side_by_side in ((near, False), (far, False), (near, True)):
            found = list(self._disjoint(candidates, side_by_side, now, text, around))
            if found:
                return found
        return []

    def _disjoint(
        self,
        pairs: list[Neighbours],
        side_by_side: bool,
        now: Analysed,
        text: Rewriting,
        around: Surroundings,
    ) -> Iterator[Trial]:
        last = -1
        for pair in pairs:
            if pair.region.start >= last and (trial := self._next(pair, side_by_side, now, text, around)):
                last = pair.region.end
                yield trial

    def _next(
        self, pair: Neighbours, side_by_side: bool, now: Analysed, text: Rewriting, around: Surroundings
    ) -> Trial | None:
        starts = _starts(pair, text)
        key = _key(pair, text, side_by_side)
        if key not in self._ways:
            if starts in self.verdicts and self.verdicts[starts].fused:
                return None
            if not pair.adjoining and not self._is_worth_moving(pair):
                return None
            look = self._beside if side_by_side else self._together
            found = look(starts, pair, now, text, around)
            self._ways[key] = found if isinstance(found, list) else []
            if isinstance(found, str):
                self._decide(starts, pair, found, side_by_side=side_by_side)
        ways = self._ways[key]
        return replace(ways[0], pair=pair) if ways else None

    def _is_worth_moving(self, pair: Neighbours) -> bool:
        found = saving(pair)
        return self.everything or (found.pays and found.share > 0)

    def _together(
        self, starts: Starts, pair: Neighbours, now: Analysed, text: Rewriting, around: Surroundings
    ) -> list[Trial] | str:
        """The ways to make one loop of two whose iterations fall together, the best first; or why not."""
        found = saving(pair)
        why = self._is_unwanted(starts, pair) or ("" if self.everything or found.pays else found.why)
        if why := why or obstacle(pair, around) or not_together(pair, around):
            return why
        ways = [Trial(pair, way) for way in aligned(pair, around)]
        if ways and pair.staying and (why := self._tied(pair, now, text, around)):
            return why
        return ways or "their loops have different iterations"

    def _beside(
        self, starts: Starts, pair: Neighbours, now: Analysed, text: Rewriting, around: Surroundings
    ) -> list[Trial] | str:
        """The same for iterations that follow one another."""
        if self._is_unwanted(starts, pair):
            return ""
        if self.several:
            return "devices could not share the iterations of both"
        ranges = (range_of(pair.first), range_of(pair.second))
        found = beside(pair, ranges)
        why = "" if self.everything or found.pays else found.why
        if why := why or obstacle(pair, around) or not_beside(pair, around):
            return why
        one, other = ranges
        return [Trial(pair, ranges=(one, other))] if one and other else found.why

    def _is_unwanted(self, starts: Starts, pair: Neighbours) -> str:
        if starts in self.unwanted:
            return self.unwanted[starts]
        spans = (pair.first.region, pair.second.region)
        if any(len({place.holds(span) for span in spans}) == 2 for place in self.places):
            return "one of them was already transformed"
        return ""

    def _tied(self, pair: Neighbours, now: Analysed, text: Rewriting, around: Surroundings) -> str:
        """Why the second kernel cannot move past what stays between them."""
        after = text.also(question(pair, around))
        new = self.analysed(after.text)
        if _is_broken(new, now):
            return "the statements between them are not understood"
        asked = _fused(text.origin(pair.second.region.start), new.facts, after)
        return tied(pair, asked, around)

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
                self._refuse(trial, text, why, new, after)
            if not any(refusals):
                break
            left = [trial for trial, why in zip(left, refusals, strict=True) if not why]
        if not left:
            return now, text
        contracted, made = self._contracted(left, now, text)
        for trial in contracted:
            self._accept(trial, text)
        return made or (new, after)

    def _accept(self, trial: Trial, text: Rewriting) -> None:
        pair, starts = trial.pair, _starts(trial.pair, text)
        names = "".join(f"; '{c.symbol.name}' becomes a variable" for c in trial.contractions)
        found = beside(pair, trial.ranges) if trial.ranges else saving(pair)
        moved = "; moved past the statements between them" if pair.staying else ""
        if pair.staying:
            end = _original_end(pair.second.region.end, text)
            self.ends[starts[0]] = max(end, self.ends.get(starts[0], 0))
        self._decide(starts, pair, f"{found.why}{moved}{names}", fused=True, side_by_side=bool(trial.ranges))

    def _contracted(
        self, trials: list[Trial], now: Analysed, text: Rewriting
    ) -> tuple[list[Trial], tuple[Analysed, Rewriting] | None]:
        """Fusions that are legal, with variables for arrays where they stay so; and the file with these.

        That the arrays themselves were no obstacle shows that iterations have cells of their own.
        """
        around = Surroundings(now.unit, now.facts, now.names, text)
        storages = ("local",) if self.watched else ("local", "static")
        wanted = [_with_variables(trial, around, storages) for trial in trials]
        while any(trial.contractions for trial in wanted):
            made = self._made(wanted, now, text)
            refusals = [self._refusal(trial, _starts(trial.pair, text), *made, now) for trial in wanted]
            if not any(refusals):
                return wanted, made
            pairs = zip(wanted, refusals, strict=True)
            wanted = [replace(trial, contractions=()) if why else trial for trial, why in pairs]
        return wanted, None

    def _made(self, trials: list[Trial], now: Analysed, text: Rewriting) -> tuple[Analysed, Rewriting]:
        around = Surroundings(now.unit, now.facts, now.names, text)
        after = text.also([edit for trial in trials for edit in edits_of(trial, around)])
        return self.analysed(after.text), after

    @staticmethod
    def _refusal(trial: Trial, starts: Starts, new: Analysed, text: Rewriting, old: Analysed) -> str:
        """Why the fused loop is not what it should be; empty: it is."""
        if _is_broken(new, old):
            return "its text is not understood"
        return refuted(_fused(starts[0], new.facts, text), len(trial.way), trial.conditions)

    def _refuse(self, trial: Trial, old: Rewriting, why: str, new: Analysed, text: Rewriting) -> None:
        """Another way may be tried next."""
        if not why:
            return
        starts = _starts(trial.pair, old)
        fused = _fused(starts[0], new.facts, text)
        key = _key(trial.pair, old, bool(trial.ranges))
        rest = self._ways[key][1:]
        if fused is not None and fused.conditions and not trial.conditions and trial.way:
            rest.insert(0, replace(trial, conditions=fused.conditions))
        self._ways[key] = rest
        if not rest:
            known = bool(trial.ranges) and starts in self._refuted  # the same memory stands in the way
            self._refuted.add(starts)
            self._decide(starts, trial.pair, "" if known else why, side_by_side=bool(trial.ranges))

    def _decide(
        self, starts: Starts, pair: Neighbours, why: str, *, fused: bool = False, side_by_side: bool
    ) -> None:
        """What is said of a pair: where it is two kernels, why so for each way to make it one."""
        whys = self._whys.setdefault(starts, {})
        whys[side_by_side] = why
        form = ("beside" if side_by_side else "together") if fused else ""
        together, beside = whys.get(False, ""), whys.get(True, "")
        apart = together if beside in together else "; side by side: ".join(filter(None, (together, beside)))
        said = why if fused else apart
        by_tuples = may_fuse(pair.first.facts, pair.second.facts)
        self.verdicts[starts] = Fusion(pair.lines, fused, said, by_tuples, form, pair.adjoining)


def _is_broken(new: Analysed, old: Analysed) -> bool:
    return len(new.facts.diagnostics) != len(old.facts.diagnostics)


def _starts(pair: Neighbours, text: Rewriting) -> Starts:
    return text.origin(pair.first.region.start), text.origin(pair.second.region.start)


def _leads(part: Part, now: Analysed, text: Rewriting) -> bool:
    """Is it the kernel that is found where it begins in the original?  It is not where a fusion on condition
    has left loops as they were.
    """
    found = _fused(text.origin(part.region.start), now.facts, text)
    return found is None or found is part.facts


def _key(pair: Neighbours, text: Rewriting, side_by_side: bool) -> Key:
    return pair.region.of(text.text), _starts(pair, text), side_by_side


def _original_end(end: int, text: Rewriting) -> int:
    """Where in the original ends what ends there in the text."""
    edit = text.edit_at(end - 1)
    return edit.span.end if edit is not None else text.origin(end - 1) + 1


def _with_variables(trial: Trial, around: Surroundings, storages: Sequence[str]) -> Trial:
    if trial.conditions or trial.ranges:
        return trial
    return replace(trial, contractions=contractions(trial.pair, around, trial.way, storages))


def _fused(start: int, facts: UnitFacts, text: Rewriting) -> LoopFacts | None:
    """The facts of the fused loop: the first of those that stand where the first kernel stood."""
    own = (f for f in facts.loops if f.spans and f.position.file == facts.file)
    found = (f for f in own if f.spans and text.origin(f.spans.whole.start) == start)
    return min(found, key=lambda f: f.spans.whole if f.spans else Span(0, 0), default=None)
