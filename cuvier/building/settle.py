"""A program that builds: kernels with which it does not are left on the host."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from itertools import count
from pathlib import Path

from cuvier.base.errors import UserError
from cuvier.base.syntax import first_error
from cuvier.building.check import Opinion, opinions
from cuvier.building.faults import Fault, blamed
from skeletons import Program
from species.facts.loops import LoopFacts
from species.loops.defects import STRICT
from species.source import PreprocessOptions

_ROUNDS = 4  # so often kernels are left out; then all of them are


@dataclass(frozen=True)
class Settled:
    """A program, what compilers say of it, and why kernels were left on the host, by name."""

    program: Program
    opinions: tuple[Opinion, ...]
    left: Mapping[str, str]


class NotBuiltError(Exception):
    """The program does not build, whatever is left out; a defect."""


def settled(
    make: Callable[[Mapping[str, str]], Program],
    path: Path,
    text: str,
    loops: tuple[LoopFacts, ...],
    options: PreprocessOptions,
) -> Settled:
    """The program that `make` makes without the kernels that it is given, such that compilers take it.

    `path`, `text` and `loops` are those of the file.  UserError where they do not take the file either,
    NotBuiltError where they take no program; in tests (see `species.loops.defects`), where
    they do not take the first one.
    """
    left: dict[str, str] = {}
    for rounds in count():
        program = make(left)
        said = opinions(program, options)
        fault = next((opinion.fault for opinion in said if opinion.fault), None)
        if fault is None:
            break
        _check_source(path, text, options)
        every = frozenset(loop.kernel.name for loop in (*program.replaced, *loops) if loop.kernel)
        chosen = blamed(fault, program, text, loops) if rounds < _ROUNDS else every
        new = (chosen - left.keys()) or (every - left.keys())
        if not new or os.environ.get(STRICT) == "1":
            raise NotBuiltError(_message(fault))
        left |= dict.fromkeys(sorted(new), str(fault))
    return Settled(program, said, left)


def _check_source(path: Path, text: str, options: PreprocessOptions) -> None:
    error = first_error(path, text, options)
    if error is not None:
        message = f"the file does not compile: {error.message} (--no-check writes a program all the same)"
        raise UserError(message, error.position)


def _message(fault: Fault) -> str:
    return (
        f"the generated program does not build: {fault}; this is a defect of Cuvier, please report it with"
        " the input (--no-check writes the program as it is, --skeleton KERNEL=none leaves a kernel on the"
        " host)"
    )
