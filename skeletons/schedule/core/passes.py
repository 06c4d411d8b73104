"""Passes over nests: what one is, and how they are run one after the other."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from functools import partial

from skeletons.catalogue.passes import Pass
from skeletons.schedule.core.effort import MOST, STEP, attempted
from skeletons.schedule.core.model import ScopModel
from skeletons.schedule.core.tree import Tree
from skeletons.sums.contraction import Contraction
from species.facts import ScopStatement

Recognise = Callable[[ScopModel, str], Contraction | None]
Same = Callable[[ScopStatement, ScopStatement, Mapping[str, str]], bool]


@dataclass(frozen=True)
class Nest:
    """The statements of a static control part, and the order in which they run."""

    model: ScopModel
    tree: Tree

    def ordered(self, tree: Tree) -> Nest:
        """The same statements in another order."""
        return replace(self, tree=tree)

    def differs(self, other: Nest) -> bool:
        """Are there other statements, or do they run in another order?"""
        return self.model is not other.model or self.tree != other.tree


@dataclass(frozen=True)
class Settings:
    """What passes over a nest may do, and whom they ask.

    With `reorder`, sums may be computed in another order.  `recognise` finds contractions.  `same(one, other,
    names)` says whether two statements read the same with these names for iterators of the other.  Passes
    named in `without` are left out.
    """

    recognise: Recognise
    same: Same
    reorder: bool
    without: frozenset[str] = frozenset()

    def takes(self, step: NestPass) -> bool:
        """Is the pass made, where it finds something to do?"""
        return step.name not in self.without and (self.reorder or not step.reorders_sums)


@dataclass(frozen=True)
class NestPass(Pass):
    """A pass over a nest; `apply` gives the nest as it was where there is nothing to do.

    What it gives is legal by the model's dependences.
    """

    apply: Callable[[Nest, Settings], Nest] = lambda nest, _: nest
    marks_only: bool = False  # it says something of loops, and changes none: no step of its own

    def doing(self, apply: Callable[[Nest, Settings], Nest]) -> NestPass:
        """The same pass, as another target makes it."""
        return replace(self, apply=apply)


def on_trees(step: Callable[[ScopModel, Tree], Tree]) -> Callable[[Nest, Settings], Nest]:
    """What a pass does that orders the same statements, and asks nobody but their model."""
    return lambda nest, _: nest.ordered(step(nest.model, nest.tree))


def run(passes: Iterable[NestPass], nest: Nest, settings: Settings) -> tuple[Nest, tuple[str, ...]]:
    """What passes make of a nest one after the other, and the names of those that changed it.

    One that takes too long changes nothing, unless the user asks for it.
    """
    steps: list[str] = []
    for step in passes:
        if not settings.takes(step):
            continue
        effort = MOST if step.name in nest.model.wanted else STEP
        new = attempted(partial(step.apply, nest, settings), effort)
        if new is not None:
            steps += [step.name] if not step.marks_only and new.differs(nest) else []
            nest = new
    return nest, tuple(steps)
