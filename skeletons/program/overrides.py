"""What the user says of the choice of skeletons: `--skeleton NAME` and `--skeleton KERNEL=NAME`."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

from models.errors import SkeletonError
from skeletons.catalogue.library import Library
from skeletons.schedule.pipelines.registry import NEST_PASSES
from skeletons.schedule.schedules import NESTS
from skeletons.select.api import Choice, CompileOptions
from species.facts.loops import LoopFacts, UnitFacts

if TYPE_CHECKING:
    from species.facts import Scop


NONE = "none"  # in place of a skeleton: the kernel stays on the host


def parse_overrides(texts: Iterable[str]) -> tuple[tuple[str, ...], dict[str, str]]:
    """The skeletons for all kernels, in order, and those for one kernel each."""
    pairs = [text.partition("=") for text in texts]
    everywhere = tuple(dict.fromkeys(name for name, equals, _ in pairs if not equals))
    return everywhere, {kernel: name for kernel, equals, name in pairs if equals}


def check_overrides(target: str, library: Library, options: CompileOptions) -> None:
    """SkeletonError for a skeleton that the target does not have."""
    every = {skeleton.name: skeleton for skeleton in library.skeletons(target)}
    known = {*every, *(NONE for name in options.forced.values() if name == NONE)}
    known |= {NESTS.name} if library.target(target).schedules else set()
    for name in (*options.preferred, *options.forced.values()):
        asked_for = every[name].asked_for if name in every else ""
        if asked_for and asked_for not in options.wanted:
            raise SkeletonError(f"skeleton {name} is taken only with --with {asked_for}")
        if name not in known:
            if name in NEST_PASSES:
                raise SkeletonError(
                    f"{name!r} is no skeleton, but a transformation of whole nests"
                    " (docs/transformations.md): --with and --without switch it on and off"
                )
            raise SkeletonError(
                f"no skeleton {name!r}; target {target} has {', '.join(sorted(known))} (`cuvier skeletons`)"
            )


def takes_nests(scop: Scop, facts: UnitFacts, options: CompileOptions) -> bool:
    """May a static control part be reordered, or is a skeleton wanted for one of its loops?"""
    if options.preferred and NESTS.name not in options.preferred:
        return False
    inside = (loop for loop in facts.loops if loop.spans and loop.kernel)
    names = {
        loop.kernel.name
        for loop in inside
        if loop.kernel and loop.spans and scop.span.start <= loop.spans.whole.start < scop.span.end
    }
    if names & options.left.keys():
        return False
    return not any(options.forced.get(name, NESTS.name) != NESTS.name for name in names)


def why_left(kernel: str, options: CompileOptions) -> str:
    """Why a kernel stays on the host, where somebody wants that; else empty."""
    wanted = f"--skeleton {kernel}={NONE}" if options.forced.get(kernel) == NONE else ""
    return options.left.get(kernel, wanted)


def check_taken(choices: Sequence[Choice], loops: Sequence[LoopFacts], options: CompileOptions) -> None:
    """SkeletonError where a wanted skeleton was not taken, with the reasons."""
    chosen = {choice.kernel.name: choice for choice in choices}
    for kernel, name in options.forced.items():
        if kernel not in chosen:
            raise SkeletonError(_unknown(kernel, name, chosen, loops))
        got = chosen[kernel].skeleton
        if got is None and name == NONE:
            continue
        if got is None or got.name != name:  # whole nests: the others were checked one by one
            raise SkeletonError(
                f"skeleton {name} does not fit kernel {kernel}: it is a whole nest; name one of its loops"
            )
    for name in options.preferred:
        if not any(choice.skeleton and choice.skeleton.name == name for choice in choices):
            raise SkeletonError(f"skeleton {name} fits no kernel: {_refusals(name, choices)}")


def check_partition(choices: Sequence[Choice], options: CompileOptions) -> None:
    """SkeletonError for kernels that are not there."""
    names = [choice.kernel.name for choice in choices]
    for kernel, axis in options.partition.items():
        if kernel not in names:
            known = ", ".join(names) or "none"
            raise SkeletonError(
                f"--partition {kernel}={axis}: no kernel {kernel!r}; there are {known} (--explain lists them)"
            )


def check_orders(choices: Sequence[Choice], options: CompileOptions) -> None:
    """SkeletonError for orders of threads of kernels that are not there."""
    names = [choice.kernel.name for choice in choices]
    for kernel, order in options.orders.items():
        if kernel and kernel not in names:
            known = ", ".join(names) or "none"
            raise SkeletonError(
                f"order={kernel}:{order}: no kernel {kernel!r}; there are {known} (--explain lists them)"
            )


def _unknown(kernel: str, name: str, chosen: dict[str, Choice], loops: Sequence[LoopFacts]) -> str:
    if any(loop.kernel is not None and loop.kernel.name == kernel for loop in loops):
        return f"skeleton {name} does not fit kernel {kernel}: it lies in another one, which is replaced"
    return f"no kernel {kernel!r}; there are {', '.join(chosen) or 'none'} (--explain lists them)"


def _refusals(name: str, choices: Sequence[Choice]) -> str:
    said = (
        f"{choice.kernel.name}: {text}"
        for choice in choices
        for candidate, _, text in choice.why
        if candidate in (name, "kernel")
    )
    return "; ".join(said) or "there is none that it could be tried on"
