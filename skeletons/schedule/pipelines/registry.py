"""All passes: what `--with` and `--without` take, and what `cuvier skeletons` lists, is made from them."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from models.errors import SkeletonError
from skeletons.catalogue.descriptor import Target
from skeletons.catalogue.passes import PROGRAM_PASSES, SCAN, Kind, Pass
from skeletons.schedule.pipelines import cores, devices, hosts

_PIPELINES: dict[Kind, Iterable[Pass]] = {
    "hosts": hosts.PASSES,
    "cores": cores.PASSES,
    "devices": devices.PASSES,
}
_UNNAMED = frozenset({hosts.SHARE.name, cores.SET_APART.name})  # nobody can leave them out


def _nest_passes() -> tuple[Pass, ...]:
    """The passes over nests, each with the kinds of targets in whose pipelines it stands."""
    found: dict[str, Pass] = {}
    for kind, passes in _PIPELINES.items():
        for each in passes:
            known = found.get(each.name, each)
            found[each.name] = replace(known, kinds=known.kinds | {kind})
    return tuple(each for name, each in found.items() if name not in _UNNAMED)


PASSES = (*_nest_passes(), *PROGRAM_PASSES)
NEST_PASSES = frozenset(each.name for each in PASSES if each.kinds & set(_PIPELINES))


def kinds_of(target: Target, patterns: Iterable[str] = ()) -> frozenset[Kind]:
    """What a target is to passes; `patterns` are those that its skeletons serve.

    Nests for accelerators are ordered for devices, or for cores where the device is a CPU.
    """
    kinds: set[Kind] = set()
    if target.schedules:
        kinds.add("hosts")
    if target.accelerator:
        kinds |= {"accelerators", "devices"}
    if target.cpus:
        kinds.add("cores")
    if SCAN in patterns:
        kinds.add("scans")
    return frozenset(kinds)


def passes_of(target: Target, patterns: Iterable[str] = ()) -> list[Pass]:
    """What is done for a target without being asked for, and can be left out."""
    kinds = kinds_of(target, patterns)
    return [each for each in PASSES if each.kinds & kinds]


def requestable(target: Target) -> dict[str, Pass]:
    """All that `--with` takes for a target, by name."""
    forced = (each for each in PASSES if each.can_be_forced and "hosts" in each.kinds & kinds_of(target))
    features = (each for each in PASSES if "features" in each.kinds and each.name in target.features)
    return {each.name: each for each in (*forced, *features)}


def check_names(names: Iterable[str]) -> None:
    """SkeletonError for a name that `--without` does not take."""
    known = {each.name for each in PASSES if "features" not in each.kinds}
    for name in names:
        if name not in known:
            raise SkeletonError(f"unknown transformation {name!r}; choose among {', '.join(sorted(known))}")
