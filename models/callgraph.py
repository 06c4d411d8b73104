"""How often the functions of a file are called in one run of its program, as far as its own calls tell."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Container, Iterable, Mapping

from pycparser import c_ast

from models.nests import MOST, Call, FunctionLoops
from models.sizes.amounts import SOME, UNKNOWN
from species.source.syntax.tree import walk

_CALLS, _SMALL = 8, 150  # calls, and nodes of the syntax tree, up to which gcc -O3 puts functions in place


def callers_of(functions: Mapping[str, FunctionLoops]) -> dict[str, list[tuple[str, Call]]]:
    """By the name of a function of the file, where it is called: in which function, and by which call."""
    found: dict[str, list[tuple[str, Call]]] = defaultdict(list)
    for caller, loops in functions.items():
        for call in loops.calls:
            if call.callee in functions:
                found[call.callee].append((caller, call))
    return found


def called_in(functions: Mapping[str, FunctionLoops], name: str, loop: c_ast.Node) -> set[str]:
    """The functions of the file that a loop of the function `name` calls, by way of others, too."""
    inside = (call for call in functions[name].calls if any(each.node is loop for each in call.around))
    pending, found = [call.callee for call in inside], set[str]()
    while pending:
        callee = pending.pop()
        if callee in functions and callee not in found:
            found.add(callee)
            pending += [call.callee for call in functions[callee].calls]
    return found


class Callers:
    """Where the functions of a file are called."""

    def __init__(self, functions: Mapping[str, FunctionLoops]) -> None:
        self.functions = functions
        self._of = callers_of(functions)

    def in_threads(self, name: str, shared: Container[int], covered: Container[str]) -> str | None:
        """A function that calls this one where threads share a loop, if there is no other call.

        Such loops are those in `shared` (ids of nodes), and all that call functions in `covered`.
        """
        calls = [each for each in self._of.get(name, []) if each[0] != name]  # recursion is there already
        if not calls or not self.sees_all_calls(name):
            return None
        in_threads = [
            caller
            for caller, call in calls
            if caller in covered or any(id(loop.node) in shared for loop in call.around)
        ]
        return in_threads[0] if len(in_threads) == len(calls) else None

    def is_part_of_main(self, name: str, *, small: bool = False) -> bool:
        """Does it become a part of `main` when compilers put functions that are called once in place?  With
        `small`, also those that are small and called a few times.
        """
        seen: set[str] = set()
        while name != "main":
            calls = self._of.get(name, [])
            is_static = name in self.functions and "static" in self.functions[name].function.decl.storage
            callers = {caller for caller, _ in calls}
            if name in seen or len(callers) != 1 or not is_static or not self.sees_all_calls(name):
                return False
            if len(calls) > (_CALLS if small and self._is_small(name) else 1):
                return False
            seen.add(name)
            name = callers.pop()
        return True

    def _is_small(self, name: str) -> bool:
        return sum(1 for _ in walk(self.functions[name].function.body)) <= _SMALL

    def sees_all_calls(self, name: str) -> bool:
        """Is it called by its name only, and by no other file?"""
        functions = self.functions
        is_closed = "main" in functions or "static" in functions[name].function.decl.storage
        return is_closed and not any(name in each.named for each in functions.values())


def times_called(
    functions: Mapping[str, FunctionLoops], by_pointers: Container[str] = ()
) -> dict[str, float]:
    """By function, its calls in a run of the program.

    A function that nobody here calls is called once, by another file or the system; one whose address is
    taken, by somebody who calls it as often as a loop of unknown length does; and one that calls itself, some
    times for every call from outside.
    """
    callers = callers_of(functions)
    named = {name for loops in functions.values() for name in loops.named}
    found: dict[str, float] = {}
    open_: set[str] = set()

    def of(name: str) -> float:
        if name in found:
            return found[name]
        open_.add(name)
        outside = [(caller, call) for caller, call in callers[name] if caller not in open_]
        times = sum(of(caller) * call.times for caller, call in outside)
        times *= SOME if len(outside) < len(callers[name]) else 1.0
        open_.discard(name)
        least = UNKNOWN if name in named or (name in by_pointers and not callers[name]) else 1.0
        found[name] = min(MOST, max(times, least))
        return found[name]

    for name in functions:
        of(name)
    return found


def callers_first(functions: Mapping[str, FunctionLoops]) -> list[str]:
    """The functions, each behind those that call it, but for those that call each other."""
    order: list[str] = []
    seen: set[str] = set()

    def visit(name: str) -> None:
        if name in seen or name not in functions:
            return
        seen.add(name)
        for call in functions[name].calls:
            visit(call.callee)
        order.append(name)

    for name in functions:
        visit(name)
    return order[::-1]


def with_loops(functions: Mapping[str, FunctionLoops]) -> frozenset[str]:
    """The functions of which a call runs a loop, their own or one of a function that they call."""
    return reaching(functions, {name for name, loops in functions.items() if loops.chains})


def reaching(functions: Mapping[str, FunctionLoops], some: Iterable[str]) -> frozenset[str]:
    """The functions of which a call runs one of `some`, these included."""
    found = set(some)
    while True:
        more = {n for n, f in functions.items() if n not in found and found & {c.callee for c in f.calls}}
        if not more:
            return frozenset(found)
        found |= more
