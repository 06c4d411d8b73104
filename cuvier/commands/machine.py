"""`cuvier machine`: measure this machine, and keep the description for `cuvier compile`."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from cuvier.base.errors import UserError
from cuvier.base.exits import Exit, epilog
from cuvier.commands.common.options import Compiler

EXAMPLES = (
    "cuvier machine",
    "cuvier machine --output node7.yaml",
    "cuvier machine --json | jq .caches",
    "cuvier machine --force",
    "cuvier machine --list",
    "cuvier machine --show dgx-h200 > mine.yaml",
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
    listed: Annotated[
        bool,
        typer.Option("--list", help="List the machines that `--machine NAME` knows; measure nothing."),
    ] = False,
    shown: Annotated[
        str | None,
        typer.Option(
            "--show",
            metavar="NAME",
            help="Print the description of such a machine, with the sources of its figures; measure nothing.",
        ),
    ] = None,
) -> None:
    """Measure this machine, and write its description for `cuvier compile`.

    The description has cores, vectors and caches, the bandwidth of the memory, multiply-adds, the cost of a
    parallel region, and the limits of a CUDA and of an OpenCL device, where there is one.  It takes seconds.

    `cuvier compile` takes the description from the default place, or another one with --machine.  Without
    any, cores, caches and vectors are read from the system, and rates are assumed.

    Measurements of a busy machine are wrong: they are not written, except with --force.
    """
    if not listed and shown is None:
        _measure(output, json, force, cc)
    elif output or force or cc or (listed and shown is not None):
        raise UserError("--list and --show measure nothing; give one of them, and beside it only --json")
    else:
        _print_known(shown, json)


def _print_known(shown: str | None, json: bool) -> None:
    """The list of the known machines, or the description of one."""
    from json import dumps

    from cuvier.base.console import emit
    from cuvier.machine import known_machines
    from cuvier.machine.store import BUILT_IN, file_of, load
    from cuvier.machine.text import as_json, as_yaml

    if shown is not None:
        text = as_yaml(load(shown)) if shown == BUILT_IN else file_of(shown).read_text(encoding="utf-8")
        emit(as_json(load(shown)) if json else text)
        return
    titles = dict(known_machines.titles())
    width = max(map(len, titles), default=0)
    lines = "".join(f"{name:<{width}}  {title}\n" for name, title in titles.items())
    emit(dumps(titles, indent=2) + "\n" if json else lines)


def _measure(output: Path | None, json: bool, force: bool, cc: str | None) -> None:
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
