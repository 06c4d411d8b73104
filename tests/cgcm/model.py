"""What CGCM promises, as a model: units with two memories, and what every command of the driver prints."""

from __future__ import annotations

from dataclasses import dataclass, field

WORD, WORDS = 8, 16
UNKNOWN, NOT_MAPPED, STILL_MAPPED, _OVERLAP, MIXED, STALE, NO_MEMORY = range(7)
Target = tuple[int, int]  # a unit's number, and a word of it


class ModelError(Exception):
    """An error that the library reports, by its number."""

    def __init__(self, number: int) -> None:
        super().__init__(number)
        self.number = number


@dataclass
class Unit:
    """An allocation unit; `host` holds numbers and targets."""

    number: int
    host: list[int | Target | None]
    kind: str = "heap"
    is_read_only: bool = False
    device: list[int | Target | None] | None = None
    count: int = 0
    held: int = 0  # by tables
    is_seen: bool = False  # was it mapped by itself since it is there?
    epoch: int = 0
    equal: list[int | Target | None] = field(default_factory=list)  # when both sides were the same
    slots: list[int | Target | None] = field(default_factory=list)  # as the device's table was made
    table_count: int = 0

    @property
    def bytes(self) -> int:
        return len(self.host) * WORD

    @property
    def mapped(self) -> bool:
        return self.count > 0 or self.table_count > 0


class Model:
    """The state of a program and of the library; every method is a command of the driver."""

    def __init__(self, limit: int = 1 << 60, *, checking: bool = False) -> None:
        self.units: dict[int, Unit] = {}
        self.scopes: list[tuple[int, list[int]]] = []
        self.limit, self.checking = limit, checking
        self.now, self.used, self.running = 0, 0, False
        self.copies_in = self.bytes_in = self.copies_out = self.bytes_out = self.launches = self.waits = 0

    def _wait(self) -> None:
        self.waits += self.running
        self.running = False

    def _allocate(self, size: int) -> None:
        if self.used + max(size, 1) > self.limit:
            raise ModelError(NO_MEMORY)
        self.used += max(size, 1)

    def _fill(self, unit: Unit) -> None:
        unit.device, unit.equal, unit.epoch = list(unit.host), list(unit.host), self.now
        self.copies_in += 1
        self.bytes_in += unit.bytes

    def _untouched(self, unit: Unit) -> None:
        if self.checking and unit.count and unit.equal != unit.host:
            raise ModelError(STALE)

    def _is_current(self, unit: Unit) -> bool:
        return unit.is_read_only or unit.epoch == self.now

    # Data

    def map(self, number: int) -> None:
        self._map(self.units[number])
        self.units[number].is_seen = True

    def _map(self, unit: Unit) -> None:
        if unit.count == 0:
            self._allocate(unit.bytes)
            self._fill(unit)
        unit.count += 1

    def unmap(self, number: int) -> None:
        self._unmap(self.units[number])

    def _unmap(self, unit: Unit) -> None:
        if unit.count == 0:
            raise ModelError(NOT_MAPPED)
        if self._is_current(unit):
            return
        self._untouched(unit)
        self._wait()
        assert unit.device is not None
        unit.host[:], unit.equal, unit.epoch = unit.device, list(unit.device), self.now
        self.copies_out += 1
        self.bytes_out += unit.bytes

    def release(self, number: int) -> None:
        if self.units[number].count == self.units[number].held:
            raise ModelError(NOT_MAPPED)
        self._release(self.units[number])

    def _release(self, unit: Unit) -> None:
        if unit.count == 0:
            raise ModelError(NOT_MAPPED)
        unit.count -= 1
        if unit.count == 0:
            self._wait()
            self.used -= max(unit.bytes, 1)
            unit.device, unit.is_seen = None, False

    def update(self, number: int) -> None:
        unit = self.units[number]
        if unit.count == 0:
            return
        if not self._is_current(unit):
            raise ModelError(STALE)
        self._wait()
        self._fill(unit)

    # Tables

    def map_array(self, number: int) -> None:
        unit = self.units[number]
        if unit.table_count == 0 or unit.slots != unit.host:
            self._make_table(unit)
        unit.table_count += 1

    def _make_table(self, unit: Unit) -> None:
        for target in self._targets(unit.slots):
            if not self._is_current(target):
                self._untouched(target)
        if any(isinstance(slot, int) and slot for slot in unit.host):
            raise ModelError(MIXED)
        done: list[int | Target | None] = []
        try:
            for slot in unit.host:
                if isinstance(slot, tuple):
                    self._map(self.units[slot[0]])
                    self.units[slot[0]].held += 1
                done.append(slot)
            if unit.table_count == 0:
                self._allocate(unit.bytes)
        except ModelError:
            self._release_slots(done)
            raise
        self._wait()
        self._release_slots(unit.slots if unit.table_count else [], returns=True)
        self.copies_in += 1
        self.bytes_in += unit.bytes
        unit.slots = list(unit.host)

    def _targets(self, slots: list[int | Target | None]) -> list[Unit]:
        return [self.units[slot[0]] for slot in slots if isinstance(slot, tuple)]

    def _release_slots(self, slots: list[int | Target | None], *, returns: bool = False) -> None:
        for target in self._targets(slots):
            if returns and target.count == 1:
                self._unmap(target)
            target.held -= 1
            self._release(target)

    def unmap_array(self, number: int) -> None:
        unit = self.units[number]
        if unit.table_count == 0:
            raise ModelError(NOT_MAPPED)
        for target in self._targets(unit.slots):
            self._unmap(target)

    def release_array(self, number: int) -> None:
        unit = self.units[number]
        if unit.table_count == 0:
            raise ModelError(NOT_MAPPED)
        unit.table_count -= 1
        if unit.table_count == 0:
            self._wait()
            self._release_slots(unit.slots)
            self.used -= max(unit.bytes, 1)
            unit.slots = []

    def launch(self) -> None:
        for unit in self.units.values():
            self._untouched(unit)
        self.now += 1
        self.launches += 1
        self.running = True

    # Memory that begins and ends

    def begin(self, number: int, words: int, kind: str = "heap", *, is_read_only: bool = False) -> None:
        if kind == "global" and number in self.units:
            self.units[number].is_read_only = is_read_only
            return
        self.units[number] = Unit(number, [0] * words, kind, is_read_only)
        if kind == "local":
            self.scopes[-1][1].append(number)

    def end(self, number: int) -> None:
        if self.units[number].mapped:
            raise ModelError(STILL_MAPPED)
        del self.units[number]

    def realloc(self, number: int, words: int) -> None:
        unit = self.units[number]
        if unit.mapped:
            raise ModelError(STILL_MAPPED)
        self.units[number] = Unit(number, (unit.host + [0] * words)[:words])

    def close(self, scope: int) -> None:
        place = [number for number, _ in self.scopes].index(scope)
        inner = [number for _, numbers in self.scopes[place:] for number in numbers]
        if any(self.units[number].mapped for number in inner):
            raise ModelError(STILL_MAPPED)
        for number in inner:
            del self.units[number]
        del self.scopes[place:]

    def totals(self) -> str:
        mapped = sum(unit.mapped for unit in self.units.values())
        counted = (self.copies_in, self.bytes_in, self.copies_out, self.bytes_out, self.launches, self.waits)
        return " ".join(map(str, (*counted, len(self.units), mapped, self.used)))
