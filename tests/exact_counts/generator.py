"""Random nests as integer sets, with an oracle that counts their iterations, and their cells, one by one."""

from __future__ import annotations

import random
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

PARAMETERS = ("n", "m")
NAMES = ("i", "j", "k", "l")
Form = Mapping[str, int]  # coefficients by name, the constant under ""


@dataclass(frozen=True)
class Loop:
    """`for (name = max(lows); name <= min(highs / divisors); name += step)`."""

    name: str
    lows: tuple[Form, ...]
    highs: tuple[tuple[Form, int], ...]
    step: int


@dataclass(frozen=True)
class Nest:
    """Loops, outermost first; `tests` hold inside: a form is 0 or more, or has a remainder by a modulus.

    `reference`: the subscripts of an array in its body.
    """

    loops: tuple[Loop, ...]
    tests: tuple[tuple[Form, int, int], ...]  # the form, its modulus (0: none), its remainder
    reference: tuple[Form, ...]

    def domain(self) -> str:
        """The iterations as isl writes them."""
        parts = [text for loop in self.loops for text in _constraints(loop)]
        for form, modulus, rest in self.tests:
            parts.append(f"({_text(form)}) mod {modulus} = {rest}" if modulus else f"{_text(form)} >= 0")
        names = ", ".join(loop.name for loop in self.loops)
        return f"[{', '.join(PARAMETERS)}] -> {{ [{names}] : {' and '.join(parts)} }}"

    def accesses(self) -> str:
        """The map from iterations to cells."""
        names, cells = ", ".join(loop.name for loop in self.loops), ", ".join(map(_text, self.reference))
        return f"[{', '.join(PARAMETERS)}] -> {{ [{names}] -> [{cells}] }}"

    def iterations(self, values: Mapping[str, int]) -> Iterator[Mapping[str, int]]:
        """All iterations, one by one."""
        yield from self._inside(0, dict(values))

    def _inside(self, depth: int, values: dict[str, int]) -> Iterator[Mapping[str, int]]:
        if depth == len(self.loops):
            if all(_holds(test, values) for test in self.tests):
                yield dict(values)
            return
        loop = self.loops[depth]
        low = max(evaluated(each, values) for each in loop.lows)
        high = min(evaluated(each, values) // below for each, below in loop.highs)
        for value in range(low, high + 1, loop.step):
            yield from self._inside(depth + 1, {**values, loop.name: value})

    def cells(self, values: Mapping[str, int]) -> set[tuple[int, ...]]:
        """All cells that the reference touches."""
        return {tuple(evaluated(each, found) for each in self.reference) for found in self.iterations(values)}


def evaluated(form: Form, values: Mapping[str, int]) -> int:
    """What a form comes to."""
    return sum(factor * (values[name] if name else 1) for name, factor in form.items())


def nest(chance: random.Random) -> Nest:
    """One to four loops; bounds over outer iterators and parameters, quotients, steps, and tests."""
    loops = list[Loop]()
    for name in NAMES[: chance.choice((1, 2, 2, 3, 3, 4))]:
        outer = [loop.name for loop in loops]
        step = chance.choice((1, 1, 1, 2, 3))
        lows = tuple(_low(chance, outer) for _ in range(chance.choice((1, 1, 2)) if step == 1 else 1))
        highs = tuple(_high(chance, outer) for _ in range(chance.choice((1, 1, 2))))
        loops.append(Loop(name, lows, highs, step))
    inner = [loop.name for loop in loops]
    tests = tuple(_test(chance, inner) for _ in range(chance.choice((0, 0, 0, 1))))
    reference = tuple(_form(chance, inner, 2, 3) for _ in range(chance.choice((1, 1, 2))))
    return Nest(tuple(loops), tests, reference)


def _low(chance: random.Random, outer: list[str]) -> Form:
    return _form(chance, outer, 1, 2) if chance.random() < 0.4 else {"": chance.randint(-2, 2)}


def _high(chance: random.Random, outer: list[str]) -> tuple[Form, int]:
    form = dict(_form(chance, outer, 1, 3))
    if chance.random() < 0.8:
        form[chance.choice(PARAMETERS)] = 1
    return form, chance.choice((1, 1, 1, 1, 2, 3))


def _test(chance: random.Random, names: list[str]) -> tuple[Form, int, int]:
    modulus = chance.choice((0, 2, 3))
    return _form(chance, names, 2, 3), modulus, chance.randrange(modulus) if modulus else 0


def _form(chance: random.Random, names: list[str], most: int, constant: int) -> Form:
    """A sum of some of the names, and perhaps a parameter."""
    found = {name: chance.randint(-1, most) for name in names if chance.random() < 0.6}
    if chance.random() < 0.3:
        found[chance.choice(PARAMETERS)] = chance.choice((-1, 1, 1))
    return {
        **{name: factor for name, factor in found.items() if factor},
        "": chance.randint(-constant, constant),
    }


def _text(form: Form) -> str:
    return " + ".join(f"{factor}*{name}" if name else str(factor) for name, factor in form.items())


def _constraints(loop: Loop) -> Iterator[str]:
    yield from (f"{loop.name} >= {_text(low)}" for low in loop.lows)
    yield from (f"{below}*{loop.name} <= {_text(high)}" for high, below in loop.highs)
    if loop.step > 1:
        yield f"({loop.name} - ({_text(loop.lows[0])})) mod {loop.step} = 0"


def _holds(test: tuple[Form, int, int], values: Mapping[str, int]) -> bool:
    form, modulus, rest = test
    value = evaluated(form, values)
    return value % modulus == rest if modulus else value >= 0
