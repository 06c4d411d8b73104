"""`cuvier cache`: the results of earlier runs."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from cuvier.base.exits import epilog

if TYPE_CHECKING:
    from cuvier.batch.cache import Cache

Folder = Annotated[Path | None, typer.Option("--cache-dir", metavar="DIR", help="The cache in DIR.")]


def register(app: typer.Typer) -> None:
    group = typer.Typer(rich_markup_mode=None, invoke_without_command=True)
    group.callback(epilog=epilog("cuvier cache"))(show)
    group.command("clean", epilog=epilog("cuvier cache clean", "cuvier cache clean --unused 30"))(clean)
    app.add_typer(group, name="cache")


def show(context: typer.Context, cache_dir: Folder = None) -> None:
    """Show where results are kept, and their size."""
    from cuvier.base.console import emit

    context.obj = cache_dir
    if context.invoked_subcommand is None:
        emit(_shown(_cache(cache_dir)))


def clean(
    context: typer.Context,
    cache_dir: Folder = None,
    unused: Annotated[
        float, typer.Option("--unused", metavar="DAYS", min=0, help="Only what was not used for DAYS.")
    ] = 0,
) -> None:
    """Remove the results of earlier runs; nothing else is lost by it."""
    from cuvier.base.console import emit

    cache = _cache(cache_dir or context.obj)
    before = cache.contents().size
    cache.clean(unused)
    emit(f"{_size(before - cache.contents().size)} freed\n" + _shown(cache))


def _cache(folder: Path | None) -> Cache:
    from cuvier.batch.cache import Cache, default_folder

    return Cache(folder or default_folder())


def _shown(cache: Cache) -> str:
    found = cache.contents()
    return f"{cache.folder}: {found.results} results for {found.files} files, {_size(found.size)}\n"


def _size(number: int) -> str:
    return f"{number / 2**20:.1f} MB"
