"""Points-to analysis: which variables, allocations and literals pointers may lead to.

Andersen's analysis (PhD thesis, DIKU 1994), with members of structures, over copies of the functions for the
calls that lead to them.  A file that has `main` and calls nothing but its own functions and the system's is a
whole program; in others, functions and variables that are not static may be used by code that is not known.
"""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from functools import cached_property
from typing import Any

from pycparser import c_ast

from species.loops.callsites import calls_in
from species.loops.model import Place
from species.loops.pointees import Targets
from species.loops.walk import Names
from species.pointsto.confined import Confined
from species.pointsto.contexts import DEPTHS, Contexts
from species.pointsto.instructions import Code
from species.pointsto.solution import Solution
from species.pointsto.solver import TooLarge, TooLong
from species.pointsto.statements import Statements
from species.pointsto.variables import Unsupported, Variables
from species.source.syntax.tree import code
from species.symbols.effect_table import ELEMENTS
from species.symbols.effects import Origins
from species.symbols.summaries import is_pointer
from species.symbols.symbols import Symbol

__all__ = ["PointsTo", "Targets"]

_FILE = ""  # the name of what gives the file's variables their first values


class PointsTo:
    """The points-to analysis of a file, done when the first question comes."""

    def __init__(
        self,
        ast: c_ast.FileAST,
        names: Names,
        origins: Origins,
        *,
        by_member: bool,
        assembly: frozenset[str],
    ) -> None:
        """See `note_points_to`."""
        self._ast, self._resolution, self._types = ast, names.resolution, names.types
        self._effects, self._origins = names.effects, origins
        self._by_member, self._assembly = by_member, assembly

    @cached_property
    def is_whole_program(self) -> bool:
        """Does the file have `main`, and call nothing but its own functions and the system's?"""
        calls, _ = calls_in(self._ast)
        return "main" in self._resolution.functions and all(self._is_known(call) for call, _ in calls)

    def may_meet(self, a: Targets | None, b: Targets | None) -> bool:
        """May the two lie in one object?  Of what is not known: yes."""
        solution = self._solution
        return solution is None or a is None or b is None or solution.may_meet(a, b)

    def share_allocation(self, a: Targets | None, b: Targets | None) -> bool:
        """Do two things lie in the memory of one allocation, as far as is known?

        Yes where the file could not be analysed: then that is as little known as the contrary.
        """
        if self._solution is None:
            return True
        return a is not None and b is not None and self._solution.share_allocation(a, b)

    def of_key(self, key: Symbol | Place) -> Targets | None:
        """The objects that a variable is, or that a place may lie in; None where that is not known."""
        return self._ask(lambda solution: solution.of_key(key))

    def of_node(self, node: Any) -> Targets | None:
        """The objects that an lvalue of the file's text may lie in, in one execution of its function."""
        return self._ask(lambda solution: solution.of_node(node))

    def of_argument(self, node: Any) -> Targets | None:
        """The objects that the argument of a call may point to."""
        return self._ask(lambda solution: solution.of_argument(node))

    def of_reads(self, node: c_ast.FuncCall) -> Targets | None:
        """The objects that a call of a function of the file may read, besides what its effect says."""
        if self._effects.of(node).kind == ELEMENTS:
            return self._ask(lambda solution: solution.accesses_besides(node, writes=False))
        return self._ask(lambda solution: solution.of_reads(node))

    def are_starts(self, *places: Place) -> bool:
        """Do the pointers that lead to some places point to starts of objects, whichever these are?"""
        return self._solution is not None and self._solution.are_starts(*places)

    def allocations_of(self, place: Place) -> list[Any]:
        """The calls that allocate the memory to whose start a pointer leads, whichever; none: there may be
        others.
        """
        return self._solution.allocations_of(place) if self._solution is not None else []

    def is_of_calls(self, place: Place, function: str, inside: Callable[[Symbol], bool]) -> bool:
        """Does a place lie in variables that are `inside`, or those of functions that `function` calls?"""
        return self._solution is not None and self._solution.is_of_calls(place, function, inside)

    def writes_of_calls(self, node: c_ast.FuncCall, function: str, inside: Callable[[Symbol], bool]) -> bool:
        """Does a call write nothing but such variables as `is_of_calls` speaks of?"""
        return self._solution is not None and self._solution.writes_of_calls(node, function, inside)

    def frees_own(self, node: c_ast.FuncCall, function: str, inside: Callable[[Symbol], bool]) -> bool:
        """Does a call of `free` end memory that only variables lead to that are `inside`, or of functions
        that `function` calls?
        """
        return self._solution is not None and self._solution.frees_own(node, function, inside)

    def frees_no_other(self, node: c_ast.FuncCall) -> bool:
        """Does a call of a function of the file free nothing but what it allocates, and keeps to itself?"""
        return self._solution is not None and self._solution.frees_no_other(node)

    def is_held_by_variables(self, symbol: Symbol) -> bool:
        """Do only plain variables of functions ever hold pointers to the memory that a variable points to?"""
        return self._solution is not None and self._solution.is_held_by_variables(symbol)

    def is_held_inside(self, symbol: Symbol, function: str, inside: Callable[[Symbol], bool]) -> bool:
        """Do only plain variables that are `inside`, or of functions that `function` calls, ever point to a
        variable with static storage, which only this file knows?
        """
        return self._solution is not None and self._solution.is_held_inside(symbol, function, inside)

    def holds_own(self, owner: Place) -> bool:
        """Do different cells like this one, a pointer, always lead to different memory?"""
        return self._solution is not None and self._solution.holds_own(owner)

    def writes_nothing(self, node: c_ast.FuncCall) -> bool:
        """Does a call change nothing but variables of the functions that it executes?

        (What functions of the library do besides writing memory is another question.)
        """
        return self._solution is not None and self._solution.writes_nothing(node)

    def writes_elements(self, node: c_ast.FuncCall) -> bool:
        """Does a call change nothing but variables that it makes, and elements that it is given?"""
        found = self._ask(lambda solution: solution.accesses_besides(node, writes=True))
        read = self._ask(lambda solution: solution.accesses_besides(node, writes=False))
        return found is not None and read is not None and not any(found.sets)

    def called(self, node: c_ast.FuncCall) -> list[str] | None:
        """The functions of the file that a call by a pointer may lead to; None where others may be."""
        names = self._solution.called(node) if self._solution is not None else None
        return names if names and all(map(self._effects.summaries.knows, names)) else None

    def _ask(self, question: Callable[[Solution], Targets | None]) -> Targets | None:
        return question(self._solution) if self._solution is not None else None

    @cached_property
    def _solution(self) -> Solution | None:
        try:
            codes, variables, roots = self._translated()
        except Unsupported:
            return None
        confined = Confined(self._effects, variables)
        for depth in DEPTHS:
            with suppress(TooLarge):
                tried = dict.fromkeys((depth, 0))  # with all contexts in one, where it takes too long
                solved = (_solved(codes, variables, Contexts(codes, roots, each), confined) for each in tried)
                return next((solution for solution in solved if solution is not None), None)
        return None

    def _translated(self) -> tuple[dict[str, Code], Variables, list[str]]:
        """The functions as instructions, and which of them code outside of the file may call."""
        _, taken = calls_in(self._ast)
        named, closed = self._origins.hidden | self._assembly, self.is_whole_program
        functions = self._resolution.functions
        own = {name for name in functions if closed or self._resolution.is_static(name)} - named - {"main"}
        variables = Variables(
            self._resolution,
            self._types,
            closed,
            self._by_member,
            self._by_member,
            self._assembly,
            frozenset(own & taken),
        )
        codes = {name: self._code(name, variables) for name in functions}
        codes[_FILE] = self._first_values(variables)
        return codes, variables, sorted(codes.keys() - (own - taken))

    def _code(self, name: str, variables: Variables) -> Code:
        function = self._resolution.functions[name]
        return self._statements(name, variables).function(function)

    def _first_values(self, variables: Variables) -> Code:
        statements = self._statements(_FILE, variables)
        for item in code(self._ast):
            if isinstance(item, c_ast.Decl):
                statements.declaration(item)
        return statements.code

    def _statements(self, name: str, variables: Variables) -> Statements:
        return Statements(name, variables, self._effects, self._is_known)

    def _is_known(self, node: c_ast.FuncCall) -> bool:
        """Does the call lead to a function of the file, or of the system?"""
        if self._effects.summaries.called(node) is not None:
            return True
        if not isinstance(node.name, c_ast.ID):
            return True  # a function of this file, or of the system, whose address was taken
        symbol = self._resolution.symbols.get(id(node.name))
        if symbol is None:
            return self._effects.of(node).kind != "unknown"
        if symbol.ctype.kind != "function" or symbol.storage == "parameter":
            return is_pointer(symbol)  # a function of this file, or of the system, likewise
        return self._origins.in_header(symbol.node) or self._effects.of(node).kind != "unknown"


def _solved(
    codes: dict[str, Code], variables: Variables, contexts: Contexts, confined: Confined
) -> Solution | None:
    with suppress(TooLong):
        return Solution(codes, variables, contexts, confined)
    return None


def note_points_to(
    ast: c_ast.FileAST, names: Names, origins: Origins, *, by_member: bool, assembly: frozenset[str]
) -> None:
    """Lets all variables of a file, which was read completely, and its effects know of its analysis.

    Without `by_member`, structures may be used as others than they were declared; `assembly` has the names of
    functions and variables that assembly code uses as it likes.
    """
    analysis = PointsTo(ast, names, origins, by_member=by_member, assembly=assembly)
    names.effects.points_to = analysis
    for symbol in names.resolution.symbols.values():
        symbol.points_to = analysis
