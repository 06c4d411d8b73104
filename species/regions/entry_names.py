"""C names for values in memory as they are right before a loop: `g->width`, `rows[i]`.

A name is only used where reading it is safe: the loop reads the same place (or another member of
the same structure) whenever the conditions hold that `guards` lists, in this order.  So it is with quotients.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from species.loops.entry_values import names_in
from species.loops.model import FunctionModel, Loop, PathStep, Place, Pointer, Reference, inner_loops
from species.loops.read_before import is_read_in_any_case, is_read_in_start
from species.regions.c_printer import Unprintable, WideRenderer
from species.regions.symbolic import condition_text
from species.sets.affine import Affine, Atom, Counter, Value, constant
from species.sets.conditions import Compare, Condition, Fact
from species.sets.domains import implied
from species.symbols.symbols import Symbol
from species.symbols.types import UNKNOWN

MAX_DEPTH = 4


class EntryNames(WideRenderer):
    """As `Renderer`, with places in memory and pointers; `references` are those of the loop."""

    prints_choices = True

    def __init__(self, model: FunctionModel, loop: Loop, references: Sequence[Reference]) -> None:
        super().__init__(model, loop)
        self._reads = [r for r in references if not r.write and r.place.path and not r.place.loose]
        self._inside = inner_loops(loop)
        self._depth = 0
        self.guards: list[str] = []
        self.given: dict[Atom, str] = {}  # texts of values that have no name
        self._runs: set[str] = set()  # those of the guards that say that there are iterations

    def pointer(self, object_: Place) -> str | None:
        """An expression whose value, right before the loop, points to the start of the object."""
        name = pointer_name(self._loop, object_)
        places = (k for k, v in self._loop.entry.items() if isinstance(k, Place) and _points(v, k, object_))
        return name or next((text for text in map(self.place, places) if text is not None), None)

    def cell(self, place: Place) -> str | None:
        """An element that the loop reads, where its conditions hold; the caller has them tested before."""
        rows = place.symbol.table
        try:
            if rows is None:
                return self._path(place)
            name, steps = self.table(rows), [self.text(s) for s in place.path if isinstance(s, Affine)]
            members = "".join(f".{step}" for step in place.symbol.held_in)
            row = f"{name}[{steps[0]}]{members}" if steps else None
            return row + "".join(f"[{step}]" for step in steps[1:]) if name is not None and row else None
        except Unprintable:
            return None

    def table(self, table: Place) -> str | None:
        """The same for a table of pointers, which may be an array in a structure (`image->plane`)."""
        try:
            return self._path(table) if table.path else self.pointer(table)
        except Unprintable:
            return None

    def text(self, expression: Affine) -> str:
        """As in `Renderer`, made anew: it notes guards."""
        return self._sum(self.in_iterators(expression))

    def guarded(self, text: str) -> str:
        """The condition; true where the loop has no iterations, false where the first one reads nothing.

        (A later iteration may still read what the first does not, and another statement under other
        conditions.)
        """
        reads = [g for g in self.guards if g not in self._runs]
        text = f"({' && '.join([*reads, text])})" if reads else text
        runs = [g for g in self.guards if g in self._runs]
        return f"(!({' && '.join(runs)}) || {text})" if runs else text

    def _atom(self, atom: Atom) -> str:
        if atom in self.given:
            return self.given[atom]
        try:
            return super()._atom(atom)
        except Unprintable:
            value = Affine.of(atom)
            for key, known in self._loop.entry.items():
                text = self.place(key) if isinstance(key, Place) and known == value else None
                if text is not None:
                    return text
            raise

    def _may_divide(self, quotient: Value) -> bool:
        """Notes that the divisor has to be positive, where the loop does not divide by it in any case."""
        divisor = quotient.parts[1]
        if super()._may_divide(quotient) or divisor.is_constant:
            return super()._may_divide(quotient)
        self._note(condition_text(Compare(divisor - 1), self))
        return True

    def _note(self, guard: str) -> None:
        if guard not in self.guards:
            self.guards.append(guard)

    def place(self, place: Place) -> str | None:
        """The text of a place, if it may be read; notes the conditions under which it may."""
        if self._depth >= MAX_DEPTH or place.loose or place in self._loop.set_in_header:
            return None
        before = list(self.guards)
        self._depth += 1
        try:
            self._guard(place)
            return self._path(place)
        except Unprintable:
            self.guards = before
            return None
        finally:
            self._depth -= 1

    def _path(self, place: Place) -> str:
        """The place as C; raises `Unprintable`."""
        path: tuple[PathStep, ...] = place.path
        text = self.pointer(Place(place.symbol, (), place.base))
        if text is None:
            raise Unprintable
        if place.base is not None and len(path) > 1 and path[0] == constant(0) and isinstance(path[1], str):
            text, path = f"{text}->{path[1]}", path[2:]
        for step in path:
            text += f".{step}" if isinstance(step, str) else f"[{self.text(step)}]"
        return text

    def _variable(self, place: Place) -> Symbol | None:
        """A local variable that points to the structure that the place is a member of."""
        object_ = Place(place.symbol, (), place.base)
        found = (
            key
            for key, value in self._loop.entry.items()
            if isinstance(key, Symbol) and key.storage == "local" and _points(value, key, object_)
        )
        return next(found, None) if _is_in_structure(place) else None

    def _guard(self, place: Place) -> None:
        """Notes when the loop is sure to read the place or its neighbour; raises `Unprintable`."""
        parameter = parameter_of(place)
        if parameter and parameter.is_there:
            return
        pointer = parameter or self._variable(place)
        if pointer and is_read_in_any_case(self._model, self._loop, pointer):
            return
        if is_read_in_start(self._loop, place):
            return
        found = [conditions_of_first(self._loop, r) for r in self._reads if _is_beside(r.place, place)]
        conditions = min((c for c in found if c is not None), key=len, default=None)
        if conditions is None:
            raise Unprintable
        runs = _in_first(self._loop.bound, self._inside)
        for condition in conditions:
            text = condition_text(condition, self)
            if condition == runs:
                self._runs.add(text)
            self._note(text)


def conditions_of_first(loop: Loop, reference: Reference) -> list[Condition] | None:
    """Under which conditions the first iteration of a loop, and of those inside of it, makes the reference,
    beside what holds wherever the loop is reached; None: they cannot be told before.
    """
    known, inside = loop.conditions, inner_loops(loop)
    own = reference.conditions[len(known) :]
    conditions = [_in_first(c, inside) for c in own if not isinstance(c, Fact)]  # which always holds
    if any(c is None or _is_false(c) for c in conditions):
        return None
    return [c for c in conditions if c is not None and not (isinstance(c, Compare) and implied(c, known))]


def first_iteration(loop: Loop) -> list[Condition] | None:
    """Under which conditions a loop makes an iteration, beside what holds wherever it is reached; None: they
    cannot be told before.
    """
    first = _in_first(loop.bound, inner_loops(loop))
    return [first] if isinstance(first, Compare) and not implied(first, loop.conditions) else None


def _in_first(condition: Condition, inside: frozenset[int]) -> Condition | None:
    """The comparison in the first iteration of the loops."""
    if not isinstance(condition, Compare):
        return None
    first = condition.expression.substitute(
        lambda a: constant(0) if isinstance(a, Counter) and a.loop in inside else None
    )
    return None if first.loops & inside else Compare(first, condition.equal)


def _is_false(condition: Condition) -> bool:
    """Is it a comparison of numbers that does not hold?"""
    if not isinstance(condition, Compare) or not condition.expression.is_constant:
        return False
    return condition.expression.constant != 0 if condition.equal else condition.expression.constant < 0


def _is_beside(read: Place, place: Place) -> bool:
    """Is what is read the place, or a member of the same structure?"""
    if read.symbol is not place.symbol or read.base != place.base:
        return False
    both_members = all(isinstance(p.path[-1], str) for p in (read, place))
    return read.path == place.path or (both_members and read.path[:-1] == place.path[:-1])


def parameter_of(place: Place) -> Symbol | None:
    """The parameter that points to the structure that the place is, or is a member of."""
    known = place.base.key[2] if isinstance(place.base, Value) and place.base.key[0] == "entry" else None
    if not isinstance(known, Symbol) or known.storage != "parameter":
        return None
    return known if _is_in_structure(place) else None


def _is_in_structure(place: Place) -> bool:
    """Is it the structure that a pointer leads to, or a member of it?"""
    whole = len(place.path) == 1 and (place.symbol.ctype.target or UNKNOWN).kind == "struct"
    is_first = place.base is not None and (whole or len(place.path) > 1) and place.path[0] == constant(0)
    return is_first and all(isinstance(step, str) for step in place.path[1:])


def _points(value: object, key: Symbol | Place, object_: Place) -> bool:
    """Is it the address of the object, of a type that needs no cast?  (`const` does not matter.)"""
    one, other = (each.ctype.decayed.target for each in (key, object_.symbol))
    alike = one == other or (one and other and replace(one, const=False) == replace(other, const=False))
    return bool(alike) and isinstance(value, Pointer) and value.offset == Affine() and value.place == object_


def pointer_name(loop: Loop, place: Place) -> str | None:
    """A variable that, right before the loop, is (or points to) the object that the place lies in."""
    own = place.symbol
    if own.storage != "memory" and loop.sees(own) and (place.base is None or own not in loop.entry):
        return own.name
    object_ = Place(own, (), place.base)
    found = [
        str(key.name)
        for key, value in loop.entry.items()
        if isinstance(key, Symbol) and loop.sees(key) and key not in loop.set_in_header
        if _points(value, key, object_)
    ]
    return next((name for name in found if name in names_in(loop)), found[0] if found else None)
