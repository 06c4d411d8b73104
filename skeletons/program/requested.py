"""What the user switches on: `--with NAME`, checked against what a target has, and what came of it."""

from __future__ import annotations

from collections.abc import Iterable

from models.errors import SkeletonError
from skeletons.catalogue.descriptor import Target
from skeletons.catalogue.features import FEATURES, OF_SKELETONS
from skeletons.schedule.pipelines.pipeline import SUMMARIES, THRESHOLD, VECTORISE
from skeletons.select.api import Choice, CompileOptions

# What can be made wherever it is legal.
FORCED = {name: text for name, text in SUMMARIES.items() if name not in (VECTORISE, THRESHOLD)}


def names_of(target: Target) -> dict[str, str]:
    """All that `--with` takes for a target, with what it means."""
    features = {name: FEATURES[name] for name in target.features}
    return {**FORCED, **features} if target.schedules else features


def check_wanted(target: Target, options: CompileOptions) -> None:
    """SkeletonError for what the target does not have, and for what is to be left out as well."""
    known = names_of(target)
    for name in sorted(options.wanted):
        if name in options.without:
            raise SkeletonError(f"--with {name} and --without {name} contradict each other")
        if name == VECTORISE and target.schedules:
            raise SkeletonError(f"--with {name}: loops are marked for vectors wherever that is legal")
        if name not in known:
            choices = f"it takes {', '.join(sorted(known))}" if known else "nothing can be switched on for it"
            raise SkeletonError(f"--with {name}: target {target.name} has no {name!r}; {choices}")


def unmade(wanted: Iterable[str], choices: Iterable[Choice]) -> list[str]:
    """What was asked for and has changed nothing, as far as one can tell."""
    made = {step for choice in choices for step in choice.steps}
    made |= {name for choice in choices for name, taken, _ in choice.why if taken and name in OF_SKELETONS}
    made |= {choice.skeleton.asked_for for choice in choices if choice.skeleton is not None}
    return sorted(name for name in wanted if name in (*FORCED, *OF_SKELETONS) and name not in made)
