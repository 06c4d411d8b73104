"""Where the walker stands: what is known, which loops and conditions hold, what is recorded."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from itertools import count
from operator import is_
from typing import Any

from pycparser import c_generator

from species.core.effort import Effort
from species.loops.environment import Environment, Known
from species.loops.expressions import Evaluated
from species.loops.invariants import varying
from species.loops.model import FunctionModel, Inlining, Loop, Obstacle, Place, Reference, Update
from species.loops.scanner import Scanner
from species.loops.walk.nulls import is_nowhere
from species.loops.walk.selected_indices import Assigned
from species.sets.affine import Affine, Atom, Value
from species.sets.conditions import TRUE, Condition, Fact
from species.symbols.effects import Effects
from species.symbols.symbols import Symbol
from species.symbols.types import INT, CType
from species.symbols.union_members import UnionMembers

_numbers = count()


class State(ABC):
    """The symbolic store, the loops and conditions around the current point, and what is recorded there."""

    _blocks = count(1)
    _loop_numbers = count(1)

    def __init__(self, scanner: Scanner, resolution: Any, types: Any, effects: Effects) -> None:
        self.scanner, self.resolution, self.types, self.effects = scanner, resolution, types, effects
        self.unions = UnionMembers(resolution, types, effects)
        self.model = FunctionModel("", None)
        self.effort = Effort()
        self.env = Environment()
        self.tables: dict[Symbol, Symbol] = {}  # of rows: see `species.loops.rows`
        self.limits: dict[Symbol, tuple[int, int] | None] = {}  # of tables of constants
        self.watched: dict[Symbol, list[Assigned]] = {}  # variables, with what a loop assigns
        self.selected: dict[int, Mapping[Symbol, tuple[Assigned, ...]]] = {}  # by the loops' numbers
        self.limited: dict[Atom, Fact] = {}  # what `if (x > most) x = most` says of values
        self.loops: list[Loop] = []
        self.conditions: list[Condition] = []
        self._facts: tuple[Condition, ...] = ()
        self.block: tuple[int, ...] = ()
        self.updates: dict[int, Update] = {}
        self.lengths: dict[int, Known] = {}  # of arrays in types with names, by the id of their expressions
        self.given: dict[int, list[Known]] = {}  # the arguments of allocations, by the id of the call
        self.quiet = False
        self.ahead = False  # what a loop will read gets its names: quietly, but callees are walked
        self.tracked: frozenset[Symbol] = frozenset()  # pointers that every iteration moves, to be followed
        self.inlining: Inlining | None = None  # the call in whose callee the walker is
        self._generator = c_generator.CGenerator()

    # State

    @property
    def loop_numbers(self) -> tuple[int, ...]:
        return self.loops[-1].path if self.loops else ()

    @property
    def loop_set(self) -> frozenset[int]:
        return frozenset(self.loop_numbers)

    @property
    def facts(self) -> tuple[Condition, ...]:
        """What holds; while nothing changes, the same object, which is faster to compare."""
        same = len(self._facts) == len(self.conditions) and all(map(is_, self._facts, self.conditions))
        if not same:
            self._facts = tuple(self.conditions)
        return self._facts

    @contextmanager
    def assuming(self, *conditions: Condition) -> Iterator[None]:
        """Within the block the conditions hold; what was learnt inside is dropped after it."""
        depth = len(self.conditions)
        self.conditions.extend(c for c in conditions if c != TRUE)
        yield
        del self.conditions[depth:]

    @contextmanager
    def quietly(self) -> Iterator[None]:
        """Nothing is recorded within the block."""
        before, self.quiet = self.quiet, True
        with self.assuming():
            yield
        self.quiet = before

    def symbol(self, node: Any) -> Symbol | None:
        return self.resolution.symbols.get(id(node))  # type: ignore[no-any-return]

    def fresh(self, text: str, ctype: CType, why: str) -> Affine:
        """An integer that nobody knows, new at every evaluation."""
        return Affine.of(Value(("new", next(_numbers)), self.loop_set, text, ctype, why))

    def opaque(self, node: Any, ctype: CType, why: str, kind: str = "new") -> Affine:
        """As `fresh`, of an expression: one number in the loops that do not change what it depends on."""
        inside = self.inlining is not None  # the callee's variables change where it is called
        symbols, scanner = self.resolution.symbols, self.scanner
        loops = self.loop_set if inside else varying(node, self.loops, symbols, scanner, self.effects)
        return Affine.of(Value((kind, next(_numbers)), loops, self.text(node), ctype, why))

    def text(self, node: Any) -> str:
        return str(self._generator.visit(node))

    def obstacle(self, code: str, message: str, node: Any, loops: list[Loop] | None = None) -> None:
        if not self.quiet:
            for loop in self.loops if loops is None else loops:
                loop.obstacles.append(Obstacle(code, message, node))

    # Recording

    def note_peculiar(self, symbol: Symbol, node: Any) -> None:
        """The variable, or its address, is used where another thread may mean another one by it."""
        if symbol.peculiar:
            self.obstacle("CV304", symbol.peculiar.format(name=symbol.name), node)

    def record(self, place: Place, write: bool, node: Any) -> None:
        if self.quiet or is_nowhere(place):
            return
        if place.symbol.peculiar:
            self.note_peculiar(place.symbol, node)
        elif self._is_volatile(place):
            self.obstacle("CV304", f"'{place.name}' is volatile", node)
        if self.loops:
            update = self.updates.get(id(node))
            order = next(_numbers)
            self.model.references.append(
                Reference(
                    place,
                    write,
                    self.facts,
                    self.loop_numbers,
                    node,
                    order,
                    update,
                    self.block,
                    self.inlining,
                )
            )

    def _is_volatile(self, place: Place) -> bool:
        """Is the place, a part of it, or the array that it lies in, volatile?"""
        whole = place.symbol.ctype
        if place.is_variable and place.symbol.storage == "parameter":
            return whole.volatile or (whole.kind != "array" and bool(self.types.has_volatile(whole)))
        return whole.volatile or whole.element.volatile or bool(self.types.has_volatile(place.ctype))

    # What the layers above do

    @abstractmethod
    def evaluate(self, node: Any) -> Evaluated:
        """The value of an expression; everything that it reads and writes is recorded."""

    @abstractmethod
    def condition(self, node: Any) -> Condition:
        """The condition that an expression is not zero; its references are recorded."""

    def integer(self, node: Any) -> tuple[Affine, CType]:
        """The value of an integer expression, opaque where nothing is known."""
        value, ctype, _ = self.evaluate(node)
        if isinstance(value, Affine):
            return value, ctype
        ctype = ctype if ctype.is_integer else INT
        return self.fresh(self.text(node), ctype, "not affine"), ctype

    @contextmanager
    def branch(self, condition: Condition) -> Iterator[None]:
        """Code that is executed where `condition` holds."""
        before = self.block
        self.enter_block()
        with self.assuming(condition):
            yield
        self.block = before

    def enter_block(self) -> None:
        """What follows may not be executed although what is around it is."""
        self.block = (*self.block, next(self._blocks))
        self.model.depths[self.block[-1]] = len(self.conditions)
