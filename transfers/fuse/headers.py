"""What two loop headers have in common: the same iterations, shifted ones, or some more than the other."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

from pycparser import c_ast, c_generator

from species.facts.loops import KernelLoop
from species.source.syntax.tree import walk
from species.symbols.symbols import Symbol
from species.symbols.types import INT
from transfers.fuse.names import on_one_line

_KNOWN = (
    *(c_ast.ID, c_ast.Constant, c_ast.BinaryOp, c_ast.UnaryOp, c_ast.Cast),
    *(c_ast.Typename, c_ast.TypeDecl, c_ast.IdentifierType),
)
_COMPUTING = ("+", "-", "~", "!", "sizeof")
_NUMBER = re.compile(r"0|[1-9]\d*")
NEAR = 16  # iterations that one loop may have more than the other, at either end
_TURNED = {"<": ">", ">": "<", "<=": ">=", ">=": "<=", "!=": "!="}
_CONDITION = re.compile(r"\s*(\w+)\s*(<=|<)\s*(.+?)\s*", re.S)


@dataclass(frozen=True)
class Form:
    """`constant` plus the sum of `terms`: expressions, in C, with their factors."""

    terms: tuple[tuple[str, int], ...] = ()
    constant: int = 0

    def plus(self, other: Form, factor: int = 1) -> Form:
        """Itself and `factor` times the other."""
        sums = dict(self.terms)
        for text, count in other.terms:
            sums[text] = sums.get(text, 0) + factor * count
        left = tuple(sorted((text, count) for text, count in sums.items() if count))
        return Form(left, self.constant + factor * other.constant)

    def minus(self, other: Form) -> int | None:
        """The difference, where it is a number."""
        rest = self.plus(other, -1)
        return None if rest.terms else rest.constant

    def shifted(self, shifts: Mapping[str, int]) -> Form | None:
        """With variables that have so much more; None where that cannot be told."""
        if any(self.names_of(text) & shifts.keys() for text, _ in self.terms if text not in shifts):
            return None
        return replace(
            self, constant=self.constant + sum(count * shifts.get(text, 0) for text, count in self.terms)
        )

    @staticmethod
    def names_of(text: str) -> set[str]:
        """Those in an expression."""
        return set(re.findall(r"[A-Za-z_]\w*", text))

    @property
    def names(self) -> set[str]:
        """Those in its terms."""
        return {name for text, _ in self.terms for name in self.names_of(text)}


@dataclass(frozen=True)
class Header:
    """A base loop of a kernel, and where it starts and ends: `relation` says how it is compared with `end`.

    Where the arithmetic is signed, `end` is the last iteration of a loop that counts upwards by one
    (`relation` is `<=`), and both ends can be compared with those of other loops.
    """

    loop: KernelLoop
    start: Form
    end: Form
    relation: str
    signed: bool

    def shifted(self, shifts: Mapping[str, int]) -> Header | None:
        """With iterators around that have so much more; None where that cannot be told."""
        start, end = self.start.shifted(shifts), self.end.shifted(shifts)
        return replace(self, start=start, end=end) if start is not None and end is not None else None


@dataclass(frozen=True)
class Level:
    """How the iterations of a second loop fall on those of a first: `shift` is what its iterator has more.

    `guarded`: each of the loops may lack iterations that the other has; `first_starts` and `first_ends` say
    whether the first one is the one that starts before, or ends after, the other.
    """

    first: Header
    second: Header
    shift: int = 0
    guarded: bool = False
    first_starts: bool = True
    first_ends: bool = True


def header(
    node: c_ast.For, loop: KernelLoop, symbols: Mapping[int, Symbol], renamed: Mapping[str, str]
) -> Header | None:
    """The header of a kernel's loop, iterators named anew; None where it is more than numbers and names."""
    start = _start(node.init)
    compared = _compared(node.cond, loop.iterator)
    if start is None or compared is None or not all(map(is_quiet, (start, compared[1]))):
        return None
    relation, end = compared
    is_signed = all(_is_signed(n, symbols) for side in (start, node.cond) for n in walk(side))
    if not is_signed or not _is_kept(start, _iterator(node.init), symbols):
        return Header(loop, _whole(start, renamed), _whole(end, renamed), relation, signed=False)
    last = form(end, renamed)
    if relation == "<" and loop.step == 1:
        relation, last = "<=", last.plus(Form(constant=-1))
    return Header(loop, form(start, renamed), last, relation, signed=True)


def levels(first: Header, second: Header, iterators: frozenset[str]) -> list[Level]:
    """The ways to make one loop of two, the simplest first.  `iterators` are those of the loops around."""
    one, other = first.loop, second.loop
    if one.ctype != other.ctype or one.step != other.step:
        return []
    if (first.start, first.end, first.relation) == (second.start, second.end, second.relation):
        return [Level(first, second)]
    if not (first.signed and second.signed) or one.step != 1 or {first.relation, second.relation} != {"<="}:
        return []
    before, after = second.start.minus(first.start), second.end.minus(first.end)
    moving = any(f.names & iterators for f in (first.start, first.end, second.start, second.end))
    if before is None or after is None or moving:
        return []
    both = all(_bound(h.loop) is not None for h in (first, second)) and max(abs(before), abs(after)) <= NEAR
    guard = [Level(first, second, 0, True, before >= 0, after <= 0)] if both else []
    return [*guard, *([Level(first, second, before)] if before == after else [])]


def joined_header(level: Level) -> str:
    """A header for all iterations of both loops."""
    one, other = level.first.loop, level.second.loop
    start = on_one_line(one.lower if level.first_starts else other.lower)
    relation, bound = _bound(one if level.first_ends else other) or ("", "")
    declared = f"{one.ctype} " if one.declared_inside else ""
    name = one.iterator
    return f"for ({declared}{name} = {start}; {name} {relation} {bound}; {on_one_line(one.increment)})"


def guard(level: Level, *, first: bool) -> list[str]:
    """The conditions under which an iteration is one of the first, or of the second loop."""
    loop, name = (level.first if first else level.second).loop, level.first.loop.iterator
    found = []
    if level.guarded and level.first_starts != first and level.first.start != level.second.start:
        lower = on_one_line(loop.lower)
        found.append(f"{name} >= {lower if lower.isdigit() else f'({lower})'}")
    if level.guarded and level.first_ends != first and level.first.end != level.second.end:
        found.append(f"{name} {' '.join(_bound(loop) or ())}")
    return found


def _start(init: Any) -> Any:
    """The value that an iterator starts from."""
    if isinstance(init, c_ast.DeclList):
        return init.decls[0].init if len(init.decls) == 1 else None
    return init.rvalue if isinstance(init, c_ast.Assignment) else None


def _iterator(init: Any) -> Any:
    """The node that names the iterator where it starts."""
    return init.decls[0] if isinstance(init, c_ast.DeclList) else init.lvalue


def _is_kept(start: Any, iterator: Any, symbols: Mapping[int, Symbol]) -> bool:
    """Is the value that an iterator starts from, with signed arithmetic, one of its type for certain?

    Otherwise the conversion changes it: `short i = w`.
    """
    to = symbols.get(id(iterator))
    if to is None or not to.ctype.is_integer:
        return False
    high = to.ctype.certain_range[1]
    if isinstance(start, c_ast.Constant) and start.value.isdigit():
        return int(start.value) <= high
    names = [symbols[id(n)].ctype for n in walk(start) if isinstance(n, c_ast.ID)]
    numbers = [n for n in walk(start) if isinstance(n, c_ast.Constant)]
    small = all(n.value.isdigit() and int(n.value) <= INT.value_range[1] for n in numbers)
    return small and all(t.bits <= to.ctype.bits for t in names) and to.ctype.bits >= INT.bits


def _compared(condition: Any, iterator: str) -> tuple[str, Any] | None:
    """How the iterator is compared, and with what."""
    if not isinstance(condition, c_ast.BinaryOp) or condition.op not in _TURNED:
        return None
    left, right = condition.left, condition.right
    if isinstance(left, c_ast.ID) and left.name == iterator:
        return condition.op, right
    if isinstance(right, c_ast.ID) and right.name == iterator:
        return _TURNED[condition.op], left
    return None


def _bound(loop: KernelLoop) -> tuple[str, str] | None:
    """The relation and the bound, where the condition reads `i < n`."""
    found = _CONDITION.fullmatch(loop.condition)
    return (found[2], on_one_line(found[3])) if found and found[1] == loop.iterator else None


def extent(node: c_ast.For, loop: KernelLoop) -> tuple[int, str] | None:
    """How often a loop runs that counts upwards from a number to a number, also in C; None: it is another."""
    start, compared, bound = _start(node.init), _compared(node.cond, loop.iterator), _bound(loop)
    if start is None or compared is None or bound is None or loop.step < 1 or compared[0] != bound[0]:
        return None
    low, high = form(start, {}), form(compared[1], {})
    if low.terms or high.terms or low.constant < 0:
        return None
    more = loop.step - 1 + (bound[0] == "<=")
    lower = on_one_line(loop.lower)
    text = in_parentheses(bound[1])
    text = f"({text} - {in_parentheses(lower)})" if lower != "0" else text
    text = f"({text} + {more})" if more else text
    many = max(0, (high.constant - low.constant + more) // loop.step)
    return many, text if loop.step == 1 else f"({text} / {loop.step})"


def in_parentheses(text: str) -> str:
    """An expression as an operand: what looks like a name may be a macro."""
    return text if text.isdigit() else f"({text})"


def is_quiet(node: Any) -> bool:
    """Is its value that of its names?"""
    if isinstance(node, c_ast.UnaryOp) and node.op not in _COMPUTING:
        return False
    return isinstance(node, _KNOWN) and all(is_quiet(child) for _, child in node.children())


def _is_signed(node: Any, symbols: Mapping[int, Symbol]) -> bool:
    if isinstance(node, c_ast.ID):
        symbol = symbols.get(id(node))
        return symbol is not None and symbol.ctype.is_integer and not symbol.ctype.unsigned
    if isinstance(node, c_ast.Constant):
        return node.type in ("int", "long int", "long long int") and node.value.rstrip("lL").isdigit()
    return isinstance(node, c_ast.BinaryOp | c_ast.UnaryOp)


def form(node: Any, renamed: Mapping[str, str]) -> Form:
    """An expression of which the arithmetic is signed, iterators named anew."""
    match node:
        case c_ast.Constant() if _NUMBER.fullmatch(node.value):
            return Form(constant=int(node.value))
        case c_ast.BinaryOp(op="+"):
            return form(node.left, renamed).plus(form(node.right, renamed))
        case c_ast.BinaryOp(op="-"):
            return form(node.left, renamed).plus(form(node.right, renamed), -1)
        case c_ast.BinaryOp(op="*" | "/"):
            return _folded(node, renamed)
        case c_ast.UnaryOp(op="-"):
            return Form().plus(form(node.expr, renamed), -1)
    return _whole(node, renamed)


def _folded(node: Any, renamed: Mapping[str, str]) -> Form:
    """A product or a quotient: a number, if both sides are (and it is no more than an int holds)."""
    left, right = form(node.left, renamed), form(node.right, renamed)
    known = not (left.terms or right.terms) and left.constant >= 0 and right.constant > 0
    if known and node.op == "/":
        return Form(constant=left.constant // right.constant)
    if known and (product := left.constant * right.constant) <= INT.value_range[1]:
        return Form(constant=product)
    return _whole(node, renamed)


def _whole(node: Any, renamed: Mapping[str, str]) -> Form:
    """An expression that nothing is known of but its text."""
    return Form(((str(_Renaming(renamed).visit(node)), 1),))


class _Renaming(c_generator.CGenerator):  # type: ignore[misc]
    """C in which variables have other names."""

    def __init__(self, names: Mapping[str, str]) -> None:
        super().__init__()
        self._names = names

    def visit_ID(self, node: c_ast.ID) -> str:
        return self._names.get(node.name, str(node.name))

    def visit_StructRef(self, node: c_ast.StructRef) -> str:
        return f"({self.visit(node.name)}){node.type}{node.field.name}"
