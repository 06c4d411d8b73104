"""Where descriptions are kept, and which one a command uses."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING

from cuvier.base.errors import UserError

if TYPE_CHECKING:
    from models.machine import Machine

BUILT_IN = "built-in"
SYSTEM = "read from the system"  # the origin of a machine that nobody measured
VARIABLE = "CUVIER_MACHINE"


def default_path() -> Path:
    """`cuvier/machine.yaml` where the user's settings are (XDG_CONFIG_HOME, or ~/.config)."""
    folder = os.environ.get("XDG_CONFIG_HOME", "")
    return (Path(folder) if os.path.isabs(folder) else Path.home() / ".config") / "cuvier" / "machine.yaml"


def load(named: str | None) -> Machine:
    """The machine of the file that the user names, or $CUVIER_MACHINE; of the default one, if it exists.

    Else it is this machine, as the system describes it; `built-in` names the one that is the same everywhere.
    UserError where a file is missing or no valid description.
    """
    from models.machine import DEFAULT

    named = named if named is not None else os.environ.get(VARIABLE) or None
    if named == BUILT_IN:
        return DEFAULT
    if named is None and not default_path().exists():
        from cuvier.machine.system import read_system

        return read_system()
    return _of_file(Path(named) if named is not None else default_path())


def _of_file(path: Path) -> Machine:
    from cuvier.base.files import require_file
    from models.errors import SkeletonError
    from models.machine import read_machine

    try:
        return read_machine(require_file(path))
    except SkeletonError as error:
        again = UserError.at_place(str(error))
        way_out = f"`cuvier machine --output {path}` writes it anew"
        raise UserError(f"{again.message}; {way_out}", again.position) from error
