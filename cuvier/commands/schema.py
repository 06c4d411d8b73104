"""`cuvier schema`: the interface of the JSON report."""

from __future__ import annotations

import typer

from cuvier.base.exits import epilog


def register(app: typer.Typer) -> None:
    app.command("schema", epilog=epilog("cuvier schema > report.schema.json"))(schema)


def schema() -> None:
    """Print the JSON Schema of `cuvier report --format json`."""
    from cuvier.base.console import emit
    from cuvier.document.json import schema_text

    emit(schema_text())
