"""What the package takes and gives: options, skeletons, choices and programs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, Protocol

from models.machine import DEFAULT, Machine
from skeletons.features import OF_SKELETONS
from species.facts import Fusion, Glue, Kernel, LoopFacts, Transfer

if TYPE_CHECKING:
    from skeletons.roofline import Cost
    from skeletons.tuned import Tuned, TuningKey
    from skeletons.work import Work
    from species.source.edits import Edit


Comm = Literal["naive", "inspector", "static", "auto", "cgcm"]  # docs/transfers.md says what they do


@dataclass(frozen=True)
class CompileOptions:
    """What the user said of the program: flags that the Makefile repeats, and skeleton parameters.

    `parameters` override the defaults of every skeleton that has a parameter of that name.
    """

    include_dirs: tuple[str, ...] = ()
    defines: tuple[str, ...] = ()  # "N=100" or "NDEBUG"
    std: str | None = None  # "gnu99"; None: the compiler's default
    flags: tuple[str, ...] = ()  # others of the preprocessor, in its own words
    parameters: Mapping[str, int] = field(default_factory=dict)
    without: frozenset[str] = frozenset()  # names of transformations that are not made
    strict_fp: bool = False  # no sum is computed in another order
    machine: Machine = DEFAULT  # for which sizes are chosen and skeletons ranked
    preferred: tuple[str, ...] = ()  # skeletons to be taken by all kernels that they fit, the first first
    forced: Mapping[str, str] = field(default_factory=dict)  # kernel -> the skeleton that it must get
    tuned: Tuned = field(default_factory=dict)  # parameters that were measured to be good
    left: Mapping[str, str] = field(default_factory=dict)  # kernel -> why it stays on the host
    wanted: frozenset[str] = frozenset()  # transformations and features that the user asks for
    comm: Comm = "static"  # how data moves to an accelerator and back


class Residence(Protocol):
    """Whose data stays on the device between kernels, and what is put into the host file for it."""

    def why(self, loop: LoopFacts) -> str:
        """Why the data of the loop's kernel does not stay; empty: it does."""

    def knows(self, loop: LoopFacts, array: str) -> bool:
        """Does host code know the array by the address that the kernel gets?"""

    def edits(self, replaced: Sequence[LoopFacts], prefix: str) -> Sequence[Edit]:
        """What host code calls before it touches data, where these loops are kernels now."""

    def declarations(self, prefix: str) -> Sequence[Edit]:
        """What tells the library of allocation units of variables."""


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
        return self.transform in ("stage", *OF_SKELETONS)

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
    features: tuple[str, ...]  # what can be asked for beyond that (`skeletons.features`)
    files: Mapping[str, str]  # file name with `{stem}` -> template
    folder: Path


@dataclass(frozen=True)
class Choice:
    """Which skeleton a kernel got, and what was said of every candidate: (name, accepted, reason).

    `work` and `costs`, by skeleton, are estimates; only those that could be taken are compared.
    """

    kernel: Kernel
    skeleton: Skeleton | None
    why: tuple[tuple[str, bool, str], ...]
    work: Work | None = None
    costs: Mapping[str, Cost] = field(default_factory=dict)
    key: TuningKey | None = None  # what results of tuning belong to
    steps: tuple[str, ...] = ()  # the transformations that were made, of whole nests


@dataclass(frozen=True)
class KernelCopies:
    """How the data of a kernel moves: what each launch needs and changes, and why it does not stay ("": it
    does).
    """

    kernel: str
    line: int
    transfers: tuple[Transfer, ...]
    why: str


@dataclass(frozen=True)
class Program:
    """A generated program: texts by relative path, and how each kernel was treated."""

    files: Mapping[str, str]
    choices: tuple[Choice, ...]
    replaced: tuple[LoopFacts, ...] = ()  # loops, or nests with one kernel for all of them
    copies: tuple[KernelCopies, ...] = ()
    asks: tuple[tuple[int, str], ...] = ()  # lines of the file, and what is put before the statements there
    fusions: tuple[Fusion, ...] = ()  # what became of kernels that stand one after the other
    glues: tuple[Glue, ...] = ()  # what became of the host's statements between kernels
