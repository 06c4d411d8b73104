"""Ways to write a nest: where its arrays are, what its sizes are called, how its loops count, and so on."""

from __future__ import annotations

import random
from dataclasses import dataclass, fields

STORAGES = ("file", "parameters", "heap", "members", "rows", "flat", "pitch", "one-based")
SIZES = ("literal", "macro", "macro for a variable", "enum", "const", "variable", "member", "argument")
COUNTERS = ("int", "unsigned", "size_t", "long")
FORMS = ("for", "outside", "down", "while", "bump")
STATEMENTS = ("plain", "temporary", "spelt out", "helper", "macro")
PLACES = ("function", "main", "other file")
_FIXED = ("literal", "macro", "enum")  # sizes that arrays at file level can have


@dataclass(frozen=True)
class Style:
    """One of each."""

    storage: str
    size: str
    counter: str
    form: str
    statement: str
    place: str
    restrict: bool

    @staticmethod
    def draw(source: random.Random) -> Style:
        """One whose parts go together."""
        while True:
            style = Style(
                *(source.choice(each) for each in (STORAGES, SIZES, COUNTERS, FORMS, STATEMENTS, PLACES)),
                restrict=source.random() < 0.5,
            )
            if style.is_possible:
                return style

    @property
    def is_possible(self) -> bool:
        """Can C say it?"""
        if self.storage == "heap":
            return self.place == "main" and self.size in (*_FIXED, "const", "variable")
        if self.storage == "file" and self.place == "other file":
            return False  # the arrays are those of one file
        if self.place == "main":
            return self.storage not in ("parameters",) and self.size != "argument"
        return not (self.place == "other file" and self.size == "variable")

    @property
    def is_fixed(self) -> bool:
        """Are its sizes numbers for the compiler?"""
        return self.size in _FIXED

    def parts(self) -> dict[str, str]:
        """By axis, what is chosen."""
        return {each.name: str(getattr(self, each.name)) for each in fields(self)}
