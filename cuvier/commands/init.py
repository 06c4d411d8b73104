"""`cuvier init`: settings for a project, from what is in it."""

from __future__ import annotations

import os
import shlex
from pathlib import Path
from typing import Annotated

import typer

from cuvier.base.errors import UserError
from cuvier.base.exits import epilog

EXAMPLES = ("cuvier init", "cuvier init --stdout ~/project", "cuvier init --force && cuvier report .")


def register(app: typer.Typer) -> None:
    app.command("init", epilog=epilog(*EXAMPLES))(write_settings)


def write_settings(
    folder: Annotated[Path, typer.Argument(metavar="DIR", help="The folder of a project.")] = Path(),
    stdout: Annotated[bool, typer.Option("--stdout", help="Print the settings; write nothing.")] = False,
    force: Annotated[bool, typer.Option("--force", help="Overwrite a cuvier.toml that is there.")] = False,
) -> None:
    """Write a cuvier.toml for a project, with a comment for each entry.

    It says which files are sources, which folders hold other people's code or what the build writes, and how
    files are compiled: by a compile_commands.json that is there or, without one, with folders of headers.

    `cuvier report` and `cuvier annotate` take what it says where the command line says nothing else.
    """
    from cuvier.base.console import emit_source

    if not folder.is_dir():
        raise UserError(f"no such directory: '{folder}'; name that of a project, or none for this one")
    if stdout:
        emit_source(_settings(folder))
    else:
        _write(folder, force)


def _settings(folder: Path) -> str:
    from cuvier.project.settings import settings_text
    from cuvier.project.survey import surveyed

    return settings_text(surveyed(folder))


def _write(folder: Path, force: bool) -> None:
    """Put the settings in their place; UserError where some are that would be lost."""
    from cuvier.base.console import tell
    from cuvier.base.files import check_output, check_writable, write_text
    from cuvier.batch.config import NAMES

    path = folder / NAMES[0]
    if os.path.lexists(path) and not force:
        raise UserError(f"'{path}' is there; --force writes it anew, --stdout shows what it would be")
    check_output(path)
    check_writable(path)
    _check_others(path, force)
    write_text(path, _settings(folder), folder)
    tell(f"written to {path}; try `cuvier report {shlex.quote(str(folder))}`\n")


def _check_others(path: Path, force: bool) -> None:
    """UserError where the folder has settings in another file, which would no longer count."""
    from cuvier.base.console import warn
    from cuvier.batch import config

    try:
        other = None if path.exists() else config.find(path.parent).path
    except UserError:  # they do not count now, either
        return
    if other is None:
        return
    if not other.parent.samefile(path.parent):
        warn(f"'{other}' no longer counts in '{path.parent}'")
    elif not force:
        raise UserError(f"'{other}' has settings, which '{path}' would hide; --force writes it all the same")
