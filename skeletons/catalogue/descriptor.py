"""Descriptors as values: skeletons with their parameters and hints of cost, and targets."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

from skeletons.catalogue.passes import OF_SKELETONS, PRODUCTS

Comm = Literal["naive", "inspector", "static", "auto", "cgcm"]  # docs/transfers.md says what they do


@dataclass(frozen=True)
class Parameter:
    """A number that a skeleton may be tuned by, with the values that make sense."""

    name: str
    default: int
    low: int
    high: int


@dataclass(frozen=True)
class CostHints:
    """How a skeleton differs from the plain loops: where it keeps what several iterations read.

    `cache`: where the hardware does; `tile`: neighbourhoods in fast memory; `rows`: matrices are transposed
    first; `shared`: stretches in fast memory, used by a whole block; `registers`: by tiles in registers, too;
    `merge`: in the registers of threads that make several iterations; `team`: nothing, but neighbours in
    memory are read side by side.  `threads` make one iteration together.
    `efficiency`: the share of the machine's rates that it reaches.
    """

    reuse: str = "cache"
    efficiency: float = 1.0
    threads: int = 1


@dataclass(frozen=True)
class Skeleton:
    """A descriptor: the species that it takes, what it requires, and its templates by role."""

    name: str
    target: str
    summary: str
    species: str
    priority: int
    requires: Mapping[str, Any]
    transform: str
    parameters: tuple[Parameter, ...]
    templates: Mapping[str, str]  # role ("host", "device", ...) -> file name of the template
    folder: Path
    path: Path
    cost: CostHints = CostHints()

    @property
    def stages(self) -> bool:
        """Does it take sums of values that many iterations share?"""
        return self.transform in ("stage", *PRODUCTS)

    @property
    def asked_for(self) -> str:
        """What `--with` must name for the skeleton to be considered; "": nothing."""
        return self.transform if self.transform in OF_SKELETONS else ""


class Parameters(dict[str, int]):
    """The values of a skeleton's parameters, as templates see them."""

    def __init__(self, descriptor: Path, values: dict[str, int]) -> None:
        super().__init__(values)
        self.descriptor = descriptor


@dataclass(frozen=True)
class Target:
    """A kind of program that can be written: its files, and what its device language can do."""

    name: str
    summary: str
    accelerator: bool  # code and data live on a device of their own
    dimensions: int  # how many base loops are spread over threads
    dialect: str | None  # the device language; None: the host's C
    schedules: bool  # nests may be taken apart and put together in another order
    cpus: bool  # an accelerator's devices may be CPUs
    features: tuple[str, ...]  # what can be asked for beyond that (`skeletons.catalogue.passes`)
    files: Mapping[str, str]  # file name with `{stem}` -> template
    folder: Path
