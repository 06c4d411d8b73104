"""The `cuvier` command: registers the commands and turns every error into a line and an exit status.

A command is a module of `cuvier.commands` with a function `register(app)`.  These modules import
the heavy parts (islpy, pycparser, rich) inside their functions, so that `cuvier --help` stays fast.
"""

from __future__ import annotations

import gc
import importlib
import os
import sys
import traceback
from typing import Annotated, NoReturn

import typer

from cuvier.base.console import say
from cuvier.base.errors import UserError
from cuvier.base.exits import Exit, epilog
from cuvier.base.version import __version__

COMMANDS = (
    *("annotate", "strip", "report", "explain", "compile", "cc", "verify", "bench", "tune", "machine"),
    *("devices", "profile", "predict"),
    *("doctor", "init", "runtime", "skeletons", "reasons", "cache", "merge", "lsp"),
)


def _show_version(wanted: bool) -> None:
    if wanted:
        typer.echo(f"cuvier {__version__}")
        raise typer.Exit


def _root(
    version: Annotated[
        bool,
        typer.Option("--version", "-V", callback=_show_version, is_eager=True, help="Print the version."),
    ] = False,
) -> None:
    """Name the algorithmic species of C loops, and compile them to OpenMP, OpenCL and CUDA."""


def build_app() -> typer.Typer:
    """The application with all its commands."""
    app = typer.Typer(
        add_completion=True,
        no_args_is_help=True,
        rich_markup_mode=None,
        pretty_exceptions_enable=False,
        context_settings={"help_option_names": ["-h", "--help"]},
    )
    app.callback(epilog=epilog())(_root)
    for name in COMMANDS:
        importlib.import_module(f"cuvier.commands.{name}").register(app)
    return app


def main() -> NoReturn:
    """Entry point: runs the command that the arguments name and exits."""
    gc.set_threshold(200_000, 20, 50)  # syntax trees are large and live until the end: look at them seldom
    try:
        build_app()()
    except UserError as error:
        say(str(error))
        sys.exit(Exit.INPUT)
    except OSError as error:
        say(f"cuvier: error: {error.filename or 'standard output'}: {error.strerror}")
        sys.stdout = open(os.devnull, "w", encoding="utf-8")  # noqa: SIM115  (nothing more to flush at exit)
        sys.exit(Exit.INPUT)
    except Exception as error:
        _report_defect(error)
        sys.exit(Exit.INTERNAL)
    sys.exit(Exit.OK)


def _report_defect(error: Exception) -> None:
    if os.environ.get("CUVIER_DEBUG") == "1":
        traceback.print_exc()
    detail = " ".join(str(error).split()) or "no details"
    say(
        f"cuvier: internal error: {type(error).__name__}: {detail}; please report this with the command and"
        " the input (CUVIER_DEBUG=1 shows where it happened)"
    )
