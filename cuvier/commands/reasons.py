"""`cuvier reasons`: the reason codes."""

from __future__ import annotations

from typing import Annotated

import typer

from cuvier.base.errors import UserError
from cuvier.base.exits import epilog


def register(app: typer.Typer) -> None:
    app.command("reasons", epilog=epilog("cuvier reasons", "cuvier reasons CV203"))(reasons)


def reasons(
    code: Annotated[str | None, typer.Argument(metavar="[CODE]", help="One code, such as CV201.")] = None,
) -> None:
    """List the codes that reports and diagnostics carry.

    With a CODE, its page: what it means, an example, what would fix it, and how to overrule it.
    """
    from cuvier.base.console import emit
    from species.core.reasons import REASONS, page_of

    if code is not None and code.upper() not in REASONS:
        raise UserError(f"unknown reason code '{code}'; `cuvier reasons` lists them")
    if code is not None:
        emit(page_of(code.upper()))
        return
    emit("".join(f"{each}  {REASONS[each]}\n" for each in sorted(REASONS)))
