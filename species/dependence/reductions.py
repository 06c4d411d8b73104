"""Reductions: what every iteration combines with one operator, so that partial results may be combined."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from species.dependence.exact.dependence_test import Dependence, meeting
from species.loops.model import Loop, Place, Reference, Update, inner_loops
from species.loops.modified import is_object
from species.sets.affine import Affine
from species.sets.conditions import Compare
from species.sets.domains import satisfiable
from species.symbols.symbols import Symbol
from species.symbols.update_idioms import target_name

Start = Callable[[Reference], Symbol | None]


@dataclass(frozen=True)
class Combined:
    """A reduction: the variable or array element that every iteration combines with `operator`."""

    operator: str
    place: Place
    node: Any  # an lvalue that names it
    conditions: tuple[str, ...] = ()
    with_it: tuple[Symbol, ...] = ()  # set together with the variable, by argmin and argmax
    keeps: str = ""  # which of several equal iterations argmin and argmax stand for: "first" or "last"
    members: tuple[str, ...] = ()  # set together with it, which is a member of the same variable
    several: bool = False  # it stands for several elements of its array, each of which stays where it is

    @property
    def is_scalar(self) -> bool:
        return self.place.is_variable


def common_operator(references: Sequence[Reference]) -> str | None:
    """The operator if all references belong to updates with the same one."""
    operators = {r.update.operator if r.update and not r.update.is_place else None for r in references}
    return operators.pop() if len(operators) == 1 else None


def extremes(
    grouped: Mapping[Symbol, Sequence[Reference]], changed: Collection[Symbol | None]
) -> list[Combined]:
    """Argmin and argmax: variables that are used by one such statement, and nowhere else.

    `grouped` has the references to variables from outside the loop, `changed` all that an iteration changes.
    """
    together: dict[Update, list[Symbol]] = {}
    for symbol, references in grouped.items():
        updates = {r.update for r in references}
        update = updates.pop() if len(updates) == 1 else None
        if update is not None and update.is_place:
            together.setdefault(update, []).append(symbol)
    return [
        _extreme(update, {s: grouped[s] for s in symbols})
        for update, symbols in together.items()
        if len(symbols) == update.variables and not set(update.fixed).intersection(changed)
    ]


def _extreme(update: Update, grouped: Mapping[Symbol, Sequence[Reference]]) -> Combined:
    symbols = sorted(grouped, key=lambda s: all(r.write for r in grouped[s]))
    first = grouped[symbols[0]][0]  # the extreme itself, which is read too
    return Combined(update.operator, first.place, first.node, (), tuple(symbols[1:]), update.keeps)


def extreme_of_members(references: Sequence[Reference]) -> Combined | None:
    """The argmin or argmax that sets members of one variable, which nothing else does in the loop.

    `references` are all to a structure.
    """
    symbol = references[0].symbol
    updates = {r.update for r in references}
    update = updates.pop() if len(updates) == 1 else None
    own = is_object(symbol) and symbol.ctype.kind == "struct" and not (symbol.exposed or symbol.address_taken)
    if update is None or not update.is_place or update.fixed or not own:
        return None
    if any(r.inlining or r.place.base is not None or len(r.place.path) != 1 for r in references):
        return None
    paths = dict.fromkeys(r.place.path for r in references)
    extreme = {r.place.path for r in references if not r.write}
    if len(extreme) != 1 or len(paths) != update.variables:
        return None
    first = next(r for r in references if r.place.path in extreme)
    others = tuple(f"{symbol.name}.{path[0]}" for path in paths if path not in extreme)
    return Combined(update.operator, first.place, first.node, (), (), update.keeps, others)


def of_variable(loop: Loop, symbol: Symbol, references: Sequence[Reference]) -> Combined | None:
    """The reduction of a variable that all the loop's references to it belong to."""
    operator = common_operator(references)
    if operator is None:
        return None
    first = references[0]
    return Combined(operator, first.place, first.node, _initially(loop, symbol, operator))


def _initially(loop: Loop, symbol: Symbol, operator: str) -> tuple[str, ...]:
    """`&&` and `||` give 0 or 1: so must the variable be at the start."""
    if operator not in ("&&", "||") or (symbol.ctype.is_integer and symbol.ctype.bits == 1):
        return ()
    start = loop.entry.get(symbol)
    if isinstance(start, Affine) and start.is_constant and start.constant in (0, 1):
        return ()
    return (f"({symbol.name} == 0 || {symbol.name} == 1)",)


def of_elements(
    loop: Loop, found: Sequence[Dependence], references: Sequence[Reference], start: Start
) -> tuple[list[Combined], list[Dependence]]:
    """The reductions that explain dependences between references to one object, and the dependences left.

    `start` gives the variable by which the loop's own text gets to an element (None: a callee knows more).
    """
    combined, rest = [], []
    for part in _connected(found):
        reduction = _named(loop, part, references) or _of_array(loop, part, references, start)
        if reduction is None:
            rest += part
        elif reduction not in combined:
            combined.append(reduction)
    return combined if rest else _in_one(combined, references, start), rest


def _in_one(combined: list[Combined], references: Sequence[Reference], start: Start) -> list[Combined]:
    """Several elements of an array, side by side, as one reduction, if they are all of it that is used:
    `rgb[0] += r; rgb[1] += g;`.
    """
    first = combined[0] if combined else None
    if first is None or len(combined) < 2 or common_operator(references) != first.operator:
        return combined
    named = next((r for r in references if r.inlining is None), references[0])
    steps = [c.place.path[0] for c in combined if len(c.place.path) == 1]
    numbers = sorted(step.constant for step in steps if isinstance(step, Affine) and step.is_constant)
    beside = numbers == list(range(numbers[0], numbers[0] + len(combined))) if numbers else False
    if not beside or not all(_is_alike(r, named, start) for r in references):
        return combined
    return [replace(first, several=True)]


def _connected(found: Sequence[Dependence]) -> list[list[Dependence]]:
    """Dependences that have references in common stay together: members of a structure are apart."""
    parts: list[tuple[set[Reference], list[Dependence]]] = []
    for dependence in found:
        ends = {dependence.source, dependence.sink}
        touched = [part for part in parts if part[0] & ends]
        parts = [part for part in parts if not part[0] & ends]
        references = ends.union(*(part[0] for part in touched))
        parts.append((references, [*(d for part in touched for d in part[1]), dependence]))
    return [part[1] for part in parts]


def _named(loop: Loop, found: Sequence[Dependence], references: Sequence[Reference]) -> Combined | None:
    """The same as `of_one_place`, of one that has a name in the loop."""
    named = all(r.inlining is None for d in found for r in (d.source, d.sink))
    return of_one_place(loop, found, references) if named else None


def of_one_place(loop: Loop, found: Sequence[Dependence], references: Sequence[Reference]) -> Combined | None:
    """The reduction that explains all dependences: every reference in them updates one place.

    Other elements of the array may be used freely only where the loop does not move the place.
    """
    involved = list(dict.fromkeys(r for d in found for r in (d.source, d.sink)))
    operator = common_operator(involved)
    if operator is None:
        return None
    place = involved[0].place
    in_bytes = place.loose or place.byte is not None
    if in_bytes or len({r.place.path for r in involved}) != 1:
        return None
    if operator in ("&&", "||") and place.ctype.bits != 1:
        return None  # a partial result is 0 or 1, which nobody knows of the elements
    parts = (r for r in references if meeting(r.place, place) is not None)
    others = [r for r in parts if r not in involved]
    moves = bool(place.loops & inner_loops(loop))
    if others and (moves or any(_may_be_same(r, involved[0]) for r in others)):
        return None
    return Combined(operator, place, involved[0].node)


def _of_array(
    loop: Loop, found: Sequence[Dependence], references: Sequence[Reference], start: Start
) -> Combined | None:
    """The reduction of a whole array, as in `f[i] += e; f[k] -= e;`: all that the loop does with it.

    The updates may be of any of its elements, also in callees, but by one name, of which every thread then
    has its own.
    """
    involved = {r for d in found for r in (d.source, d.sink)}
    places = {r.place for r in involved}
    used = [r for r in references if any(meeting(r.place, place) is not None for place in places)]
    moving = next((r for r in used if r.place.loops & inner_loops(loop)), None)
    operator = common_operator(used)
    if operator is None or operator in ("&&", "||") or moving is None or not involved.issubset(used):
        return None
    named = next((r for r in used if r.inlining is None), moving)
    alike = all(_is_alike(r, named, start) for r in used)
    return Combined(operator, moving.place, named.node) if alike else None


def _is_alike(update: Reference, other: Reference, start: Start) -> bool:
    """Are both of elements of one array, in one type, by the name of the array?"""
    a, b = update.place, other.place
    shapes = [[step if isinstance(step, str) else None for step in place.path] for place in (a, b)]
    named = target_name(update.node) == target_name(other.node) == a.symbol.name and update.inlining is None
    named = named or (start(update) is start(other) is not None)
    whole = not a.loose and a.byte is None  # not some bytes, of which other cells may have a part
    return named and whole and shapes[0] == shapes[1] and a.ctype == b.ctype


def _may_be_same(other: Reference, update: Reference) -> bool:
    """May both be one element in one iteration?  (Where `other` would not mean the partial result.)

    What is written must be another one at all times, also where nothing is updated then.
    """
    equations = meeting(other.place, update.place) or []
    if any((a - b).is_constant and (a - b).constant for a, b in equations):
        return False
    equal = tuple(Compare(a - b, equal=True) for a, b in equations)
    at_once = other.loops == update.loops  # so that counters and values are the same ones
    conditions = other.conditions if other.write else (*other.conditions, *update.conditions)
    return not at_once or satisfiable((*conditions, *equal))
