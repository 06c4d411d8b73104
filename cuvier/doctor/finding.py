"""What a check found."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from enum import Enum
from typing import TYPE_CHECKING

from cuvier.base.errors import UserError

if TYPE_CHECKING:
    from cuvier.doctor.site import Site


class Mark(Enum):
    """Is it there and does it work, is it not there, or is it there and does not work?"""

    OK = "ok"
    MISSING = "missing"
    PROBLEM = "problem"


@dataclass(frozen=True)
class Finding:
    """One line about the thing `name`; `way_out` says what to do, and is empty only where all is well."""

    name: str
    mark: Mark
    found: str
    way_out: str = ""


Check = Callable[["Site"], Finding]


def good(name: str, found: str) -> Finding:
    return Finding(name, Mark.OK, found)


def missing(name: str, found: str, way_out: str) -> Finding:
    return Finding(name, Mark.MISSING, found, way_out)


def problem(name: str, found: str, way_out: str) -> Finding:
    return Finding(name, Mark.PROBLEM, found, way_out)


def untried(name: str) -> Finding:
    """For what is built with a C compiler, where no program is."""
    return missing(name, "not tried, for want of a C compiler", "see 'C compiler' above")


def of_error(name: str, error: UserError, way_out: str) -> Finding:
    """The problem that an error of the user's input is; `way_out` where its message names none."""
    place = f"{error.position}: " if error.position else ""
    found, _, named = error.message.partition("; ")
    return problem(name, place + found, named or way_out)
