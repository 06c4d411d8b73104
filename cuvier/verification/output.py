"""Compares what two programs printed, and explains the lines that differ."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from itertools import zip_longest

from cuvier.verification.evidence import Evidence
from cuvier.verification.explain import TOLERANCES, close
from cuvier.verification.result import Cause, OutputResult
from cuvier.verification.sensitivity import MARGIN
from cuvier.verification.trial import Trial

_NUMBER = re.compile(r"[-+]?(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?")


@dataclass(frozen=True)
class Text:
    """What a program printed, without the lines that are not to be compared."""

    lines: tuple[str, ...]
    ignored: int = 0

    @staticmethod
    def of(printed: bytes, ignore: Sequence[re.Pattern[str]] = ()) -> Text:
        """The lines in which none of the patterns is found."""
        lines = printed.decode("latin-1").split("\n")
        kept = tuple(line for line in lines if not any(pattern.search(line) for pattern in ignore))
        return Text(kept, len(lines) - len(kept))


def compare_output(original: bytes, generated: bytes, exact: bool) -> OutputResult:
    """Byte by byte; with `exact` off, numbers may differ by the tolerance of doubles.

    Printed numbers are rounded: they may also differ by one unit of their last printed decimal.
    """
    ours, theirs = Text.of(original), Text.of(generated)
    left = [k for k in _differing(ours, theirs) if exact or not _similar(ours, theirs, k)]
    if left:
        return OutputResult(False, _told(ours, theirs, left[0]), (Cause.ERROR,))
    rounded = original != generated
    message = f"{len(original)} bytes, equal{' but for rounding' if rounded else ''}"
    return OutputResult(True, message, (Cause.SUMS,) if rounded else ())


class OutputExplainer:
    """For the output of two programs; `rounded`: their numbers may differ by rounding."""

    def __init__(
        self, original: Trial, evidence: Evidence, ignore: Sequence[re.Pattern[str]], rounded: bool
    ) -> None:
        self._evidence, self._ignore, self._rounded = evidence, ignore, rounded
        self._trial, self._ours = original, self._text(original)

    def result(self, generated: Trial) -> OutputResult:
        """What became of the output and of the exit status."""
        compared = self._compared(generated)
        ended = self._ended(generated)
        causes = tuple(dict.fromkeys((*compared.causes, *ended.causes)))
        return replace(compared if ended.ok else ended, causes=causes)

    def _ended(self, generated: Trial) -> OutputResult:
        ours, theirs = self._trial.outcome, generated.outcome
        if ours.status == theirs.status:
            return OutputResult(True, "")
        for cause, trials in self._trials():
            if any(trial.outcome.status != ours.status for trial in trials):
                return OutputResult(True, "", (cause,))
        message = f"the original {ours.ending}; the generated program {theirs.ending}"
        return OutputResult(False, f"{message}: {theirs.complaint}".rstrip(": "), (Cause.ERROR,))

    def _compared(self, generated: Trial) -> OutputResult:
        theirs = self._text(generated)
        left, causes = _differing(self._ours, theirs), []
        for cause, trials in self._trials() if left else ():
            others = [self._text(trial) for trial in trials]
            rest = [k for k in left if not self._explains(cause, others, theirs, k)]
            causes += [cause] if rest != left else []
            left = rest
            if not left:
                break
        if left and self._explained_by_order(theirs, left):
            left, causes = [], [*causes, Cause.SUMS]
        if left:
            return OutputResult(False, _told(self._ours, theirs, left[0]), (*causes, Cause.ERROR))
        return OutputResult(True, self._message(causes), tuple(causes))

    def _message(self, causes: Sequence[Cause]) -> str:
        count = f"{len(self._trial.outcome.stdout)} bytes, equal"
        but = f" but for: {', '.join(causes)}" if causes else ""
        return count + but + (f"; {self._ours.ignored} lines ignored" if self._ours.ignored else "")

    def _text(self, trial: Trial) -> Text:
        return Text.of(trial.outcome.stdout, self._ignore)

    def _trials(self) -> Iterable[tuple[Cause, tuple[Trial, ...]]]:
        """Other runs of the original, one kind after the other."""
        if self._rounded:
            yield Cause.FUNCTIONS, self._evidence.functions
            yield Cause.SUMS, self._evidence.sums
        yield Cause.ITSELF, _those((self._evidence.again,))
        yield Cause.UNWRITTEN, _those((self._evidence.filled,))
        yield Cause.COMPILER, self._evidence.rebuilt

    def _explains(self, cause: Cause, others: Sequence[Text], theirs: Text, line: int) -> bool:
        """Do the other texts differ in this line as well, and in a numbers' value by as much?"""
        if cause is Cause.COMPILER:
            return any(not _differing(each, theirs) for each in others)
        differing = [each for each in others if line in _differing(self._ours, each)]
        if cause not in (Cause.FUNCTIONS, Cause.SUMS):
            return bool(differing)
        if not _alike(_line(self._ours, line), _line(theirs, line)):
            return any(not _alike(_line(self._ours, line), _line(each, line)) for each in differing)
        return bool(others) and self._near(others, theirs, line)

    def _near(self, others: Sequence[Text], theirs: Text, line: int) -> bool:
        """Is each number near ours, for what the samples differ by and for its last printed decimal?"""
        ours, found = _numbers(_line(self._ours, line)), _numbers(_line(theirs, line))
        samples = [_numbers(_line(each, line)) for each in others]
        for k, (a, b) in enumerate(zip(ours, found, strict=True)):
            far = [abs(float(a) - float(each[k])) for each in samples if len(each) == len(ours)]
            least = MARGIN * max(far, default=0.0) + 1.001 * max(_last_place(a), _last_place(b))
            if a != b and not close(float(a), float(b), 0.0, least):
                return False
        return True

    def _explained_by_order(self, theirs: Text, left: Sequence[int]) -> bool:
        if not self._rounded or not all(_similar(self._ours, theirs, k) for k in left):
            return False
        return self._evidence.threads_add or bool(self._evidence.sums and self._evidence.strict)


def _those(trials: Sequence[Trial | None]) -> tuple[Trial, ...]:
    return tuple(trial for trial in trials if trial is not None)


def _differing(ours: Text, theirs: Text) -> list[int]:
    """The numbers of the lines that differ, from 0."""
    return [k for k, (a, b) in enumerate(zip_longest(ours.lines, theirs.lines)) if a != b]


def _line(text: Text, number: int) -> str | None:
    return text.lines[number] if number < len(text.lines) else None


def _told(ours: Text, theirs: Text, number: int) -> str:
    return f"line {number + 1}: {_shown(_line(ours, number))} became {_shown(_line(theirs, number))}"


def _shown(line: str | None) -> str:
    if line is None:
        return "no line"
    return repr(line if len(line) <= 60 else line[:57] + "...")


def _numbers(line: str | None) -> list[str]:
    return _NUMBER.findall(line or "")


def _alike(a: str | None, b: str | None) -> bool:
    """Are the two the same but for their numbers?"""
    if a is None or b is None:
        return a is b
    return [text.split() for text in _NUMBER.split(a)] == [text.split() for text in _NUMBER.split(b)]


def _similar(ours: Text, theirs: Text, number: int) -> bool:
    a, b = _line(ours, number), _line(theirs, number)
    return _alike(a, b) and all(map(_near, _numbers(a), _numbers(b)))


def _near(a: str, b: str) -> bool:
    unit = max(_last_place(a), _last_place(b))
    return a == b or close(float(a), float(b), TOLERANCES["d"].relative, 1.001 * unit)


def _last_place(number: str) -> float:
    """What one unit of the last printed decimal is worth; 0 for integers."""
    mantissa, _, exponent = number.lower().partition("e")
    if not exponent and "." not in mantissa:
        return 0.0
    return float(f"1e{int(exponent or 0) - len(mantissa.partition('.')[2])}")
