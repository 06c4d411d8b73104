"""`cuvier predict`: what each version of each kernel would take, without running the program."""

from __future__ import annotations

import json as json_text

import typer

from cuvier.base.exits import epilog
from cuvier.commands.common.generation import Arguments, AsJson
from cuvier.commands.profile import Folder

EXAMPLES = ("cuvier predict out -- 1500 input.txt", "cuvier predict out --json -- 1500")


def register(app: typer.Typer) -> None:
    app.command("predict", epilog=epilog(*EXAMPLES))(predict)


def predict(folder: Folder, arguments: Arguments = None, json: AsJson = False) -> None:
    """Predict what each version of each kernel takes for the arguments, without running the program.

    By the tables of `cuvier profile` where there are some, else by the estimate that the program was compiled
    with.  Arguments are followed into the variables of main (atoi, strtol and the like); sizes that stay
    unknown are named.
    """
    from dataclasses import asdict

    from cuvier.base.console import emit, tell
    from cuvier.launch_tables.forecast import forecasts
    from cuvier.launch_tables.store import load
    from cuvier.launch_tables.tables_text import of_forecasts
    from cuvier.launch_tables.versioned_program import VersionedProgram, thread_counts

    program = VersionedProgram.read(folder)
    threads = thread_counts()[-1] if program.has_threads else 1
    found = forecasts(program, load(program), tuple(arguments or ()), threads)
    if json:
        listed = [{**asdict(each), "taken": each.taken} for each in found]
        emit(json_text.dumps({"threads": threads, "kernels": listed}, indent=1) + "\n")
    else:
        tell(of_forecasts(found, threads))
