"""What a renderer is given: the report, the order of its loops, and what the user wants to see of it."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

from cuvier.document.model import Json, Report
from cuvier.report.ranking import Ranking, ranked

if TYPE_CHECKING:
    from cuvier.profiles import Profile
    from models.machine import Machine

TOP = 10  # loops in the list of those that matter


@dataclass(frozen=True)
class View:
    """A report, to be rendered.

    `top`: how many loops the list of those that matter has; None: as the format likes.  `serial`: formats
    that list opportunities list the other loops, too.  `tuples`: characterisations are shown.  `verbose`:
    conditions are shown as C, too.  `predictions`: those for some machines (`cuvier.report.predictions`).
    """

    report: Report
    machine: Machine
    profile: Profile | None = None
    top: int | None = None
    serial: bool = False
    tuples: bool = False
    verbose: bool = False
    predictions: Json | None = None

    @cached_property
    def ranking(self) -> Ranking:
        """The loops in the order in which they matter."""
        return ranked(self.report, self.machine, self.profile)
