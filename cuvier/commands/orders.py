"""`cuvier cache orders FILE`: which order of threads asks least of the caches."""

from __future__ import annotations

from typing import Annotated

import typer

from cuvier.base.exits import epilog
from cuvier.base.option_groups import flattened
from cuvier.commands.common.generation import Arguments, AsJson
from cuvier.commands.common.options import CodeOptions, File, SkeletonFolders
from cuvier.commands.misses import Launches, Limit, MachineOf, Seconds

NAME = "orders"
EXAMPLES = (
    "cuvier cache orders app.c -- 512",
    "cuvier cache orders app.c --machine fermi-16k --order 'tile(16,16)' --order 'stride(32)'",
)


def add_to(group: typer.Typer) -> None:
    group.command(NAME, epilog=epilog(*EXAMPLES))(flattened(rank))


def rank(
    file: File,
    arguments: Arguments = None,
    machine: MachineOf = None,
    order: Annotated[
        list[str] | None,
        typer.Option("--order", metavar="ORDER", help="Compare this order, no others; repeatable."),
    ] = None,
    skeletons: SkeletonFolders = None,
    json: AsJson = False,
    launches: Launches = 1,
    limit: Limit = 5_000_000,
    timeout: Seconds = 300.0,
    *,
    code: CodeOptions,
) -> None:
    """Rank orders of the threads of FILE's kernels by what they ask of the caches of a GPU.

    The cache model says so; no GPU is needed.

    For each kernel: how many lines are asked for of a core's cache, of the one that all share and of memory,
    and the cost of that, compared with the kernel as it is.

    `cuvier compile --with order=KERNEL:ORDER` takes one.
    """
    from cuvier.base.console import emit, tell
    from cuvier.base.errors import UserError
    from cuvier.base.files import require_file
    from cuvier.commands.common.generation import GenerationOptions, ordered
    from cuvier.misses import MissOptions
    from cuvier.misses.examine import DEFAULT_GPU
    from cuvier.misses.orders import CANDIDATES, as_json, as_text, rank_orders
    from models.errors import SkeletonError

    said = ordered(GenerationOptions("cuda", skeletons), code, versions=False)
    options = MissOptions(
        preprocess=said.preprocess,
        analysis=said.analysis,
        generation=said.generation,
        machine=machine,
        arguments=tuple(arguments or ()),
        skeletons=said.skeletons,
        launches=launches,
        limit=limit,
        timeout=timeout,
    )
    try:
        found = rank_orders(require_file(file), options, tuple(order or CANDIDATES))
    except SkeletonError as error:
        raise UserError(str(error)) from error
    name = machine or DEFAULT_GPU
    emit(as_json(file, name, found)) if json else tell(as_text(file, name, found))
