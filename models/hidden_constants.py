"""Small constants that compilers know as long as no threads share a loop: they unroll the loops inside that
count to them, and make vectors of what is around these.

A region hands variables to a function of its own, and so hides from compilers what they hold; and it is
no part of `main`, where they know what members are set to.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from pycparser import c_ast

from models.sizes.headers import c_text, header_of
from models.sizes.typical_sizes import FEW, Typical

COPIES = 4  # of a function, for different numbers
UNROLLED = 3  # times as fast is an inner loop of a few iterations if the compiler knows how many


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
class Constants:
    """Those of a loop: the variables of its function that hold nothing but `numbers`, one in each copy that
    compilers make of the function for its calls, and, where compilers see `members`, those of structures that
    are only ever set to one number.
    """

    typical: Typical
    numbers: Mapping[str, Sequence[int]]
    members: bool

    def hidden(self, node: c_ast.Node) -> Hidden | None:
        """One that says how often something inside of a loop is done; None where there is none."""
        found = [*self._counted_to(node, 0)]
        if not found:
            return None
        return replace(found[0][0], factor=UNROLLED ** max(level for _, level in found))

    def _counted_to(self, node: c_ast.Node, level: int) -> Iterator[tuple[Hidden, int]]:
        """The constants to which loops inside count, and how many of these loops are around one another."""
        for _, child in node.children():
            own = None
            if isinstance(child, c_ast.For) and (header := header_of(child)) is not None:
                own = self._told(header.end, beside=header.first)
            elif isinstance(child, c_ast.FuncCall):
                own = next(filter(None, map(self._told, self.typical.counts_for(child))), None)
            if own is not None:
                yield own, level + 1
            yield from self._counted_to(child, level + (own is not None))

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
            number = self.typical.only_number(node.field.name)
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
