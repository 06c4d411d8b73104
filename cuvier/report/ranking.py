"""Which loops matter: where the time is, by a profile, or else by an estimate."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

from cuvier.document.model import PARALLEL, Json, Key, Report, loop_key
from cuvier.report.work import work_of
from models.prediction.boat_hull import all_cores, one_thread
from models.sizes.amounts import UNKNOWN

if TYPE_CHECKING:
    from cuvier.profiles import Profile
    from models.machine import Machine

SIZES = f"unknown sizes count as {UNKNOWN:.0f} unless the source suggests another"


@dataclass(frozen=True)
class Ranked:
    """A loop that time is won with, or not.

    `seconds` is the boat hull's estimate for one thread and one run of the program, what it calls included,
    `together` that for all cores (the same, where it is not parallel); None: nothing is known.  A serial
    loop's are without those of loops in it, or in functions that it calls, which have an entry of their own.
    `share` is the part of the time that is spent in the loop, from 0 to 1: measured, or of all estimates.
    """

    loop: Json
    seconds: float | None
    together: float | None
    share: float | None


@dataclass(frozen=True)
class Ranking:
    """The decisive loops, those with most time first."""

    order: list[Ranked]
    measured: str | None  # what kind of profile, and of which file; None: it is an estimate

    @property
    def basis(self) -> str:
        """What the shares are shares of."""
        if self.measured:
            return f"measured, {self.measured}"
        return f"estimated for one run; {SIZES}"


def ranked(report: Report, machine: Machine, profile: Profile | None = None) -> Ranking:
    """All decisive loops of the report in order."""
    times = {loop_key(loop): _seconds(loop, machine) for loop in report.decisive}
    shares = profile.shares(report, _estimated(report, times)) if profile else _estimated(report, times)
    order = [Ranked(loop, *times[loop_key(loop)], shares.get(loop_key(loop))) for loop in report.decisive]
    order.sort(key=lambda each: (-(each.share or 0.0), -(each.seconds or 0.0), loop_key(each.loop)))
    return Ranking(order, profile.title if profile else None)


Times = Mapping[Key, tuple[float | None, float | None]]


def _estimated(report: Report, times: Times) -> dict[Key, float]:
    total = sum(one or 0.0 for one, _ in times.values())
    return {key: one / total for key, (one, _) in times.items() if one is not None and total}


def _seconds(loop: Json, machine: Machine) -> tuple[float | None, float | None]:
    """With one thread, and with all cores."""
    work = work_of(loop)
    if work is None:
        return None, None
    one = one_thread(work, machine).seconds
    return one, all_cores(work, machine).seconds if loop["verdict"] in PARALLEL else one


def bound_of(loop: Json, machine: Machine) -> str | None:
    """What limits the loop on one core: "memory" or "compute"."""
    work = work_of(loop)
    return one_thread(work, machine).bound if work else None
