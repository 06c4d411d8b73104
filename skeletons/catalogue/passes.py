"""Passes: what is done to a program on its way to a target, by the names that `--with` and `--without` take.

A pass is made where it is legal and its measure says that it pays.  What the user asks for is made wherever
it is legal.  `skeletons.schedule.pipelines.registry` lists all of them.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

Kind = Literal["hosts", "cores", "devices", "accelerators", "scans", "features"]


@dataclass(frozen=True)
class Pass:
    """A pass, for targets of some `kinds` (see `skeletons.schedule.pipelines.registry.kinds_of`).

    `features` have it when the user asks for it, and only if their descriptors list it.
    """

    name: str
    summary: str
    kinds: frozenset[Kind] = frozenset()
    can_be_forced: bool = False  # `--with` makes it wherever it is legal
    reorders_sums: bool = False  # `--strict-fp` leaves it out


def feature(name: str, summary: str) -> Pass:
    """A pass that is off unless the user asks for it."""
    return Pass(name, summary, frozenset({"features"}))


DETERMINISTIC = "deterministic"
LIBRARY = "library"
TENSOR_CORES = "tensor-cores"
ORDER = "order"
FUSE = "fuse"  # of kernels; the pass that fuses the loops of nests has this name, too
GLUE = "glue"
MEMBERS = "members"
CONSTANTS = "constants"
BLOCK = "block"
CARRY = "carry"
SCAN = "scan"  # the pattern that skeletons for scans serve
LANES = "lanes"
LISTS = "lists"
DECOUPLE = "decouple"
LATER = "later"
THREADPRIVATE = "threadprivate"
AREAS = "work-areas"
SUMS = "member-sums"
WAVEFRONT = "wavefront"
VECTORISE, THRESHOLD, FEEDBACK = "vectorise", "threshold", "feedback"
PRODUCTS = (LIBRARY, TENSOR_CORES)
OF_SKELETONS = (*PRODUCTS, ORDER)  # skeletons with a transformation of this name are taken only then
# Transformations of skeletons whose threads share iterations otherwise than OpenMP's clauses say: in parts,
# with copies of arrays, and with parts that are combined in their order.
SHARED, COPIED, ORDERED = OTHERWISE = ("share", "copies", "ordered")

_ACCELERATORS = frozenset[Kind]({"accelerators"})
PROGRAM_PASSES = (
    Pass(
        THRESHOLD,
        "leave loops that are too short for threads or launches; test at run time where sizes are unknown",
        frozenset({"hosts", "accelerators"}),
    ),
    Pass(
        FEEDBACK,
        "measure short loops that are entered again and again; threads share them while that is faster",
        frozenset({"hosts"}),
    ),
    Pass(
        LANES,
        "vectorise loops with data-dependent exits across outer iterations",
        frozenset({"hosts", "cores"}),
    ),
    Pass(
        THREADPRIVATE,
        "give threads their own buffers and tallies that functions use (threadprivate)",
        frozenset({"hosts"}),
    ),
    Pass(
        AREAS,
        "give iterations their own memory for work areas behind pointers (array privatisation)",
        frozenset({"hosts"}),
    ),
    Pass(
        LISTS,
        "look up the nodes of a list before its loop, so that threads share the rest of the iterations",
        frozenset({"hosts"}),
    ),
    Pass(
        DECOUPLE,
        "split serial loops into stages; threads share the one that is parallel (decoupled pipelining)",
        frozenset({"hosts"}),
    ),
    Pass(
        LATER,
        "put statements off that keep a loop's iterations in order, so that threads share the rest of it",
        frozenset({"hosts"}),
    ),
    Pass(
        SUMS,
        "add up in variables what goes into members of structures, so that threads can (scalar replacement)",
        frozenset({"hosts"}),
    ),
    Pass(
        MEMBERS,
        "keep members of structures that a nest reads in variables (scalar replacement)",
        _ACCELERATORS,
    ),
    Pass(
        CONSTANTS,
        "write numbers in place of variables that always hold small ones (constant propagation)",
        frozenset({"hosts", "accelerators"}),
    ),
    Pass(GLUE, "run host statements between kernels as kernels of one thread", _ACCELERATORS),
    Pass(
        CARRY,
        "keep the previous iteration's value in a variable, so that b[i] = b[i-1] + a[i] is a scan",
        frozenset({"scans"}),
    ),
    feature(DETERMINISTIC, "combine floating-point numbers of different threads in a fixed order"),
    feature(LIBRARY, "call a library (BLAS) for matrix products"),
    feature(TENSOR_CORES, "compute products of doubles on tensor cores"),
    feature(ORDER, "run the threads of kernels in another order, such as order=tile(8,16)"),
    feature(FUSE, "fuse consecutive kernels"),
    feature(GLUE, "run host statements between kernels as kernels of one thread"),
)
_INTEGER_WORDS = frozenset(("char", "short", "int", "long", "signed", "unsigned", "_Bool", "const"))


def may_be_rounded(ctype: str | None) -> bool:
    """May values of a type (None: unknown) be rounded, so that their sums depend on the order?"""
    return ctype is None or not set(ctype.split()) <= _INTEGER_WORDS
