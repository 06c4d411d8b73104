"""What a callee gives back that is walked in place of its call."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from species.loops.environment import Known
from species.loops.expressions import NOTHING, Evaluated, Members
from species.loops.model import Inlining, Pointer
from species.loops.pointees import owner_of
from species.loops.walk.state import State
from species.sets.affine import CHOSEN, Affine
from species.sets.conditions import Condition, Fact
from species.sets.relevance import relevant
from species.sets.truths import chosen_among

MAX_WAYS = 8  # a choice among more is not worth the effort


@dataclass
class Frame:
    """A callee that is being walked: how many loops and conditions are around its call, the values of its
    `return`s with the conditions on the way there, and what it gives back.
    """

    inlining: Inlining
    depth: int
    start: int
    result: Evaluated = NOTHING
    learnt: list[Condition] = field(default_factory=list)  # of the value that is given back
    ways: list[tuple[tuple[Condition, ...], Evaluated]] = field(default_factory=list)
    repeated: bool = False  # a loop of the callee may give something back

    def end(self, state: State) -> None:
        """The body has been walked: finds what is given back, and keeps what is known of it."""
        if len(self.ways) == 1 and not self.repeated:
            known, self.result = self.ways[0]
            self.result = self.result._replace(members=tuple(self._told(self.result.members)))
            if isinstance(self.result.value, Affine):
                self.learnt = _facts(self.result.value, known)
        elif self._is_choice():
            chosen = state.opaque(self.inlining.call, self.inlining.result, CHOSEN)
            self.result = Evaluated(chosen, self.inlining.result)
            cases = [(known, r.value) for known, r in self.ways if isinstance(r.value, Affine)]
            self.learnt = [chosen_among(chosen, cases, tuple(state.conditions[: self.start]))]

    def _told(self, members: Members) -> Iterator[tuple[tuple[str, ...], Known]]:
        """The members of a structure, without those that are just what a variable of the callee's had."""
        for names, known in members:
            owner = owner_of(known.place) if isinstance(known, Pointer) else None
            yield names, known if owner is None or owner.symbol not in self.inlining.variables else None

    def _is_choice(self) -> bool:
        known = all(isinstance(result.value, Affine) for _, result in self.ways)
        few = 1 < len(self.ways) <= MAX_WAYS and not self.repeated
        return known and few and self.inlining.result.is_integer


def _facts(value: Affine, conditions: Sequence[Condition]) -> list[Condition]:
    """What is known of a value, wherever control goes."""
    return list(relevant([value], tuple(c for c in conditions if isinstance(c, Fact))))
