"""Names of what a loop reduces, as OpenMP has them: a variable, an element, or an array section."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any

from pycparser import c_ast

from species.dependence.flow.private_copies import sees_array_copy
from species.dependence.judge import Judge
from species.dependence.reductions import Combined
from species.facts.loops import Reduction
from species.loops.callsites import AllocatedSizes
from species.loops.entry_values import standing
from species.loops.model import FunctionModel, Loop, Place, inner_loops
from species.loops.pointees import allocations_of
from species.openmp.rules import is_small
from species.regions.c_printer import Unprintable, WideRenderer
from species.regions.entry_names import pointer_name
from species.regions.hull import Regions
from species.sets.affine import Affine, constant
from species.source.syntax.tree import walk
from species.symbols.symbols import Symbol


class ReductionNames:
    """Names the reductions of one function's loops; `text_of` gives the C text of a node."""

    def __init__(
        self,
        model: FunctionModel,
        judge: Judge,
        symbols: Mapping[int, Symbol],
        text_of: Callable[[Any], str],
        sizes: AllocatedSizes,
    ) -> None:
        self._model, self._judge, self._symbols, self._text_of = model, judge, symbols, text_of
        self._sizes = sizes

    def note_extents(self, reductions: Iterable[Combined]) -> None:
        """How many elements arrays have into which loops combine values: those of all their allocations."""
        for place in (each.place for each in reductions if not each.is_scalar):
            element = place.symbol.ctype.decayed.target
            if element is None or not element.is_number or place.symbol in self._model.extents:
                continue
            found = {self._sizes.of(call, element) for call in allocations_of(place)}
            size = found.pop() if len(found) == 1 else None
            if size:
                self._model.extents[place.symbol] = (constant(size),)

    def named(self, loop: Loop, combined: Combined) -> Reduction:
        """The reduction; where the section is not known, its text has `[:]`."""
        text, place = self._text_of(combined.node), standing(loop, combined.place) or combined.place
        if combined.is_scalar:
            text = place.name  # a callee that updates it has another name for it
        if combined.keeps:
            with_it = combined.members or tuple(symbol.name for symbol in combined.with_it)
            return Reduction(combined.operator, text, with_it, combined.keeps)
        if combined.is_scalar:
            return Reduction(combined.operator, text)
        if not (combined.several or combined.place.loops & inner_loops(loop)):
            return Reduction(combined.operator, self._element(loop, combined, place, text))
        if any(isinstance(step, str) for step in combined.place.path):
            return Reduction(combined.operator, _sections(place))
        references = [r for r in self._judge.references(loop) if r.symbol is combined.place.symbol]
        region = Regions(self._model, loop).hull(references)
        name = combined.place.name
        named = all(sees_array_copy(r, self._symbols, loop) for r in references)
        if not named or pointer_name(loop, combined.place) != name:
            return Reduction(combined.operator, f"{place.name}[:]")
        lengths = [(r.low, _length(r.low, r.high)) for r in region.ranges] if region else []
        declared = self._declared(combined.place.symbol)
        if region is None or not region.exact:  # no end of a section may lie outside of the array
            if not declared:
                return Reduction(combined.operator, f"{name}[:]")
            lengths = declared
        elif not is_small(_section(name, lengths)) and is_small(_section(name, declared)):
            lengths = declared  # threads have copies of arrays of sizes that are known
        lengths = self._contiguous(combined.place, lengths)
        return Reduction(combined.operator, _section(name, lengths))

    def _declared(self, symbol: Symbol) -> list[tuple[str, str]]:
        """The whole array, where it is declared with constant lengths."""
        extents = self._model.extents.get(symbol, ())
        if not all(e is not None and e.is_constant for e in extents):
            return []
        return [("0", str(e.constant)) for e in extents if e is not None]

    def _contiguous(self, place: Place, lengths: list[tuple[str, str]]) -> list[tuple[str, str]]:
        """The lengths with whole rows where several are named, as OpenMP wants it; [] if nobody knows."""
        found = lengths[:1]
        rows = place.lengths or (self._model.extents.get(place.symbol) or ())[1:]
        for row, part in zip(rows, lengths[1:], strict=False):
            if any(number != "1" for _, number in found):
                part = ("0", str(row.constant)) if row is not None and row.is_constant else part
            found.append(part)
        return found if len(found) == len(lengths) else []

    def _element(self, loop: Loop, combined: Combined, place: Place, text: str) -> str:
        """The element in names as they are before the loop: `a[i % 2]` may be `a[0]` in all iterations."""
        changed = {loop.iterator, *(r.symbol for r in self._judge.references(loop) if r.write)}
        named = (self._symbols.get(id(n)) for n in walk(combined.node))
        scalars = {s for s in named if s is not None and s.is_scalar}
        if not scalars & changed and not isinstance(combined.node, c_ast.UnaryOp):
            return text
        renderer = WideRenderer(self._model, loop)
        try:
            steps = [s if isinstance(s, str) else renderer.text(s) for s in combined.place.path]
        except Unprintable:
            return _sections(place)
        if pointer_name(loop, combined.place) != combined.place.symbol.name:
            return _sections(place)
        members = [isinstance(s, str) for s in combined.place.path]
        parts = (f".{t}" if member else f"[{t}]" for t, member in zip(steps, members, strict=True))
        return combined.place.symbol.name + "".join(parts)


def _section(name: str, lengths: list[tuple[str, str]]) -> str:
    """`s[0:8]`, or `s[:]` of lengths that nobody knows."""
    return name + ("".join(f"[{low}:{n}]" for low, n in lengths) or "[:]")


def _sections(place: Place) -> str:
    """`s[:].x`: members of elements, nobody says which (OpenMP has no sections of members)."""
    text, path = place.symbol.name, list(place.path)
    is_pointee = place.symbol.ctype.kind == "pointer" and path[:1] == [Affine()]
    if is_pointee and len(path) > 1 and isinstance(path[1], str):
        text, path = f"{text}->{path[1]}", path[2:]
    return text + "".join(f".{step}" if isinstance(step, str) else "[:]" for step in path)


def _length(low: str, high: str) -> str:
    if low == "0":
        return high[:-2] if high.endswith("-1") else f"{high}+1" if not high.isdigit() else str(int(high) + 1)
    return "1" if low == high else f"({high})-({low})+1"
