"""`cuvier profile`: measure what launches of a program with versions take."""

from __future__ import annotations

import json as json_text
import re
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from cuvier.base.errors import UserError
from cuvier.base.exits import Exit, epilog
from cuvier.commands.common.generation import Arguments, AsJson, Timeout

if TYPE_CHECKING:
    from cuvier.launch_tables.session import Vary
    from cuvier.launch_tables.store import Measured
    from cuvier.launch_tables.versioned_program import VersionedProgram

EXAMPLES = (
    "cuvier compile app.c --target opencl,openmp -o out",
    "cuvier profile out -- 1000 input.txt",
    "cuvier profile out --vary 1=64:2048 --budget 120 -- 64 input.txt",
    "cuvier profile out --show --svg tables.svg",
)
_VARIED = re.compile(r"([1-9]\d*)=([1-9]\d*):([1-9]\d*)")
Folder = Annotated[
    Path, typer.Argument(metavar="DIR", help="A program that `cuvier compile --target DEVICE,HOST` wrote.")
]


def register(app: typer.Typer) -> None:
    app.command("profile", epilog=epilog(*EXAMPLES))(profile)


def profile(
    folder: Folder,
    arguments: Arguments = None,
    vary: Annotated[
        str | None,
        typer.Option(
            "--vary",
            metavar="K=LOW:HIGH",
            help="Run with values from LOW to HIGH of the K-th argument, as many as the tables need.",
        ),
    ] = None,
    budget: Annotated[
        float, typer.Option("--budget", metavar="SECONDS", min=1.0, help="Vary no further after SECONDS.")
    ] = 60.0,
    again: Annotated[bool, typer.Option("--again", help="Forget what was measured before.")] = False,
    show: Annotated[bool, typer.Option("--show", help="Show the tables, and measure nothing.")] = False,
    svg: Annotated[
        Path | None, typer.Option("--svg", metavar="OUT.svg", help="Also draw the tables.")
    ] = None,
    json: AsJson = False,
    timeout: Timeout = 60.0,
) -> None:
    """Measure what launches take, by each version of each kernel, so that the program chooses by tables.

    The program in DIR is run with the arguments, on the device and with 1, 2, 4, ... threads, twice each,
    and every launch is timed.  What was measured is kept in DIR, and the program is built again with it; runs
    with other arguments add to it.  What is measured already is not measured again.
    """
    from cuvier.base.console import emit, tell
    from cuvier.launch_tables.store import as_json, load
    from cuvier.launch_tables.tables_text import of_tables
    from cuvier.launch_tables.versioned_program import VersionedProgram

    program = VersionedProgram.read(folder)
    if not show:
        _measure(program, tuple(arguments or ()), _varied(vary), (budget, timeout), again)
    measured = load(program)
    if measured is None:
        raise UserError(f"{folder}: nothing was measured yet: `cuvier profile {folder} -- ARGS` does")
    if svg is not None:
        _draw(measured, svg)
    stale = _stale(program, measured)
    emit(json_text.dumps(as_json(measured), indent=1) + "\n") if json else tell(of_tables(measured, stale))
    raise typer.Exit(Exit.NEGATIVE if stale else Exit.OK)


def _varied(text: str | None) -> Vary | None:
    from cuvier.launch_tables.session import Vary

    if text is None:
        return None
    match = _VARIED.fullmatch(text)
    if match is None or int(match[2]) >= int(match[3]):
        raise UserError(f"--vary takes K=LOW:HIGH, as in --vary 1=64:2048, not '{text}'")
    return Vary(*map(int, match.groups()))


def _measure(
    program: VersionedProgram,
    arguments: tuple[str, ...],
    vary: Vary | None,
    limits: tuple[float, float],
    again: bool,
) -> None:
    """Build, run and build again."""
    from cuvier.base.console import warn
    from cuvier.base.progress_bars import budget_bar
    from cuvier.launch_tables.session import Session
    from cuvier.launch_tables.store import json_path
    from cuvier.launch_tables.versioned_program import ProgramFailed
    from cuvier.machine.processor import name

    if again:
        json_path(program).unlink(missing_ok=True)
    program.build()
    with budget_bar(limits[0], "Measuring") as told:
        session = Session(program, name(), limits, told, warn)
        try:
            session.profile(arguments, vary)
        except ProgramFailed as failed:
            raise UserError(f"{program.folder / program.name}: {failed}") from failed
    program.build()


def _draw(measured: Measured, path: Path) -> None:
    from cuvier.base.files import check_output, write_text
    from cuvier.launch_tables.tables_picture import drawn

    check_output(path)
    write_text(path, drawn(measured), path.parent)


def _stale(program: VersionedProgram, measured: Measured) -> list[str]:
    """Why tables are of no use, or of less."""
    from cuvier.machine.processor import name

    others = [kernel for kernel, text in program.hashes.items() if measured.hashes.get(kernel, text) != text]
    found = [f"{kernel} was compiled anew since" for kernel in others]
    here = name()
    return [*found, *([f"this machine is another one: {here}"] if here != measured.processor else [])]
