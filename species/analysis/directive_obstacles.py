"""What keeps directives, or other texts, from standing before a loop and meaning what they say."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from pycparser import c_ast

from species.annotate.openmp import clauses
from species.facts.loops import LoopFacts
from species.kernels.macro_names import OPENMP, replaced_name
from species.loops.model import FunctionModel, Loop
from species.openmp.callees import directive_obstacle
from species.openmp.spelling import spelling_obstacle
from species.source import TranslationUnit
from species.symbols.symbols import Resolution

_EXECUTING = frozenset(("execl", "execlp", "execle", "execv", "execvp", "execvpe", "execve", "fexecve"))


@dataclass(frozen=True)
class Obstacles:
    """Of the loops of one function; an obstacle is a reason in words, and "" where there is none."""

    unit: TranslationUnit
    model: FunctionModel
    resolution: Resolution

    def of_function(self) -> str:
        """What the function does that keeps OpenMP from all of its loops."""
        return self._of_directives(self.model.node)

    def of_place(self, loop: Loop) -> str:
        """What keeps any directive from standing before the loop."""
        return self._of_directives(loop.node) or spelling_obstacle(self.unit, loop) or self._of_forks()

    def of_words(self, loop: Loop) -> str:
        """A macro that would change a pragma of OpenMP's, whichever."""
        return self._changed_pragma(loop, OPENMP)

    def of_macros(self, loop: Loop, facts: LoopFacts) -> str:
        """A macro that would change the pragma of the loop, or another one that is made of it."""
        return self.of_words(loop) or self._changed_pragma(loop, " ".join(clauses(facts, 2)))

    def says_so(self, loop: Loop) -> Callable[[str], bool]:
        """Does a text, put before the loop, mean what it says there?  No macro changes it, then."""
        return lambda text: replaced_name(self.unit, loop.node.coord.line, text) is None

    def _of_forks(self) -> str:
        """A child that runs a loop, after its parent had threads, would wait for them for ever.

        (Not one that becomes another program.)
        """
        called = self.unit.called
        forks = "fork" in called and "fork" not in self.resolution.functions
        if not forks or not _EXECUTING.isdisjoint(called):
            return ""
        return "the program calls fork, and its children have none of the threads"

    def _of_directives(self, node: c_ast.Node) -> str:
        return directive_obstacle(node, self.model.name, self.resolution, self.unit.directives)

    def _changed_pragma(self, loop: Loop, text: str) -> str:
        name = replaced_name(self.unit, loop.node.coord.line, text)
        return f"its pragma would have to say '{name}', which is a macro there" if name is not None else ""
