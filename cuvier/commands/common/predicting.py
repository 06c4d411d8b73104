"""Options of `cuvier report` that predict times on machines, and what they mean."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from cuvier.base.errors import UserError
from cuvier.report.formats import Format

if TYPE_CHECKING:
    from cuvier.commands.common.many import Wanted
    from cuvier.document.model import Json, Report
    from models.machine import Machine

FORMATS = (Format.TEXT, Format.JSON, Format.HTML)
_GIVEN = re.compile(r"([A-Za-z_]\w*(?:(?:->|\.)[A-Za-z_]\w*)*)=(.+)")


@dataclass(frozen=True)
class PredictOptions:
    """Of which machines something is said, and what is known of sizes."""

    machine: Annotated[
        list[str] | None,
        typer.Option(
            "--machine",
            metavar="NAME|FILE",
            help="The machine that times are estimated for, by its description or by a name that `cuvier"
            " machine --list` shows; repeatable with --predict and --roofline [default: as for `cuvier"
            " compile`].",
        ),
    ] = None
    predict: Annotated[
        bool,
        typer.Option(
            "--predict",
            help="Predict what every loop takes on each machine, with threads and on the device, and what"
            " offloading it would gain (docs/choosing.md): text, JSON or HTML.",
        ),
    ] = False
    roofline: Annotated[
        Path | None,
        typer.Option(
            "--roofline",
            metavar="OUT.svg",
            help="Also draw the roofline of the machines with the loops in it, those of --top N.",
        ),
    ] = None
    sizes: Annotated[
        list[str] | None,
        typer.Option(
            "--define",
            metavar="NAME=NUMBER",
            help="Estimate with this value of a variable or member, such as n=4096 or grid->rows=512;"
            " repeatable. (-D defines macros.)",
        ),
    ] = None


def machines_of(options: PredictOptions) -> list[Machine]:
    """The machines, at least one; UserError for several that nothing compares."""
    from cuvier.machine.store import load

    if len(options.machine or ()) > 1 and not (options.predict or options.roofline):
        raise UserError(
            "several --machine are compared by --predict or --roofline; add one, or name one machine"
        )
    return [load(name) for name in options.machine] if options.machine else [load(None)]


def sizes_of(options: PredictOptions) -> dict[str, float]:
    """The values that --define gives; UserError for what is no size."""
    found = {}
    for text in options.sizes or ():
        match = _GIVEN.fullmatch(text)
        value = _number(match[2]) if match else None
        if match is None or value is None:
            raise UserError(f"--define takes NAME=NUMBER, as in --define n=4096, not '{text}'")
        found[match[1]] = value
    return found


def _number(text: str) -> float | None:
    """A number from 0 on."""
    try:
        value = float(text)
    except ValueError:
        return None
    return value if 0 <= value < float("inf") else None


def estimating(said: Wanted, machine: Machine, sizes: Mapping[str, float]) -> Wanted:
    """The same work, with estimates for this machine and these sizes."""
    return replace(said, like=replace(said.like, machine=machine, sizes=tuple(sizes.items())))


def predictions_of(report: Report, machines: list[Machine], sizes: Mapping[str, float]) -> Json:
    """What is predicted; a warning for every size that no file has."""
    from cuvier.base.console import warn
    from cuvier.report.predictions import predicted

    for name in sizes:
        last = re.split(r"->|\.", name)[-1]
        if not any(re.search(rf"\b{last}\b", text) for text in report.sources.values()):
            warn(f"--define {name}: no file has that name; a macro is defined with -D")
    return predicted(report, machines, sizes)


def draw(found: Json, path: Path, top: int | None) -> None:
    """Write the roofline."""
    from cuvier.base.files import check_output, write_text
    from cuvier.report.roofline.picture import MOST, drawn

    check_output(path)
    write_text(path, drawn(found, top or MOST), path.parent)


def check(options: PredictOptions, form: Format, *, reads_report: bool, compares: bool) -> None:
    """UserError where options contradict each other."""
    if options.sizes and reads_report:
        raise UserError("--define needs the files: the estimates in a report are made; leave --from out")
    if compares and (options.predict or options.roofline or options.machine or options.sizes):
        raise UserError("--diff goes without --predict, --roofline, --machine and --define")
    if options.predict and form not in FORMATS:
        known = ", ".join(each.value for each in FORMATS)
        raise UserError(f"--predict has no format '{form.value}'; choose from {known}")
