"""Names that mean something else in another place of the file."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import TYPE_CHECKING

from species.source.text.tokens import Token, tokenize

if TYPE_CHECKING:
    from species.source.unit import TranslationUnit

_PLACES = frozenset(
    (
        *("__LINE__", "__FILE__", "__COUNTER__", "__BASE_FILE__", "__INCLUDE_LEVEL__"),
        *("__func__", "__FUNCTION__", "__PRETTY_FUNCTION__"),
    )
)
_NAME = re.compile(r"[A-Za-z_]\w*")


def told_by_place(unit: TranslationUnit, text: str) -> str:
    """A name in the text, or in what its macros stand for, that means something else in another place."""
    return min(_PLACES & all_names(unit, tokenize(text)), default="")


def all_names(unit: TranslationUnit, tokens: Iterable[Token]) -> set[str]:
    """The names in a text, and in the macros that it uses."""
    found: set[str] = set()
    open_ = {name for token in tokens if token.kind != "comment" for name in _NAME.findall(token.text)}
    while open_:
        found |= open_
        bodies = (body for name in open_ for body in unit.macros.bodies(name))
        open_ = {name for body in bodies for name in _NAME.findall(body)} - found
    return found
