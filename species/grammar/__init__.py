"""The species language: nodes, `print_species` and `parse_species`, and the pragmas that carry it."""

from __future__ import annotations

from species.grammar.errors import SpeciesSyntaxError
from species.grammar.expressions import canonical
from species.grammar.nodes import PATTERNS, AccessPattern, ArraySpecies, Range, Species
from species.grammar.parser import parse_pragma, parse_species
from species.grammar.pragmas import (
    Copy,
    CopyPragma,
    EndKernelPragma,
    KernelPragma,
    Pragma,
    SyncPragma,
)
from species.grammar.printer import print_pragma, print_species

__all__ = [
    "PATTERNS",
    "AccessPattern",
    "ArraySpecies",
    "Copy",
    "CopyPragma",
    "EndKernelPragma",
    "KernelPragma",
    "Pragma",
    "Range",
    "Species",
    "SpeciesSyntaxError",
    "SyncPragma",
    "canonical",
    "parse_pragma",
    "parse_species",
    "print_pragma",
    "print_species",
]
