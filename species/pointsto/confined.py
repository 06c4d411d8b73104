"""What functions access besides the elements that they get pointers to, by slots of points-to analysis."""

from __future__ import annotations

from collections.abc import Iterator

from species.pointsto.instructions import NOWHERE, Code
from species.pointsto.variables import Variables
from species.symbols.effects import Effects, arguments_of


class Confined:
    """Which slots of functions lead to memory, but for confined parameters (`species.symbols.elements`)."""

    def __init__(self, effects: Effects, variables: Variables) -> None:
        self._effects, self._variables = effects, variables
        self._slots: dict[tuple[str, bool], set[int]] = {}

    def besides(self, code: Code, *, writes: bool) -> set[int]:
        """What leads to memory that a function reads (or writes) besides elements that it is given.

        Elements that it gives pointers to are of its own call, or count here.
        """
        key = code.name, writes
        if key not in self._slots:
            accessed = code.written if writes else code.read
            if code.name in self._variables.resolution.functions:
                given = {*self._given(code, writes=writes)}
                accessed = (accessed - self._parameters(code.name)) | given
            self._slots[key] = accessed
        return self._slots[key]

    def _parameters(self, function: str) -> set[int]:
        """The slots of the confined parameters."""
        elements, slots = self._effects.elements, self._variables.slots
        symbols = elements.uses.symbols(function)
        confined = (s for s in symbols if s in slots and elements.is_confined(function, s))
        return {slots[symbol][1] for symbol in confined}

    def _given(self, code: Code, *, writes: bool) -> Iterator[int]:
        """What leads to elements that calls in the function access, which are none of those it was given."""
        elements = self._effects.elements
        for call in self._effects.summaries.calls(code.name):
            for position, argument in enumerate(arguments_of(call)):
                handed = elements.handed_to(call, position) or ()
                uses = [use for p in handed if (use := elements.of(p)) is not None]
                part = elements.uses.part_of(argument)
                own = part is not None and elements.is_confined(code.name, part)
                slot = code.arguments.get(id(argument), NOWHERE)
                if not own and slot != NOWHERE and any(u.written if writes else u.read for u in uses):
                    yield slot
