"""Do two statements say the same, at different values of their loops?"""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from typing import TYPE_CHECKING

from skeletons.schedule.core.passes import Same
from species.facts import ScopStatement
from species.source import tokenize
from species.source.text.code import names_in

if TYPE_CHECKING:
    from species.source import TranslationUnit


def read_the_same(unit: TranslationUnit) -> Same:
    """See `Same`, for statements of the file."""
    return partial(_read_the_same, unit)


def _read_the_same(
    unit: TranslationUnit, one: ScopStatement, other: ScopStatement, names: Mapping[str, str]
) -> bool:
    """Have two statements the same text, with these names for iterators of the other?"""
    source, macros = unit.source.text, unit.macros
    texts = [s.span.of(source) if s.text is None else s.text for s in (one, other)]
    used = {name for text in texts for name in names_in(text)} & macros.names
    if not all(body.isdecimal() for name in used for body in macros.bodies(name)):
        return False  # macros may name iterators
    first, second = ([t.text for t in tokenize(text) if t.kind != "comment"] for text in texts)
    if (set(names.values()) - set(names)).intersection(second):
        return False  # it names another variable that is called like an iterator of the first
    return first == [names.get(word, word) for word in second]
