"""Data that stays on the device between kernels: whose, and where host code asks for it.

Nothing is copied before a kernel or host code needs it (the run-time account, `cuvier_data.h`, knows where
each value is), so that the plan only has to say, before every statement of the host that may touch such
memory, what it touches. That is rules 3 and 5 of theory.md (section 5) at once: a copy out waits for its
first reader, a copy in is made once however often its kernel runs, and what nobody asks for again is dropped.
"""

from __future__ import annotations

import re
from collections.abc import Collection
from dataclasses import dataclass

from pycparser import c_ast

from species.facts.loops import LoopFacts, UnitFacts
from species.loops.walk import Names
from species.source import TranslationUnit
from species.source.syntax.tree import walk
from species.source.text.edits import Edit
from transfers.plan.accesses import is_array
from transfers.plan.as_pragmas import pragmas
from transfers.plan.coherence_calls import Asking
from transfers.plan.declared import Declared
from transfers.plan.functions import Function
from transfers.plan.lifetimes import Endings
from transfers.plan.program import HostProgram
from transfers.plan.user_pragmas import ByHand, written_in
from transfers.plan.wording import Wording

_ASSEMBLY = re.compile(r"\b(asm|__asm|__asm__)\b")
# Memory of the program that its library goes on using: streams over it, and states of random numbers.
_LENT = re.compile(
    r"\b(fmemopen|open_w?memstream|setvbuf|setbuf|setbuffer|fopencookie|(init|set)state(_r)?|putenv)\b"
)
# Functions that `printf` calls.
_PRINTING = re.compile(r"\bregister_printf_(specifier|function|modifier|type)\b")
# One memory at two addresses.
_SHARED = re.compile(r"\b(MAP_SHARED\w*|shmat|mremap|remap_file_pages)\b")
# Functions with these attributes run unseen, or under other names.
_UNSEEN = re.compile(r"\b(__)?(constructor|destructor|cleanup|alias|ifunc|weakref)(__)?\b(?=\s*[,()])")
_REASONS = (
    (_UNSEEN, "functions with attributes (constructors and the like) run without a visible call"),
    (_PRINTING, "functions that printf calls run without a visible call"),
    (_LENT, "the C library keeps using memory of the program"),
    (_SHARED, "memory may have two addresses"),
)


@dataclass(frozen=True)
class Resident:
    """The plan for a file: which kernels leave their data on the device, and what host code must ask for."""

    program: HostProgram | None  # None: nothing stays there
    reason: str = ""  # why

    def why(self, loop: LoopFacts) -> str:
        """Why data of the loop's kernel does not stay on the device; empty: it does."""
        function = self._function(loop)
        return (
            function.why if function is not None else self.reason or "its function is not in the file itself"
        )

    def knows(self, loop: LoopFacts, array: str) -> bool:
        """Is the address that the kernel gets for an array the one that host code knows it by?"""
        function = self._function(loop)
        if self.program is None or function is None:
            return False
        node = next(
            node
            for node in walk(function.node.body)
            if id(node) in function.kernels and function.kernels[id(node)].id == loop.id
        )
        found = {self.program.names.resolution.symbols.get(id(n)) for n in walk(node)}
        named = [symbol for symbol in found if symbol is not None and symbol.name == array]
        return len(named) == 1 and (is_array(named[0]) or named[0] in self.program.owners)

    def edits(self, replaced: Collection[LoopFacts], prefix: str) -> list[Edit]:
        """What is put into the host file where these loops become kernels; `prefix` begins the functions'
        names.  Raises SourceError (CV008) for a pragma that makes no sense.
        """
        if self.program is None:
            return []
        places = {loop.position: loop for loop in replaced}
        endings, wording = Endings(self.program), Wording(self.program, prefix)
        written, edits = written_in(self.program), []
        for function in self.program.functions.values():
            by_hand = ByHand(self.program, prefix, function, written)
            asking = Asking(endings, wording, function, places, running=by_hand.brings)
            edits += asking.edits()
            if asking.is_launching:
                edits += by_hand.edits()
        return edits

    def declarations(self, prefix: str) -> list[Edit]:
        """What tells the run-time library of variables."""
        return list(Declared(self.program, prefix).edits()) if self.program is not None else []

    def as_pragmas(self, facts: UnitFacts) -> list[Edit]:
        """The copies that begin early, as pragmas in the file, where all loops that can are kernels."""
        if self.program is None:
            return []
        loops = (loop for loop in facts.loops if loop.kernel is not None and not loop.kernel.obstacles)
        places = {loop.position: loop for loop in loops}
        endings, wording = Endings(self.program), Wording(self.program, "")
        copies = []
        for function in self.program.functions.values():
            asking = Asking(endings, wording, function, places)
            asking.edits()
            copies += asking.ahead
        return list(pragmas(self.program, copies))

    def _function(self, loop: LoopFacts) -> Function | None:
        functions = self.program.functions.values() if self.program else ()
        return next((f for f in functions if any(k.id == loop.id for k in f.kernels.values())), None)


def resident(
    unit: TranslationUnit,
    facts: UnitFacts,
    names: Names,
    *,
    strict_aliasing: bool = True,
    watched: bool = False,
) -> Resident:
    """The plan for a file; `watched`: somebody looks at variables when the program has ended.

    Nothing stays on the device where not all code is seen, or where threads share the host's.
    """
    why = _obstacle(unit)
    if why:
        return Resident(None, why)
    strict = strict_aliasing and not unit.options.mixes_types
    return Resident(HostProgram(unit, facts, names, strict_aliasing=strict, watched=watched))


def _obstacle(unit: TranslationUnit) -> str:
    """Why nothing may stay on the device in a file; empty: it may."""
    if any(text.split()[:1] == ["omp"] for _, text in unit.pragmas):
        return "the file has directives of OpenMP: threads share the host's data"
    used = (node.name for node in unit.all_of(c_ast.ID))  # macros may have made a name
    text = "\n".join((*(source.text for source in unit.sources.values()), *used))
    for pattern, why in _REASONS:
        if pattern.search(text) is not None:
            return why
    if unit.status != "ok" or _ASSEMBLY.search(unit.source.text) is not None:
        return "not all of the file's code is understood"
    return ""
