"""Random programs of the driver, with what the model says that they print."""

from __future__ import annotations

import random
from collections.abc import Callable

from tests.cgcm.model import WORDS, Model, ModelError, Unit

UNITS, LOCALS = 24, 60  # numbers from LOCALS - 20 on are local variables; 0 to 7 are globals


class Writer:
    """Draws commands one by one, executes them in the model, and keeps what both say."""

    def __init__(self, seed: int, model: Model, *, careful: bool) -> None:
        self.draw, self.model, self.careful = random.Random(seed), model, careful
        self.commands: list[str] = []
        self.expected: list[str] = []
        self.next_local = LOCALS - 20
        self.next_scope = 0

    def say(
        self, command: str, unit: int = 0, i: int = 0, v: int = 0, w: int = 0, *, does: Callable[[], object]
    ) -> bool:
        """A command, and what it does in the model: its result is printed, if it has one."""
        self.commands.append(f"{command} {unit} {i} {v} {w}")
        try:
            printed = does()
        except ModelError as error:
            self.expected.append(f"error {error.number}")
            return False
        if printed is not None:
            self.expected.append(str(printed))
        return True

    def some(self, wanted: Callable[[Unit], bool] = lambda unit: True) -> Unit | None:
        found = [unit for unit in self.model.units.values() if wanted(unit)]
        return self.draw.choice(found) if found else None

    def word(self, unit: Unit) -> int:
        """A word of a unit, or one past the end where that is the last one."""
        return self.draw.randrange(len(unit.host) + (unit.kind == "heap"))

    def step(self) -> None:
        kinds = (self.memory, self.host, self.data, self.data, self.kernel, self.table, self.table)
        self.draw.choice(kinds)()
        if self.draw.random() < 0.1:
            self.say("totals", does=self.model.totals)

    # What a program does

    def memory(self) -> None:
        match self.draw.randrange(8):
            case 0 | 1 | 2:
                self.begin()
            case 3:
                if unit := self.some(lambda unit: unit.kind == "heap"):
                    self.resize(unit)
            case 4:
                if unit := self.some(lambda unit: unit.kind == "heap"):
                    self.forget([unit.number])
                    self.say("free", unit.number, does=lambda: self.model.end(unit.number))
            case 5:
                number, read_only = self.draw.randrange(8), self.draw.randrange(2)
                if number in self.model.units and self.model.units[number].mapped:
                    return
                make = lambda: self.model.begin(number, WORDS, "global", is_read_only=bool(read_only))  # noqa: E731
                self.say("global", number, read_only, does=make)
            case 6:
                self.open_or_declare()
            case 7:
                if self.model.scopes:
                    place = self.draw.randrange(len(self.model.scopes))
                    self.forget([n for _, numbers in self.model.scopes[place:] for n in numbers])
                    scope = self.model.scopes[place][0]
                    self.say("close", scope, does=lambda: self.model.close(scope))

    def begin(self) -> None:
        free = [number for number in range(8, UNITS) if number not in self.model.units]
        if free:
            number, words = self.draw.choice(free), self.draw.randint(0, WORDS)
            how = self.draw.choice(("malloc", "calloc", "memalign"))
            self.say(how, number, words, does=lambda: self.model.begin(number, words))

    def resize(self, unit: Unit) -> None:
        words = self.draw.randint(1, WORDS)
        self.forget([unit.number])
        self.say("realloc", unit.number, words, does=lambda: self.model.realloc(unit.number, words))

    def forget(self, ending: list[int]) -> None:
        """Makes pointers to units that may end null, as nobody knows where they would lead."""
        if any(self.model.units[number].mapped for number in ending):
            return  # an error, and nothing ends
        for unit in self.model.units.values():
            for k, slot in enumerate(unit.host):
                if isinstance(slot, tuple) and slot[0] in ending:
                    self.put(unit, k, 0)
            if unit.device is not None and unit.device != unit.host:
                assert not any(isinstance(slot, tuple) and slot[0] in ending for slot in unit.device)

    def open_or_declare(self) -> None:
        if not self.model.scopes or self.draw.random() < 0.3:
            scope = self.next_scope
            if scope < LOCALS:
                self.next_scope += 1
                self.say("open", scope, does=lambda: self.model.scopes.append((scope, [])))
        elif self.next_local < LOCALS:
            number, words = self.next_local, self.draw.randint(1, WORDS)
            self.next_local += 1
            self.say("alloca", number, words, does=lambda: self.model.begin(number, words, "local"))

    def put(self, unit: Unit, k: int, value: int) -> None:
        self.say("set", unit.number, k, value, does=lambda: unit.host.__setitem__(k, value))

    def host(self) -> None:
        unit = self.some(lambda unit: len(unit.host) > 0 and not (self.careful and unit.mapped))
        if unit is None:
            return
        k = self.draw.randrange(len(unit.host))
        if self.draw.random() < 0.5:
            self.put(
                unit, k, 0 if self.is_table(unit) and self.draw.random() < 0.9 else self.draw.randint(1, 999)
            )
        elif not isinstance(unit.host[k], tuple):
            self.say("get", unit.number, k, does=lambda: unit.host[k])

    def is_table(self, unit: Unit) -> bool:
        return unit.number % 3 == 0

    def data(self) -> None:
        unit = self.some(lambda unit: not self.is_table(unit) or self.draw.random() < 0.1)
        if unit is None or any(isinstance(slot, tuple) for slot in unit.host):
            return
        name = self.draw.choice(("map", "map", "unmap", "release", "update"))
        if name in ("unmap", "release") and not unit.mapped and self.draw.random() < 0.8:
            return
        does = getattr(self.model, name)
        self.say(name, unit.number, self.word(unit), does=lambda: does(unit.number))

    def kernel(self) -> None:
        for _ in range(self.draw.randrange(3)):
            unit = self.some(lambda unit: unit.is_seen and len(unit.host) > 0)
            if unit is not None:
                self.touch(unit)
        self.say("launch", does=self.model.launch)

    def touch(self, unit: Unit) -> None:
        k, value, cells = self.draw.randrange(len(unit.host)), self.draw.randint(1, 1000), unit.device
        assert cells is not None
        if unit.is_read_only or self.draw.random() < 0.4:
            self.say("peek", unit.number, k, does=lambda: cells[k])
        else:
            self.say("poke", unit.number, k, value, does=lambda: cells.__setitem__(k, value))

    def table(self) -> None:
        unit = self.some(self.is_table)
        if unit is None or not unit.host:
            return
        match self.draw.randrange(7):
            case 0 | 1:
                self.point(unit)
            case 2:
                self.touch_row(unit)
            case 3:
                self.pivot(unit)
            case _:
                self.move(unit, self.draw.choice(("map_array", "map_array", "unmap_array", "release_array")))

    def move(self, unit: Unit, name: str) -> None:
        if name != "map_array" and not unit.table_count and self.draw.random() < 0.8:
            return
        does = getattr(self.model, name)
        self.say(name, unit.number, self.draw.randrange(len(unit.host)), does=lambda: does(unit.number))

    def pivot(self, unit: Unit) -> None:
        """A table that is mapped loses a row that kernels have written."""
        rows = [(k, slot[0]) for k, slot in enumerate(unit.slots) if isinstance(slot, tuple)]
        if not unit.table_count or not rows:
            return
        k, number = self.draw.choice(rows)
        target = self.model.units[number]
        self.touch_row(unit, k)
        self.say("launch", does=self.model.launch)
        self.put(unit, k, 0)
        self.move(unit, "map_array")
        if not isinstance(target.host[-1], tuple):
            self.say("get", number, len(target.host) - 1, does=lambda: target.host[-1])

    def point(self, unit: Unit) -> None:
        target = self.some(lambda other: not self.is_table(other) and len(other.host) > 0)
        if target is None or unit.count or self.draw.random() < 0.1:
            return
        k, at = self.draw.randrange(len(unit.host)), self.draw.randrange(len(target.host))
        self.say(
            "point", unit.number, k, target.number, at,
            does=lambda: unit.host.__setitem__(k, (target.number, at)),
        )  # fmt: skip

    def touch_row(self, unit: Unit, row: int | None = None) -> None:
        slots = enumerate(unit.slots)
        rows = [(k, slot) for k, slot in slots if isinstance(slot, tuple) and row in (None, k)]
        if not unit.table_count or not rows:
            return
        k, (number, at) = self.draw.choice(rows)
        target = self.model.units[number]
        cells = target.device
        assert cells is not None
        last = len(target.host) - at - 1  # which `pivot` looks at
        cell, value = self.draw.choice((last, self.draw.randint(0, last))), self.draw.randint(1, 1000)
        if target.is_read_only or self.draw.random() < 0.4:
            self.say("peek_row", unit.number, k, cell, does=lambda: cells[at + cell])
        else:
            put = lambda: cells.__setitem__(at + cell, value)  # noqa: E731
            self.say("poke_row", unit.number, k, cell, value, does=put)


def program(seed: int, steps: int, limit: int = 1 << 60, *, checking: bool = False) -> tuple[str, str]:
    """The commands of a random program, and what they print."""
    writer = Writer(seed, Model(limit, checking=checking), careful=checking and seed % 2 == 0)
    for _ in range(steps):
        writer.step()
    return "\n".join(writer.commands) + "\n", "\n".join(writer.expected)
