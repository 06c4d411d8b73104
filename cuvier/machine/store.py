"""Where descriptions are kept, and which one a command uses."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING

from cuvier.errors import UserError

if TYPE_CHECKING:
    from models.machine import Machine

BUILT_IN = "built-in"


def default_path() -> Path:
    """`cuvier/machine.yaml` where the user's settings are (XDG_CONFIG_HOME, or ~/.config)."""
    folder = os.environ.get("XDG_CONFIG_HOME", "")
    return (Path(folder) if os.path.isabs(folder) else Path.home() / ".config") / "cuvier" / "machine.yaml"


def load(named: str | None) -> Machine:
    """The machine of the file that the user names; of the default one, if it exists; or the built-in one.

    UserError where a file is missing or no valid description.
    """
    from cuvier.files import require_file
    from models.errors import SkeletonError
    from models.machine import DEFAULT, read_machine

    if named == BUILT_IN or (named is None and not default_path().exists()):
        return DEFAULT
    path = Path(named) if named is not None else default_path()
    try:
        return read_machine(require_file(path))
    except SkeletonError as error:
        again = UserError.at_place(str(error))
        way_out = f"`cuvier machine --output {path}` writes it anew"
        raise UserError(f"{again.message}; {way_out}", again.position) from error
