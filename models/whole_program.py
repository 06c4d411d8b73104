"""What regions cost elsewhere in a program than at their loops, and which loops are too short to bother."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property

from pycparser import c_ast

from models.amdahl import Times, negligible
from models.callgraph import Callers
from models.escapes import Escapes
from models.estimate import Estimate, Program
from models.hidden_constants import COPIES, LONGEST, Constants, Hidden
from models.machine import Machine
from species.facts.loops import LoopFacts, UnitFacts
from species.source import TranslationUnit
from species.source.syntax.declarations import Declarations
from species.source.syntax.tree import walk

_LANES = dict.fromkeys(("char", "signed char", "unsigned char", "_Bool"), 4.0)
_LANES |= dict.fromkeys(("short", "unsigned short"), 2.0)

TESTS = 10  # pairs of arrays that gcc tests before it makes vectors; of more it makes none
ACROSS = 2  # times as fast are loops that are vectors across their iterations, about
VECTORS = 2.5  # times as fast are such vectors, about


@dataclass(frozen=True)
class WholeProgram:
    """A file as a whole; with `main`, all of a program.

    `nodes` are the loops by their ids, by function; `takes` says of which threads can share the iterations.
    `threads`: that is what is decided, not what is launched on a device.  `copies`: see `decide`.
    """

    unit: TranslationUnit
    facts: UnitFacts
    machine: Machine
    program: Program
    estimates: Mapping[str, Estimate]
    nodes: Mapping[str, Mapping[str, c_ast.Node]]
    callers: Callers
    takes: Callable[[LoopFacts], bool]
    threads: bool
    copies: bool

    @cached_property
    def negligible(self) -> set[str]:
        """The loops that take next to nothing of a program's time: see `models.amdahl`."""
        if "main" not in self.program.functions or not self.threads:
            return set()
        return negligible(self._times, self._is_guessed)

    @cached_property
    def _by_id(self) -> dict[str, LoopFacts]:
        return {loop.id: loop for loop in self.facts.loops}

    @cached_property
    def hindering(self) -> dict[str, str]:
        """The loops whose threads cost more in serial ones than they save: see `models.escapes`."""
        if "main" not in self.program.functions or not self.threads:
            return {}
        saved = {each: time / self.lanes(self._by_id[each]) for each, time in self._times.saved.items()}
        kernels = {each: loop.kernel for each, loop in self._by_id.items() if loop.kernel and self.copies}
        copied = {each: kernel.members for each, kernel in kernels.items()}
        private = {
            each: (*loop.private, *loop.firstprivate, *loop.copied) for each, loop in self._by_id.items()
        }
        escapes = Escapes(self.unit.ast, self.callers, self.machine.cores, copied, private, self.program)
        return escapes.hindering(saved, self._times.serial, self.nodes)

    @cached_property
    def _times(self) -> Times:
        hiding = {*self.hidden}
        for loop in self.facts.loops:
            hiding |= {loop.id} if loop.parent in hiding else set()

        def takes(loop: LoopFacts) -> bool:
            return loop.id not in hiding and self.takes(loop)

        return Times(self.facts, self.estimates, self.nodes, self.callers, self.machine, takes)

    def _is_guessed(self, loop: LoopFacts) -> bool:
        """Does nothing in the text suggest how long the loop takes, or what it calls?"""
        node, pending, seen = self.nodes[loop.function].get(loop.id), [loop.function], set[str]()
        while pending and node is not None:
            name = pending.pop()
            functions, seen = self.program.functions[name], {*seen, name}
            own = name == loop.function
            loops = [node] if own else [chain[-1].node for chain in functions.chains.values()]
            guesses = (functions.guesses(each, self.program.operations) for each in loops)
            if any(self.are_unknown(sizes, name) for sizes in guesses):
                return True
            calls = (c for c in functions.calls if not own or any(a.node is node for a in c.around))
            pending += {c.callee for c in calls if c.callee in self.program.functions} - seen
        return False

    def are_unknown(self, sizes: Iterable[str], name: str) -> bool:
        """Does nothing in the text suggest how large some of these are?  Then only the run can tell."""
        return not all(self.program.typical.suggests(size, name) for size in sizes)

    @cached_property
    def hidden(self) -> dict[str, Hidden]:
        """By their ids, the loops that hide a constant from compilers, where threads do not outdo that."""
        if not self.threads:
            return {}
        found = {loop.id: self._hidden(loop) for loop in self.facts.loops}
        return {each: hidden for each, hidden in found.items() if hidden is not None}

    def _hidden(self, loop: LoopFacts) -> Hidden | None:
        node = self.nodes[loop.function].get(loop.id)
        if node is None:
            return None
        numbers = self._numbers(loop)
        in_main = self.callers.is_part_of_main(loop.function, small=True)
        found = Constants(self.program, numbers, in_main).hidden(node) or self._across(loop)
        return found if found and self.machine.cores <= found.factor else None

    def _numbers(self, loop: LoopFacts) -> dict[str, tuple[int, ...]]:
        """The variables of a loop that always are numbers, which compilers do not see in a region."""
        function = self.program.functions[loop.function].function
        declared = (n for n in walk(function) if isinstance(n, c_ast.Decl))
        visible = {each.name for each in declared if "const" in each.quals}
        scalars = loop.kernel.scalars if loop.kernel else ()
        given = {s.name: (s.number,) if s.number is not None else s.given for s in scalars}
        return {name: values for name, values in given.items() if values and name not in visible}

    def _across(self, loop: LoopFacts) -> Hidden | None:
        """One that makes compilers take the iterations of the loop, or of one inside, for a vector."""
        for each in self.facts.loops:
            if f"{each.id}.".startswith(f"{loop.id}.") and each.across > 1:
                for name, values in self._numbers(each).items():
                    if len({*values}) <= COPIES and 1 < max(values) <= LONGEST:
                        return Hidden(c_ast.ID(name), tuple(sorted({*values})), ACROSS)
        return None

    def untested(self, loop: LoopFacts) -> int:
        """How many pairs of arrays compilers would have to test for vectors in a region, in the loop or one
        inside, where that is too many, few threads do not outdo it, and they see all of them in `main`.
        """
        inside = (each for each in self.facts.loops if f"{each.id}.".startswith(f"{loop.id}."))
        most = max((each.overlap_tests for each in inside), default=0)
        lost = self.threads and most > TESTS and self.machine.cores < VECTORS
        return most if lost and self.callers.is_part_of_main(loop.function, small=True) else 0

    def lanes(self, loop: LoopFacts) -> float:
        """How many times as many elements, the widest, as floats a vector holds: so much faster it may be."""
        arrays = loop.kernel.arrays if loop.kernel else ()
        types = (self._declarations.canonical(array.element) for array in arrays)
        return min((_LANES.get(each, 1.0) for each in types if each), default=1.0)

    @cached_property
    def _declarations(self) -> Declarations:
        return Declarations.of(self.unit.ast)
