"""Ends of loops as a person would write them: with the names that the source has for numbers."""

from __future__ import annotations

import re
from collections.abc import Callable

from skeletons.schedule.core.model import ScopModel
from skeletons.schedule.core.tree import Band
from species.facts import ScopLoop
from species.sets.isl_to_c import MAXIMUM, MINIMUM
from species.source.syntax.expressions import NotPlain, parse_statement
from species.source.text.code import code_tokens, names_in, parenthesised, rename
from species.symbols.enumerations import constant_value

_LAST = re.compile(r"(?P<left>\w+ )<= (?P<value>.+)", re.DOTALL)
_EXTREME = re.compile(rf"(?P<name>{MINIMUM}|{MAXIMUM})\((?P<arguments>.*)\)", re.DOTALL)
_LESS = re.compile(r"(\w+) - (\d+)")
_DEEPEST = 20  # macros inside of macros
_LONGEST = 1000  # characters of what they stand for


class Ends:
    """The names of the numbers that bound the loops of one static control part."""

    def __init__(self, model: ScopModel, source: str, macro: Callable[[str], str]) -> None:
        """`source` is the nests' text, `macro(name)` that of a macro, empty for what is none."""
        self._model, self._macro = model, macro
        self._literals = {t.text.rstrip("uUlL") for t in code_tokens(source) if t.kind == "number"}

    def readable(self, band: Band, condition: str) -> str:
        """`i <= 999` as `i < N` where the source says so."""
        match = _LAST.fullmatch(condition)
        if match is None:
            return condition
        end = self._end(band, match["value"])
        relation, text = end or ("<=", self._argument(band, match["value"]))
        return f"{match['left']}{relation} {text}"

    def _argument(self, band: Band, text: str) -> str:
        """A number, or those that the text is the smallest or the largest of, by their names."""
        extreme = _EXTREME.fullmatch(text)
        if extreme is not None:
            arguments = (self._argument(band, each) for each in _arguments(extreme["arguments"]))
            return f"{extreme['name']}({', '.join(arguments)})"
        end = self._end(band, text)
        if end is None or end[0] == "<=":
            return text if end is None else end[1]
        less = _LESS.fullmatch(end[1])
        name = f"{less[1]} - {int(less[2]) + 1}" if less else f"{parenthesised(end[1])} - 1"
        return name if self.number(name) == int(text) else text  # macros may lack parentheses

    def _end(self, band: Band, last: str) -> tuple[str, str] | None:
        """How the source says that a number is the last value, where all of its loops that do say the same.

        What is a number in the source, too, may come from there.
        """
        if not last.isdigit() or {last, str(int(last) + 1)} & self._literals:
            return None
        named = {end for loop in self._loops(band) if (end := _named_end(loop)) is not None}
        ends = [e for e in named if self.number(e[1]) == int(last) + (e[0] == "<")]
        return ends[0] if len(ends) == 1 else None

    def _loops(self, band: Band) -> list[ScopLoop]:
        """The source's loops of which a band has the values."""
        return [
            loop
            for name in band.of
            for loop in self._model.loops_around(name)
            if loop.iterator in names_in(band.of[name])
        ]

    def number(self, text: str) -> int | None:
        """The value of a text that consists of signed numbers and macros for such."""
        for _ in range(_DEEPEST):
            bodies = {name: body for name in names_in(text) if (body := self._macro(name))}
            if not bodies or len(text) > _LONGEST:
                break
            text = rename(text, bodies)
        numbers = [token.text.lower() for token in code_tokens(text) if token.kind == "number"]
        if names_in(text) or any("u" in number for number in numbers):
            return None
        try:
            return constant_value(parse_statement(text), {})
        except NotPlain:
            return None


def _named_end(loop: ScopLoop) -> tuple[str, str] | None:
    """`i < N` as ("<", "N"); None where the end has no name."""
    match = re.fullmatch(rf"\s*{re.escape(loop.iterator)}\s*(<=?)\s*(.+)", loop.condition, re.DOTALL)
    if match is None or "\n" in match[2] or not names_in(match[2]):
        return None
    return match[1], match[2].strip()


def _arguments(text: str) -> list[str]:
    """What commas separate outside of parentheses."""
    found, depth = [""], 0
    for character in text:
        depth += (character == "(") - (character == ")")
        if character == "," and depth == 0:
            found.append("")
            continue
        found[-1] += character
    return [each.strip() for each in found]
