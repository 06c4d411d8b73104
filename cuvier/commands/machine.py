"""`cuvier machine`: measure this machine, and keep the description for `cuvier compile`."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from cuvier.base.exits import Exit, epilog
from cuvier.commands.options import Compiler

EXAMPLES = (
    "cuvier machine",
    "cuvier machine --output node7.yaml",
    "cuvier machine --json | jq .caches",
    "cuvier machine --force",
)


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
    force: Annotated[
        bool, typer.Option("--force", help="Keep the result even if the machine was busy.")
    ] = False,
    cc: Compiler = None,
) -> None:
    """Measure this machine, and write its description for `cuvier compile`.

    The description has cores, vectors and caches, the bandwidth of the memory, multiply-adds, the cost of a
    parallel region, and the limits of a CUDA and of an OpenCL device, where there is one.  It takes seconds.

    `cuvier compile` takes the description from the default place, or another one with --machine.  Without
    any, cores, caches and vectors are read from the system, and rates are assumed.

    Measurements of a busy machine are wrong: they are not written, except with --force.
    """
    import tempfile

    from cuvier.base.console import emit
    from cuvier.base.files import write_text
    from cuvier.base.progress_bars import with_progress
    from cuvier.machine.describe import Survey
    from cuvier.machine.probes import Probes
    from cuvier.machine.store import default_path
    from cuvier.machine.text import as_json, as_yaml, summary

    path = output or default_path()
    with tempfile.TemporaryDirectory(prefix="cuvier-machine-") as folder:
        survey = Survey(Probes.find(cc, Path(folder)))
        for _, step in with_progress(list(survey.steps()), "Measuring"):
            step()
    machine, wrong = survey.machine(str(path)), survey.disturbances()
    kept = force or not wrong
    if kept:
        write_text(path, as_yaml(machine, wrong))
    for line in (*(f"note: {note}" for note in survey.notes), *_warning(wrong, path, kept)):
        typer.echo(f"cuvier: {line}", err=True)
    last = f"written to {path}" if kept else "NOT WRITTEN"
    emit(as_json(machine) if json else "".join(f"{line}\n" for line in (*summary(machine), last)))
    if not kept:
        raise typer.Exit(Exit.NEGATIVE)


def _warning(wrong: list[str], path: Path, kept: bool) -> list[str]:
    """What nobody should miss of measurements that were disturbed."""
    if not wrong:
        return []
    what = "warning: MEASURED UNDER LOAD" if kept else "error: MEASURED UNDER LOAD, NOT WRITTEN"
    before = f"'{path}' stays as it was" if path.exists() else "cores, caches and vectors are read as before"
    way_out = "run `cuvier machine` again when nothing else runs"
    after = "programs will be fitted to wrong rates" if kept else f"{before}; --force writes it all the same"
    return [f"{what}: {'; '.join(wrong)}", f"{what.split(':')[0]}: {way_out}; {after}"]
