"""`cuvier verify`: does the generated program compute what the original does?"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from cuvier.base.exits import Exit, epilog
from cuvier.base.option_groups import flattened
from cuvier.commands.common.generation import Arguments, AsJson, GenerationOptions, Timeout, ordered
from cuvier.commands.common.options import CodeOptions, File

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
    ignore_output: Annotated[
        list[str] | None,
        typer.Option(
            "--ignore-output",
            metavar="REGEX",
            help="Do not compare lines of stdout in which REGEX is found; repeatable.",
        ),
    ] = None,
    *,
    wanted: GenerationOptions,
    code: CodeOptions,
) -> None:
    """Build and run FILE's program and the generated one, and compare every variable still in use.

    Compared are the output, the exit status, every array and live scalar after every kernel, the
    file-scope variables at the end, and guards around heap blocks.  What differs is explained: by the order
    of sums, mathematical functions of the device, memory that was never written, or a program that differs
    from itself; anything else is an error.  Status 0: equal, or explained; 1: different; 2: it could not be
    done.
    """
    from cuvier.base.files import require_file
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
        ignore_output=_patterns(ignore_output or []),
    )
    result = verify(require_file(file), order.target, options)
    _show(result, json)
    raise typer.Exit(Exit.OK if result.ok else Exit.NEGATIVE)


def _patterns(texts: list[str]) -> tuple[str, ...]:
    """The regular expressions; UserError for what is none."""
    import re

    from cuvier.base.errors import UserError

    for text in texts:
        try:
            re.compile(text)
        except re.error as error:
            raise UserError(f"--ignore-output '{text}' is no regular expression: {error}") from error
    return tuple(texts)


def _show(result: VerificationResult, json: bool) -> None:
    from cuvier.base.console import emit, table_console
    from cuvier.base.shown import harmless
    from cuvier.verification.report import print_result, result_json

    if json:
        emit(result_json(result))
        return
    console = table_console(to_file=False)
    with console.capture() as capture:
        print_result(result, console)
    emit(harmless(capture.get()))
