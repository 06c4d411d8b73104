"""Choosing a skeleton: of those that take the species and whose requirements are met, the cheapest."""

from __future__ import annotations

from collections.abc import Callable

from models.errors import SkeletonError
from skeletons.catalogue.descriptor import Skeleton
from skeletons.catalogue.library import Library
from skeletons.catalogue.passes import COPIED, OTHERWISE
from skeletons.catalogue.patterns import parse_pattern
from skeletons.cost.roofline import TIE, Cost, cost_of, ranked
from skeletons.cost.work import work_of
from skeletons.kernel.context import Subject
from skeletons.select.api import Choice, CompileOptions
from skeletons.select.requirements import unmet
from skeletons.select.tuned import TuningKey, key_of
from species.core.refusal import NOT_APPLICABLE, Refusal

# Raises Refusal where a skeleton cannot be instantiated; else the result is what is said of it, if anything.
Trial = Callable[[Subject, Skeleton, TuningKey], str]


def select(subject: Subject, library: Library, options: CompileOptions, trial: Trial) -> Choice:
    """Try the target's skeletons that fit, the best first, until `trial` instantiates one.  The best are
    those that the user prefers or asks for, then those that cost least.

    `why` of the result has an entry for every skeleton, or one entry named "kernel" that rules all out.
    SkeletonError where the kernel cannot get the skeleton that the user wants for it.
    """
    general = _ruled_out(subject)
    forced = options.forced.get(subject.kernel.name)
    if general is not None:
        return _checked(Choice(subject.kernel, None, (("kernel", False, general),)), forced, subject)
    every = [s for s in library.skeletons(subject.target.name) if s.asked_for in ("", *options.wanted)]
    said = {skeleton.name: _unfit(subject, skeleton) for skeleton in every}
    fitting = [skeleton for skeleton in every if said[skeleton.name] is None]
    work = work_of(subject)
    costs = {s.name: cost_of(work, s, subject.target, options.machine) for s in fitting}
    chosen: Skeleton | None = None
    key: TuningKey | None = None
    for skeleton in _ordered(fitting, costs, options.preferred, forced):
        if chosen is not None:
            said[skeleton.name] = _behind(chosen.name, skeleton.name, costs)
            continue
        own = key_of(skeleton.name, subject.facts.species, work)
        try:
            said[skeleton.name] = trial(subject, skeleton, own) or f"takes {skeleton.species}"
            chosen, key = skeleton, own
        except Refusal as refusal:
            said[skeleton.name] = str(refusal)
    why = ((s.name, s is chosen, said[s.name] or "") for s in every)
    return _checked(Choice(subject.kernel, chosen, tuple(why), work, costs, key), forced, subject)


def _unfit(subject: Subject, skeleton: Skeleton) -> str | None:
    """Why a skeleton does not take the species, or asks for what is not there."""
    if not parse_pattern(skeleton.species).matches(subject.facts.species):
        return f"the species is not of the form {skeleton.species}"
    if subject.target.name == "openmp":
        if skeleton.transform == COPIED and subject.facts.openmp:
            return NOT_APPLICABLE  # clauses say it
        if not subject.facts.openmp and skeleton.transform not in OTHERWISE:
            return "OpenMP cannot state it: not a canonical loop, or a reduction into a large array"
    try:
        return unmet(subject, skeleton.requires)
    except Refusal as refusal:
        return str(refusal)


def _behind(chosen: str, other: str, costs: dict[str, Cost]) -> str:
    faster = costs[other].seconds > TIE * costs[chosen].seconds
    return f"{chosen} is estimated to be faster" if faster else f"{chosen} comes first"


def _ordered(
    fitting: list[Skeleton], costs: dict[str, Cost], preferred: tuple[str, ...], forced: str | None
) -> list[Skeleton]:
    """Those that are to be tried, one after the other."""
    order = [skeleton for skeleton, _ in ranked([(s, costs[s.name]) for s in fitting])]
    if forced is not None:
        return [skeleton for skeleton in order if skeleton.name == forced]
    places = {name: place for place, name in enumerate(preferred)}
    return sorted(order, key=lambda s: (places.get(s.name, len(places)), not s.asked_for))


def _checked(choice: Choice, forced: str | None, subject: Subject) -> Choice:
    if forced is None or (choice.skeleton is not None and choice.skeleton.name == forced):
        return choice
    reason = next(
        (text for name, _, text in choice.why if name in (forced, "kernel")), "there is no such skeleton"
    )
    place = subject.facts.position
    raise SkeletonError(f"{place}: skeleton {forced} does not fit kernel {subject.kernel.name}: {reason}")


def _ruled_out(subject: Subject) -> str | None:
    """Why no skeleton at all can replace the loop."""
    if subject.facts.spans is None or subject.facts.position.file != subject.unit.source.path:
        return "the loop comes from a macro or from another file and cannot be replaced"
    if subject.facts.users:
        return subject.facts.users
    if subject.target.accelerator and subject.kernel.obstacles:
        return "; ".join(f"{reason.code}: {reason.message}" for reason in subject.kernel.obstacles)
    return None
