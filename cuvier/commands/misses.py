"""`cuvier cache FILE`: where the program misses in caches, and why."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from cuvier.base.exits import epilog
from cuvier.base.option_groups import flattened
from cuvier.commands.common.generation import Arguments, AsJson, SkeletonNames, With
from cuvier.commands.common.options import CodeOptions, File, SkeletonFolders

if TYPE_CHECKING:
    from cuvier.commands.common.generation import Order

NAME = "misses"
EXAMPLES = (
    "cuvier cache app.c --target cuda",
    "cuvier cache app.c --target cuda --machine fermi-16k --without mshrs --without latencies",
    "cuvier cache app.c --target openmp -DN=500 --svg misses.svg -- input.txt",
    "cuvier cache app.c --target cuda --json | jq '.kernels[].levels[0].misses'",
)

MachineOf = Annotated[
    str | None,
    typer.Option(
        "--machine",
        metavar="MACHINE",
        help="fermi-16k, fermi-48k, a100 or h100, or a YAML file as in docs/cache.md [default: h100; for"
        " openmp, this machine].",
    ),
]
Launches = Annotated[
    int, typer.Option("--launches", metavar="N", min=1, help="Look at the first N launches of a kernel.")
]
Limit = Annotated[
    int,
    typer.Option(
        "--limit",
        metavar="N",
        min=1000,
        help="Record about N accesses of a launch: of fewer cores, where there are more; without"
        " kernels, the first N of the program.",
    ),
]
Seconds = Annotated[
    float, typer.Option("--timeout", metavar="S", min=0.1, help="Time limit for the program, in seconds.")
]


def add_to(group: typer.Typer) -> None:
    group.command(NAME, epilog=epilog(*EXAMPLES))(flattened(show_misses))


def show_misses(
    file: File,
    arguments: Arguments = None,
    target: Annotated[
        str,
        typer.Option("--target", metavar="TARGET", help="cuda, or openmp for the caches of a processor."),
    ] = "cuda",
    machine: MachineOf = None,
    without: Annotated[
        list[str] | None,
        typer.Option(
            "--without",
            metavar="EXTENSION",
            help="Leave an extension of the model out: threads, latencies, associativity, mshrs, divergence"
            " or coalescing; repeatable.",
        ),
    ] = None,
    with_: With = None,
    skeletons: SkeletonFolders = None,
    skeleton: SkeletonNames = None,
    svg: Annotated[
        Path | None, typer.Option("--svg", metavar="FILE", help="Draw misses and reuse distances in FILE.")
    ] = None,
    json: AsJson = False,
    launches: Launches = 2,
    limit: Limit = 20_000_000,
    timeout: Seconds = 300.0,
    *,
    code: CodeOptions,
) -> None:
    """Run FILE's program, and model where its references miss in caches, why, and what would help.

    For CUDA the generated program runs on the host shim: no GPU is needed.  Misses are compulsory (the first
    use of a line), of capacity, of associativity (other lines have taken its set), of MSHRs (lost while a
    warp waited for a register for misses) or of latency (the line is on its way, which costs no traffic).

    With --target openmp, the program itself runs, on one core.
    """
    from cuvier.base.console import emit, tell
    from cuvier.base.files import require_file, write_text
    from cuvier.commands.common.generation import GenerationOptions, ordered
    from cuvier.misses import MissOptions, examine
    from cuvier.misses.picture import svg as drawn
    from cuvier.misses.report import json_text
    from cuvier.misses.text import as_text

    generation = GenerationOptions(target, skeletons, skeleton=skeleton, with_=with_)
    order: Order = ordered(generation, code, versions=False)
    options = MissOptions(
        preprocess=order.preprocess,
        analysis=order.analysis,
        generation=order.generation,
        machine=machine,
        without=tuple(without or ()),
        arguments=tuple(arguments or ()),
        skeletons=order.skeletons,
        launches=launches,
        limit=limit,
        timeout=timeout,
    )
    findings = examine(require_file(file), target, options)
    if svg is not None:
        write_text(svg, drawn(findings))
    if json:
        emit(json_text(findings))
    else:
        tell(as_text(findings))
