"""From a file to a profile, whatever tool has written it."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from cuvier.base.errors import UserError
from cuvier.base.files import read_text, require_file
from cuvier.profiles.callgrind import read_callgrind
from cuvier.profiles.gprof import read_gprof
from cuvier.profiles.perf import read_perf
from cuvier.profiles.profile import Profile

Reader = Callable[[str, str], Profile | None]  # of a name and a text; None: that is another kind of file
READERS: tuple[Reader, ...] = (read_callgrind, read_gprof, read_perf)


def read_profile(path: Path) -> Profile:
    """The profile in a file; UserError where it is none that is known, or an empty one."""
    text = read_text(require_file(path))
    profile = next((found for read in READERS if (found := read(path.name, text)) is not None), None)
    if profile is None:
        raise UserError(
            f"'{path}' is no profile that Cuvier knows; write one with `gprof -b -p PROGRAM > FILE`,"
            " `perf script -F +srcline > FILE`"
            " or `valgrind --tool=callgrind --callgrind-out-file=FILE PROGRAM`"
        )
    if not profile.total:
        raise UserError(
            f"'{path}' is a profile of {profile.kind} without any time in it; let the program run longer"
        )
    return profile
