"""What is asked of a kernel whose inner loops add up, whoever makes the sums."""

from __future__ import annotations

from typing import Any

from skeletons.body.outline import uses_continue
from skeletons.kernel.context import Subject
from skeletons.sums.tiled_reduction.model import DepthLoop
from species.core.refusal import Refusal
from species.source.syntax.expressions import NotPlain, array_of, subscripts, text_of

SMALL = ("short", "char", "signed char")
UNSIGNED = ("unsigned int", "unsigned long", "unsigned long long")
COUNTERS = ("int", "long", "long long", *UNSIGNED)


def check_iterations(subject: Subject) -> None:
    """Refusal where an iteration hands on values, or may end early."""
    for scalar in subject.kernel.scalars:
        if scalar.name not in subject.iterators and scalar.role not in ("in", "private"):
            raise Refusal(f"{scalar.name} keeps its value beyond an iteration")
    if uses_continue(subject.body):
        raise Refusal("an iteration may end early")


def check_counter(loop: DepthLoop) -> None:
    """NotPlain unless the iterator is a whole number that can be counted."""
    if loop.ctype not in COUNTERS:
        raise NotPlain(f"the iterator {loop.iterator} is {loop.ctype}")


def check_bounds(loop: DepthLoop, lower: str, bound: str) -> None:
    """NotPlain where the iterator may not reach its bounds, which have these types."""
    for text, ctype in ((loop.bound, bound), (loop.lower, lower)):
        if ctype not in (*COUNTERS, *SMALL):
            raise NotPlain(f"the bound `{text}` is {ctype}")
        if ctype in UNSIGNED and loop.ctype not in UNSIGNED:
            raise NotPlain(f"the bound `{text}` is unsigned and {loop.iterator} is not")
        if loop.ctype == "unsigned int" and ctype in ("long", "long long", *UNSIGNED[1:]):
            raise NotPlain(f"{loop.iterator} may be too narrow for `{text}`")
    if lower not in (*SMALL, "int", loop.ctype):
        raise NotPlain(f"{loop.iterator} may be too narrow for `{loop.lower}`")


def check_element(subject: Subject, element: Any) -> None:
    """NotPlain unless it is an element of one of the kernel's arrays."""
    name = array_of(element)
    array = subject.arrays.get(name)
    if array is None or name in subject.redeclared:
        raise NotPlain(f"{name} is no array of the kernel")
    if len(subscripts(element)) != len(array.extent):
        raise NotPlain(f"`{text_of(element)}` is no element")
