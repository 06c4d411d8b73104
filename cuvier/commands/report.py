"""`cuvier report`: what each loop is."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from cuvier.base.errors import UserError
from cuvier.base.exits import Exit, epilog
from cuvier.base.option_groups import flattened
from cuvier.commands.common.many import BatchOptions, BuildOptions, PathsIfAny, SelectionOptions, wanted
from cuvier.commands.common.options import CodeOptions, GrainChoice, GrainName, MethodOptions, Verbose
from cuvier.commands.common.predicting import (
    PredictOptions,
    draw,
    estimating,
    machines_of,
    predictions_of,
    sizes_of,
)
from cuvier.commands.common.predicting import check as check_predicting
from cuvier.report.formats import Format, rendered

if TYPE_CHECKING:
    from cuvier.commands.common.many import Wanted
    from cuvier.document.model import Json, Report
    from cuvier.profiles import Profile
    from cuvier.report.diff import Comparison
    from cuvier.report.view import View
    from models.machine import Machine

EXAMPLES = (
    "cuvier report app.c",
    "cuvier report -Iinclude -DN=100 src/",
    "cuvier report --format html -o report.html src/",
    "cuvier report --format json -o report.json src/",
    "cuvier report --from report.json --format markdown --profile callgrind.out --top 5",
    "cuvier report --diff main HEAD --fail-on regression src/",
    "cuvier report --diff old.json new.json --format markdown",
    "cuvier report --at statement --tests gcd,banerjee app.c",
    "cuvier report --predict --machine gtx-470 --machine mine.yaml --define n=4096 app.c",
    "cuvier report --machine dgx-h200 --roofline roofline.svg app.c",
)
STRANGE = 0.02  # less than this part of a profile's time in known loops
DIFF_FORMATS = (Format.TEXT, Format.JSON, Format.MARKDOWN, Format.GITHUB)


@dataclass(frozen=True)
class ShowOptions:
    """What is shown, and how."""

    form: Annotated[
        Format,
        typer.Option(
            "--format",
            help="A tree; JSON (see `cuvier schema`); Markdown for a comment; one HTML file to look at in a"
            " browser; SARIF 2.1.0 for code scanning; CSV; or annotations of GitHub.",
        ),
    ] = Format.TEXT
    output: Annotated[Path | None, typer.Option("-o", metavar="FILE", help="Write it to FILE.")] = None
    top: Annotated[
        int | None, typer.Option("--top", metavar="N", min=1, help="List the N loops that matter most.")
    ] = None
    profile: Annotated[
        Path | None,
        typer.Option(
            "--profile",
            metavar="FILE",
            help="Where the time is: a profile of gprof (flat), `perf script` or callgrind.",
        ),
    ] = None
    serial: Annotated[
        bool, typer.Option("--serial", help="SARIF and GitHub: also report loops that stay serial.")
    ] = False
    verbose: Verbose = False


@dataclass(frozen=True)
class GateOptions:
    """What a report is compared with, and what makes it fail."""

    source: Annotated[
        Path | None, typer.Option("--from", metavar="FILE", help="Read a JSON report instead of C files.")
    ] = None
    diff: Annotated[
        tuple[str, str] | None,
        typer.Option(
            "--diff",
            metavar="OLD NEW",
            help="Show what has changed for loops between two JSON reports, or two revisions of git ('.': the"
            " files as they are).",
        ),
    ] = None
    baseline: Annotated[
        Path | None,
        typer.Option(
            "--baseline",
            metavar="FILE",
            help="Report only loops that are new, or worse, since the JSON report in FILE.",
        ),
    ] = None
    fail_on: Annotated[
        str,
        typer.Option(
            "--fail-on",
            metavar="WHAT",
            help="Exit with status 1 on any of these, separated by commas: conditional, serial (a loop is no"
            " better than this; with --diff, only if it is new), incomplete (something was not analysed),"
            " regression (with --diff: a loop became worse).",
        ),
    ] = ""


def register(app: typer.Typer) -> None:
    app.command("report", epilog=epilog(*EXAMPLES))(flattened(report))


def report(
    files: PathsIfAny = None,
    at: GrainName = GrainChoice.NEST,
    *,
    show: ShowOptions,
    predict: PredictOptions,
    gate: GateOptions,
    selection: SelectionOptions,
    build: BuildOptions,
    batch: BatchOptions,
    method: MethodOptions,
    code: CodeOptions,
) -> None:
    """Classify every loop: what it is, or why it stays serial, and which loops matter most."""
    from cuvier.base.console import say
    from cuvier.report.gate import conditions, violated

    _check(files, show, gate, batch)
    check_predicting(predict, show.form, reads_report=gate.source is not None, compares=gate.diff is not None)
    machines, sizes = machines_of(predict), sizes_of(predict)
    said = wanted(files or [], selection, build, batch, code, method, at)
    said = estimating(said, machines[0], sizes)

    def analyse(paths: list[Path]) -> Json:
        return _analysed(paths, said)

    failing = conditions(gate.fail_on, with_diff=gate.diff is not None or gate.baseline is not None)
    if gate.diff is not None:
        comparison = _compared(gate.diff, analyse, files or [])
        _deliver(_diff_text(comparison, show), show.output)
        failures, status = violated(failing, comparison.new, comparison), Exit.OK
    else:
        from cuvier.document.model import Report, read_report
        from cuvier.pipeline.driver import exit_status

        found = Report(read_report(gate.source) if gate.source else analyse(files or []))
        status = exit_status([unit["status"] for unit in found.units])
        shown, against = _since(gate.baseline, found)
        foreseen = predictions_of(shown, machines, sizes)
        if predict.roofline:
            draw(foreseen, predict.roofline, show.top)
        view = _view(shown, machines[0], show, at)
        is_told = predict.predict or show.form is Format.HTML
        _deliver(_report_text(replace(view, predictions=foreseen if is_told else None), show), show.output)
        failures = violated(failing, found, against)
    for failure in failures:
        say(f"cuvier: {failure}")
    raise typer.Exit(status or (Exit.NEGATIVE if failures else Exit.OK))


def _since(baseline: Path | None, found: Report) -> tuple[Report, Comparison | None]:
    """What is new since the baseline, or has become worse, and the comparison; all of it without one."""
    if baseline is None:
        return found, None
    from cuvier.document.model import Report, read_report
    from cuvier.report.diff import compared, news

    old = Report(read_report(baseline))
    return news(old, found), compared(old, found)


def _check(files: list[Path] | None, show: ShowOptions, gate: GateOptions, batch: BatchOptions) -> None:
    """UserError where options contradict each other."""
    if gate.diff and (gate.baseline or batch.changed_since):
        raise UserError("--diff goes without --baseline and --changed-since; it says itself what has changed")
    if gate.source and batch.changed_since:
        raise UserError("--changed-since needs the files; leave --from out")
    if gate.source and (files or gate.diff):
        raise UserError("--from takes the place of files and of --diff; give one of them")
    if not (files or gate.source or gate.diff):
        raise UserError("nothing to report on; name C files or directories, or a report with --from FILE")
    if gate.diff and show.form not in DIFF_FORMATS:
        known = ", ".join(each.value for each in DIFF_FORMATS)
        raise UserError(f"--diff has no format '{show.form.value}'; choose from {known}")
    if gate.diff and (show.profile or show.top or show.serial):
        raise UserError("--diff goes without --profile, --top and --serial; it shows every loop that changed")


def _analysed(files: list[Path], said: Wanted) -> Json:
    """The document of these files; diagnostics go to stderr."""
    from cuvier.document.json import document_of

    return document_of(finished.result.unit for _, finished in said.work(files).results("Analysing"))


def _compared(ends: tuple[str, str], analyse: Callable[[list[Path]], Json], files: list[Path]) -> Comparison:
    """The comparison of two JSON reports, or of the files at two revisions."""
    from cuvier.document.model import Report, read_report
    from cuvier.report.diff import compared
    from cuvier.report.revisions import at_revision

    if all(Path(end).is_file() for end in ends):
        if files:
            raise UserError("--diff with two JSON reports takes no files; leave them out, or name revisions")
        old, new = (Report(read_report(Path(end))) for end in ends)
        return compared(old, new)
    if not files:
        raise UserError(f"--diff {' '.join(ends)}: name the C files or directories, or two JSON reports")
    old, new = (Report(at_revision(end, files, analyse)) for end in ends)
    return compared(old, new)


def _view(report: Report, machine: Machine, show: ShowOptions, at: GrainChoice) -> View:
    from cuvier.profiles import read_profile
    from cuvier.report.view import View

    profile = read_profile(show.profile) if show.profile else None
    tuples = at is not GrainChoice.NEST
    view = View(report, machine, profile, show.top, show.serial, tuples, show.verbose)
    if profile:
        _warn_of_strange(profile, sum(each.share or 0.0 for each in view.ranking.order))
    return view


def _warn_of_strange(profile: Profile, found: float) -> None:
    """A profile of another program, or of one without lines or names, ranks nothing."""
    from cuvier.base.console import warn

    if found < STRANGE:
        warn(
            f"{profile.name}: only {100 * found:.1f} % of its time is in loops of these files; profile a"
            " program that is built from them with -g, and not stripped"
        )


def _report_text(view: View, show: ShowOptions) -> str:
    if show.form is Format.JSON:
        from cuvier.document.json import report_json

        return report_json(view.report.document | {"predictions": view.predictions})
    if show.form is not Format.TEXT:
        return rendered(view, show.form)
    from cuvier.base.console import captured
    from cuvier.report.predicted_text import print_predictions
    from cuvier.report.text import print_report

    printing = print_predictions if view.predictions else print_report
    return captured(lambda console: printing(view, console), to_file=show.output is not None)


def _diff_text(comparison: Comparison, show: ShowOptions) -> str:
    from cuvier.base.console import captured
    from cuvier.report import changes

    if show.form is not Format.TEXT:
        return changes.RENDERERS[show.form.value](comparison)
    return captured(
        lambda console: changes.print_changes(comparison, console), to_file=show.output is not None
    )


def _deliver(text: str, output: Path | None) -> None:
    from cuvier.base.console import emit
    from cuvier.base.files import check_output, write_text

    if output:
        check_output(output)
        write_text(output, text, output.parent)
    else:
        emit(text)
