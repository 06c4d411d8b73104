"""What the user switches on: `--with NAME`, checked against what a target has, and what came of it."""

from __future__ import annotations

from collections.abc import Iterable

from models.errors import SkeletonError
from skeletons.catalogue.descriptor import Target
from skeletons.catalogue.passes import OF_SKELETONS, ORDER, VECTORISE
from skeletons.schedule.pipelines.registry import PASSES, requestable
from skeletons.select.api import Choice, CompileOptions

_FORCED = frozenset(each.name for each in PASSES if each.can_be_forced)


def check_wanted(target: Target, options: CompileOptions) -> None:
    """SkeletonError for what the target does not have, and for what is to be left out as well."""
    known = requestable(target)
    for name in sorted(options.wanted):
        if name in options.without:
            raise SkeletonError(f"--with {name} and --without {name} contradict each other")
        if name == ORDER and not options.orders:
            raise SkeletonError("--with order: say which, such as order=tile(8,16) (docs/cache.md)")
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
    return sorted(name for name in wanted if name in (*_FORCED, *OF_SKELETONS) and name not in made)
