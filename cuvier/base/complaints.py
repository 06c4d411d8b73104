"""Diagnostics of a run over many files: what many of them meet alike is said once, and counted."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable

from cuvier.base.console import complain, say
from species.core.positions import Diagnostic

_EVERYWHERE = frozenset(("CV009",))  # about something that has no place of its own: a header that is missing


class Complaints:
    """What has been said.  A kind and a place are said once; `conclude` says how often."""

    def __init__(self) -> None:
        self._first: dict[object, Diagnostic] = {}
        self._counts: Counter[object] = Counter()

    def about_file(self, diagnostics: Iterable[Diagnostic]) -> None:
        """Print to stderr what no file before had; `diagnostics` are all those of one file."""
        for key, diagnostic in {_key(each): each for each in diagnostics}.items():
            self._counts[key] += 1
            if self._counts[key] == 1:
                self._first[key] = diagnostic
                complain([diagnostic])

    def conclude(self) -> None:
        """Print how many files had what was said once for several of them."""
        for key, first in self._first.items():
            if self._counts[key] > 1:
                say(f"{first.position}: note: {self._counts[key]} files have this [{first.code}]")


def _key(diagnostic: Diagnostic) -> object:
    place = None if diagnostic.code in _EVERYWHERE else diagnostic.position
    return diagnostic.code, diagnostic.severity, diagnostic.message, place
