"""The nouns of the species language (seed 003, section 3.2; theory.md section 3)."""

from __future__ import annotations

from dataclasses import dataclass

PATTERNS = ("element", "neighbourhood", "chunk", "full", "shared")


@dataclass(frozen=True)
class Range:
    """An inclusive interval `low:high`; both ends are C integer expressions as text."""

    low: str
    high: str

    def __str__(self) -> str:
        return f"{self.low}:{self.high}"


@dataclass(frozen=True)
class AccessPattern:
    """How one base iteration touches an array.

    `kind` is one of `PATTERNS`.  `neighbourhood` and `chunk` carry one range per dimension: offsets
    relative to the base iteration, `None` for a dimension of one element (printed `-`).  `shared` may
    carry the operator with which the iterations combine their results (`+`, `min`, `||` ...).
    """

    kind: str
    ranges: tuple[Range | None, ...] = ()
    operator: str | None = None


@dataclass(frozen=True)
class ArraySpecies:
    """One part of a species, `name[domain]|pattern`; `name` is None in the unnamed form."""

    name: str | None
    domain: tuple[Range, ...]
    pattern: AccessPattern


@dataclass(frozen=True)
class Species:
    """`inputs -> outputs`; an empty side is `void`."""

    inputs: tuple[ArraySpecies, ...]
    outputs: tuple[ArraySpecies, ...]

    def __str__(self) -> str:
        from species.grammar.printer import print_species

        return print_species(self)
