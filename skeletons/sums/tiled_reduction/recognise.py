"""Is the body of a kernel an accumulation, whose values the iterations of two base loops share?"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from pycparser import c_ast

from skeletons.kernel.context import Subject
from skeletons.sums.contraction.products import read_update
from skeletons.sums.tiled_reduction.checks import (
    UNSIGNED,
    check_bounds,
    check_counter,
    check_element,
    check_iterations,
)
from skeletons.sums.tiled_reduction.model import Accumulation, DepthLoop, Staged
from skeletons.sums.tiled_reduction.names import Names
from skeletons.sums.tiled_reduction.nest import Parts, parts, read_nest
from skeletons.sums.tiled_reduction.ranges import dependent, hulls
from skeletons.sums.tiled_reduction.sides import Sides, Stager, sides_of, vanishes
from species.core.refusal import Refusal
from species.facts.loops import KernelLoop
from species.source.syntax.expressions import (
    FLOATS,
    NotPlain,
    array_of,
    check_plain,
    elements,
    names,
    parse_statement,
    steps_by_one,
    subscripts,
    text_of,
    type_of,
    walk,
)
from species.source.text.code import code_tokens, names_in, rename


def recognise(subject: Subject) -> Accumulation:
    """The accumulation; Refusal says why the kernel is none.

    The analysis has shown that the iterations of the base loops are independent of each other.  Beyond
    that, the values that are shared must come from cells that the kernel does not write, and nothing but the
    sum may pass from before the inner loops to after them.
    """
    _check_kernel(subject)
    reason = "no inner loop sums"
    for found in parts(subject.body):
        try:
            return _Recogniser(subject, found).accumulation()
        except NotPlain as obstacle:
            reason = str(obstacle)
    raise Refusal(reason)


def _check_kernel(subject: Subject) -> None:
    if not 2 <= len(subject.kernel.loops) == len(subject.spread):
        raise Refusal("two or three base loops must be spread over threads")
    check_iterations(subject)


class _Recogniser:
    def __init__(self, subject: Subject, found: Parts) -> None:
        self.subject, self.found = subject, found
        self.names = Names(subject, found)

    def accumulation(self) -> Accumulation:
        self.depth, self.statement = read_nest(self.names.plain_nest(), self.names.privates)
        self.target = text_of(self.statement.lvalue)
        self.inner = {loop.iterator: loop.ctype for loop in self.depth}
        self.types = self.names.types(self.statement.lvalue, self.inner)
        self._check_depth()
        self._check_statement()
        self._check_crossing()
        base = [loop.iterator for loop in self.subject.kernel.loops]
        sides = sides_of(self.statement, base, frozenset(self.inner))
        stager = Stager(sides, self.target, frozenset(base), tuple(self.inner), self.types)
        self._check_padding(stager)
        staged, places = stager.stage(self.statement.rvalue)
        return self._made(sides, staged, {**places, id(self.statement.lvalue): -1})

    def _made(self, sides: Sides, staged: tuple[Staged, ...], places: dict[int, int]) -> Accumulation:
        is_ragged = bool(dependent(self.subject))
        if is_ragged:
            self._check_regions(staged)
        return Accumulation(
            before=self.found.before,
            after=self.found.after,
            target=self.target,
            element=self._element(),
            is_reached=self._is_reached(),
            is_scalar=isinstance(self.statement.lvalue, c_ast.ID),
            depth=self.depth,
            rows=self._walked(sides.rows),
            columns=self._walked(sides.columns),
            batch=self._walked(sides.batch),
            staged=staged,
            statement=self.statement,
            types=self.types,
            places=places,
            is_ragged=is_ragged,
            hulls=hulls(self.subject),
            is_symmetric=not is_ragged and self._is_symmetric(sides),
        )

    def _is_symmetric(self, sides: Sides) -> bool:
        """Is the same added where a row and a column change places?

        Whole numbers with a sign are left out: sums that do not begin with the target might overflow.
        """
        pair = [loop for loop in self.subject.spread if loop.iterator in sides.rows | sides.columns]
        if len(pair) != 2:
            return False
        if len({_values(loop) for loop in pair}) > 1 or self._element() not in (*FLOATS, *UNSIGNED):
            return False
        try:
            update = read_update(self._as_element(), self.types, lambda _: True)
        except NotPlain:
            return False
        return update.is_symmetric(*(loop.iterator for loop in pair))

    def _as_element(self) -> Any:
        """The update, of an array of one element where it is that of a variable."""
        statement = self.statement
        if not isinstance(statement.lvalue, c_ast.ID) or statement.op == "=":
            return statement
        place = c_ast.ArrayRef(statement.lvalue, c_ast.Constant("int", "0"))
        return c_ast.Assignment(statement.op, place, statement.rvalue)

    def _element(self) -> str:
        return type_of(self.statement.lvalue, self.types)

    def _walked(self, group: frozenset[str]) -> tuple[str, ...]:
        """The loops as they stand, but the one along the target's memory last."""
        ordered = [o.iterator for o in self.subject.kernel.loops if o.iterator in group]
        return tuple(sorted(ordered, key=lambda one: steps_by_one(self.statement.lvalue, one)))

    def _check_regions(self, staged: tuple[Staged, ...]) -> None:
        """Values that no iteration asks for are left out by the bounds of what the kernel reads."""
        for name in sorted({name for value in staged for name, _ in value.arrays}):
            if not self.subject.arrays[name].reads:
                raise NotPlain(f"the part of {name} that is read is unknown")

    def _check_padding(self, stager: Stager) -> None:
        """Places beyond the last row or column hold zeros: no sum of whole numbers may overflow there."""
        rvalue = self.statement.rvalue
        found = {type_of(rvalue, self.types), type_of(self.statement.lvalue, self.types)}
        if found <= {*FLOATS} or found <= {*UNSIGNED}:
            return
        if not vanishes(rvalue, "rows", stager) or not vanishes(rvalue, "columns", stager):
            raise NotPlain(f"`{text_of(rvalue)}` is no sum of products of whole numbers")

    # The loops that are summed over

    def _check_depth(self) -> None:
        if len(self.inner) != len(self.depth) or set(self.inner) & self.subject.iterators:
            raise NotPlain("two loops share an iterator")
        for loop in self.depth:
            check_counter(loop)
            check_bounds(loop, self._bound(loop, loop.lower), self._bound(loop, loop.bound))

    def _bound(self, loop: DepthLoop, text: str) -> str:
        """The type of a bound, which has one value for all iterations and which the iterator can reach."""
        tree = parse_statement(text)
        for name in sorted(names(tree)):
            if not self.names.is_fixed(name):
                raise NotPlain(f"the bounds of {loop.iterator} depend on {name}")
        return type_of(tree, self.types)

    # The statement

    def _check_statement(self) -> None:
        statement = self.statement
        if statement.op not in ("=", "+=", "-=", "*="):
            raise NotPlain(f"it updates with {statement.op}")
        check_plain(statement.lvalue)
        check_plain(statement.rvalue, choices=True)
        if statement.op == "=" and not any(text_of(part) == self.target for part in walk(statement.rvalue)):
            raise NotPlain(f"{self.target} is set, not added to")
        self._check_target()
        for element in elements(statement.rvalue):
            if text_of(element) != self.target:
                self._check_operand(element)
        for part in walk(statement.rvalue):
            self._check_division(part)
            self._check_choice(part)
        self._check_names()

    def _check_target(self) -> None:
        target = self.statement.lvalue
        if isinstance(target, c_ast.ID):
            return
        if not isinstance(target, c_ast.ArrayRef):
            raise NotPlain(f"`{self.target}` is neither an element nor a variable")
        if any(True for subscript in subscripts(target) for _ in elements(subscript)):
            raise NotPlain(f"`{self.target}` is found through another array")
        missing = self.subject.iterators - names(target)
        if missing:
            raise NotPlain(f"{', '.join(sorted(missing))} does not move {self.target}")
        if set(self.inner) & names(target):
            raise NotPlain(f"`{self.target}` moves with the inner loops")
        check_element(self.subject, target)

    def _is_reached(self) -> bool:
        """Is the target there even if the inner loops make no step?"""
        if isinstance(self.statement.lvalue, c_ast.ID):
            return True
        words = [token.text for token in code_tokens(self.target)]
        texts = (self.found.before, self.found.after)
        return words in [[token.text for token in code_tokens(text)][: len(words)] for text in texts]

    def _check_operand(self, element: Any) -> None:
        check_element(self.subject, element)
        name = array_of(element)
        if self.subject.arrays[name].writes is not None and name not in self.subject.kernel.separate:
            raise NotPlain(f"{name} is read and written")

    def _check_division(self, part: Any) -> None:
        is_division = isinstance(part, c_ast.BinaryOp) and part.op in ("/", "%")
        if is_division and type_of(part, self.types) not in FLOATS:
            raise NotPlain(f"`{text_of(part)}` divides whole numbers")

    def _check_choice(self, part: Any) -> None:
        if not isinstance(part, c_ast.TernaryOp):
            return
        if type_of(part.iftrue, self.types) != type_of(part.iffalse, self.types):
            raise NotPlain(f"`{text_of(part)}` chooses between values of two types")
        if dependent(self.subject):
            raise NotPlain(f"`{text_of(part)}` may read elements that no iteration reads")

    def _check_names(self) -> None:
        subject = self.subject
        known = {*subject.iterators, *subject.arrays}
        for name in sorted(names(self.statement) - {self.target, *self.inner}):
            if name in subject.redeclared:
                raise NotPlain(f"{name} is declared in the loop")
            if name not in known and not self.names.is_fixed(name):
                raise NotPlain(f"{name} is no variable that keeps its value")
        for name in variables(self.statement):
            if name in subject.arrays:
                raise NotPlain(f"{name} is used without subscripts")

    def _check_crossing(self) -> None:
        """Nothing but the sum passes from before the inner loops to after them."""
        before, after = (self._mentioned(text) for text in (self.found.before, self.found.after))
        privates, redeclared = {*self.names.privates}, self.subject.redeclared
        late = privates & set(self.inner) & after
        if late:
            raise NotPlain(f"{', '.join(sorted(late))} is used after the inner loops")
        both = (privates | redeclared) - {self.target} - self.subject.iterators & before & after
        if both:
            raise NotPlain(f"{', '.join(sorted(both))} is used before and after the inner loops")
        twice = privates & redeclared & (before | after)
        if twice:
            raise NotPlain(f"there are two variables {', '.join(sorted(twice))}")

    def _mentioned(self, text: str) -> frozenset[str]:
        return frozenset(names_in(text)) | self.subject.macro_names(text)


def _values(loop: KernelLoop) -> tuple[str, str, str, int]:
    """What says which values the iterator has."""
    return loop.ctype, loop.lower, rename(loop.condition, {loop.iterator: "iterator"}), loop.step


def variables(node: Any) -> Iterator[str]:
    """The names in an expression that do not stand before subscripts."""
    if isinstance(node, c_ast.ID):
        yield str(node.name)
    elif isinstance(node, c_ast.ArrayRef):
        for subscript in subscripts(node):
            yield from variables(subscript)
    else:
        for _, child in node.children():
            yield from variables(child)
