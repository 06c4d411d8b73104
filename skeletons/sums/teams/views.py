"""What the templates see of sums that teams of threads make."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

from skeletons.sums.teams.recognise import TeamSum, TeamSums
from skeletons.sums.tiled_reduction.texts import Device, code, depth_of, replaced, used
from skeletons.sums.tiled_reduction.views import DepthView
from species.source.syntax.expressions import text_of

if TYPE_CHECKING:
    from skeletons.kernel.views import ScalarView


@dataclass(frozen=True)
class TeamSumView:
    """A thread's own part of a sum: its name, its type, what adds to it, and the sum that it is a part of."""

    part: str
    ctype: str
    update: str
    target: str


@dataclass(frozen=True)
class TeamView:
    """The parts of an iteration; `along`: a team's threads stand along rows, else side by side in columns."""

    before: str
    after: str
    depth: DepthView
    sums: tuple[TeamSumView, ...]
    scalars: tuple[ScalarView, ...]  # to be declared by who does what stands before and after
    along: bool
    has_point: bool
    names: Mapping[str, str]  # of local variables, by role


def fitted(found: TeamSums, scalars: tuple[ScalarView, ...], device: Device) -> TeamView:
    """The view; `scalars` are the kernel's."""
    roles = ("lane", "own", "first", "here", "live", "offset")
    targets = " ".join(each.target for each in found.sums)
    privates = [scalar for scalar in scalars if scalar.role == "private"]
    return TeamView(
        before=code(found.before, device),
        after=code(found.after, device),
        depth=depth_of(found.depth, False, device),
        sums=tuple(_sum(each, device) for each in found.sums),
        scalars=used(privates, f"{found.before} {targets} {found.after}", ""),
        along=found.along,
        has_point=found.has_point,
        names={role: device.fresh(role) for role in roles},
    )


def _sum(each: TeamSum, device: Device) -> TeamSumView:
    part = device.fresh("part")
    update = text_of(replaced(each.statement, dict.fromkeys(each.places, part)))
    return TeamSumView(part, device.ctype(each.ctype), device.text(update) + ";", device.text(each.target))
