"""The outer loop in strips: how many iterations it makes, and where its iterator is in one of them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from pycparser import c_ast

from skeletons.body.outer_vectorisation.types import SIGNED, type_of
from skeletons.kernel.chunks import bound_of, is_single
from skeletons.kernel.context import Subject
from species.core.refusal import Refusal
from species.facts.loops import KernelLoop
from species.source.syntax.expressions import INTEGERS, NotPlain
from species.source.text.code import code_tokens, on_one_line, parenthesised


@dataclass(frozen=True)
class Strips:
    """`count` is a C expression of type long or less, the number of iterations or less than 1.

    The strips hold those from number `first` on.
    """

    loop: KernelLoop
    lower: str
    count: str
    first: str = "0"

    def at(self, place: str) -> str:
        """What gives the iterator its value in iteration number `place`."""
        sign = "+" if self.loop.step > 0 else "-"
        value = place if (self.lower, sign) == ("0", "+") else f"{self.lower} {sign} {parenthesised(place)}"
        return f"{self.loop.iterator} = {value};"


def strips_of(subject: Subject, outer: Any, types: Mapping[str, str]) -> Strips:
    """The loop, cut into strips; Refusal where its header stands in the way."""
    loop = subject.kernel.loops[0]
    if abs(loop.step) != 1:
        raise Refusal("only loops with steps of one are cut into strips")
    relation, bound = bound_of(subject, loop)
    if (relation[0] == "<") != (loop.step > 0):
        raise Refusal("its iterator moves away from its bound")
    own, lower = types.get(loop.iterator, ""), on_one_line(loop.lower).strip()
    found = _bound_type(outer, loop.iterator, types)
    _check_signs(subject, loop, own, found)
    if own not in SIGNED and loop.step < 0:
        raise Refusal("an unsigned iterator counts down")
    lower = lower if is_single(subject, lower) else f"({lower})"
    if not _is_same(_start(outer), own, types):
        lower = f"({loop.ctype}){lower}"  # as the header converts it
    value = bound if is_single(subject, bound) else f"({bound})"
    value = value if own in SIGNED or found == own else f"({loop.ctype}){value}"  # as comparisons do
    upper, under = (value, lower) if loop.step > 0 else (lower, value)
    count = upper if under == "0" else f"(long){upper} - {under}"
    plus = " + 1" if relation.endswith("=") else ""
    if plus and under == "0":
        count = f"(long){count}"
    return Strips(loop, lower, _signed(f"{count}{plus}", own))


def _signed(count: str, own: str) -> str:
    """The count as a signed number, for comparisons with other ones."""
    wide = own in ("unsigned long", "unsigned long long")
    return f"(long)({count})" if wide else count


def _check_signs(subject: Subject, loop: KernelLoop, own: str, found: str) -> None:
    """The difference of the bounds must be the number of iterations, also where comparisons convert them."""
    if own not in INTEGERS:
        raise Refusal(f"its iterator {loop.iterator} is narrower than int")
    if found not in INTEGERS:
        raise Refusal("its bound is no integer")
    narrow = found == own or found == "int" or (found, own) == ("unsigned int", "unsigned long")
    if own in SIGNED and found not in SIGNED and not (loop.step > 0 and _is_number(subject, loop.lower)):
        raise Refusal("its header compares a signed with an unsigned number")
    if own not in SIGNED and not narrow:
        raise Refusal("its bound is wider than its iterator")


def _is_number(subject: Subject, text: str) -> bool:
    body = subject.macro_body(text.strip())
    return len(code_tokens(text)) == 1 and (body or text).strip().isdigit()


def _start(outer: Any) -> Any:
    """The expression that the header gives the iterator as its first value."""
    first = outer.init.decls[0] if isinstance(outer.init, c_ast.DeclList) else outer.init
    return first.init if isinstance(first, c_ast.Decl) else first.rvalue


def _is_same(start: Any, own: str, types: Mapping[str, str]) -> bool:
    """Is the first value of the iterator's type, or a number that fits it?"""
    try:
        return isinstance(start, c_ast.Constant) or type_of(start, types) == own
    except (Refusal, NotPlain):
        return False


def _bound_type(outer: Any, iterator: str, types: Mapping[str, str]) -> str:
    """The type of what the header compares the iterator with."""
    sides = [outer.cond.left, outer.cond.right] if isinstance(outer.cond, c_ast.BinaryOp) else []
    bounds = [side for side in sides if not (isinstance(side, c_ast.ID) and side.name == iterator)]
    if len(bounds) != 1:
        raise Refusal(f"its header does not compare {iterator} with a bound")
    return type_of(bounds[0], types)
