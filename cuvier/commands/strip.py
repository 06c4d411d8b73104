"""`cuvier strip`: take annotations out again."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from cuvier.commands.groups import flattened
from cuvier.commands.many import Paths, SelectionOptions, selection_for
from cuvier.errors import UserError
from cuvier.exits import epilog

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
    """Take out what `cuvier annotate` put in.

    The bytes of the original come back.  Prints the result for one file, unless --in-place or -o says
    where it goes.
    """
    from cuvier.console import emit
    from cuvier.files import destinations, read_text, write_text
    from species.annotate import strip

    if in_place and output:
        raise UserError("--in-place and -o exclude each other; give one of them")
    inputs = selection_for(files, selection).collect(files)
    if not (in_place or output):
        if len(inputs) > 1:
            raise UserError(f"{len(inputs)} files cannot go to stdout; use --in-place or -o DIR")
        emit(strip(read_text(inputs[0].path)))
        return
    places = destinations(inputs, output) if output else [each.path for each in inputs]
    for each, place in zip(inputs, places, strict=True):
        text = read_text(each.path)
        stripped = strip(text)
        if output or stripped != text:
            write_text(place, stripped)
