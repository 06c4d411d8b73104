"""Loops whose bounds depend on other loops: triangles, turned so that rows decide over columns or depth."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal

from pycparser import c_ast

from skeletons.sums.contraction.model import BandLoop, Ragged
from species.source.syntax.expressions import NotPlain, coefficient, names, parse_statement, text_of, walk
from species.source.text.code import rename

_BOUND_NODES = (c_ast.ID, c_ast.Constant, c_ast.BinaryOp, c_ast.UnaryOp, c_ast.TernaryOp, c_ast.Cast)
_TYPE_NODES = (c_ast.Typename, c_ast.TypeDecl, c_ast.IdentifierType)


def check_bound(text: str) -> Any:
    """The tree of a bound; NotPlain unless it can be computed at any time, as often as one likes."""
    node = parse_statement(text)
    for part in walk(node):
        if not isinstance(part, _BOUND_NODES + _TYPE_NODES):
            raise NotPlain(f"the bound `{text}` is no arithmetic of variables")
        if isinstance(part, c_ast.UnaryOp) and part.op not in ("+", "-", "!", "~"):
            raise NotPlain(f"the bound `{text}` uses the operator {part.op.strip('p')}")
        if isinstance(part, c_ast.BinaryOp) and part.op in ("/", "%") and not _is_number(part.right):
            raise NotPlain(f"the bound `{text}` may divide by zero where the loop is not reached")
    return node


def _is_number(node: Any) -> bool:
    return isinstance(node, c_ast.Constant) and node.type == "int" and node.value.strip("0xXuUlL") != ""


@dataclass(frozen=True)
class Dependent:
    """A loop whose bounds name one other loop of the band."""

    inner: BandLoop
    outer: BandLoop
    low: int | None  # the slope of the lower bound; None: it is the same for all
    high: int | None


def dependent(loops: Sequence[BandLoop], batch: frozenset[str]) -> Dependent | None:
    """The loop whose bounds depend on another one, batch loops aside; NotPlain if there are several."""
    found = []
    for loop in loops:
        bounds = check_bound(loop.lower), check_bound(loop.upper)
        others = {other.iterator for other in loops} - batch
        named = (names(bounds[0]) | names(bounds[1])) & others
        if named and loop.iterator in batch:
            raise NotPlain(f"the bounds of the batch loop {loop.iterator} depend on {', '.join(named)}")
        if named:
            outer = [other for other in loops if other.iterator in named]
            found.append(_dependent(loop, outer, bounds))
    if len(found) > 1:
        raise NotPlain("the bounds of more than one loop depend on other loops")
    return found[0] if found else None


def _dependent(inner: BandLoop, outer: list[BandLoop], bounds: tuple[Any, Any]) -> Dependent:
    if len(outer) > 1:
        raise NotPlain(f"the bounds of {inner.iterator} depend on more than one loop")
    slopes = [_slope(bound, outer[0].iterator) for bound in bounds]
    return Dependent(inner, outer[0], *slopes)


def _slope(bound: Any, iterator: str) -> int | None:
    slope = coefficient(bound, iterator)
    if slope is None or abs(slope) > 1:
        raise NotPlain(f"`{text_of(bound)}` does not move with {iterator} one by one")
    return slope if iterator in names(bound) and slope else None


def ragged(kind: Literal["triangle", "rows", "columns"], given: BandLoop, found: Dependent) -> Ragged:
    """The dependence as a range for every value of `given`, the inner or the outer loop of the two."""
    inner, outer = found.inner, found.outer
    low_at = {None: None, 1: "first", -1: "last"}[found.low]
    high_at = {None: None, 1: "last", -1: "first"}[found.high]
    if given == outer:
        low = inner.lower if found.low else None
        high = inner.upper if found.high else None
        return Ragged(kind, outer, inner, low, high, outer, inner, low_at, high_at)
    low, high = _turned(found)
    return Ragged(kind, inner, outer, low, high, outer, inner, low_at, high_at)


def _turned(found: Dependent) -> tuple[str | None, str | None]:
    """The range of the outer loop for a value x of the inner one.

    x >= y + c gives y < x - c + 1, x >= c - y gives y >= c - x, x < y + c gives y >= x - c + 1, and
    x < c - y gives y < c - x.
    """
    x, y = found.inner.iterator, found.outer.iterator
    low: list[str] = []
    high: list[str] = []
    if found.low:
        start = rename(found.inner.lower, {y: "0L"})
        (high if found.low > 0 else low).append(
            f"{x} - ({start}) + 1" if found.low > 0 else f"({start}) - {x}"
        )
    if found.high:
        end = rename(found.inner.upper, {y: "0L"})
        (low if found.high > 0 else high).append(f"{x} - ({end}) + 1" if found.high > 0 else f"({end}) - {x}")
    return _larger(low), _smaller(high)


def _larger(texts: list[str]) -> str | None:
    return _picked(texts, ">")


def _smaller(texts: list[str]) -> str | None:
    return _picked(texts, "<")


def _picked(texts: list[str], operator: str) -> str | None:
    if len(texts) < 2:
        return texts[0] if texts else None
    one, other = texts
    return f"({one}) {operator} ({other}) ? ({one}) : ({other})"
