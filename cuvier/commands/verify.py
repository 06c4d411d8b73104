"""`cuvier verify`: does the generated program compute what the original does?"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from cuvier.commands.generation import Arguments, AsJson, GenerationOptions, Timeout, ordered
from cuvier.commands.groups import flattened
from cuvier.commands.options import CodeOptions, File
from cuvier.exits import Exit, epilog

if TYPE_CHECKING:
    from cuvier.verification.result import VerificationResult

EXAMPLES = (
    "cuvier verify app.c --target openmp",
    "cuvier verify app.c --target cuda --device host-shim --sanitize",
    "cuvier verify app.c --target opencl -DN=100 -- input.txt",
)


def register(app: typer.Typer) -> None:
    app.command("verify", epilog=epilog(*EXAMPLES))(flattened(verify_file))


def verify_file(
    file: File,
    arguments: Arguments = None,
    device: Annotated[
        str | None,
        typer.Option("--device", metavar="DEVICE", help="host-shim: run CUDA kernels on the CPU."),
    ] = None,
    keep: Annotated[
        Path | None, typer.Option("--keep", metavar="DIR", help="Build in DIR and leave all files there.")
    ] = None,
    json: AsJson = False,
    timeout: Timeout = 60.0,
    sanitize: Annotated[
        bool,
        typer.Option("--sanitize", help="Build the generated program with -fsanitize=address,undefined."),
    ] = False,
    *,
    wanted: GenerationOptions,
    code: CodeOptions,
) -> None:
    """Build and run FILE's program and the one generated for the target, and compare all that is live.

    Compared are the output, the exit status, every array and live scalar after every kernel, the
    file-scope variables at the end, and guards around heap blocks.  Status 0: equal; 1: different;
    2: it could not be done.
    """
    from cuvier.files import require_file
    from cuvier.verification.verify import VerifyOptions, verify

    order = ordered(wanted, code)
    options = VerifyOptions(
        preprocess=order.preprocess,
        generation=order.generation,
        analysis=order.analysis,
        skeletons=order.skeletons,
        device=device,
        keep=keep,
        timeout=timeout,
        sanitize=sanitize,
        arguments=tuple(arguments or ()),
    )
    result = verify(require_file(file), order.target, options)
    _show(result, json)
    raise typer.Exit(Exit.OK if result.ok else Exit.NEGATIVE)


def _show(result: VerificationResult, json: bool) -> None:
    from cuvier.console import emit, table_console
    from cuvier.shown import harmless
    from cuvier.verification.report import print_result, result_json

    if json:
        emit(result_json(result))
        return
    console = table_console(to_file=False)
    with console.capture() as capture:
        print_result(result, console)
    emit(harmless(capture.get()))
