"""`cuvier cc`: stand in for a build's C compiler."""

from __future__ import annotations

import typer

_ALL = {"ignore_unknown_options": True, "allow_extra_args": True, "allow_interspersed_args": False}


def register(app: typer.Typer) -> None:
    app.command("cc", add_help_option=False, context_settings=_ALL)(compiler)


def compiler(context: typer.Context) -> None:
    """Compile C like gcc, with loops on threads: make CC="cuvier cc"."""
    from cuvier.wrapper.main import main

    raise typer.Exit(main(context.args))
