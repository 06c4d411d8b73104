"""Loops that are entered again and again, which threads share as long as that is faster (dynamic feedback).

What a region costs is known of a machine that does nothing else.  Where others use it, threads wait for one
that has no core, for milliseconds, each time.  Generated programs measure both ways and take the faster one,
with samples of the other at ever longer intervals (Diniz and Rinard, "Dynamic Feedback: An Effective
Technique for Adaptive Computing", PLDI 1997).  Not where the two round sums otherwise: runs would differ.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from pycparser import c_ast

from models.profitability import Worth
from skeletons.kernel.names import FreshNames
from skeletons.kernel.spelling import user_words
from species.facts.loop_forms import NOTE
from species.facts.loops import Kernel, LoopFacts
from species.source import TranslationUnit
from species.source.text.code import names_in, words_in

TEMPLATE = "default.host.j2"  # the one that has a place for it
SHARE = "cuvier_share"  # functions of generated programs, and their type: see trial.c.j2
THREADS = "cuvier_threads"  # how many threads would share a loop: see threads.c.j2
# What programs with statements put off have names for: see later.c.j2.
_PARTS = ("note_block", "note_head", "first_note", "next_note", "note_chunk", "later", "later_timed")
LATER = frozenset((NOTE, *(f"cuvier_{part}" for part in _PARTS)))
_NAMES = frozenset((SHARE, f"{SHARE}d", "cuvier_trial", THREADS))
_IF = "if("


@dataclass(frozen=True)
class Trial:
    """The variable `name` that notes how long the loops of a `kernel` take, in C."""

    name: str
    kernel: Kernel

    @property
    def declared(self) -> str:
        """Its declaration."""
        return f"static __thread cuvier_trial {self.name};"

    @property
    def asked(self) -> str:
        """What is asked before the loops: whether threads are to share them."""
        return f"{SHARE}(&{self.name}, {self._iterations})"

    @property
    def noted(self) -> str:
        """The statement behind the loops."""
        return f"{SHARE}d(&{self.name});"

    @property
    def _iterations(self) -> str:
        """How many there are, as far as that is known before them."""
        own = {loop.iterator for loop in self.kernel.loops}
        trips = [loop.trips for loop in self.kernel.loops if loop.trips]
        return " * ".join(["1.0", *(f"({each})" for each in trips if own.isdisjoint(names_in(each)))])

    def asking(self, clauses: Sequence[str]) -> tuple[str, ...]:
        """The clauses of a directive, whose `if` asks the trial, too."""
        before = [each for each in clauses if each.startswith(_IF)]
        condition = f"({before[0][len(_IF) : -1]}) && {self.asked}" if before else self.asked
        return (*(each for each in clauses if each not in before), f"{_IF}{condition})")


def trial(unit: TranslationUnit, text: str, loop: LoopFacts, worth: Worth) -> Trial | None:
    """The trial of loops with a `text`; None: they are not measured."""
    if loop.kernel is None or not any(each.trips for each in loop.kernel.loops):
        return None  # times of entries cannot be compared
    if loop.rounded or not worth.brief or not may_have_static(unit, loop.function):
        return None
    if not _NAMES.isdisjoint(user_words(unit) | unit.macros.names):
        return None
    return Trial(FreshNames({*words_in(text), *unit.macros.names}).fresh("trial"), loop.kernel)


def may_have_static(unit: TranslationUnit, function: str) -> bool:
    """May a variable with static storage be declared in it?  Not where it is inline for all files."""
    nodes = (node.decl for node in unit.ast.ext if isinstance(node, c_ast.FuncDef))
    named = [each for each in nodes if each.name == function]
    return not any("inline" in each.funcspec and "static" not in each.storage for each in named)
