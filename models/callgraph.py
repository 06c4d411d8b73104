"""How often the functions of a file are called in one run of its program, as far as its own calls tell."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping

from models.amounts import SOME, UNKNOWN
from models.nests import MOST, Call, FunctionLoops


def callers_of(functions: Mapping[str, FunctionLoops]) -> dict[str, list[tuple[str, Call]]]:
    """By the name of a function of the file, where it is called: in which function, and by which call."""
    found: dict[str, list[tuple[str, Call]]] = defaultdict(list)
    for caller, loops in functions.items():
        for call in loops.calls:
            if call.callee in functions:
                found[call.callee].append((caller, call))
    return found


def times_called(functions: Mapping[str, FunctionLoops]) -> dict[str, float]:
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
        least = UNKNOWN if name in named else 1.0
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
