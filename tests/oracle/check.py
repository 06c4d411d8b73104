"""Compares what the analyser says of a program with what the program does."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from species import analyse
from species.facts import LoopFacts, UnitFacts
from species.source import PreprocessOptions, read_translation_unit
from tests.oracle.claims import Claims
from tests.oracle.memory import POISON, DisagreementError, Machine, Pointer, UndefinedError
from tests.oracle.parallel import Observer, Shuffler
from tests.oracle.statements import Compiler

Caller = Callable[[Compiler, Machine], list[Any]]  # makes the arguments, the same ones every time


@dataclass(frozen=True)
class Wrong:
    """A claim that an execution refutes."""

    loop: str
    message: str


class Program:
    """A file, analysed and compiled for execution."""

    def __init__(self, text: str, path: str = "/tmp/oracle.c") -> None:
        unit = read_translation_unit(path, PreprocessOptions(), text=text)
        self.facts: UnitFacts = analyse(unit)
        self._by_place = {(at.position.line, at.position.column): at for at in self.facts.loops}
        self._place = lambda node: unit.loop_position(node)
        self.wrong: list[Wrong] = []
        self.compiler = Compiler(self._annotate).file(unit.ast)

    def _annotate(self, compiler: Compiler, node: Any) -> Claims | None:
        place = self._place(node)
        facts = self._by_place.get((place.line, place.column))
        if facts is None:
            return None
        try:
            return Claims(compiler, node, facts)
        except DisagreementError as error:
            self.wrong.append(Wrong(facts.id, str(error)))
            return None

    def run(self, function: str, caller: Caller, parallel: Any = None) -> Any:
        """Executes a function and gives all memory that is there afterwards; raises UndefinedError."""
        machine = Machine()
        self.compiler.start(machine)
        arguments = caller(self.compiler, machine)
        machine.parallel = parallel
        try:
            result = self.compiler.functions[function](machine, arguments)
        except RecursionError:
            raise UndefinedError("recursion") from None
        objects = list(machine.globals.values()) + machine.created
        return [_plain(result)] + [[_plain(c) for c in o.cells] for o in objects]

    def check(self, function: str, callers: Iterable[Caller], seed: int = 0) -> list[Wrong]:
        """The claims about the loops of a function that some run refutes."""
        loops = [at for at in self.facts.loops if at.function == function and at.kind == "for"]
        found = [w for w in self.wrong if w.loop.split("/")[0] == function]
        for position, caller in enumerate(callers):
            try:
                expected = self.run(function, caller)
            except UndefinedError:
                continue
            for loop in loops:
                found += self._loop(function, loop, caller, expected, seed * 31 + position)
        return list(dict.fromkeys(found))

    def _loop(self, function: str, loop: LoopFacts, caller: Caller, expected: Any, seed: int) -> list[Wrong]:
        try:
            if loop.verdict.is_parallel and self.run(function, caller, Shuffler(loop.id, seed)) != expected:
                return [Wrong(loop.id, "another order of iterations gives another result")]
            self.run(function, caller, Observer(loop.id))
        except DisagreementError as error:
            return [Wrong(loop.id, str(error))]
        except UndefinedError as error:
            return (
                [] if "too long" in str(error) else [Wrong(loop.id, f"another order is undefined: {error}")]
            )
        return []


def _plain(value: Any) -> Any:
    """A value for comparison: pointers by what they point to."""
    if isinstance(value, Pointer):
        return ("pointer", value.target.name if value.target else None, value.index)
    if value is POISON:
        raise DisagreementError("a private value is needed after the loop")
    return value


def filled(machine: Machine, name: str, cells: int, seed: int, most: int = 6) -> Any:
    """An object of small random integers that is compared at the end."""
    made = machine.new(name, cells)
    made.cells = list(_numbers(cells, seed, most))
    machine.created.append(made)
    return made


@lru_cache(maxsize=200)
def _numbers(count: int, seed: int, most: int) -> tuple[int, ...]:
    source = random.Random(seed)
    return tuple(source.randint(0, most) for _ in range(count))
