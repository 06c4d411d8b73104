"""`cuvier bench`: is it worth it, on this program and this machine?"""

from __future__ import annotations

import re
import shlex
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from typer.core import TyperCommand

from cuvier.base.errors import UserError
from cuvier.base.exits import Exit, epilog
from cuvier.base.option_groups import flattened
from cuvier.commands.common.generation import AsJson, GenerationOptions, Timeout, ordered
from cuvier.commands.common.options import CodeOptions

if TYPE_CHECKING:
    from collections.abc import Sequence

    from cuvier.bench.race import Result
    from cuvier.bench.session import BenchOptions

EXAMPLES = (
    "cuvier bench app.c --target openmp",
    "cuvier bench app.c --target openmp --against gcc,clang,polly --hand app-omp.c -- input.txt",
    "cuvier bench gemm.c --target openmp -Ilib --link lib/polybench.c -DPOLYBENCH_TIME --clock '^([0-9.]+)$'",
    "cuvier bench src/*.c --target openmp --json --svg bars.svg",
)
_ARGUMENT = "--argument"


class _WithArguments(TyperCommand):
    """What stands behind `--` are arguments of the programs, not files."""

    def parse_args(self, ctx: typer.Context, args: list[str]) -> list[str]:  # type: ignore[override]
        if "--" in args:
            place = args.index("--")
            args = [*args[:place], *(f"{_ARGUMENT}={each}" for each in args[place + 1 :])]
        return super().parse_args(ctx, args)


def register(app: typer.Typer) -> None:
    app.command("bench", cls=_WithArguments, epilog=epilog(*EXAMPLES))(flattened(bench_files))


def bench_files(
    files: Annotated[list[Path], typer.Argument(metavar="FILE...", help="C programs, each with its main.")],
    against: Annotated[
        str | None,
        typer.Option(
            "--against",
            metavar="NAMES",
            help="What to compare with, separated by commas: gcc, clang, polly, another compiler's command,"
            " or a C file, which is built with -fopenmp [default: gcc, clang and polly, where installed].",
        ),
    ] = None,
    hand: Annotated[
        Path | None,
        typer.Option("--hand", metavar="FILE", help="A version of the program with hand-written directives."),
    ] = None,
    link: Annotated[
        list[str] | None,
        typer.Option(
            "--link",
            metavar="FILE",
            help="Also link a C file, an object, or a linker flag such as -lfftw3; repeatable.",
        ),
    ] = None,
    flags: Annotated[
        str, typer.Option("--flags", metavar="FLAGS", help="Flags for all compilers.")
    ] = "-O3 -march=native",
    rounds: Annotated[
        int,
        typer.Option(
            "--rounds", metavar="N", min=1, help="How often each program runs, after a warm-up run."
        ),
    ] = 5,
    seconds: Annotated[
        float,
        typer.Option("--seconds", metavar="S", min=0.1, help="Start no new round of a file after S seconds."),
    ] = 60.0,
    patience: Annotated[
        float,
        typer.Option(
            "--patience", metavar="S", min=0.0, help="Wait up to S seconds until the machine is idle."
        ),
    ] = 30.0,
    threads: Annotated[
        int | None,
        typer.Option("--threads", metavar="N", min=1, help="Threads of each program [default: all cores]."),
    ] = None,
    clock: Annotated[
        str | None,
        typer.Option(
            "--clock",
            metavar="REGEX",
            help="Read the time from the output: the first group of REGEX is in seconds.",
        ),
    ] = None,
    least: Annotated[
        float | None,
        typer.Option(
            "--least",
            metavar="RATIO",
            help="Exit with status 1 if Cuvier is less than RATIO times as fast as the best other.",
        ),
    ] = None,
    argument: Annotated[
        list[str] | None,
        typer.Option(_ARGUMENT, metavar="ARG", help="An argument of the programs, as after --; repeatable."),
    ] = None,
    svg: Annotated[
        Path | None, typer.Option("--svg", metavar="FILE", help="Write a bar chart to FILE.")
    ] = None,
    json: AsJson = False,
    timeout: Timeout = 60.0,
    *,
    wanted: GenerationOptions,
    code: CodeOptions,
) -> None:
    """Compare the speed of the programs of FILEs as built by other compilers and by Cuvier.

    All are built with the same flags, run in turns, and must print the same; where one does not, the table
    says so.  It has medians, the spread between the fastest and the slowest run, and speeds relative to the
    first line.  Status 0: all were measured; 1: Cuvier's program was not built, prints something else, or is
    slower than --least; 2: nothing could be measured.
    """
    from cuvier.base.files import require_file, write_text
    from cuvier.bench.picture import svg as drawn
    from cuvier.bench.race import Rules
    from cuvier.bench.session import BenchOptions

    order = ordered(wanted, code)
    options = BenchOptions(
        order.target,
        order.preprocess,
        order.analysis,
        order.generation,
        Rules(tuple(argument or ()), rounds, seconds, timeout, patience, threads, _pattern(clock)),
        order.skeletons,
        tuple(name.strip() for name in (against or "").split(",") if name.strip()),
        hand,
        tuple(link or ()),
        tuple(shlex.split(flags)),
    )
    results = _all_of([require_file(file) for file in files], options)
    _show(results, json)
    if svg is not None:
        write_text(svg, drawn(results))
    raise typer.Exit(Exit.OK if all(_is_good(each, least) for each in results) else Exit.NEGATIVE)


def _pattern(text: str | None) -> re.Pattern[bytes] | None:
    """UserError for what is no regular expression with a group."""
    try:
        pattern = re.compile(text.encode(), re.M) if text is not None else None
    except re.error as error:
        raise UserError(f"--clock '{text}' is no regular expression: {error}") from error
    if pattern is not None and not pattern.groups:
        raise UserError(f"--clock '{text}' has no group for the seconds; as in --clock 'time: ([0-9.]+)'")
    return pattern


def _all_of(files: Sequence[Path], options: BenchOptions) -> list[Result]:
    from cuvier.base.progress_bars import steps_shown
    from cuvier.bench.session import bench
    from skeletons import SkeletonError

    results = []
    for number, file in enumerate(files, 1):
        place = f"{file} ({number} of {len(files)})" if len(files) > 1 else str(file)
        try:
            with steps_shown(place) as watch:
                results.append(bench(file, options, watch))
        except SkeletonError as error:
            raise UserError.at_place(str(error)) from error
    return results


def _is_good(result: Result, least: float | None) -> bool:
    built = not result.ours.why and not result.ours.wrong
    return built and (least is None or result.ratio is None or result.ratio >= least)


def _show(results: Sequence[Result], json: bool) -> None:
    from cuvier.base.console import captured, emit
    from cuvier.bench.report import as_json, print_results

    emit(
        as_json(results) if json else captured(lambda console: print_results(results, console), to_file=False)
    )
