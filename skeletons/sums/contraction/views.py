"""What the templates of a contraction see: groups of loops, operands and functions as C text."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from skeletons.sums.contraction.model import BandLoop, Operand, Ragged, names_of
from species.source.text.code import names_in, parenthesised, rename


@dataclass(frozen=True)
class Parameter:
    """A variable that is handed to the functions: its name and its declaration as a C parameter."""

    name: str
    declaration: str


@dataclass(frozen=True)
class LoopView:
    """A loop, and the name of the variable that holds its number of iterations."""

    iterator: str
    ctype: str
    lower: str
    upper: str
    count: str

    def compared(self, value: str) -> str:
        """A `long` value as one that the iterator can be compared with."""
        unsigned = "unsigned" in self.ctype
        return f"({self.ctype}){parenthesised(value)}" if unsigned else value


@dataclass(frozen=True)
class GroupView:
    """Loops that are walked as one; `width` is how many of their positions a panel has."""

    loops: tuple[LoopView, ...]
    width: str

    @property
    def single(self) -> bool:
        """Are positions the values of the one iterator?"""
        return len(self.loops) == 1

    @property
    def title(self) -> str:
        """The iterators, for a comment."""
        return " and ".join(loop.iterator for loop in self.loops)

    @property
    def texts(self) -> tuple[str, ...]:
        """The bounds that functions other than the whole one need."""
        first, *others = self.loops
        bounds = (text for loop in others for text in (loop.lower, loop.upper))
        return () if self.single else (first.lower, *bounds)

    def value(self, at: int, position: str) -> str:
        """The value of iterator number `at` at a position."""
        if self.single:
            return position
        loop, faster = self.loops[at], [one.count for one in self.loops[at + 1 :]]
        place = parenthesised(position)
        if faster:
            place += f" / {faster[0]}" if len(faster) == 1 else f" / ({' * '.join(faster)})"
        if at > 0:
            place += f" % {loop.count}"
        return place if loop.lower == "0" else f"{parenthesised(loop.lower)} + {place}"


@dataclass(frozen=True)
class FunctionView:
    """A generated function: parameters that come from the original, and its own ones."""

    name: str
    given: tuple[Parameter, ...]
    own: tuple[str, ...]  # declarations

    @property
    def parameters(self) -> str:
        """The list between the parentheses of the definition."""
        return ", ".join((*(p.declaration for p in self.given), *self.own)) or "void"

    def call(self, *own: str) -> str:
        """A call with values for its own parameters."""
        return f"{self.name}({', '.join((*(p.name for p in self.given), *own))})"


def needed(parameters: Sequence[Parameter], texts: Sequence[str]) -> tuple[Parameter, ...]:
    """The parameters that occur in `texts` or in the declarations of such, in their order."""
    used = set(names_of(texts))
    while True:
        found = tuple(p for p in parameters if p.name in used)
        more = used | {name for p in found for name in names_in(p.declaration)}
        if more == used:
            return found
        used = more


@dataclass(frozen=True)
class OperandView:
    """What is packed: the value of one element, and how to walk it."""

    value: str
    in_lines: bool  # neighbours in a panel are neighbours in memory
    copied: bool  # and nothing but copied
    is_ragged: bool  # lanes have ranges of their own


def operand_view(operand: Operand, cast: str, negative: bool, ragged: bool, single: bool) -> OperandView:
    """The element as an expression; `cast` keeps whole numbers from overflowing."""
    first, *others = operand.factors
    value = " * ".join((f"{'-' if negative else ''}{cast}{first}", *others))
    in_lines = operand.unit_stride and single and not ragged
    copied = in_lines and operand.plain and not negative
    return OperandView(operand.factors[0] if copied else value, in_lines, copied, ragged)


@dataclass(frozen=True)
class RaggedView:
    """Ranges that depend on a position, and the texts for their hull."""

    source: Ragged
    given: GroupView

    @property
    def kind(self) -> str:
        return self.source.kind

    @property
    def low(self) -> str | None:
        return self.source.low

    @property
    def high(self) -> str | None:
        return self.source.high

    @property
    def comment(self) -> str:
        """What the range function returns, in words."""
        own, other = self.source.ranged.iterator, self.source.given.iterator
        ends = [f"{own} >= {self.low}"] * (self.low is not None)
        ends += [f"{own} < {self.high}"] * (self.high is not None)
        return f"The {own} from `first` up to `end` that {other} = `position` has: {' and '.join(ends)}."

    def inner_low(self, outer: str) -> str:
        """The inner loop's lower bound at a value of the outer one."""
        return self._at(self.source.inner.lower, outer)

    def inner_high(self, outer: str) -> str:
        """The inner loop's upper bound at a value of the outer one."""
        return self._at(self.source.inner.upper, outer)

    def hull_first(self, first: str, end: str) -> str:
        """Where the earliest of the inner loop's ranges begins, outer values from `first` up to `end`."""
        return self.inner_low(_choose(self.source.low_at, first, end))

    def hull_end(self, first: str, end: str) -> str:
        """Where the last of the inner loop's ranges ends."""
        return self.inner_high(_choose(self.source.high_at, first, end))

    def _at(self, bound: str, outer: str) -> str:
        return rename(bound, {self.source.outer.iterator: parenthesised(outer)})


def _choose(which: str | None, first: str, end: str) -> str:
    return f"{end} - 1" if which == "last" else first


def group_view(loops: Sequence[BandLoop], width: str, fresh: Callable[[str], str]) -> GroupView:
    """The group with names for the numbers of iterations."""
    views = (LoopView(o.iterator, o.ctype, o.lower, o.upper, fresh(f"{o.iterator}_count")) for o in loops)
    return GroupView(tuple(views), width)
