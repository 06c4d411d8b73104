"""`cuvier annotate`: mark the parallel loops in the source."""

from __future__ import annotations

import sys
from enum import Enum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from cuvier.commands.groups import flattened
from cuvier.commands.options import CodeOptions, Files, MethodOptions, analysis_options, c_options
from cuvier.errors import UserError
from cuvier.exits import epilog

if TYPE_CHECKING:
    from cuvier.driver import AnnotatedFile

EXAMPLES = (
    "cuvier annotate app.c",
    "cuvier annotate --in-place -Iinclude src/",
    "cuvier annotate --style openmp -o parallel src/",
    "cuvier annotate --copies app.c",
)


class Style(Enum):
    """What an annotation looks like."""

    SPECIES = "species"
    COMMENT = "comment"
    OPENMP = "openmp"


def register(app: typer.Typer) -> None:
    app.command("annotate", epilog=epilog(*EXAMPLES))(flattened(annotate_files))


def annotate_files(
    files: Files,
    in_place: Annotated[bool, typer.Option("--in-place", help="Change the files themselves.")] = False,
    output: Annotated[
        Path | None, typer.Option("-o", metavar="DIR", help="Write annotated copies below DIR.")
    ] = None,
    style: Annotated[
        Style, typer.Option("--style", help="Species pragmas, comments, or OpenMP pragmas.")
    ] = Style.SPECIES,
    nested: Annotated[bool, typer.Option("--nested", help="Mark species inside species too.")] = False,
    copies: Annotated[
        bool, typer.Option("--copies", help="Also say when copies from an accelerator begin and end.")
    ] = False,
    *,
    method: MethodOptions,
    code: CodeOptions,
) -> None:
    """Mark every parallel loop in the source.

    The rest of the file stays as it is, byte for byte.  Prints the change as a diff, unless
    --in-place or -o says where the result goes.
    """
    from cuvier.console import complain, with_progress
    from cuvier.driver import annotate_file, exit_status, unmarked
    from cuvier.files import collect, destinations
    from cuvier.report.text import summary
    from species.annotate import AnnotateOptions

    if in_place and output:
        raise UserError("--in-place and -o exclude each other; give one of them")
    inputs = collect(files)
    places = destinations(inputs, output) if output else [each.path for each in inputs]
    options = c_options(code)
    annotations = AnnotateOptions(style=style.value, nested=nested)
    analysis = analysis_options(code, method)
    units = []
    for each, place in with_progress(list(zip(inputs, places, strict=True)), "Annotating"):
        result = annotate_file(each.path, options, annotations, analysis, copies=copies)
        complain([*result.facts.diagnostics, *unmarked(result.facts, style.value)])
        _deliver(result, place if in_place or output else None)
        units.append(result.facts)
    print(summary(units), file=sys.stderr)
    raise typer.Exit(exit_status(units))


def _deliver(result: AnnotatedFile, place: Path | None) -> None:
    """Write the result to `place` if it changes anything there, or print it as a diff."""
    from cuvier.console import colours_wanted, emit
    from cuvier.diff import coloured, diff
    from cuvier.files import write_text

    if result.after is None:
        return
    if place is None:
        change = diff(result.path, result.before, result.after)
        emit(coloured(change) if colours_wanted() else change)
    elif place != result.path or result.after != result.before:
        write_text(place, result.after)
