"""`cuvier lsp`: what loops are, in an editor."""

from __future__ import annotations

import typer

from cuvier.base.errors import UserError
from cuvier.base.exits import epilog
from cuvier.base.option_groups import flattened
from cuvier.commands.common.options import CodeOptions, MethodOptions, analysis_options, c_options


def register(app: typer.Typer) -> None:
    app.command("lsp", epilog=epilog("cuvier lsp", "cuvier lsp -Iinclude -DN=100"))(flattened(serve))


def serve(*, method: MethodOptions, code: CodeOptions) -> None:
    """Talk to an editor, as a language server on stdin and stdout.

    Shows verdicts and species above loops, reasons in hovers, and offers to insert OpenMP pragmas.
    """
    try:
        from cuvier.lsp.server import analysing, make_server
    except ModuleNotFoundError as error:
        if (error.name or "").split(".")[0] not in ("pygls", "lsprotocol"):
            raise
        raise UserError(
            "the language server needs pygls; install it with `pip install cuvier[lsp]`"
        ) from error

    make_server(analysing(c_options(code), analysis_options(code, method))).start_io()
