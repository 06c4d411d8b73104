"""Where descriptions are kept, and which one a command uses."""

from __future__ import annotations

import os
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from cuvier.base.errors import UserError
from cuvier.machine.known_machines import path_of, similar

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
    """The machine that the user, or $CUVIER_MACHINE, names; that of the default file, if it exists.

    Else it is this machine, as the system describes it.  A name is that of a file, of a known machine
    (`cuvier machine --list`), or `built-in`, which is the same everywhere.  UserError where there is no such
    file and no such machine, or where the file is no valid description.
    """
    from models.machine import DEFAULT

    named = named if named is not None else os.environ.get(VARIABLE) or None
    if named == BUILT_IN:
        return DEFAULT
    if named is None and not default_path().exists():
        from cuvier.machine.system import read_system

        return read_system()
    return _of_file(default_path()) if named is None else _named(named)


def file_of(named: str) -> Path:
    """The file with the description of that name: the user's own, or a known machine's."""
    own, known = Path(named), path_of(named)
    if known is None and not own.exists() and own.parent == Path() and not own.suffix:
        raise UserError(f"no such file, and no known machine: '{named}'; {similar(named)}")
    return own if known is None or own.exists() else known


def _named(named: str) -> Machine:
    path = file_of(named)
    found = _of_file(path)
    return found if path == Path(named) else replace(found, origin=named)


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
