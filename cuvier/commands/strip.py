"""`cuvier strip`: take annotations out again."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from cuvier.base.errors import UserError
from cuvier.base.exits import epilog
from cuvier.base.option_groups import flattened
from cuvier.commands.common.many import Paths, SelectionOptions, selection_for
from species.core.positions import Diagnostic, Position

if TYPE_CHECKING:
    from cuvier.base.files import Input

EXAMPLES = ("cuvier strip app.c", "cuvier strip --in-place src/", "cuvier strip -o clean src/")


def register(app: typer.Typer) -> None:
    app.command("strip", epilog=epilog(*EXAMPLES))(flattened(strip_files))


def strip_files(
    files: Paths,
    in_place: Annotated[bool, typer.Option("--in-place", help="Change the files themselves.")] = False,
    output: Annotated[
        Path | None, typer.Option("-o", metavar="DIR", help="Write the results below DIR.")
    ] = None,
    *,
    selection: SelectionOptions,
) -> None:
    """Remove what `cuvier annotate` added.

    The bytes of the original come back.  Prints the result for one file, unless --in-place or -o says
    where it goes.
    """
    from cuvier.base.files import destinations
    from cuvier.pipeline.driver import exit_status

    if in_place and output:
        raise UserError("--in-place and -o exclude each other; choose one")
    inputs = selection_for(files, selection).collect(files)
    if not (in_place or output):
        if len(inputs) > 1:
            raise UserError(f"{len(inputs)} files cannot go to stdout; use --in-place or -o DIR")
        _show(inputs[0].path)
        return
    places = destinations(inputs, output) if output else [each.path for each in inputs]
    pairs = zip(inputs, places, strict=True)
    raise typer.Exit(exit_status([_status(each, place, output) for each, place in pairs]))


def _show(path: Path) -> None:
    from cuvier.base.console import emit_source
    from cuvier.base.files import read_text
    from species.annotate import strip

    emit_source(strip(read_text(path)))


def _status(each: Input, place: Path, output: Path | None) -> str:
    """Write the stripped file to its place, if it differs or goes elsewhere; what fails costs itself."""
    from cuvier.base.console import complain
    from cuvier.base.files import read_text, write_text
    from species.annotate import strip

    try:
        text = read_text(each.path)
        stripped = strip(text)
        if output or stripped != text:
            write_text(place, stripped, output or each.tree)
    except (UserError, OSError) as error:
        message = error.message if isinstance(error, UserError) else f"cannot be read: {error.strerror}"
        complain([Diagnostic("error", "", message, Position(str(each.path), 1, 1))])
        return "failed"
    return "ok"
