"""`cuvier cache`: the results of earlier runs; with a file, its misses in the caches of a machine."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from typer.core import TyperGroup

from cuvier.base.exits import epilog
from cuvier.commands import misses, orders

if TYPE_CHECKING:
    from cuvier.batch.cache import Cache

Folder = Annotated[Path | None, typer.Option("--cache-dir", metavar="DIR", help="The cache in DIR.")]


class _FileOrCommand(TyperGroup):
    """`cuvier cache FILE ...` is `cuvier cache misses FILE ...`."""

    def parse_args(self, ctx: typer.Context, args: list[str]) -> list[str]:  # type: ignore[override]
        own = {*self.commands, "-h", "--help"}
        if args and args[0] not in own and not args[0].startswith("--cache-dir"):
            args = [misses.NAME, *args]
        return super().parse_args(ctx, args)


def register(app: typer.Typer) -> None:
    group = typer.Typer(rich_markup_mode=None, invoke_without_command=True, cls=_FileOrCommand)
    group.callback(epilog=epilog("cuvier cache", "cuvier cache app.c --target cuda"))(show)
    group.command("clean", epilog=epilog("cuvier cache clean", "cuvier cache clean --unused 30"))(clean)
    misses.add_to(group)
    orders.add_to(group)
    app.add_typer(group, name="cache")


def show(context: typer.Context, cache_dir: Folder = None) -> None:
    """Show where results of earlier runs are kept, and their size.

    With a FILE, as `cuvier cache misses FILE`: show where its program misses in the caches of a machine.
    """
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
