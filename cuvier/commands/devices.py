"""`cuvier devices`: a CUDA program for one GPU, made into one for several; and what sharing takes."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from cuvier.base.errors import UserError
from cuvier.base.exits import epilog
from cuvier.base.option_groups import flattened
from cuvier.commands.common.generation import Arguments, Devices, Partition, axes_of, devices_of
from cuvier.commands.common.options import CodeOptions, c_options

if TYPE_CHECKING:
    from cuvier.multi_gpu.model import KernelModel

EXAMPLES = (
    "cuvier devices hotspot.cu -o build/hotspot",
    "cuvier devices hotspot.cu --devices 4 --partition step=x -o out",
    "cuvier devices hotspot.cu --model model.json -o out    # and look at it",
    "cuvier devices hotspot.cu --use-model model.json -o out",
    "cuvier devices build/hotspot --overhead -- 1024",
    "cuvier devices build/hotspot --model-gpus 16 --bandwidth 25 --latency 8 -- 1024",
)


def register(app: typer.Typer) -> None:
    app.command("devices", epilog=epilog(*EXAMPLES))(flattened(share))


def share(
    file: Annotated[Path, typer.Argument(metavar="FILE.cu|DIR", help="A CUDA file; or a built program.")],
    output: Annotated[
        Path | None, typer.Option("-o", metavar="DIR", help="Write the program to DIR.")
    ] = None,
    devices: Devices = "all",
    partition: Partition = None,
    model: Annotated[
        Path | None,
        typer.Option("--model", metavar="FILE", help="Write the access models of the kernels as JSON."),
    ] = None,
    use_model: Annotated[
        Path | None,
        typer.Option("--use-model", metavar="FILE", help="Take the access models from JSON that was edited."),
    ] = None,
    overhead: Annotated[
        bool,
        typer.Option("--overhead", help="Run the program in DIR, and say what sharing takes of its time."),
    ] = False,
    model_gpus: Annotated[
        int | None,
        typer.Option("--model-gpus", metavar="N", min=1, max=64, help="Model how the program in DIR scales."),
    ] = None,
    bandwidth: Annotated[
        float, typer.Option("--bandwidth", metavar="GB/S", min=1e-3, help="Of copies, in that model.")
    ] = 12.0,
    latency: Annotated[
        float, typer.Option("--latency", metavar="US", min=0, help="Of a copy, in that model.")
    ] = 10.0,
    arguments: Arguments = None,
    *,
    code: CodeOptions,
) -> None:
    """Make a CUDA program for one GPU into one for several, which share the blocks of its kernels.

    FILE.cu has kernels in C style and the calls of CUDA that docs/devices.md lists.  Each device gets the
    cells that its blocks touch; kernels of which that is unknown are run by one device.
    """
    from cuvier.base.console import tell
    from cuvier.base.files import check_output, require_file, write_text
    from cuvier.multi_gpu.model import as_json, derived, from_json
    from cuvier.multi_gpu.rewrite import rewritten
    from cuvier.multi_gpu.source import CudaSource
    from models.errors import SkeletonError
    from skeletons.program.write import write_program
    from skeletons.select.api import Program

    if overhead:
        _overhead(file, tuple(arguments or ()))
    if model_gpus is not None:
        _scaling(file, tuple(arguments or ()), model_gpus, bandwidth, latency)
    if overhead or model_gpus is not None:
        return
    if output is None:
        raise UserError("where to? -o DIR says it")
    check_output(output)
    count, axes = devices_of(devices), axes_of(partition)
    try:
        source = CudaSource(
            str(file), require_file(file).read_text(encoding="utf-8", errors="surrogateescape")
        )
        unknown = sorted(axes.keys() - source.kernels.keys())
        if unknown:
            raise UserError(f"--partition {unknown[0]}={axes[unknown[0]]}: no kernel {unknown[0]!r}")
        if use_model is not None:
            models = from_json(require_file(use_model).read_text(encoding="utf-8"), source)
        else:
            models = derived(source, c_options(code), axes)
        files = rewritten(source, models, count)
        write_program(Program(files, ()), output, file)
    except SkeletonError as error:
        raise UserError.at_place(str(error)) from error
    if model is not None:
        write_text(model, as_json(models), model.parent)
    tell("".join(f"{_said(each, source.path)}\n" for each in models))


def _said(model: KernelModel, path: str) -> str:
    place = f"{path}:{model.line}: {model.name}"
    if not model.axis:
        return f"{place}: one device runs it: {model.refused}"
    sizes = [f"block.{axis} is {size}" for axis, size in sorted(model.block.items())]
    others = ", ".join((*sizes, *(["its arrays do not overlap"] if model.conditions else [])))
    shared = "the iterations of its loop over the grid" if model.trips else f"its blocks along {model.axis}"
    return f"{place}: devices share {shared}" + (f", where {others}" if others else "")


def _overhead(folder: Path, arguments: tuple[str, ...]) -> None:
    """Run a program as it is, without copies, and without the account of them."""
    from cuvier.base.console import tell
    from cuvier.bench.overhead import shares

    found = shares(folder, arguments)
    tell(
        f"{found.program}: {found.alpha * 1000:.1f} ms\n"
        f"  application  {found.application:6.1%}  (gamma / alpha)\n"
        f"  transfers    {found.transfers:6.1%}  ((alpha - beta) / alpha)\n"
        f"  account      {found.account:6.1%}  ((beta - gamma) / alpha)\n"
    )


def _scaling(folder: Path, arguments: tuple[str, ...], most: int, bandwidth: float, latency: float) -> None:
    """A table of modelled times over counted copies."""
    from cuvier.base.console import tell
    from cuvier.bench.scaling import Link, scaled

    alone, rows = scaled(folder, arguments, most, Link(bandwidth * 1e9, latency * 1e-6))
    tell(
        f"{alone.whole * 1000:.1f} ms on one device, {alone.kernels * 1000:.1f} ms in kernels (measured)\n"
        f"GPUs     more bytes  copies   time, speedup (modelled: {bandwidth:g} GB/s, {latency:g} us a copy)\n"
        + "".join(
            f"{row.devices:4}  {row.moved:13}  {row.copies:6}  {row.seconds * 1000:8.1f} ms  "
            f"{alone.whole / row.seconds:6.2f}\n"
            for row in rows
        )
    )
