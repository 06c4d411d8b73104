"""What the settings of a repository may decide without the user's trust.

They come with the sources, which may be a stranger's.  What names a program to run or a place to write to is
looked at when it is used, for only then is it known whether the user gave `--trust`.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from typing import Any

from cuvier.base.errors import UserError
from cuvier.batch.config import Config
from cuvier.batch.trust import Trust


def permitted(settings: Config, trusted: Callable[[], bool]) -> dict[str, Any]:
    """The values for the commands' parameters; calling one that is a function gives it, or a UserError."""
    checks = {"cc": _compiler, "cache_dir": _cache_folder}

    def checked(name: str, value: str) -> Callable[[], str]:
        return lambda: value if trusted() else checks[name](settings, value)

    return {
        name: checked(name, value) if name in checks else value for name, value in settings.values.items()
    }


def _compiler(settings: Config, command: str) -> str:
    return Trust().checked(command, settings.place_of("cc"))


def _cache_folder(settings: Config, folder: str) -> str:
    """A folder of the repository's own, all links followed."""
    base = os.path.realpath(settings.base)
    if os.path.realpath(folder).startswith(os.path.join(base, "")):
        return folder
    way_out = "give --cache-dir on the command line, or --trust"
    raise UserError(
        f"'cache-dir' is '{folder}', which is not below '{settings.base}'; {way_out}",
        settings.place_of("cache-dir"),
    )
