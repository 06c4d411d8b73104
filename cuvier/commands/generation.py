"""Options of all commands that generate programs: which code is wanted, and for which machine."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from cuvier.errors import UserError

if TYPE_CHECKING:
    from skeletons import CompileOptions
    from skeletons.machine import Machine
    from skeletons.tuned import TuningKey
    from species.source import PreprocessOptions

MachineFile = Annotated[
    str | None,
    typer.Option(
        "--machine",
        metavar="FILE",
        help="The machine to write for, as `cuvier machine` describes it; or `built-in`"
        " [default: ~/.config/cuvier/machine.yaml, where that exists].",
    ),
]
Without = Annotated[
    list[str] | None,
    typer.Option("--without", metavar="NAME", help="Leave a transformation of nests out; repeatable."),
]
StrictSums = Annotated[
    bool, typer.Option("--strict-fp", help="Compute no sum in another order than FILE does.")
]


SkeletonNames = Annotated[
    list[str] | None,
    typer.Option(
        "--skeleton",
        metavar="[KERNEL=]NAME",
        help="Take this skeleton for all kernels that it fits, or for one kernel; repeatable.",
    ),
]


Tuned = Annotated[
    bool,
    typer.Option("--tuned", help="Use what `cuvier tune` found [in ~/.cache/cuvier/tuned.json]."),
]
TunedFile = Annotated[
    Path | None, typer.Option("--tuned-from", metavar="FILE", help="Use what it found, and kept in FILE.")
]


@dataclass(frozen=True)
class GenerationOptions:
    """What the generated code may be like."""

    machine: MachineFile = None
    skeleton: SkeletonNames = None
    tuned: Tuned = False
    tuned_from: TunedFile = None
    without: Without = None
    strict_fp: StrictSums = False


def compile_options(flags: PreprocessOptions, wanted: GenerationOptions, target: str) -> CompileOptions:
    """The compiler's options; UserError for files that are not what they should be, and for unknown names."""
    from cuvier.machine.store import load
    from skeletons import CompileOptions, SkeletonError
    from skeletons.overrides import parse_overrides
    from skeletons.transform.pipeline import check_transformations

    preferred, forced = parse_overrides(wanted.skeleton or ())
    left_out = frozenset(wanted.without or ())
    try:
        check_transformations(left_out)
    except SkeletonError as error:
        raise UserError(str(error)) from error
    machine = load(wanted.machine)
    return CompileOptions(
        flags.include_dirs,
        flags.defines,
        flags.std,
        without=left_out,
        strict_fp=wanted.strict_fp,
        machine=machine,
        preferred=preferred,
        forced=forced,
        tuned=_tuned(wanted, target, machine),
    )


def _tuned(wanted: GenerationOptions, target: str, machine: Machine) -> Mapping[TuningKey, Mapping[str, int]]:
    """The parameters that were measured for the target, if they are asked for."""
    if not wanted.tuned and wanted.tuned_from is None:
        return {}
    from cuvier.tuning.store import default_path, tuned_for

    return tuned_for(wanted.tuned_from or default_path(), target, machine)
