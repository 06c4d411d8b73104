"""What is written where a call gave a certain value: `if (!read_number(f, &x)) break; total += x;`.

Functions that report success write their results on the way to one `return`, and not on that to another.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import reduce
from typing import Any

from pycparser import c_ast

from species.symbols.symbols import Symbol

_RETURN = "return"
_RELATIONS: Mapping[str, Callable[[int, int], bool]] = {
    "==": operator.eq,
    "!=": operator.ne,
    "<": operator.lt,
    "<=": operator.le,
    ">": operator.gt,
    ">=": operator.ge,
}
_SWAPPED = {"<": ">", "<=": ">=", ">": "<", ">=": "<="}


@dataclass(frozen=True)
class Outcome:
    """A value that an expression may have (None: any), and the variables that are written then."""

    value: int | None
    written: frozenset[Symbol]


def way_of(value: int | None) -> str:
    """The name of the way on which a function is left with a value."""
    return _RETURN if value is None else f"{_RETURN} {value}"


def is_return(way: str) -> bool:
    return way.startswith(_RETURN)


def returned_on(leaving: Mapping[str, frozenset[Symbol]]) -> Iterator[Outcome]:
    """The outcomes of the ways on which a function is left."""
    for way, written in leaving.items():
        if is_return(way):
            value = way.removeprefix(_RETURN)
            yield Outcome(int(value) if value else None, written)


@dataclass(frozen=True)
class Branches:
    """Says what evaluating a condition writes where it holds, and where it does not.

    `must` says what evaluating an expression always writes, `outcomes` what else is written by its value,
    and `constant` the value of a constant expression.
    """

    must: Callable[[Any], frozenset[Symbol]]
    outcomes: Callable[[Any], list[Outcome] | None]
    constant: Callable[[Any], int | None]

    def written(self, node: Any, holds: bool) -> frozenset[Symbol]:
        """What is written whenever the condition has been evaluated and `holds`, or does not."""
        match node:
            case c_ast.UnaryOp(op="!"):
                return self.written(node.expr, not holds)
            case c_ast.BinaryOp(op="&&" | "||"):
                first, second = self.written(node.left, holds), self.written(node.right, holds)
                if holds is (node.op == "&&"):  # both have been evaluated
                    return first | second
                return first & (self.written(node.left, not holds) | second)
            case c_ast.BinaryOp() if node.op in _RELATIONS:
                return self.must(node) | self._compared(node, holds)
        return self.must(node) | self._where(node, lambda value: (value != 0) is holds)

    def _compared(self, node: c_ast.BinaryOp, holds: bool) -> frozenset[Symbol]:
        for side, other, op in (
            (node.left, node.right, node.op),
            (node.right, node.left, _SWAPPED.get(node.op, node.op)),
        ):
            number = self.constant(other)
            signed = number is not None and (number >= 0 or self._is_signed(side))
            if number is not None and signed:
                return self._where(side, lambda value, op=op, to=number: _RELATIONS[op](value, to) is holds)  # type: ignore[misc]
        return frozenset()

    def _is_signed(self, node: Any) -> bool:
        """Is its type one that has the negative values that it is compared with?"""
        return any(o.value is not None and o.value < 0 for o in self.outcomes(node) or ())

    def _where(self, node: Any, possible: Callable[[int], bool]) -> frozenset[Symbol]:
        """What all outcomes write that an expression may have had."""
        found = self.outcomes(node) or ()
        return common(o.written for o in found if o.value is None or possible(o.value))


def common(sets: Iterable[frozenset[Symbol]]) -> frozenset[Symbol]:
    """What all of the sets have; nothing where there is none."""
    listed = list(sets)
    return reduce(frozenset.intersection, listed) if listed else frozenset()
