"""`cuvier merge` and `cuvier schema`: JSON reports, many as one, and their form."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from cuvier.base.exits import epilog


def register(app: typer.Typer) -> None:
    examples = (
        "cuvier report --shard 1/2 --format json -o 1.json src/",
        "cuvier merge 1.json 2.json -o report.json",
    )
    app.command("merge", epilog=epilog(*examples))(merge)
    app.command("schema", epilog=epilog("cuvier schema > report.schema.json"))(schema)


def merge(
    reports: Annotated[list[Path], typer.Argument(metavar="REPORT", help="JSON reports.")],
    output: Annotated[
        Path | None, typer.Option("-o", metavar="FILE", help="Write the report to FILE.")
    ] = None,
) -> None:
    """Join JSON reports of parts of a code base, such as `cuvier report --shard` makes.

    The result is, byte for byte, the report of the whole.
    """
    from cuvier.base.console import emit
    from cuvier.base.files import check_output, write_text
    from cuvier.batch.merging import merged
    from cuvier.document.json import report_json

    text = report_json(merged(reports))
    if output:
        check_output(output)
        write_text(output, text, output.parent)
    else:
        emit(text)


def schema() -> None:
    """Print the JSON Schema of `cuvier report --format json`."""
    from cuvier.base.console import emit
    from cuvier.document.json import schema_text

    emit(schema_text())
