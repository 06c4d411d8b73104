"""`cuvier doctor`: what there is on this machine, and how to get the rest."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from cuvier.base.errors import UserError
from cuvier.base.exits import Exit, epilog
from cuvier.commands.common.options import Compiler

if TYPE_CHECKING:
    from cuvier.doctor.examine import Found

EXAMPLES = (
    "cuvier doctor",
    "cuvier doctor ~/project",
    "cuvier doctor --cc clang",
    "cuvier doctor --json | jq '.checks[] | select(.mark != \"ok\")'",
)


def register(app: typer.Typer) -> None:
    app.command("doctor", epilog=epilog(*EXAMPLES))(examine)


def examine(
    project: Annotated[
        Path, typer.Argument(metavar="DIR", help="Whose settings and build are looked at.")
    ] = Path(),
    json: Annotated[bool, typer.Option("--json", help="Print what was found as JSON.")] = False,
    cc: Compiler = None,
) -> None:
    """Say what there is on this machine, what is missing, and how to get it.

    Small programs are built and run to find out: with the C compiler, with OpenMP, on an OpenCL device, with
    nvcc and on a GPU.  Nothing is changed, and nothing is run that a project names.

    The exit status is 1 if something is missing of what every use needs, the first section.  What the others
    list is needed for a target, or is good to have.
    """
    import tempfile

    from cuvier.doctor.examine import examination, lacking
    from cuvier.doctor.site import Site

    if not project.is_dir():
        raise UserError(f"no such directory: '{project}'; name that of a project, or none for this one")
    with tempfile.TemporaryDirectory(prefix="cuvier-doctor-") as folder:
        found = _told(examination(Site(cc, Path(folder), project)), json)
    if lacking(found):
        raise typer.Exit(Exit.NEGATIVE)


def _told(examination: Iterator[Found], as_json: bool) -> list[Found]:
    """All that is found, which is printed meanwhile."""
    from cuvier.base.console import colours_wanted, emit
    from cuvier.doctor import text

    found: list[Found] = []
    if as_json:
        found.extend(examination)
        emit(text.as_json(found))
        return found
    for line in text.lines(_kept(examination, found), colours_wanted()):
        emit(f"{line}\n")
    emit(f"{text.summary(found)}\n")
    return found


def _kept(examination: Iterator[Found], found: list[Found]) -> Iterator[Found]:
    for each in examination:
        found.append(each)
        yield each
