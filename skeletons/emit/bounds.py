"""Bounds of loops as a person would write them: with the names that the source has for numbers."""

from __future__ import annotations

from collections.abc import Callable

from skeletons.emit.ends import Ends
from skeletons.transform.model import ScopModel
from skeletons.transform.tree import Band
from species.scops import ScopLoop
from species.scops.facts import ScopNode


class Bounds:
    """The names of one static control part: of the numbers that bound its loops, and of variables."""

    def __init__(self, model: ScopModel, taken: set[str], source: str, macro: Callable[[str], str]) -> None:
        """`source` is the nests' text, `macro(name)` that of a macro, empty for what is none; `taken` are
        names that are in use.
        """
        self._taken, self._ends = taken, Ends(model, source, macro)
        self._types: dict[str, str] = {}
        for node in model.scop.nodes:
            self._read(node)

    def _read(self, node: ScopNode) -> None:
        if not isinstance(node, ScopLoop):
            return
        self._types.setdefault(node.iterator, node.ctype.removeprefix("const "))
        for child in node.children:
            self._read(child)

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
        return self._ends.readable(band, condition)

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
