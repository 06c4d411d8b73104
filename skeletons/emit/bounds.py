"""Bounds of loops as a person would write them: with the names that the source has for numbers."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator

from skeletons.ctext import names_in
from skeletons.transform.constants import constant
from skeletons.transform.model import ScopModel
from skeletons.transform.tree import Band
from species.scops import ScopLoop, ScopStatement
from species.scops.facts import ScopNode, statements_in

_LAST = re.compile(r"(?P<left>.*)<= (?P<value>\d+)$", re.DOTALL)
_MINUS = re.compile(r"(\w+) - (\d+)")
_NUMBER = re.compile(r"(?<![\w.])(?P<value>\d+)(?![\w.])")


class Bounds:
    """The names of one static control part: of the numbers that bound its loops, and of variables."""

    def __init__(self, model: ScopModel, taken: set[str], macro: Callable[[str], str]) -> None:
        """`macro(name)` is the text of a macro, empty for what is none; `taken` are names that are in use."""
        self._model, self._taken, self._macro = model, taken, macro
        self._ends: dict[tuple[str, int], tuple[str, str]] = {}  # (iterator, last value): relation, C text
        self._types: dict[str, str] = {}
        for node in model.scop.nodes:
            self._read(node)

    def _read(self, node: ScopNode) -> None:
        if not isinstance(node, ScopLoop):
            return
        self._types.setdefault(node.iterator, node.ctype.removeprefix("const "))
        end = self._named_end(node)
        last = self._last(node)
        if end is not None and last is not None:
            self._ends.setdefault((node.iterator, last), end)
        for child in node.children:
            self._read(child)

    def _named_end(self, loop: ScopLoop) -> tuple[str, str] | None:
        """`i < N` as ("<", "N") where N consists of macros for numbers."""
        match = re.fullmatch(rf"\s*{re.escape(loop.iterator)}\s*(<=?)\s*(.+)", loop.condition, re.DOTALL)
        if match is None or "\n" in match[2] or not self._is_number(match[2]) or not names_in(match[2]):
            return None
        return match[1], match[2].strip()

    def _is_number(self, text: str, depth: int = 0) -> bool:
        """Do all names in the text stand for numbers?"""
        texts = [self._macro(name) for name in names_in(text)]
        return depth < 20 and all(t and self._is_number(t, depth + 1) for t in texts)

    def _last(self, loop: ScopLoop) -> int | None:
        """The largest value of the iterator, where that is a number."""
        first = next(statements_in(loop))
        domain = self._model.domains.sets[first.name]
        position = first.iterators.index(loop.iterator)
        return constant(domain.dim_max(position))

    def type_of(self, band: Band) -> str:
        """The type of the loop's variable: that of the source's; `long` for what may go beyond its values."""
        if band.marks & {"tile", "blocks"}:
            return "long"
        types = {self._types.get(value.lstrip("-"), "long") for value in band.of.values()}
        if any(value.startswith("-") and self.is_sensitive(value[1:]) for value in band.of.values()):
            return "long"
        return types.pop() if len(types) == 1 else "long"

    def ctype(self, iterator: str) -> str:
        """The type of an iterator of the source."""
        return self._types.get(iterator, "int")

    def readable(self, band: Band, condition: str) -> str:
        """`i <= 999` as `i < N` where the source says so."""
        match = _LAST.match(condition)
        if match is None:
            return _NUMBER.sub(lambda m: self._number(band, m["value"]), condition)
        relation, text = self._end(band, int(match["value"])) or ("<=", match["value"])
        return f"{match['left']}{relation} {text}"

    def _number(self, band: Band, value: str) -> str:
        end = self._end(band, int(value))
        if end is None:
            return value
        relation, text = end
        if relation == "<=":
            return f"({text})" if not text.isidentifier() else text
        less = _MINUS.fullmatch(text)
        return f"{less[1]} - {int(less[2]) + 1}" if less else f"({text} - 1)"

    def _end(self, band: Band, value: int) -> tuple[str, str] | None:
        own = dict.fromkeys(v for s in band.of for v in self._iterators(band, s))
        found = [self._ends[(i, value)] for i in own if (i, value) in self._ends]
        return found[0] if found else None

    def _iterators(self, band: Band, statement: str) -> Iterator[str]:
        known: ScopStatement = self._model.statements[statement]
        yield from (i for i in known.iterators if i in names_in(band.of[statement]))

    def is_sensitive(self, iterator: str) -> bool:
        """Does its type matter in expressions?  Unsigned numbers wrap around."""
        ctype = self.ctype(iterator)
        return ctype not in (
            "int",
            "long",
            "long long",
            "short",
            "char",
            "signed char",
            "ptrdiff_t",
            "ssize_t",
        )

    def fresh(self, wanted: str) -> str:
        """A name that nothing has, made from `wanted`."""
        name = wanted
        while name in self._taken:
            name += "_"
        return name
