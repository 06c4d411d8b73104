"""What a compilation is asked for, and what it gives: options, choices and programs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Protocol

from models.machine import DEFAULT, Machine
from skeletons.catalogue.descriptor import Comm, Skeleton
from skeletons.catalogue.passes import DETERMINISTIC, FEEDBACK
from skeletons.kernel.thread_orders import ThreadOrders
from species.facts.loops import Fusion, Glue, Kernel, LoopFacts, Transfer

if TYPE_CHECKING:
    from skeletons.cost.roofline import Cost
    from skeletons.cost.work import Work
    from skeletons.select.tuned import Tuned, TuningKey
    from species.source.text.edits import Edit


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
    orders: Mapping[str, ThreadOrders] = field(default_factory=dict)  # of threads, by kernel ("": all others)
    comm: Comm = "static"  # how data moves to an accelerator and back
    beside: str = ""  # the target of a second version of each kernel, for the host: "openmp" or "c"
    policy: str = "predict"  # how the program chooses between them, if nobody says so when it runs
    devices: int | None = 1  # that share the iterations of kernels; None: as many as there are
    partition: Mapping[str, str] = field(default_factory=dict)  # kernel -> the axis along which they do
    part: bool = False  # other files, which are not seen, may call its functions any number of times

    @property
    def measures(self) -> bool:
        """May generated programs measure loops while they run, and choose by that?"""
        return FEEDBACK not in self.without and DETERMINISTIC not in self.wanted


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
