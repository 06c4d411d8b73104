"""From a file to its misses."""

from __future__ import annotations

import tempfile
from pathlib import Path

from cuvier.base.errors import UserError
from cuvier.misses.options import MissOptions
from cuvier.misses.processor import this_machine
from cuvier.misses.result import Findings
from models.cache import EXTENSIONS, CacheMachine, read_machine
from models.errors import SkeletonError

DEFAULT_GPU = "h100"


def examine(path: Path, target: str, options: MissOptions) -> Findings:
    """Runs the program of a file, and says where it misses.  UserError where it cannot be built or run."""
    machine = _machine(target, options)
    with tempfile.TemporaryDirectory(prefix="cuvier-misses-") as name:
        try:
            if target == "cuda":
                from cuvier.misses.kernels import examine_kernels

                return examine_kernels(path, machine, options, Path(name))
            from cuvier.misses.loops import examine_loops

            return examine_loops(path, machine, options, Path(name))
        except SkeletonError as error:
            raise UserError(str(error)) from error


def _machine(target: str, options: MissOptions) -> CacheMachine:
    if target not in ("cuda", "openmp", "c"):
        raise UserError(f"no traces for target '{target}'; choose cuda, or openmp for the caches of a CPU")
    try:
        machine = _chosen(target, options.machine)
    except SkeletonError as error:
        raise UserError(str(error)) from error
    if (machine.gpu is not None) != (target == "cuda"):
        kind = "a GPU" if machine.gpu else "no GPU"
        raise UserError(f"--machine {options.machine} is {kind}, and target {target} wants the other")
    for extension in options.without:
        if extension not in EXTENSIONS:
            known = ", ".join(EXTENSIONS)
            raise UserError(f"no extension '{extension}' of the cache model; there are {known}")
        machine = machine.without(extension)
    return machine


def _chosen(target: str, name: str | None) -> CacheMachine:
    if target == "cuda":
        return read_machine(name or DEFAULT_GPU)
    return read_machine(name) if name else this_machine()
