"""Small constants that compilers know as long as no threads share a loop: they unroll the loops inside that
count to them, and make vectors of what is around these.

A region hands variables to a function of its own, and so hides from compilers what they hold; and it is
no part of `main`, where they know what members are set to.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from pycparser import c_ast

from models.estimate import Program
from models.nests import LOOPS
from models.sizes.headers import c_text, fixed_trips, header_of
from models.sizes.typical_sizes import FEW
from species.source.syntax.tree import walk

COPIES = 4  # of a function, for different numbers
LONGEST = 256  # what is counted to: in longer loops it does not matter that compilers know how long they are
UNROLLED = 3  # times as fast is an inner loop of a few iterations if the compiler knows how many
MOST, LARGEST = 17, 700  # iterations that gcc -O3 unrolls, and nodes of the syntax tree that come of it
LITTLE = 150  # such nodes
_DEEPEST = 3  # calls of one in another
_LIBRARY = 10  # such nodes: a call of another file's function


@dataclass(frozen=True)
class Hidden:
    """A constant, where it is named, and how many times as long a loop takes if compilers do not know it.

    Of several `numbers`, each is that of a copy of the function.
    """

    node: c_ast.ID | c_ast.StructRef
    numbers: tuple[int, ...]
    factor: int = 1

    @property
    def is_member(self) -> bool:
        return isinstance(self.node, c_ast.StructRef)

    @property
    def name(self) -> str:
        """That of the variable or member."""
        return str(self.node.field.name if isinstance(self.node, c_ast.StructRef) else self.node.name)


@dataclass(frozen=True)
class _Unrolled:
    """What is known of a loop, or of what it repeats: a constant to which one counts, on how many levels
    there is one, and how many nodes of the syntax tree it comes to.
    """

    constant: Hidden | None
    levels: int
    size: float
    around: int = 0  # loops that stay


@dataclass(frozen=True)
class Constants:
    """Those of a loop: the variables of its function that hold nothing but `numbers`, one in each copy that
    compilers make of the function for its calls, and, where compilers see `members`, those of structures that
    are only ever set to one number.
    """

    program: Program
    numbers: Mapping[str, Sequence[int]]
    members: bool
    depth: int = 0  # of calls

    def hidden(self, node: c_ast.Node) -> Hidden | None:
        """One that says how often the innermost work of a loop is done; None where there is none."""
        found = self._innermost(node)
        first = next((each.constant for each in found), None)
        return replace(first, factor=UNROLLED ** max(each.levels for each in found)) if first else None

    def _innermost(self, node: c_ast.Node) -> list[_Unrolled]:
        """Of the loops that compilers unroll for a constant, those in most of the loops that stay."""
        deepest = self._stay(node)
        return [each for each in self._found(node, 0, short=False) if each.around == deepest]

    def _found(self, node: c_ast.Node, around: int, *, short: bool) -> Iterator[_Unrolled]:
        """The loops inside that compilers unroll for a constant, and calls of functions with such loops.

        Within a `short` loop that stays, only little ones win by that: there are no vectors around them.
        """
        for _, child in node.children():
            stays, inside = short, around
            if isinstance(child, c_ast.For):
                unrolled = self._unrolled(child)
                if unrolled is not None:
                    if unrolled.constant is not None and (not short or unrolled.size <= LITTLE):
                        yield replace(unrolled, around=around)
                    continue
                trips = fixed_trips(child, self._values(child))
                stays = trips is not None and trips <= MOST
            elif isinstance(child, c_ast.FuncCall):
                inner = self._in_callee(child, around)
                yield from (each for each in inner if not short or each.size <= LITTLE)
            inside += isinstance(child, LOOPS)
            yield from self._found(child, inside, short=stays)

    def _stay(self, node: c_ast.Node) -> int:
        """How many loops are around one another in a loop, with those of functions, which stay loops."""
        found = 0
        for _, child in node.children():
            if isinstance(child, c_ast.For) and self._unrolled(child) is not None:
                continue
            inside = self._callee(child) if isinstance(child, c_ast.FuncCall) else None
            if inside is not None:
                found = max(found, inside[0]._stay(inside[1]))
            found = max(found, self._stay(child) + isinstance(child, LOOPS))
        return found

    def _in_callee(self, call: c_ast.FuncCall, around: int) -> Iterator[_Unrolled]:
        """What a called function has of that, given constants for its parameters."""
        inside = self._callee(call)
        for each in inside[0]._innermost(inside[1]) if inside is not None else ():
            known = inside[2].get(each.constant.name) if inside is not None and each.constant else None
            if known is not None:
                yield _Unrolled(known, 1, each.size, around + each.around)

    def _callee(self, call: c_ast.FuncCall) -> tuple[Constants, c_ast.Node, Mapping[str, Hidden]] | None:
        """A called function: what its parameters are, its body, and the constants that they are given."""
        function = self.program.functions.get(str(getattr(call.name, "name", "")))
        if function is None or self.depth >= _DEEPEST:
            return None
        listed = function.function.decl.type.args
        names = [getattr(each, "name", None) or "" for each in listed.params] if listed else []
        pairs = zip(names, call.args.exprs if call.args else (), strict=False)
        given = {name: found for name, value in pairs if name and (found := self._told(value)) is not None}
        numbers = {name: found.numbers for name, found in given.items()}
        return replace(self, numbers=numbers, depth=self.depth + 1), function.function.body, given

    def _unrolled(self, loop: c_ast.For) -> _Unrolled | None:
        """A loop of a few iterations with all in it; None where compilers leave it a loop."""
        header = header_of(loop)
        trips = fixed_trips(loop, self._values(loop))
        if header is None or trips is None or trips > MOST:
            return None
        own, inner = self._told(header.end, beside=header.first), self._repeated(loop.stmt)
        if inner is None or trips * inner.size > LARGEST:
            return None
        return _Unrolled(own or inner.constant, inner.levels + (own is not None), trips * inner.size)

    def _repeated(self, node: c_ast.Node) -> _Unrolled | None:
        """What stands in a loop; None where it holds another one that stays."""
        if isinstance(node, c_ast.For):
            return self._unrolled(node)
        if isinstance(node, c_ast.While | c_ast.DoWhile):
            return None
        parts = [self._repeated(child) for _, child in node.children()]
        size = self._called(node) if isinstance(node, c_ast.FuncCall) else 1
        if size is None or None in parts:
            return None
        known = [part for part in parts if part is not None]
        constant = next((part.constant for part in known if part.constant is not None), None)
        levels = max((part.levels for part in known), default=0)
        return _Unrolled(constant, levels, size + sum(part.size for part in known))

    def _called(self, call: c_ast.FuncCall) -> float | None:
        """The size of what a call does; None where that is a loop."""
        name = str(getattr(call.name, "name", ""))
        if name in self.program.with_loops:
            return None
        function = self.program.functions.get(name)
        return _LIBRARY if function is None else sum(1 for _ in walk(function.function.body))

    def _values(self, loop: c_ast.For) -> dict[str, float]:
        """By name, the largest numbers of the constants in a header."""
        parts = [part for part in (loop.init, loop.cond) if part is not None]
        named = [(each, self._constant(each)) for part in parts for each in _values(part)]
        return {c_text(each): float(found.numbers[-1]) for each, found in named if found is not None}

    def _told(self, end: c_ast.Node, beside: c_ast.Node | None = None) -> Hidden | None:
        """The first constant in an expression that names nothing else, but what the other end names, too:
        `r`, or `i + r` if the loop starts from `i - r`.
        """
        also = {c_text(each) for each in _values(beside)} if beside is not None else set()
        found = [(each, self._constant(each)) for each in _values(end)]
        if any(known is None and c_text(each) not in also for each, known in found):
            return None
        return next((known for _, known in found if known is not None), None)

    def _constant(self, node: c_ast.Node) -> Hidden | None:
        if isinstance(node, c_ast.StructRef) and self.members:
            number = self.program.typical.only_number(node.field.name)
            return Hidden(node, (number,)) if number is not None else None
        values = {*self.numbers.get(node.name, ())} if isinstance(node, c_ast.ID) else ()
        if not values or len(values) > COPIES or not all(0 < value <= FEW for value in values):
            return None
        return Hidden(node, tuple(sorted(values))) if max(values) > 1 else None


def _values(node: c_ast.Node) -> Iterator[c_ast.Node]:
    """The variables, members, elements and calls that an expression is made of."""
    if isinstance(node, c_ast.ID | c_ast.StructRef | c_ast.ArrayRef | c_ast.FuncCall):
        yield node
        return
    for _, child in node.children():
        yield from _values(child)
