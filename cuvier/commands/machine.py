"""`cuvier machine`: measure this machine, and keep the description for `cuvier compile`."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from cuvier.commands.options import Compiler
from cuvier.exits import epilog

EXAMPLES = (
    "cuvier machine",
    "cuvier machine --output node7.yaml",
    "cuvier machine --json | jq .caches",
)
BUSY = 0.5  # processes that run beside ours, on average


def register(app: typer.Typer) -> None:
    app.command("machine", epilog=epilog(*EXAMPLES))(describe)


def describe(
    output: Annotated[
        Path | None,
        typer.Option(
            "--output",
            "-o",
            metavar="FILE",
            help="Where to write it [default: ~/.config/cuvier/machine.yaml].",
        ),
    ] = None,
    json: Annotated[bool, typer.Option("--json", help="Print the description as JSON.")] = False,
    cc: Compiler = None,
) -> None:
    """Measure this machine, and write what `cuvier compile` needs to know of it.

    That is: cores, vectors and caches, the bandwidth of the memory, multiply-adds, the cost of a parallel
    region, and the limits of a CUDA and of an OpenCL device, where there is one.  It takes some seconds.

    `cuvier compile` takes the description from the default place, or another one with --machine.  Without
    any it assumes four cores with 256-bit vectors, so that what it writes is the same everywhere.
    """
    import os
    import tempfile

    from cuvier.console import emit, with_progress
    from cuvier.files import write_text
    from cuvier.machine.describe import Survey
    from cuvier.machine.probes import Probes
    from cuvier.machine.store import default_path
    from cuvier.machine.text import as_json, as_yaml, summary

    path = output or default_path()
    busy = os.getloadavg()[0]
    with tempfile.TemporaryDirectory(prefix="cuvier-machine-") as folder:
        survey = Survey(Probes.find(cc, Path(folder)))
        for _, step in with_progress(list(survey.steps()), "Measuring"):
            step()
    machine = survey.machine(str(path))
    write_text(path, as_yaml(machine))
    for note in survey.notes:
        typer.echo(f"cuvier: note: {note}", err=True)
    if busy > BUSY:
        others = f"others used the machine ({busy:.1f} processes on average)"
        typer.echo(f"cuvier: warning: {others}: measure again when it is idle", err=True)
    if json:
        emit(as_json(machine))
        return
    emit("".join(f"{line}\n" for line in (*summary(machine), f"written to {path}")))
