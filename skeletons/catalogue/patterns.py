"""Which species a skeleton takes: patterns in the terms of the species grammar.

    pattern := side "->" side          side := "void" | part ("^" part)*
    part    := ["[" dims "]|"] kind ["(" dims ")"] | ["[" dims "]|"] "shared" ["(" operator ")"] | "*"

`kind` is a pattern of the grammar or `any`; `[*,*]|` asks for a domain of two dimensions, `(*,*)`
for one range per dimension, `-` for a dimension without a range.  `shared(+)` is a reduction with this
operator, `shared` any.  A lone `*` at the end of a side
stands for any number of further arrays.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from species.grammar.nodes import PATTERNS, ArraySpecies, Species

_PART = re.compile(
    r"(?:\[(?P<domain>[*,\s]+)\]\s*\|\s*)?"
    r"(?:shared\(\s*(?P<operator>[a-z]+|&&|\|\||[+*&|^])\s*\)|(?P<kind>[a-z]+)(?:\((?P<ranges>[-*,\s]+)\))?)$"
)
_SEPARATOR = re.compile(r"\^(?!\s*\))")  # not the operator in `shared(^)`


@dataclass(frozen=True)
class PartPattern:
    """What one array of a side must look like; None: anything."""

    kind: str
    dimensions: int | None
    ranges: tuple[str, ...] | None
    operator: str | None = None

    def matches(self, part: ArraySpecies) -> bool:
        """Does `part` look like this?"""
        if self.kind not in ("any", part.pattern.kind):
            return False
        if self.operator not in (None, part.pattern.operator):
            return False
        if self.dimensions is not None and self.dimensions != len(part.domain):
            return False
        return self.ranges is None or self._ranges_match(part)

    def _ranges_match(self, part: ArraySpecies) -> bool:
        ranges = part.pattern.ranges
        if self.ranges is None or len(self.ranges) != len(ranges):
            return False
        return all(w == "*" or r is None for w, r in zip(self.ranges, ranges, strict=True))


@dataclass(frozen=True)
class SidePattern:
    """The arrays of one side; `open` when further ones are welcome."""

    parts: tuple[PartPattern, ...]
    open: bool

    def matches(self, arrays: tuple[ArraySpecies, ...]) -> bool:
        """Can every part be given an array of its own (and, unless open, every array a part)?"""
        if len(arrays) < len(self.parts) or (not self.open and len(arrays) > len(self.parts)):
            return False
        return _assign(self.parts, arrays)


@dataclass(frozen=True)
class SpeciesPattern:
    """Both sides of a pattern."""

    inputs: SidePattern
    outputs: SidePattern

    @property
    def takes_anything(self) -> bool:
        """True for `* -> *`, which also takes a kernel whose species is not known."""
        return self == SpeciesPattern(SidePattern((), True), SidePattern((), True))

    def matches(self, species: Species | None) -> bool:
        """Does the pattern take `species`?"""
        if species is None:
            return self.takes_anything
        return self.inputs.matches(species.inputs) and self.outputs.matches(species.outputs)


def parse_pattern(text: str) -> SpeciesPattern:
    """Read a pattern; raises ValueError with a message for the writer of the descriptor."""
    sides = text.split("->")
    if len(sides) != 2:
        raise ValueError(f"a species pattern is `inputs -> outputs`, not {text!r}")
    return SpeciesPattern(_side(sides[0]), _side(sides[1]))


def _side(text: str) -> SidePattern:
    words = [word.strip() for word in _SEPARATOR.split(text)]
    if words == ["void"]:
        return SidePattern((), False)
    is_open = words[-1] == "*"
    return SidePattern(tuple(_part(word) for word in (words[:-1] if is_open else words)), is_open)


def _part(text: str) -> PartPattern:
    match = _PART.match(text)
    kind = match and ("shared" if match["operator"] else match["kind"])
    if match is None or kind not in (*PATTERNS, "any"):
        raise ValueError(
            f"{text!r} is no pattern of an array; say e.g. `[*,*]|neighbourhood(*,*)`, `element`, `any`"
        )
    domain, ranges = match["domain"], match["ranges"]
    return PartPattern(
        kind=kind,
        dimensions=None if domain is None else len(domain.split(",")),
        ranges=None if ranges is None else tuple(word.strip() for word in ranges.split(",")),
        operator=match["operator"],
    )


def _assign(parts: tuple[PartPattern, ...], arrays: tuple[ArraySpecies, ...]) -> bool:
    if not parts:
        return True
    return any(
        parts[0].matches(array) and _assign(parts[1:], arrays[:k] + arrays[k + 1 :])
        for k, array in enumerate(arrays)
    )
