"""What a caller may choose of the analysis."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from species.core.budget import DEFAULT_SECONDS
from species.dependence.exact.gcd_banerjee import EXACT
from species.symbols.effect_table import Effect

Theory = Literal["references", "polyhedral"]
Grain = Literal["nest", "loop", "statement"]


@dataclass(frozen=True)
class AnalysisOptions:
    """`t_gap` bounds the holes over which neighbouring references merge (None: any hole).

    `theory` is what species are derived by: the characterisations of array references (A-Darwin; seed
    003, section 3.3), or the polyhedral theory (ASET; section 3.2), under which only static affine loop
    nests have a species.  `at` "statement" characterises every statement by itself, too.  `effects` says
    what functions do (species.symbols.effect_table).  `tests` are the dependence tests: "exact", or
    "gcd" and "banerjee" alone (species.dependence.exact.gcd_banerjee).  `budget` is the processor time of a
    nest, in seconds.
    `strict_aliasing` is C's rule, and the compilers' default, that cells of different types are not one.
    Without `error_order`, branches in which the program ends may be taken in any order
    (species.symbols.failures).
    `parts` asks for the arrays of kernels as a part of the iterations touches them (species.kernels.parts);
    with `clipped` ones, cells beyond an array's end are left out when the program runs.
    `listed` names tables whose pointers all lead to different objects, as the caller has shown.
    `per_thread` names variables with static storage of which every thread has its own, one variable for each
    name.  `parts_of_loops` names the iterators of loops over parts of others, each with that of the loop
    inside over the part's own iterations: behind them, these variables are set before they are read.
    `scops` asks for the static control parts, which transformations work on.  `summary` asks for what other
    files of the program should know; `imports` is what this file has to know of them
    (species.interprocedural).
    """

    t_gap: int | None = None
    theory: Theory = "references"
    at: Grain = "nest"
    effects: tuple[Effect, ...] = ()
    tests: tuple[str, ...] = (EXACT,)
    budget: float = DEFAULT_SECONDS
    strict_aliasing: bool = True
    error_order: bool = True
    scops: bool = False
    parts: bool = False
    clipped: bool = False
    listed: frozenset[str] = frozenset()
    per_thread: frozenset[str] = frozenset()
    parts_of_loops: frozenset[tuple[str, str]] = frozenset()
    summary: bool = False
    imports: str = ""


DEFAULTS = AnalysisOptions()
