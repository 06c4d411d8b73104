"""What has changed for loops between two reports, and which line caused it."""

from __future__ import annotations

import os
from collections import defaultdict
from collections.abc import Callable, Hashable, Iterator
from dataclasses import dataclass
from difflib import SequenceMatcher
from functools import cached_property

from cuvier.document.model import PARALLEL, Json, Report, loop_key

RANKS = {"parallel": 0, "conditional": 1, "serial": 2, "unknown": 2}  # more is worse


@dataclass(frozen=True)
class Cause:
    """The line that made the difference: `changed` since the old report, or as it was.

    `reason` is that of the new loop which speaks of the line; None: the change alone speaks for it.
    """

    file: str
    line: int
    text: str
    changed: bool
    reason: Json | None


@dataclass(frozen=True)
class Change:
    """A loop before and after; one of them is None where it is new or gone."""

    old: Json | None
    new: Json | None
    cause: Cause | None = None

    @property
    def loop(self) -> Json:
        """The new loop, or the old one where there is no new one."""
        found = self.new or self.old
        assert found is not None
        return found

    @property
    def worse(self) -> bool:
        """Was it nearer to parallel before?"""
        return self._step > 0

    @property
    def better(self) -> bool:
        """Is it nearer to parallel now?"""
        return self._step < 0

    @property
    def _step(self) -> int:
        if self.old is None or self.new is None:
            return 0
        return RANKS[self.new["verdict"]] - RANKS[self.old["verdict"]]

    @property
    def kind(self) -> str:
        """`new`, `gone`, `serial`, `parallel` (what it became), ..., or `species`."""
        if self.old is None or self.new is None:
            return "gone" if self.new is None else "new"
        same = self.old["verdict"] == self.new["verdict"]
        return "species" if same else str(self.new["verdict"])


@dataclass(frozen=True)
class Comparison:
    """Two reports, and the loops for which they differ, in the order of the new one."""

    old: Report
    new: Report
    changes: list[Change]

    @cached_property
    def regressions(self) -> list[Change]:
        """The loops that became worse."""
        return [change for change in self.changes if change.worse]

    @cached_property
    def lost(self) -> list[str]:
        """Files that were analysed, wholly or in part, and now are not, or less."""
        ranks = {"ok": 0, "partial": 1, "failed": 2}
        before = {unit["file"]: ranks[unit["status"]] for unit in self.old.units}
        return [
            unit["file"] for unit in self.new.units if ranks[unit["status"]] > before.get(unit["file"], 0)
        ]


def compared(old: Report, new: Report) -> Comparison:
    """The differences between decisive loops, after each old loop has found its new one."""
    decisive = {loop_key(loop) for report in (old, new) for loop in report.decisive}
    failed = {unit["file"] for unit in new.units if unit["status"] == "failed"}
    changes = [
        Change(before, after, _cause(old, new, before, after))
        for before, after in _pairs(old, new)
        if _differ(before, after)
        and any(loop is not None and loop_key(loop) in decisive for loop in (before, after))
        and not (after is None and before is not None and before["file"] in failed)
    ]
    order = {loop_key(loop): number for number, loop in enumerate(new.loops)}
    changes.sort(key=lambda change: order.get(loop_key(change.loop), len(order)))
    return Comparison(old, new, changes)


def news(old: Report, new: Report) -> Report:
    """Of the new report, the loops that the old one does not have, or had nearer to parallel.

    Files are left out of which nothing remains, unless something was lost in them that was not before.
    """
    pairs = [Change(before, after) for before, after in _pairs(old, new)]
    kept = {loop_key(c.new) for c in pairs if c.new is not None and (c.old is None or c.worse)}
    lost = set(Comparison(old, new, []).lost)
    units = []
    for unit in new.units:
        loops = [loop for loop in unit["loops"] if loop_key(loop) in kept]
        if loops or unit["file"] in lost:
            units.append({**unit, "loops": loops})
    return Report({**new.document, "units": units})


def _differ(old: Json | None, new: Json | None) -> bool:
    if old is None or new is None:
        return True
    species = old["species"] != new["species"] and new["verdict"] in PARALLEL
    return bool(old["verdict"] != new["verdict"] or species)


Key = Callable[[Json], Hashable]


def _pairs(old: Report, new: Report) -> Iterator[tuple[Json | None, Json | None]]:
    """Every loop with its counterpart: equal ones first, then such as stand for each other in a function."""
    names = {id(loop): name for report in (old, new) for loop, name in _short_names(report)}
    keys: list[Key] = [
        lambda loop: (names[id(loop)], loop["fingerprint"]),
        lambda loop: loop["fingerprint"],
        lambda loop: (names[id(loop)], loop["function"], loop["header"], loop["depth"]),
        lambda loop: (names[id(loop)], loop["function"], loop["kind"], loop["iterator"], loop["depth"]),
        lambda loop: (names[id(loop)], loop["id"]),
    ]
    before, after = list(old.loops), list(new.loops)
    for key in keys:
        found = _round(before, after, key)
        yield from found
        taken = {id(loop) for pair in found for loop in pair}
        before, after = ([loop for loop in loops if id(loop) not in taken] for loops in (before, after))
    yield from ((loop, None) for loop in before)
    yield from ((None, loop) for loop in after)


def _short_names(report: Report) -> Iterator[tuple[Json, str]]:
    """Loops with the names of their files below the directory that all files of the report are in."""
    folders = [os.path.dirname(loop["file"]) for loop in report.loops]
    top = (
        os.path.commonpath(folders) if folders and len({os.path.isabs(each) for each in folders}) == 1 else ""
    )
    for loop in report.loops:
        yield loop, os.path.relpath(loop["file"], top) if top else loop["file"]


def _round(before: list[Json], after: list[Json], key: Key) -> list[tuple[Json, Json]]:
    """The loops with equal keys, in order, where there are as many on both sides."""
    groups: dict[Hashable, tuple[list[Json], list[Json]]] = defaultdict(lambda: ([], []))
    for side, loops in enumerate((before, after)):
        for loop in loops:
            groups[key(loop)][side].append(loop)
    same = (pair for pair in groups.values() if len(pair[0]) == len(pair[1]))
    return [found for olds, news in same for found in zip(olds, news, strict=True)]


def _cause(old: Report, new: Report, before: Json | None, after: Json | None) -> Cause | None:
    """The first changed line of which the reasons speak; or the first that has changed in the loop."""
    if after is None:
        return None
    places = [
        (place["file"], place["line"], reason)
        for reason in after["reasons"]
        for place in (reason, *reason["related"])
    ]
    changed = _changed_lines(old, new, before, after) if before is not None else set[int]()
    for file, line, reason in places:
        if file == after["file"] and line in changed:
            return _line(new, file, line, True, reason)
    inside = [line for line in sorted(changed) if after["line"] <= line <= after["end_line"]]
    if inside:
        return _line(new, after["file"], inside[0], True, None)
    return _line(new, *places[0][:2], False, places[0][2]) if places else None


def _line(report: Report, file: str, line: int, changed: bool, reason: Json | None) -> Cause:
    lines = report.sources.get(file, "").split("\n")
    text = lines[line - 1].strip() if line <= len(lines) else ""
    return Cause(file, line, text, changed, reason)


def _changed_lines(old: Report, new: Report, before: Json, after: Json) -> set[int]:
    """The lines of the new file, 1-based, that the old one does not have at their place.

    Where lines are only gone, the one that has come up to their place stands for them.
    """
    first, second = (r.sources.get(x["file"], "").split("\n") for r, x in ((old, before), (new, after)))
    start = next((k for k, (a, b) in enumerate(zip(first, second, strict=False)) if a != b), None)
    if start is None:
        start = min(len(first), len(second))
    matcher = SequenceMatcher(None, first[start:], second[start:], autojunk=False)
    return {
        start + line + 1
        for tag, _, _, low, high in matcher.get_opcodes()
        if tag != "equal"
        for line in range(low, max(high, low + 1))
    }
