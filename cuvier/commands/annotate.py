"""`cuvier annotate`: mark the parallel loops in the source."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from enum import Enum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from cuvier.base.errors import UserError
from cuvier.base.exits import epilog
from cuvier.base.option_groups import flattened
from cuvier.commands.common.generation import MachineFile
from cuvier.commands.common.many import BatchOptions, BuildOptions, Paths, SelectionOptions, wanted
from cuvier.commands.common.options import CodeOptions, MethodOptions
from cuvier.document.model import PARALLEL, Json
from species.core.positions import Diagnostic, Position

if TYPE_CHECKING:
    from cuvier.batch.job import Finished

EXAMPLES = (
    "cuvier annotate app.c",
    "cuvier annotate --in-place -Iinclude src/",
    "cuvier annotate --style openmp -o parallel src/",
    "cuvier annotate --style openmp --all --in-place app.c",
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
    files: Paths,
    in_place: Annotated[bool, typer.Option("--in-place", help="Change the files themselves.")] = False,
    output: Annotated[
        Path | None, typer.Option("-o", metavar="DIR", help="Write annotated copies below DIR.")
    ] = None,
    style: Annotated[
        Style, typer.Option("--style", help="Species pragmas, comments, or OpenMP pragmas.")
    ] = Style.SPECIES,
    nested: Annotated[bool, typer.Option("--nested", help="Mark species inside species too.")] = False,
    strict_fp: Annotated[
        bool,
        typer.Option("--strict-fp", help="OpenMP: mark no loop whose floating-point sum would be reordered."),
    ] = False,
    everything: Annotated[
        bool,
        typer.Option(
            "--all",
            help="OpenMP: mark every loop that may run on threads, even where threads make it slower.",
        ),
    ] = False,
    machine: MachineFile = None,
    copies: Annotated[
        bool, typer.Option("--copies", help="Also mark where copies from an accelerator begin and end.")
    ] = False,
    *,
    selection: SelectionOptions,
    build: BuildOptions,
    batch: BatchOptions,
    method: MethodOptions,
    code: CodeOptions,
) -> None:
    """Mark every parallel loop in the source.

    The rest of the file stays as it is, byte for byte.  Prints the change as a diff, unless
    --in-place or -o says where the result goes.
    """
    from cuvier.base.console import say, told_of_interrupts
    from cuvier.base.files import destinations
    from cuvier.document.model import summary
    from cuvier.machine.store import load
    from cuvier.pipeline.driver import exit_status
    from species.annotate import AnnotateOptions

    if in_place and output:
        raise UserError("--in-place and -o exclude each other; choose one")
    said = wanted(files, selection, build, batch, code, method)
    annotations = AnnotateOptions(style=style.value, nested=nested, strict_fp=strict_fp)
    like = replace(
        said.like, annotations=annotations, copies=copies, machine=None if everything else load(machine)
    )
    work = replace(said, like=like).work(files)
    places = dict(zip(work.inputs, destinations(work.inputs, output), strict=True)) if output else {}
    units: list[dict[str, Any]] = []
    with told_of_interrupts(lambda: f"{len(units)} files are done, the others are unchanged"):
        for each, finished in work.results("Annotating"):
            place = each.path if in_place else places.get(each)
            within = output or each.tree
            units.append(finished.result.unit | _delivered(finished, place, within))
    say(summary(units) + _unprofitable(units, style))
    raise typer.Exit(exit_status([unit["status"] for unit in units]))


def _unprofitable(units: Sequence[Json], style: Style) -> str:
    """How many loops have no pragma because threads are not worth it."""
    loops = [loop for unit in units for loop in unit["loops"] if loop["unprofitable"]]
    number = sum(loop["verdict"] in PARALLEL for loop in loops)
    if style is not Style.OPENMP or not number:
        return ""
    several = "loops that are parallel are" if number > 1 else "loop that is parallel is"
    return f" {number} {several} not worth threads (`cuvier explain FILE:LINE` says why; --all marks all)."


def _delivered(finished: Finished, place: Path | None, within: Path) -> dict[str, str]:
    """Deliver the result; what cannot be delivered costs itself: its status is "failed"."""
    from cuvier.base.console import complain

    try:
        _deliver(finished, place, within)
    except UserError as error:
        complain([Diagnostic("error", "", error.message, Position(finished.job.path, 1, 1))])
        return {"status": "failed"}
    return {}


def _deliver(finished: Finished, place: Path | None, within: Path) -> None:
    """Write the result to `place` if it changes anything there, or print it as a diff.

    UserError for a link out of the folder `within`, and for what has changed while it was analysed, which
    stays as it is now.
    """
    from cuvier.base.console import emit_change
    from cuvier.base.diff import diff
    from cuvier.base.files import write_text
    from cuvier.pipeline.driver import is_on_disk

    path, after = Path(finished.job.path), finished.result.after
    if after is None:
        return
    if place is None:
        emit_change(diff(path, finished.text, after))
    elif place != path:
        write_text(place, after, within)
    elif after != finished.text:
        if not is_on_disk(path, finished.text):
            raise UserError("changed while it was analysed, and is left unchanged; run again")
        write_text(place, after, within)
