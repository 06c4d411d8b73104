"""The calls by which host code asks for data, as text."""

from __future__ import annotations

import re
from collections.abc import Collection

from species.symbols.symbols import Symbol
from transfers.plan.accesses import ANY_READ, ANYTHING, Touch, is_array
from transfers.plan.program import HostProgram

NAME = re.compile(r"[A-Za-z_]\w*")


class Wording:
    """For a generated program whose functions' names begin with `prefix`."""

    def __init__(self, program: HostProgram, prefix: str) -> None:
        self.program, self._prefix = program, prefix

    @property
    def takes_all(self) -> str:
        """What is always right."""
        return f"{self._prefix}takes_all();"

    def lines(
        self, touched: Collection[Touch], own: set[Symbol], overwritten: Touch | None = None
    ) -> list[str]:
        """The calls for a set of touches; none for variables that are declared inside."""
        listed = [self._widened(t) for t in touched if t.symbol not in own]
        if ANYTHING in listed:
            return [self.takes_all]
        lines = [f"{self._prefix}reads_all();"] if ANY_READ in listed else []
        named = [t for t in listed if t not in (ANYTHING, ANY_READ) and (t.writes or ANY_READ not in listed)]
        named.sort(key=lambda t: (t == overwritten, _memory(t), not t.ends, not t.writes))
        asked: set[str] = set()
        for touch in named:
            memory = _memory(touch)
            if memory not in asked:
                verb = "overwrites" if touch == overwritten else _verb(touch)
                lines.append(f"{self._prefix}{verb}({memory});")
            asked.add(memory)
        return lines

    def copyout(self, touch: Touch) -> str:
        """The call that begins to copy what is going to be read; empty where that has no name."""
        wide = self._widened(touch)
        known = wide.symbol is not None or wide.place
        return f"{self._prefix}copyout({_memory(wide)});" if known else ""

    def _widened(self, touch: Touch) -> Touch:
        """Anything in place of an array whose size the file does not tell, or not everywhere."""
        symbol = touch.symbol
        if touch.place and self.program.macros & set(NAME.findall(touch.place)):
            return self._widened(touch.coarse)
        if symbol is None or touch.place:
            return touch
        if symbol.name in self.program.macros:
            return Touch(None, touch.writes)
        if touch.through:
            return touch
        if symbol.ctype.kind in ("struct", "union") and self.program.has_flexible:
            return Touch(None, touch.writes)
        if symbol.ctype.kind != "array":
            return touch
        sized = symbol.ctype.extent is not None and symbol.name not in self.program.incomplete
        return touch if sized else Touch(None, touch.writes)


def _verb(touch: Touch) -> str:
    return "drops" if touch.ends else "writes" if touch.writes else "reads"


def _memory(touch: Touch) -> str:
    symbol = touch.symbol
    if touch.place:
        return f"&{touch.place}, sizeof {touch.place}"
    assert symbol is not None
    if touch.through:
        return f"{symbol.name}, 0"
    return f"{'' if is_array(symbol) else '&'}{symbol.name}, sizeof {symbol.name}"
