"""`cuvier runtime`: the C library that manages data at run time, for programs that are written by hand."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from cuvier.base.exits import epilog


def register(app: typer.Typer) -> None:
    app.command("runtime", epilog=epilog("cuvier runtime -o vendor/cgcm"))(write_library)


def write_library(
    output: Annotated[Path, typer.Option("--output", "-o", metavar="DIR", help="Where to write it.")],
) -> None:
    """Write the C library CGCM, which moves data to a CUDA or OpenCL device and back at run time.

    For kernels that you call by hand, with pointers into anything: docs/runtime.md shows how.
    """
    from cuvier.base.errors import UserError
    from cuvier.base.files import check_output, write_text
    from runtime import sources

    check_output(output)
    if output.exists() and not output.is_dir():
        raise UserError(f"'{output}' is a file; -o takes a directory")
    for name, text in sources().items():
        write_text(output / name, text, output)
