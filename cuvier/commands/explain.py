"""`cuvier explain`: what the loop on a line is, and why."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from cuvier.base.errors import UserError
from cuvier.base.exits import Exit, epilog
from cuvier.base.option_groups import flattened
from cuvier.commands.common.many import BuildOptions, one_job
from cuvier.commands.common.options import CodeOptions, GrainChoice, GrainName, MethodOptions, Verbose


def register(app: typer.Typer) -> None:
    app.command("explain", epilog=epilog("cuvier explain -DN=100 src/app.c:42"))(flattened(explain_loop))


def explain_loop(
    place: Annotated[str, typer.Argument(metavar="FILE:LINE", help="The line of a loop, or one inside it.")],
    at: GrainName = GrainChoice.NEST,
    verbose: Verbose = False,
    *,
    build: BuildOptions,
    method: MethodOptions,
    code: CodeOptions,
) -> None:
    """Explain one loop in sentences."""
    from cuvier.base.console import complain, tell
    from cuvier.base.files import read_text, require_file
    from cuvier.pipeline.driver import analyse_file, weighed
    from cuvier.report.explain import explain, loops_at

    path, line = _parsed(place)
    job = one_job(require_file(path), build, code, method, at)
    result = analyse_file(path, job.preprocess, job.analysis)
    complain(result.facts.diagnostics)
    if result.facts.status == "failed":
        raise typer.Exit(Exit.INPUT)

    def text_of(file: str) -> str:
        return result.text if file == result.facts.file else read_text(Path(file))

    tuples = at is not GrainChoice.NEST
    facts = weighed(result, job.machine)
    tell("\n".join(explain(loop, text_of, tuples, verbose) for loop in loops_at(facts, line)))


def _parsed(place: str) -> tuple[Path, int]:
    file, _, line = place.rpartition(":")
    if not file or not line.isdecimal():
        raise UserError(f"'{place}' is not FILE:LINE; write for example app.c:42")
    return Path(file), int(line)
