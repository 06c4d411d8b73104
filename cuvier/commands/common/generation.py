"""Options of all commands that generate programs: which code is wanted, for which machine, how it is run."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

import typer

from cuvier.base.errors import UserError
from cuvier.commands.common.options import CodeOptions, SkeletonFolders, analysis_options, c_options

if TYPE_CHECKING:
    from models.machine import Machine
    from skeletons import CompileOptions
    from skeletons.select.tuned import TuningKey
    from species import AnalysisOptions
    from species.source import PreprocessOptions

MOST = 64  # devices that share a kernel

TargetName = Annotated[
    str,
    typer.Option(
        "--target",
        metavar="TARGET",
        help="openmp, opencl, cuda, c, or one of your own; or a device and the host, such as opencl,openmp:"
        " the program then chooses between them, launch by launch.",
    ),
]
Policy = Annotated[
    Literal["predict", "fastest", "cpu", "gpu", "split", "energy"],
    typer.Option(
        "--policy",
        help="How a program for a device and the host chooses, unless CUVIER_POLICY says otherwise when it"
        " runs.",
    ),
]
MachineFile = Annotated[
    str | None,
    typer.Option(
        "--machine",
        metavar="NAME|FILE",
        help="The target machine: a description that `cuvier machine` has written, a name that `cuvier"
        " machine --list` shows, or `built-in`, which is the same everywhere [default: $CUVIER_MACHINE;"
        " ~/.config/cuvier/machine.yaml; read from the system].",
    ),
]
SkeletonNames = Annotated[
    list[str] | None,
    typer.Option(
        "--skeleton",
        metavar="[KERNEL=]NAME",
        help="Use this skeleton for all kernels that it fits, or for one kernel; repeatable.",
    ),
]
Tuned = Annotated[
    bool,
    typer.Option("--tuned", help="Use the results of `cuvier tune` [in ~/.cache/cuvier/tuned.json]."),
]
TunedFile = Annotated[
    Path | None,
    typer.Option("--tuned-from", metavar="FILE", help="Use the results of `cuvier tune` in FILE."),
]
With = Annotated[
    list[str] | None,
    typer.Option(
        "--with",
        metavar="NAME",
        help="Apply a transformation of loop nests wherever it is legal, or turn on an optional feature"
        " (`cuvier skeletons` lists both); repeatable.",
    ),
]
Without = Annotated[
    list[str] | None,
    typer.Option("--without", metavar="NAME", help="Leave out a transformation of loop nests; repeatable."),
]
Communication = Annotated[
    Literal["naive", "inspector", "static", "auto", "cgcm"],
    typer.Option(
        "--comm",
        help="How data moves to an accelerator: static keeps it there until the host needs it; auto also"
        " offloads loops over tables of pointers and memory of unknown size, whose extent it finds at run"
        " time; cgcm moves whole blocks of memory; naive copies everything around every kernel; inspector"
        " copies the elements that the loop's subscripts select.",
    ),
]
StrictSums = Annotated[bool, typer.Option("--strict-fp", help="Compute every sum in the order of FILE.")]
Devices = Annotated[
    str,
    typer.Option(
        "--devices",
        metavar="N|all",
        help="How many devices share the iterations of kernels; all: as many as there are when the program"
        " runs (opencl and cuda).",
    ),
]
Partition = Annotated[
    list[str] | None,
    typer.Option(
        "--partition",
        metavar="KERNEL=x|y|z",
        help="Along which axis of the grid devices share a kernel: x is its innermost loop; repeatable.",
    ),
]
Arguments = Annotated[
    list[str] | None, typer.Argument(metavar="[-- ARG...]", help="Arguments of the program, after `--`.")
]
Timeout = Annotated[
    float, typer.Option("--timeout", metavar="S", min=0.1, help="Time limit for each program, in seconds.")
]
AsJson = Annotated[bool, typer.Option("--json", help="Print JSON.")]


@dataclass(frozen=True)
class GenerationOptions:
    """What the generated code may be like."""

    target: TargetName
    skeletons: SkeletonFolders = None
    machine: MachineFile = None
    skeleton: SkeletonNames = None
    tuned: Tuned = False
    tuned_from: TunedFile = None
    with_: With = None
    without: Without = None
    strict_fp: StrictSums = False
    comm: Communication = "static"
    policy: Policy = "predict"
    devices: Devices = "1"
    partition: Partition = None


@dataclass(frozen=True)
class Order:
    """What the front end, the analyser and the compiler are told."""

    target: str
    skeletons: tuple[Path, ...]
    preprocess: PreprocessOptions
    analysis: AnalysisOptions
    generation: CompileOptions


def ordered(wanted: GenerationOptions, code: CodeOptions, *, versions: bool = True) -> Order:
    """What the options mean; UserError for files that are not what they should be, and for unknown names, and
    for a device and the host where programs are not to have `versions` for both.
    """
    flags = c_options(code)
    target, beside = _targets(wanted)
    if beside and not versions:
        raise UserError(f"--target {wanted.target}: this command takes one target, such as --target {target}")
    wanted = replace(wanted, target=target)
    devices, axes = _shares(wanted, beside)
    return Order(
        target=target,
        skeletons=tuple(wanted.skeletons or ()),
        preprocess=flags,
        analysis=replace(analysis_options(code), parts=devices != 1 or bool(beside)),
        generation=replace(
            compile_options(flags, wanted),
            beside=beside,
            policy=wanted.policy,
            devices=devices,
            partition=axes,
        ),
    )


def devices_of(text: str) -> int | None:
    """How many devices share kernels; None: all that there are."""
    if text != "all" and not (text.isdecimal() and 1 <= int(text) <= MOST):
        raise UserError(f"--devices {text}: expected a number from 1 to {MOST}, or all")
    return None if text == "all" else int(text)


def axes_of(texts: list[str] | None) -> dict[str, str]:
    """The axes along which kernels are shared, `KERNEL=AXIS` each."""
    found: dict[str, str] = {}
    for text in texts or ():
        kernel, equals, axis = text.partition("=")
        if not kernel or not equals or axis not in ("x", "y", "z"):
            raise UserError(f"--partition {text}: expected a kernel and x, y or z, such as app_k1=x")
        found[kernel] = axis
    return found


def _shares(wanted: GenerationOptions, beside: str) -> tuple[int | None, dict[str, str]]:
    """How many devices share the kernels, and along which axes."""
    count, axes = devices_of(wanted.devices), axes_of(wanted.partition)
    if count == 1 and axes:
        raise UserError(
            f"--partition {(wanted.partition or [''])[0]} needs --devices all, or a number of them"
        )
    if count != 1 and (wanted.target not in ("opencl", "cuda") or beside):
        raise UserError(f"--devices {wanted.devices}: devices share the kernels of --target opencl or cuda")
    if count != 1 and wanted.comm != "static":
        way_out = "needs --comm static: an account of all devices says where data is"
        raise UserError(f"--devices {wanted.devices} {way_out}")
    return count, axes


def _targets(wanted: GenerationOptions) -> tuple[str, str]:
    """The target, and that of the versions for the host beside it (empty: there are none)."""
    names = [name.strip() for name in wanted.target.split(",")]
    if len(names) == 1:
        return names[0], ""
    hosts = [name for name in names if name in ("openmp", "c")]
    devices = [name for name in names if name not in hosts]
    if len(hosts) != 1 or len(devices) != 1:
        way_out = "name one device and one of openmp and c, such as opencl,openmp"
        raise UserError(
            f"--target {wanted.target}: a program chooses between a device and the host: {way_out}"
        )
    if wanted.comm != "static":
        raise UserError(f"--target {wanted.target} needs --comm static: data stays where it was used last")
    return devices[0], hosts[0]


def compile_options(flags: PreprocessOptions, wanted: GenerationOptions) -> CompileOptions:
    """The compiler's part of it."""
    from cuvier.machine.store import load
    from skeletons import CompileOptions, SkeletonError
    from skeletons.catalogue.passes import ORDER
    from skeletons.kernel.thread_orders import orders_by_kernel
    from skeletons.program.overrides import parse_overrides
    from skeletons.schedule.pipelines.registry import check_names

    preferred, forced = parse_overrides(wanted.skeleton or ())
    left_out = frozenset(wanted.without or ())
    names = [name.partition("=") for name in wanted.with_ or ()]
    try:
        check_names(left_out)
        orders = orders_by_kernel([order for name, equals, order in names if equals and name == ORDER])
    except SkeletonError as error:
        raise UserError(str(error)) from error
    machine = load(wanted.machine)
    return CompileOptions(
        tuple(map(os.path.abspath, flags.include_dirs)),  # make runs in another folder
        flags.defines,
        flags.std,
        flags.absolute_flags(),
        wanted=frozenset(each[0] if each[0] == ORDER else "".join(each) for each in names),
        orders=orders,
        without=left_out,
        strict_fp=wanted.strict_fp,
        machine=machine,
        preferred=preferred,
        forced=forced,
        tuned=_tuned(wanted, machine),
        comm=wanted.comm,
    )


def _tuned(wanted: GenerationOptions, machine: Machine) -> Mapping[TuningKey, Mapping[str, int]]:
    """The parameters that were measured for the target, if they are asked for."""
    if not wanted.tuned and wanted.tuned_from is None:
        return {}
    from cuvier.tuning.store import default_path, tuned_for

    return tuned_for(wanted.tuned_from or default_path(), wanted.target, machine)
