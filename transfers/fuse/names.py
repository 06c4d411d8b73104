"""Names that nothing else in a file has."""

from __future__ import annotations

import re

from species.source import TranslationUnit


def fresh(name: str, unit: TranslationUnit) -> str:
    """`name` with a number."""
    taken = {*re.findall(r"\w+", unit.preprocessed), *re.findall(r"\w+", unit.source.text)}
    taken |= set(unit.macros.names())
    return next(new for k in range(1, len(taken) + 2) if (new := f"{name}_{k}") not in taken)
