"""The arrays of static control parts: what they are called, and which of their cells statements touch."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence

from species.dependence.flattened import Flattened, Key
from species.facts.scops import ScopAccess, ScopArray
from species.loops.model import FunctionModel, Loop, Place, Reference
from species.regions.c_printer import Unprintable
from species.regions.entry_names import EntryNames
from species.regions.symbolic import condition_text
from species.scops.refused import Refused
from species.scops.sets import Iterations
from species.sets.affine import Affine
from species.sets.conditions import Both
from species.symbols.types import scalar_bytes


class Arrays:
    """The arrays that `references` inside some loops touch; `names` are those of the arrays met so far."""

    def __init__(
        self,
        model: FunctionModel,
        references: Sequence[Reference],
        inside: frozenset[int],
        flattened: Flattened,
        renderer: EntryNames,
    ) -> None:
        self._model, self._references, self._inside = model, references, inside
        self._flattened, self._renderer = flattened, renderer
        self.names: dict[Key, str] = {}
        self._ranks: dict[str, int] = {}

    def access(
        self, name: str, reference: Reference, iterations: Iterations, inner: Mapping[int, Loop]
    ) -> ScopAccess:
        """What the statement `name` touches by a reference, be it in loops `inner` of its own.

        Raises Refused.
        """
        place = reference.place
        if place.loose or any(isinstance(step, str) for step in place.path):
            raise Refused(f"{place.name} is not subscripted like an array")
        if place.base is not None and place.base.loops & self._inside:
            raise Refused(f"{place.name} does not always point to the same memory")
        array, by_rows = self._name(reference), self._flattened.by_rows(reference)
        relation_ = iterations.relation(name, by_rows, array, inner)
        moves = iterations.moves(by_rows)
        return ScopAccess(array, reference.write, relation_, moves)

    def _name(self, reference: Reference) -> str:
        key = (reference.symbol, reference.place.base)
        taken = set(self.names.values())
        name = re.sub(r"\W+", "_", reference.symbol.name)  # of a pointer in a structure, `g->u`
        while key not in self.names and name in taken:
            name += "_"
        self.names.setdefault(key, name)
        name = self.names[key]
        if self._ranks.setdefault(name, len(reference.place.path)) != len(reference.place.path):
            raise Refused(f"{reference.place.name} is used with different numbers of subscripts")
        return name

    def described(self) -> Iterator[ScopArray]:
        """The arrays that `access` was asked for."""
        for (symbol, base), name in self.names.items():
            reference = next(r for r in self._references if (r.symbol, r.place.base) == (symbol, base))
            sizes = self._model.extents.get(symbol) or (None,) * self._ranks[name]
            shape = self._flattened.shapes.get((symbol, base))
            element = reference.place.ctype.element.text
            yield ScopArray(
                name=name,
                variable=self._renderer.pointer(Place(symbol, (), base)) or symbol.name,
                element=element.removeprefix("const "),
                bytes=scalar_bytes(reference.place.ctype.element),
                extents=tuple(self._extent(size) for size in sizes),
                pointer=symbol.ctype.kind == "pointer" or symbol.storage == "parameter",
                storage={"static": "global"}.get(symbol.storage, symbol.storage),
                readonly=symbol.ctype.is_readonly,
                rows=tuple(map(self._extent, shape.rows)) if shape is not None else (),
                start=self._extent(shape.start) if shape is not None else "0",
            )

    def tests(self) -> Iterator[str]:
        """What has to hold so that columns of flattened arrays stay in their rows; raises Refused."""
        for condition in self._flattened.conditions:
            try:
                yield condition_text(Both((condition,)), self._renderer)  # with limits of wide values
            except Unprintable:
                raise Refused("the length of a row has no name before the loops") from None

    def _extent(self, size: Affine | None) -> str | None:
        try:
            return self._renderer.text(size) if size is not None else None
        except Unprintable:
            return None
