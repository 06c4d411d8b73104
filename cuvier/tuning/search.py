"""The search: one parameter after the other, doubled and halved as long as that makes the kernel faster."""

from __future__ import annotations

from collections.abc import Generator, Sequence
from dataclasses import dataclass, field
from math import inf

from skeletons.catalogue.descriptor import Parameter

GAIN = 0.98  # what is not faster by so much is noise
Values = dict[str, int]


@dataclass
class Search:
    """A coordinate descent.  `propose` gives values to be measured, `tell` takes the seconds they took.

    The first proposal is `start`.  Values that do not run take `inf` seconds.
    """

    parameters: Sequence[Parameter]
    start: Values
    best: Values = field(default_factory=dict)
    seconds: float = inf
    first: float = inf  # what the start took
    _steps: Generator[Values, float, None] | None = None
    _open: Values | None = None
    _known: dict[tuple[int, ...], float] = field(default_factory=dict)

    def propose(self) -> Values | None:
        """What to measure next; None: nothing more."""
        if self._steps is None:
            self.best = dict(self.start)
            self._steps = self._descent()
            self._open = next(self._steps, None)
        return self._open

    def tell(self, seconds: float) -> None:
        """The result of the last proposal."""
        assert self._steps is not None and self._open is not None
        if self.first == inf and self._open == self.start:
            self.first = seconds
        try:
            self._open = self._steps.send(seconds)
        except StopIteration:
            self._open = None

    @property
    def tried(self) -> int:
        """How many different values were measured."""
        return len(self._known)

    def _descent(self) -> Generator[Values, float, None]:
        yield from self._measured(self.start)
        better = self.seconds < inf
        while better:
            better = False
            for parameter in self.parameters:
                for factor in (2.0, 0.5):
                    moved = yield from self._walk(parameter, factor)
                    better = better or moved
                    if moved:
                        break

    def _walk(self, parameter: Parameter, factor: float) -> Generator[Values, float, bool]:
        """Go on in one direction while it helps; did it?"""
        moved = False
        while True:
            value = int(self.best[parameter.name] * factor)
            if not max(1, parameter.low) <= value <= parameter.high:
                return moved
            before = self.seconds
            yield from self._measured({**self.best, parameter.name: value})
            if self.seconds >= before:
                return moved
            moved = True

    def _measured(self, values: Values) -> Generator[Values, float, None]:
        """Measure values that are new, and keep them if they are the best so far."""
        point = tuple(values[parameter.name] for parameter in self.parameters)
        if point in self._known:
            return
        seconds = yield values
        self._known[point] = seconds
        if seconds < GAIN * self.seconds:
            self.best, self.seconds = values, seconds
