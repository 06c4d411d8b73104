"""Regions of arrays that a nest touches, as C texts: for copies, conditions and array reductions."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial

import islpy as isl

from species.grammar.nodes import Range
from species.loops.choices import by_choice
from species.loops.model import FunctionModel, Loop, Reference, inner_loops
from species.regions.bound_texts import bound_text, less_text, option_texts, signed_text
from species.regions.bounds import Extreme
from species.regions.boxes import Access, boxes
from species.regions.c_printer import Renderer, Unprintable, WideRenderer
from species.regions.flattened import Flattened
from species.regions.nonempty_guards import Entered, guarded
from species.regions.row_regions import (
    RowPrinter,
    has_quotients,
    limits,
    may_differ,
    of_box,
    row_limits,
    texts,
)
from species.regions.symbolic import condition_text, exact_text
from species.sets.affine import Affine, Atom, Division, Value
from species.sets.conditions import Compare, Condition, Unknown, leaves, negated, without_idle
from species.sets.domains import Names, Printer, all_hold, always, limited
from species.sets.elimination import Undecided
from species.sets.isl_to_c import MAXIMUM, MINIMUM
from species.sets.products import has_strides


@dataclass(frozen=True)
class Region:
    """Inclusive bounds per dimension, where anything is touched.

    `exact` says that all bounds are reached; otherwise they may even lie outside of the array.
    `covered` says that every cell inside is touched for certain.  Of the `least`, if there are any, the
    smallest is the lower bound of the first dimension, of the `greatest` the largest the upper one.
    """

    ranges: tuple[Range, ...]
    exact: bool
    covered: bool
    least: tuple[str, ...] = ()
    greatest: tuple[str, ...] = ()

    @property
    def rows(self) -> tuple[tuple[str, ...], tuple[str, ...]]:
        """The least and the greatest; they are the bounds where there are no others."""
        return self.least or (self.ranges[0].low,), self.greatest or (self.ranges[0].high,)


class Regions:
    """Regions with respect to one loop: what is touched while it runs, in terms of names at its start.

    It runs only where the conditions in `provided` hold; the loops in `running` have an iteration then.  With
    `assuming`, bounds of inner loops are what they are before the loop, as if no write in it reached them.
    `moving` are the numbers of further counters, which belong to no loop.
    """

    def __init__(
        self,
        model: FunctionModel,
        loop: Loop,
        renderer: Renderer | None = None,
        provided: tuple[Condition, ...] = (),
        running: tuple[Loop, ...] = (),
        assuming: bool = False,
        moving: frozenset[int] = frozenset(),
    ) -> None:
        self._assuming = assuming
        self.model, self._loop, self._provided = model, loop, provided
        self._inner = inner_loops(loop) | moving
        self._renderer = renderer or WideRenderer(model, loop)
        self._running, self._entered = running, Entered(model, loop, running)

    def assuming(self) -> Regions:
        return Regions(self.model, self._loop, self._renderer, self._provided, self._running, assuming=True)

    def hull(self, references: Sequence[Reference], among: Sequence[Reference] = ()) -> Region | None:
        """The box around references to one object; None if it cannot be bounded or named.

        `among` are others to the object: what they touch is there.
        """
        found = self._hull(references, among)
        cases = by_choice(references) if found is None or not found.exact else references
        if list(cases) == list(references):
            return found
        split = self._hull(cases, among)
        return split if found is None or (split is not None and split.exact) else found

    def around(self, references: Iterable[Reference]) -> Region | None:
        """The box around the boxes of references to one object; None where one of these is not exact."""
        found: Region | None = None
        for reference in references:
            one = self.hull([reference])
            ranks = {len(each.ranges) for each in (one, found) if each is not None}
            if one is None or not one.exact or len(ranks) > 1:
                return None
            ranges = one.ranges if found is None else tuple(map(_joined, found.ranges, one.ranges))
            found = Region(ranges, exact=False, covered=False)
        return found

    def _hull(self, references: Sequence[Reference], among: Sequence[Reference]) -> Region | None:
        ranks = {len(r.place.subscripts) for r in references}
        if len(ranks) != 1 or any(r.place.loose for r in references):
            return None
        references = self._needed([self._without_idle(r) for r in references])
        try:
            found = self._by_elimination(references)
        except Undecided:
            found = limited(lambda: self._by_sets(references), when_exhausted=None)
        found = found or self._flattened(references)
        if found is not None and found.exact and not self._is_reached(found, references, among):
            return replace(found, exact=False)
        return found

    def _without_idle(self, reference: Reference) -> Reference:
        around = len(self._loop.conditions)
        own = without_idle(reference.conditions[around:], reference.place.subscripts)
        return replace(reference, conditions=(*reference.conditions[:around], *own))

    def _needed(self, references: Sequence[Reference]) -> Sequence[Reference]:
        """Without those that touch, under unknown conditions, what others have touched for certain."""
        certain = [self.is_certain(r) for r in references]
        sure: dict[tuple[Affine, ...], list[Reference]] = {}
        for reference, is_certain in zip(references, certain, strict=True):
            if is_certain:
                sure.setdefault(reference.place.subscripts, []).append(reference)
        return [
            reference
            for reference, is_certain in zip(references, certain, strict=True)
            if is_certain
            or not any(_is_made_with(o, reference) for o in sure.get(reference.place.subscripts, ()))
        ]

    def rows(self, region: Region, references: Sequence[Reference]) -> tuple[Range, ...]:
        """What is touched of every row, for certain, where that is less than the exact region: the bounds of
        the rows, then those of the other dimensions, in terms of the row (`ROW`); else an empty tuple.
        """
        if len(region.ranges) < 2 or not self._is_there(references):
            return ()
        if region.covered:
            return of_box(tuple(Range(*map(self._renderer.signed, (r.low, r.high))) for r in region.ranges))
        if not may_differ(references, self._inner) or not all(map(self.is_certain, references)):
            return ()
        return limited(lambda: self._rows_by_sets(references), when_exhausted=())

    def _rows_by_sets(self, references: Sequence[Reference]) -> tuple[Range, ...]:
        names = Names()
        self._name_all(references, names)
        touched = self._touched(references, names).coalesce()
        found = row_limits(touched, names, self._inner)
        try:
            result = texts(found, lambda bound: signed_text(bound, self._renderer))
        except Unprintable:
            return ()
        box = _box(touched.get_space(), found, RowPrinter(names), self._loop.conditions)
        return () if has_quotients(found) or not box.is_subset(touched) else result

    def _is_there(self, references: Sequence[Reference]) -> bool:
        """Are all references made wherever the nest is executed?

        Else the bounds may say anything: rows that an array does not have, of which no cell is touched.
        """
        try:
            return not any(map(self._entered.conditions, references))
        except Undecided:
            return False

    def where_entered(
        self,
        region: Region,
        references: Sequence[Reference],
        within: Sequence[Range] | None = None,
        among: Sequence[Reference] = (),
    ) -> tuple[Range, ...]:
        """The bounds of an exact region, with nothing inside where inner loops make no iteration; an empty
        tuple where these cannot be told.  `among` as of `hull`.

        Of what lies `within` other bounds, it is enough that nothing is inside beyond these.
        """
        references = by_choice(references)
        if self._is_there(references):
            return region.ranges
        if within is not None:
            return tuple(map(_clipped, region.ranges, within)) if len(within) == len(region.ranges) else ()
        try:
            hull = partial(self._ranges, among=among)
            return guarded(references, self._entered, self._renderer, hull) or ()
        except Undecided:
            return ()

    def _ranges(
        self, references: Sequence[Reference], among: Sequence[Reference]
    ) -> tuple[Range, ...] | None:
        found = self.hull(references, among)
        return found.ranges if found is not None and found.exact else None

    def with_signs(self, references: Sequence[Reference]) -> tuple[Regions, tuple[str, ...]]:
        """Regions that hold where strides of unknown sign are not negative, and these conditions, as C."""
        sides = (
            Flattened((reference,), d, self._inner, self._provided)
            for reference in references
            for d, subscript in enumerate(reference.place.subscripts)
            if has_strides(subscript, self._inner)
        )
        needed = dict.fromkeys(sign for side in sides for sign in side.signs())
        try:
            texts = tuple(condition_text(condition, self._renderer) for condition in needed)
        except Unprintable:
            return self, ()
        provided = (*self._provided, *needed)
        return Regions(self.model, self._loop, self._renderer, provided, self._running), texts

    def _is_reached(
        self, region: Region, references: Sequence[Reference], among: Sequence[Reference]
    ) -> bool:
        """Is the region that of the references which are made in any case?

        A condition that stays the same, `if (weights) w[i]`, decides whether there is such memory at all.
        """
        fixed: dict[Access, set[frozenset[Condition]]] = {}
        for reference in (*references, *among):
            access, own = self._split(reference)
            fixed.setdefault(access, set()).add(own)
        if all(_is_complete(fixed[self._split(r)[0]]) for r in references):
            return True
        made = [r for r in (*references, *among) if _is_complete(fixed[self._split(r)[0]])]
        sure = self.hull(made) if made else None
        return sure is not None and sure.ranges == region.ranges

    def _split(self, reference: Reference) -> tuple[Access, frozenset[Condition]]:
        """What counts of a reference, and conditions of branches that are not known, but stay the same."""
        own = [c for c in reference.conditions[len(self._loop.conditions) :] if c not in self.model.bounds]
        still = (c for c in own if not any(_loops(leaf) & self._inner for leaf in leaves(c)))
        known = (*self._loop.conditions, *(c for c in reference.conditions if c in self.model.bounds))
        unsure = frozenset(c for c in still if not always(c, known))
        rest = tuple(c for c in reference.conditions if c not in unsure)
        return Access(reference.place.subscripts, rest), unsure

    def _flattened(self, references: Sequence[Reference]) -> Region | None:
        """The box of subscripts such as `i*n + j`, whose strides are values; an exact one is better."""
        sides = self._sides(references, extremes=False)
        found = self._of_sides(references, sides)
        if (found is not None and found.exact) or not any(side.has_extremes for side in sides):
            return found
        other = self._of_sides(references, self._sides(references, extremes=True))
        return other if found is None or (other is not None and other.exact) else found

    def _sides(self, references: Sequence[Reference], *, extremes: bool) -> list[Flattened]:
        rank = len(references[0].place.subscripts)
        return [Flattened(references, d, self._inner, self._provided, extremes=extremes) for d in range(rank)]

    def _of_sides(self, references: Sequence[Reference], sides: Sequence[Flattened]) -> Region | None:
        limits = [found for found in (side.limits() for side in sides) if found is not None]
        if len(limits) != len(sides):
            return None
        try:
            ranges = tuple(Range(self.text(low), self.text(high)) for low, high in limits)
        except Unprintable:
            return None
        exact = all(map(self._is_unconditional, references)) and all(side.is_exact() for side in sides)
        whole = exact and len(sides) == 1 and all(map(self._is_made, references))
        whole = whole and self._divides_safely(limits)
        return Region(ranges, exact, whole and sides[0].is_filled(limits[0]), *self._rows(limits[0]))

    def _is_made(self, reference: Reference) -> bool:
        """Is there no condition, the same in all iterations, under which it is not made at all?"""
        own = reference.conditions[len(self._loop.conditions) :]
        fixed = (c for c in own if not any(_loops(leaf) & self._inner for leaf in leaves(c)))
        return all(always(c, self._loop.conditions) for c in fixed)

    def _by_elimination(self, references: Sequence[Reference]) -> Region | None:
        """The region by the quick path; raises `Undecided`."""
        found = boxes(tuple(dict.fromkeys(map(Access.of, references))), self._inner)
        try:
            ranges = tuple(Range(self.expression(low), self.expression(high)) for low, high in found.limits)
        except Unprintable:
            return None
        certain = [r for r in references if self.is_certain(r)]
        filled = bool(certain) and found.filled_by([Access.of(r) for r in certain], self._loop.conditions)
        return Region(ranges, len(certain) == len(references), filled)

    def _by_sets(self, references: Sequence[Reference]) -> Region | None:
        """The region by isl; raises `isl.Error` where there is no bound."""
        names = Names()
        self._name_all(references, names)
        touched = self._touched(references, names)
        fixed = {n: a for (a, _), n in names.items() if not a.loops & self._inner}
        bounds = [limits(touched, d, fixed) for d in range(touched.dim(isl.dim_type.set))]
        try:
            ranges = tuple(Range(self.text(low), self.text(high)) for low, high in bounds)
        except Unprintable:
            raise isl.Error("no name for a bound") from None
        certain = [r for r in references if self.is_certain(r)]
        box = _box(touched.get_space(), bounds, Printer(names), self._loop.conditions)
        filled = (
            bool(certain) and self._divides_safely(bounds) and box.is_subset(self._touched(certain, names))
        )
        return Region(ranges, len(certain) == len(references), filled, *self._rows(bounds[0]))

    def _rows(self, limits: tuple[Extreme, Extreme]) -> Iterator[tuple[str, ...]]:
        """The options of the bounds, where the least of them is the lower one and the greatest the upper."""
        for bound, operator in zip(limits, ("min", "max"), strict=True):
            yield option_texts(bound, self._renderer) if bound.operator == operator else ()

    def _divides_safely(self, limits: Sequence[tuple[Extreme, Extreme]]) -> bool:
        """Does C round the quotients in the bounds down even where nothing is touched?

        Else a region without cells might seem to have one.
        """
        options = (option for pair in limits for bound in pair for option in bound.options)
        quotients = (atom for option in options for atom, _ in option.terms if isinstance(atom, Division))
        return all(always(Compare(q.numerator), self._loop.conditions) for q in quotients)

    def condition(self, parts: tuple[Compare, ...]) -> str:
        """All of the conditions, as C; raises Unprintable."""
        return exact_text(parts, self._renderer)

    def text(self, bound: Extreme) -> str:
        """C text of the least or greatest of some expressions; raises `Unprintable`."""
        return bound_text(bound, self._renderer)

    def less(self, value: Value, most: int) -> str:
        """That a value is less than a power of two; raises `Unprintable`."""
        return less_text(value, most, self._renderer)

    def expression(self, affine: Affine) -> str:
        """C text of an expression over what is fixed outside; raises `Unprintable`."""
        return self._renderer.text(affine)

    def is_certain(self, reference: Reference) -> bool:
        """Is the reference made in every iteration that its affine conditions allow, at affine places?

        What holds around the loop (the first conditions) does not change while it runs.
        """
        opaque = any(self._is_opaque(a) for s in reference.place.subscripts for a in s.atoms())
        return not opaque and self._is_unconditional(reference)

    def _is_unconditional(self, reference: Reference) -> bool:
        """Do affine conditions alone decide in which iterations the reference is made?"""
        loops = self._inner & set(reference.loops)
        own = self._without_idle(reference).conditions[len(self._loop.conditions) :]
        return all(map(self._is_exact, loops)) and all(map(self._is_known, own))

    def _is_exact(self, number: int) -> bool:
        """Is the loop's bound all there is to know of its iterations?"""
        loop = self.model.numbered[number]
        assumed = self._assuming and loop.assumed and not loop.strided and not loop.obstacles
        return loop.exact or (assumed and loop is not self._loop)

    def _is_known(self, condition: Condition) -> bool:
        return not any(
            isinstance(leaf, Unknown) or any(self._is_opaque(a) for a in leaf.expression.atoms())
            for leaf in leaves(condition)
        )

    def _is_opaque(self, atom: Atom) -> bool:
        """Does the value change inside the loop in a way that is not affine?"""
        return isinstance(atom, Value) and bool(atom.loops & self._inner)

    def _name_all(self, references: Sequence[Reference], names: Names) -> None:
        printer = Printer(names)
        for reference in references:
            for condition in reference.conditions:
                printer.condition(condition)
            for subscript in reference.place.subscripts:
                printer.expression(subscript)

    def _touched(self, references: Sequence[Reference], names: Names) -> isl.Set:
        """The cells of some references as one set."""
        fixed = [n for (a, _), n in names.items() if not a.loops & self._inner]
        moving = [n for (a, _), n in names.items() if a.loops & self._inner]
        cells = [f"x{d}" for d in range(len(references[0].place.subscripts))]
        body = " or ".join(_reference_text(r, cells, Printer(names)) for r in references)
        exists = f"exists ({', '.join(moving)} : {body})" if moving else body
        ranges = [f"{n} >= 0" for (a, _), n in names.items() if isinstance(a, Value) and a.ctype.unsigned]
        known = " and ".join([f"({exists})", *ranges])
        return isl.Set(f"[{', '.join(fixed)}] -> {{ [{', '.join(cells)}] : {known} }}")


def _clipped(inner: Range, outer: Range) -> Range:
    """What of a range lies within another one."""
    low, high = inner.low, inner.high
    is_low = low == outer.low or _is_chosen(low, ">", outer.low)
    is_high = high == outer.high or _is_chosen(high, "<", outer.high)
    return Range(
        low if is_low else f"{MAXIMUM}({low}, {outer.low})",
        high if is_high else f"{MINIMUM}({high}, {outer.high})",
    )


def _joined(one: Range, other: Range) -> Range:
    """What is in either of two ranges, and between them."""
    low = one.low if one.low == other.low else f"{MINIMUM}({one.low}, {other.low})"
    high = one.high if one.high == other.high else f"{MAXIMUM}({one.high}, {other.high})"
    return Range(low, high)


def _is_chosen(text: str, relation: str, bound: str) -> bool:
    """Is it the greater or the lesser of something and the bound, `(x < bound ? x : bound)`?"""
    first, _, _ = text[1:].partition(f" {relation} {bound} ? ")
    other = text.rpartition(" : ")[2][:-1]
    forms = (f"({a} {relation} {b} ? {a} : {b})" for a, b in ((first, bound), (bound, other)))
    return text in forms


def _is_made_with(certain: Reference, other: Reference) -> bool:
    """Is a reference that is certain made in every iteration in which the other is?"""
    inside = other.loops[: len(certain.loops)] == certain.loops
    return inside and set(certain.conditions) <= set(other.conditions)


def _is_complete(cases: set[frozenset[Condition]]) -> bool:
    """Does one of some sets of conditions surely hold: an empty one, or one of two opposite conditions?"""
    alone = {next(iter(case)) for case in cases if len(case) == 1}
    return frozenset() in cases or any(negated(condition) in alone for condition in alone)


def _loops(leaf: Compare | Unknown) -> frozenset[int]:
    return leaf.expression.loops if isinstance(leaf, Compare) else frozenset()


def _reference_text(reference: Reference, cells: list[str], printer: Printer) -> str:
    equal = [
        f"{cell} = {printer.expression(s)}" for cell, s in zip(cells, reference.place.subscripts, strict=True)
    ]
    return f"({all_hold([*(printer.condition(c) for c in reference.conditions), *equal])})"


def _box(
    space: isl.Space,
    limits: Sequence[tuple[Extreme, Extreme]],
    printer: Printer,
    known: Sequence[Condition],
) -> isl.Set:
    """The cells within the bounds, also where the loops do not run at all, as long as conditions around
    them hold.
    """
    parts = [printer.condition(c) for c in known if isinstance(c, Compare)]
    for dimension, bounds in enumerate(limits):
        for bound, relation, weaker in zip(bounds, (">=", "<="), ("min", "max"), strict=True):
            options = [f"x{dimension} {relation} {printer.expression(o)}" for o in bound.options]
            parts.append("(" + (" or " if bound.operator == weaker else " and ").join(options) + ")")
    parameters = [space.get_dim_name(isl.dim_type.param, k) for k in range(space.dim(isl.dim_type.param))]
    cells = [f"x{d}" for d in range(len(limits))]
    return isl.Set(f"[{', '.join(parameters)}] -> {{ [{', '.join(cells)}] : {' and '.join(parts)} }}")
