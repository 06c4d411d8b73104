"""Is a band of loops around one statement a contraction, and of which form?"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Literal

from pycparser import c_ast

from skeletons.sums.contraction.grouping import Grouping, groupings, without_sums
from skeletons.sums.contraction.model import BandLoop, Contraction, Operand, Product, Ragged, Refused
from skeletons.sums.contraction.products import Term, Update, read_update
from skeletons.sums.contraction.ranges import Dependent, check_bound, dependent, ragged
from species.source.syntax.expressions import (
    FLOATS,
    INTEGERS,
    NotPlain,
    array_of,
    canonical,
    coefficient,
    elements,
    names,
    parse_statement,
    steps_by_one,
    subscripts,
    text_of,
    type_of,
    walk,
)


def recognise(loops: Sequence[BandLoop], statement: str, types: Mapping[str, str]) -> Contraction | Refused:
    """The contraction that `loops` (outermost first) around `statement` compute, or why they are none.

    `types` gives for every name in the statement its type, or that of the array's elements.  The caller
    has proved that the statement may run for all iterations in any order but for the rounding of sums, that
    different values of the output's iterators mean different cells, that no operand is written, and that
    neither iterators nor bounds wrap around.
    """
    try:
        return _Recogniser(tuple(loops), statement, types).contraction()
    except NotPlain as obstacle:
        return Refused(str(obstacle))


class _Recogniser:
    def __init__(self, loops: tuple[BandLoop, ...], statement: str, types: Mapping[str, str]) -> None:
        self.loops = loops
        self.iterators = frozenset(loop.iterator for loop in loops)
        self.types = {**types, **{loop.iterator: loop.ctype for loop in loops}}
        self.tree = parse_statement(statement)

    def contraction(self) -> Contraction:
        self._check_loops()
        target = self.tree.lvalue if isinstance(self.tree, c_ast.Assignment) else None
        self.output = names(target) & self.iterators if target is not None else frozenset()
        update = read_update(self.tree, self.types, lambda factors: bool(self._groupings(factors)))
        self._check_update(update)
        sides = self._sides(update)
        found = dependent(self.loops, sides[0].batch)
        rows, columns, depth, batch = self._groups(sides[0], update)
        return Contraction(
            statement=text_of(self.tree) + ";",
            output=text_of(update.output),
            element=self._element(),
            rows=rows,
            columns=columns,
            depth=depth,
            batch=batch,
            products=tuple(
                Product(
                    self._operand(side.first_factors, rows[-1].iterator),
                    self._operand(side.second_factors, columns[-1].iterator),
                    term.negative,
                )
                for term, side in zip(update.terms, sides, strict=True)
            ),
            output_unit=steps_by_one(update.output, columns[-1].iterator),
            regrouped=any(
                term.regrouped or _moves(term, side) for term, side in zip(update.terms, sides, strict=True)
            ),
            ragged=_ragged(found, rows, columns, depth) if found else None,
            symmetric=found is None
            and _are_alike(rows, columns)
            and update.is_symmetric(rows[0].iterator, columns[0].iterator),
        )

    def _check_loops(self) -> None:
        if len(self.iterators) != len(self.loops):
            raise NotPlain("two loops share an iterator")
        for loop in self.loops:
            if canonical(loop.ctype) not in (*INTEGERS, "short", "unsigned short"):
                raise NotPlain(f"the iterator {loop.iterator} is {loop.ctype}")

    def _groupings(self, factors: tuple[Any, ...]) -> list[Grouping]:
        return groupings(factors, self.iterators, self.output)

    def _check_update(self, update: Update) -> None:
        element = self._element()
        if element not in (*FLOATS, *INTEGERS):
            raise NotPlain(f"the sums are {element}")
        if self.output == self.iterators:
            raise NotPlain("no loop is summed over: every iterator stands in the output's subscripts")
        self._check_names(update)
        self._check_output(update.output)

    def _check_names(self, update: Update) -> None:
        """Every name has a type, is not volatile, and the output is nothing but the output."""
        used = [factor for term in update.terms for factor in term.factors] + list(subscripts(update.output))
        used += [check_bound(text) for loop in self.loops for text in (loop.lower, loop.upper)]
        for name in sorted(names(self.tree)):
            if name not in self.types:
                raise NotPlain(f"the type of {name} is not known")
            canonical(self.types[name])
        for name in sorted({n for node in used for n in names(node)}):
            if name == array_of(update.output):
                raise NotPlain(f"{name} is read as well as added to")
            canonical(self.types.get(name, "int"))

    def _check_output(self, output: Any) -> None:
        """The subscripts tell different iterations apart, as far as one can see here."""
        for subscript in subscripts(output):
            for part in walk(subscript):
                if isinstance(part, c_ast.ArrayRef) or (
                    isinstance(part, c_ast.BinaryOp) and part.op in ("/", "%")
                ):
                    raise NotPlain(f"{text_of(output)} may be one cell for several iterations")
            sizes = [coefficient(subscript, iterator) for iterator in sorted(self.output & names(subscript))]
            known = [abs(size) for size in sizes if size is not None]
            if len(set(known)) != len(known) or 0 in known:
                raise NotPlain(f"{text_of(output)} may be one cell for several iterations")

    def _sides(self, update: Update) -> list[Grouping]:
        """For every term a grouping, all with the same rows, columns and batch loops; rows come first."""
        if not update.terms:
            raise NotPlain("nothing is added")
        for wanted in self._groupings(update.terms[0].factors):
            wanted = self._oriented(without_sums(wanted, self.output), update.output)
            found = [_alike(wanted, self._groupings(t.factors), self.output) for t in update.terms]
            if all(side is not None for side in found):
                return [side for side in found if side is not None]
        raise NotPlain(self._no_product(update))

    def _no_product(self, update: Update) -> str:
        lone = next((t for t in update.terms if not self._groupings(t.factors)), None)
        if lone is None:
            return "the products do not have the same rows and columns"
        text = " * ".join(map(text_of, lone.factors))
        return f"`{text}` is no product of something of the rows with something of the columns"

    def _oriented(self, found: Grouping, output: Any) -> Grouping:
        """Columns are the side along which the output lies in memory."""
        by_one = {loop.iterator for loop in self.loops if steps_by_one(output, loop.iterator)}
        if by_one & found.second:
            return found
        if by_one & found.first:
            return found.swapped()
        inner = next(
            loop.iterator for loop in reversed(self.loops) if loop.iterator in found.first | found.second
        )
        return found if inner in found.second else found.swapped()

    def _groups(self, side: Grouping, update: Update) -> tuple[tuple[BandLoop, ...], ...]:
        rows = self._group(side.first, side.first_factors)
        columns = self._group(side.second, (update.output,))
        summed = self.iterators - side.first - side.second - side.batch
        depth = self._group(summed, side.first_factors)
        return rows, columns, depth, self._group(side.batch, ())

    def _group(self, iterators: frozenset[str], factors: tuple[Any, ...]) -> tuple[BandLoop, ...]:
        """The loops of a group as they stand, but the one with unit steps in `factors` last."""

        def fast(loop: BandLoop) -> bool:
            return any(steps_by_one(part, loop.iterator) for factor in factors for part in elements(factor))

        return tuple(sorted((loop for loop in self.loops if loop.iterator in iterators), key=fast))

    def _operand(self, factors: tuple[Any, ...], iterator: str) -> Operand:
        element = self._element()
        first, *others = factors
        start = "" if type_of(first, self.types) == element else f"({element})"
        unit = any(steps_by_one(part, iterator) for factor in factors for part in elements(factor))
        plain = not others and not start and steps_by_one(first, iterator)
        return Operand((start + _factor(first), *map(_factor, others)), unit, plain)

    def _element(self) -> str:
        return type_of(self.tree.lvalue, self.types)


def _factor(node: Any) -> str:
    """A factor's text, in parentheses where a product needs them."""
    text = text_of(node)
    simple = isinstance(node, c_ast.ArrayRef | c_ast.ID | c_ast.Constant)
    return text if simple else f"({text})"


def _alike(wanted: Grouping, found: list[Grouping], output: frozenset[str]) -> Grouping | None:
    key = (wanted.first, wanted.second, wanted.batch)
    both = [without_sums(g, output) for one in found for g in (one, one.swapped())]
    return next((g for g in both if (g.first, g.second, g.batch) == key), None)


def _are_alike(rows: tuple[BandLoop, ...], columns: tuple[BandLoop, ...]) -> bool:
    """Has each group one loop, and have both the same values?"""
    pair = {(len(group), group[0].ctype, group[0].lower, group[0].upper) for group in (rows, columns)}
    return len(pair) == len(rows) == 1


def _moves(term: Term, side: Grouping) -> bool:
    """Are the factors multiplied in another order than C does?  The two sides may change places."""
    order = [id(factor) for factor in (*side.first_factors, *side.second_factors)]
    back = [id(factor) for factor in (*side.second_factors, *side.first_factors)]
    given = [id(factor) for factor in term.factors]
    short = len(side.first_factors) == 1 or len(side.second_factors) == 1
    return not (short and given in (order, back)) or _last_is_many(given, side)


def _last_is_many(given: list[int], side: Grouping) -> bool:
    """Does the side that C multiplies last have several factors?"""
    last = side.first_factors if given[-1] in map(id, side.first_factors) else side.second_factors
    return len(last) > 1


def _ragged(
    found: Dependent, rows: tuple[BandLoop, ...], columns: tuple[BandLoop, ...], depth: tuple[BandLoop, ...]
) -> Ragged:
    """What the one dependent loop means for rows, columns and depth; NotPlain within a group of several."""
    pair = {found.inner, found.outer}
    for group in (rows, columns, depth):
        if pair & set(group) and len(group) > 1:
            one, other = found.inner.iterator, found.outer.iterator
            raise NotPlain(f"{one} depends on {other}, and one is to be fused")
    kinds: tuple[tuple[Literal["triangle", "rows", "columns"], BandLoop, BandLoop], ...] = (
        ("triangle", rows[0], columns[0]),
        ("rows", rows[0], depth[0]),
        ("columns", columns[0], depth[0]),
    )
    for kind, given, ranged in kinds:
        if pair == {given, ranged}:
            return ragged(kind, given, found)
    raise NotPlain(f"{found.inner.iterator} depends on {found.outer.iterator}")
