"""Random loops over unsigned numbers near both ends of their range, and arguments with which C defines what
they do.

Starts and ends are differences and sums that may wrap around.  Each function is executed here for many
arguments; those are kept with which it ends soon, and all its subscripts are inside of the arrays.
"""

from __future__ import annotations

import random
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

TYPES = {"size_t": 64, "uint64_t": 64, "unsigned long": 64, "unsigned": 32}
HEADERS = "#include <stddef.h>\n#include <stdint.h>\n"
MOST_ITERATIONS = 400
CALLS = 6  # of a function
MARGIN = 6  # cells in front of what small numbers mean
_SMALL = (0, 1, 2, 5, 9, 10, 17, 40, 60)
_UPWARDS = (
    *(("a - b", "<", "a"), ("a - b", "<", "c"), ("a", "<", "a + b"), ("a", "<", "b"), ("a + 1", "<", "b")),
    *(("b", "<", "b + 20"), ("a - 1", "<=", "b"), ("0", "<", "a"), ("0", "<", "a - b"), ("1", "<", "a - 1")),
    *(("0", "<", "a + 1"), ("0", "<=", "a"), ("a", "!=", "a + b"), ("a - b", "!=", "a"), ("2 * a", "<", "b")),
    *(("a", "<", "b + c"), ("MAX - 9", "<", "MAX"), ("lo", "<", "hi"), ("lo", "<=", "hi - 1")),
    *(("lo", "<", "a"), ("0", "<", "lo"), ("0", "<", "a + b"), ("MAX - a", "<", "MAX"), ("a", "<", "MAX")),
)
_DOWNWARDS = (
    *(("a", ">", "a - b"), ("a", ">", "b"), ("a + b", ">", "a"), ("a - 1", ">=", "b"), ("a", ">", "0")),
    *(("a - 1", ">", "b - 1"), ("hi", ">", "lo"), ("a", "!=", "b"), ("a", ">", "b + 1"), ("b + c", ">", "a")),
    *(("MAX", ">", "MAX - 7"), ("a", ">=", "b - c"), ("a", ">", "lo"), ("lo", ">", "a")),
)
_AROUND = (
    *(("i", "<", "a"), ("a + i", "<", "b"), ("i - b", "<", "a"), ("a - i", "<", "a"), ("0", "<", "i + a")),
    *(("0", "<", "i"), ("i", "<", "i + b"), ("0", "<", "i - a"), ("i + 1", "<", "a"), ("0", "<", "a - i")),
)
_LOCALS = (("a - b", "lo + c"), ("a", "b - 1"), ("a + 1", "b"), ("b - a", "b"), ("a", "a + 12"))
_OFFSETS = ("", "", " + 3", " - a", " - b", " - lo", " + c", " - a + b", " - (a - b)", " - MAX + 20", " + b")
_GUARDS = ("b <= a", "a > b", "a < 1000", "b > 0", "a + b >= a")


@dataclass
class Loops:
    """Statements of a function with the parameters `a`, `b` and `c`, and arguments for these."""

    ctype: str
    lines: list[str]
    calls: list[tuple[int, int, int]]


@dataclass(frozen=True)
class Shape:
    """Where the loops may work: arrays of one dimension, and of two, with so many cells in each."""

    vectors: tuple[str, ...]
    matrices: tuple[str, ...]
    cells: int


@dataclass
class _Loop:
    name: str
    start: str
    relation: str
    end: str
    step: int
    inside: list[_Loop | _Statement] = field(default_factory=list)


@dataclass
class _Statement:
    text: str
    subscripts: tuple[str, ...]
    condition: str = ""  # under which it is executed


class _Endless(Exception):
    """C does not define it, or it takes too long."""


def loops(rng: random.Random, shape: Shape) -> Loops:
    """Some loops, for which there are arguments."""
    while True:
        ctype = rng.choice((*TYPES, "size_t"))
        low, high = rng.choice(_LOCALS)
        guard = rng.choice(_GUARDS) if rng.random() < 0.2 else ""
        nests = [_nest(rng, shape) for _ in range(rng.choice((1, 1, 1, 2)))]
        calls = list(_calls(rng, TYPES[ctype], (low, high), guard, nests, shape.cells))
        if calls:
            return Loops(ctype, _lines(ctype, (low, high), guard, nests), calls)


def argument(value: int, ctype: str) -> str:
    """A number as C."""
    return f"({ctype}){value}u" + ("l" if TYPES[ctype] == 64 else "")


# Making loops


def _nest(rng: random.Random, shape: Shape) -> _Loop:
    if rng.random() < 0.5:
        loop = _loop(rng, "i", ())
        loop.inside = [_statement(rng, shape, ("i",)) for _ in range(rng.choice((1, 1, 2)))]
        return loop
    rows = rng.random() < 0.5
    outer = _Loop("r", "0", "<", "3", 1) if rows else _loop(rng, "i", ())
    inner = _loop(rng, "j", () if rows else ("i",))
    inner.inside = [_statement(rng, shape, (outer.name, "j")) for _ in range(rng.choice((1, 1, 2)))]
    outer.inside = [inner]
    if rng.random() < 0.3:
        outer.inside.insert(rng.choice((0, 1)), _statement(rng, shape, (outer.name,)))
    return outer


def _loop(rng: random.Random, name: str, around: tuple[str, ...]) -> _Loop:
    forms = _AROUND if around and rng.random() < 0.4 else _UPWARDS if rng.random() < 0.65 else _DOWNWARDS
    start, relation, end = rng.choice(forms)
    down = forms is _DOWNWARDS
    step = 1 if relation == "!=" else rng.choice((1, 1, 1, 1, 2, 3))
    return _Loop(name, start, relation, end, -step if down else step)


def _statement(rng: random.Random, shape: Shape, around: tuple[str, ...]) -> _Statement:
    target, *others = (_cell(rng, shape, around) for _ in range(3))
    texts, subscripts = [other[0] for other in others], target[1]
    kind = rng.random()
    value = rng.choice(("7u", f"(unsigned){around[-1]}", f"(unsigned)({around[-1]} * 3 + c)", texts[0]))
    if value == texts[0]:
        subscripts += others[0][1]
    if kind < 0.2:
        return _Statement(f"s += {target[0]};", target[1])
    tests = (f"{around[-1]} < c", f"{around[-1]} >= a") if around != ("r",) else ("r < 2",)
    condition = rng.choice(tests) if kind < 0.35 else ""
    return _Statement(f"{target[0]} {rng.choice(('=', '=', '+='))} {value};", subscripts, condition)


def _cell(rng: random.Random, shape: Shape, around: tuple[str, ...]) -> tuple[str, tuple[str, ...]]:
    """An element, and its subscripts."""
    last = f"{around[-1]}{rng.choice(_OFFSETS)}"
    if len(around) == 1:
        return f"{rng.choice(shape.vectors)}[{last}]", (last,)
    if rng.random() < 0.25:
        last = rng.choice((f"{around[0]} * 20 + {last}", f"{around[0]} + {last}"))
        return f"{rng.choice(shape.vectors)}[{last}]", (last,)
    first = f"{around[0]}{'' if around[0] == 'r' else rng.choice(_OFFSETS)}"
    return f"{rng.choice(shape.matrices)}[{first}][{last}]", (first, last)


# Executing them


def _calls(
    rng: random.Random,
    bits: int,
    locals_: tuple[str, str],
    guard: str,
    nests: list[_Loop],
    cells: int,
) -> Iterator[tuple[int, int, int]]:
    """Arguments with which all is defined; some of them with iterations."""
    kept, busy = dict[tuple[int, int, int], None](), 0
    for _ in range(150):
        values = tuple(_number(rng, bits) for _ in range(3))
        count = _iterations(bits, values, locals_, guard, nests, cells)
        if count is None or (count == 0 and len(kept) - busy >= CALLS // 2):
            continue
        busy += (values not in kept) and count > 0
        kept[values] = None  # type: ignore[index]
        if len(kept) == CALLS:
            break
    return iter(kept) if busy else iter(())


def _number(rng: random.Random, bits: int) -> int:
    if rng.random() < 0.65:
        return rng.choice(_SMALL)
    end = rng.choice((2**bits, 2**bits, 2**bits, 2 ** (bits - 1)))
    return (end + rng.choice((-1, -2, -5, -10, -20, -40, 3 if end < 2**bits else -3))) % 2**bits


def _iterations(
    bits: int,
    values: tuple[int, ...],
    locals_: tuple[str, str],
    guard: str,
    nests: list[_Loop],
    cells: int,
) -> int | None:
    """How many statements are executed; None where C does not define them, or they are too many."""
    known = dict(zip("abc", values, strict=True)) | {"MAX": 2**bits - 1}
    machine = _Machine(bits, cells)
    known["lo"] = machine.value(locals_[0], known)
    known["hi"] = machine.value(locals_[1], known)
    try:
        if not guard or machine.holds(guard, known):
            for nest in nests:
                machine.run(nest, known)
    except _Endless:
        return None
    return machine.executed


@dataclass
class _Machine:
    bits: int
    cells: int
    executed: int = 0
    steps: int = 0

    def value(self, text: str, known: Mapping[str, int]) -> int:
        found: int = eval(text, {}, dict(known))
        return found % 2**self.bits

    def holds(self, condition: str, known: Mapping[str, int]) -> bool:
        left, relation, right = _parted(condition)
        x, y = self.value(left, known), self.value(right, known)
        return {"<": x < y, "<=": x <= y, ">": x > y, ">=": x >= y, "!=": x != y}[relation]

    def run(self, loop: _Loop, known: Mapping[str, int]) -> None:
        value = self.value(loop.start, known)
        while True:
            inside = {**known, loop.name: value}
            if not self.holds(f"{loop.name} {loop.relation} {loop.end}", inside):
                return
            self.steps += 1
            if self.steps > MOST_ITERATIONS:
                raise _Endless
            for part in loop.inside:
                self.run(part, inside) if isinstance(part, _Loop) else self.execute(part, inside)
            value = (value + loop.step) % 2**self.bits

    def execute(self, statement: _Statement, known: Mapping[str, int]) -> None:
        self.executed += 1
        if statement.condition and not self.holds(statement.condition, known):
            return
        if any(self.value(subscript, known) >= self.cells for subscript in statement.subscripts):
            raise _Endless


def _parted(condition: str) -> tuple[str, str, str]:
    relation = next(word for word in ("<=", ">=", "!=", "<", ">") if word in condition)
    left, _, right = condition.partition(relation)
    return left, relation, right


# Printing them


def _lines(ctype: str, locals_: tuple[str, str], guard: str, nests: list[_Loop]) -> list[str]:
    texts = [line for nest in nests for line in _text(ctype, nest)]
    used = " ".join([*texts, guard])
    lines = []
    if "lo" in used or "hi" in used:
        lines = [f"{ctype} lo = {locals_[0]}, hi = {locals_[1]};", "(void)lo, (void)hi;"]
    if guard:
        texts = [f"if ({guard}) {{", *(f"  {line}" for line in texts), "}"]
    return [line.replace("MAX", f"({ctype})-1") for line in (*lines, *texts)]


def _text(ctype: str, loop: _Loop) -> Iterator[str]:
    name, size = loop.name, abs(loop.step)
    sign = "+" if loop.step > 0 else "-"
    increment = f"{name}{sign}{sign}" if size == 1 else f"{name} {sign}= {size}"
    own = "int" if name == "r" else ctype
    yield f"for ({own} {name} = {loop.start}; {name} {loop.relation} {loop.end}; {increment}) {{"
    for part in loop.inside:
        if isinstance(part, _Loop):
            yield from (f"  {line}" for line in _text(ctype, part))
        else:
            yield f"  if ({part.condition}) {part.text}" if part.condition else f"  {part.text}"
    yield "}"
