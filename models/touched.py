"""Which cells of arrays a loop touches, and how many bytes are moved, and copied to a device and back."""

from __future__ import annotations

import math
import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from pycparser import c_ast

from models.nests import MOST, Loop, executions
from models.sizes.amounts import Amounts
from models.sizes.headers import c_text
from species.facts.loops import Characterisation, LoopFacts
from species.source.syntax.declarations import Declarations
from species.source.syntax.tree import walk

_SIZES = {"char": 1, "signed char": 1, "unsigned char": 1, "_Bool": 1, "short": 2, "unsigned short": 2}
_SIZES |= {"int": 4, "unsigned int": 4, "float": 4, "long double": 16}
_WORD = 8  # bytes of an element of any other type


@dataclass(frozen=True)
class Touched:
    """Of one execution of a loop: the bytes of all cells that it touches, each once per direction.

    A device is given `copied_in` bytes before it, and gives back `copied_out`, in `copies` pieces: of every
    array that the species reads (writes), the hull of what it reads (writes).  `double`: the arrays have
    elements of double precision, or nothing is known of them.
    """

    bytes: float
    copied_in: float
    copied_out: float
    copies: int
    double: bool


@dataclass(frozen=True)
class Reference:
    """An array that is read or written inside loops (outermost first), and the names in its subscripts."""

    array: str
    access: str
    names: frozenset[str]
    around: tuple[Loop, ...]

    def requests(self, loop: Loop) -> float:
        """How often one execution of `loop` makes it."""
        return executions(self.around[self.around.index(loop) :])

    def cells(self, loop: Loop) -> float:
        """That one execution of `loop` touches."""
        inner = self.around[self.around.index(loop) :]
        return math.prod(each.trips for each in inner if not each.iterator or each.iterator in self.names)


def references_in(
    node: c_ast.Node, access: str, around: tuple[Loop, ...], chains: dict[int, tuple[Loop, ...]]
) -> Iterator[Reference]:
    """The arrays in `node`, which is read or written as `access` says."""
    match node:
        case c_ast.Assignment():
            yield from references_in(node.lvalue, "w", around, chains)
            if node.op != "=":
                yield from references_in(node.lvalue, "r", around, chains)
            yield from references_in(node.rvalue, "r", around, chains)
        case c_ast.ArrayRef() | c_ast.UnaryOp(op="*"):
            below = list(walk(node))
            root = _member(node) or next((each.name for each in below if isinstance(each, c_ast.ID)), None)
            names = frozenset(each.name for each in below if isinstance(each, c_ast.ID))
            if root is not None and around:
                yield Reference(root, access, names, around)
            for _, child in node.children():
                inside = child.children() if isinstance(child, c_ast.ArrayRef) else [("", child)]
                for _, part in inside:  # what subscripts read; `a[i]` in `a[i][j]` is no read of its own
                    yield from references_in(part, "r", around, chains)
        case _:
            for _, child in node.children():
                chain = chains.get(id(child), around)
                yield from references_in(child, "r" if chain is not around else access, chain, chains)


def _member(node: c_ast.Node) -> str | None:
    """The member that has the cells, as the file has it: `grid->cells`."""
    while isinstance(node, c_ast.ArrayRef):
        node = node.name
    is_plain = all(isinstance(each, c_ast.StructRef | c_ast.ID) for each in walk(node))
    return c_text(node) if isinstance(node, c_ast.StructRef) and is_plain else None


def touched(
    loop: Loop, facts: LoopFacts, references: Sequence[Reference], amounts: Amounts, sizes: Sizes
) -> Touched:
    """What one execution of `loop` touches; `references` are those in it."""
    moved, copied = defaultdict[_Access, float](float), defaultdict[_Access, float](float)
    for each in references:
        moved[each.array, each.access] = max(moved[each.array, each.access], each.cells(loop))
    copied |= moved
    for access, (cells, hull) in _characterised(loop, facts.characterisations, references, amounts).items():
        moved[access], copied[access] = cells, hull
    return Touched(
        _bytes(moved, sizes),
        _bytes({access: cells for access, cells in copied.items() if access[1] == "r"}, sizes),
        _bytes({access: cells for access, cells in copied.items() if access[1] == "w"}, sizes),
        len(copied),
        sizes.are_double({name for name, _ in copied}),
    )


_Access = tuple[str, str]  # an array, "r" or "w"


def _characterised(
    loop: Loop, found: Iterable[Characterisation], references: Sequence[Reference], amounts: Amounts
) -> dict[_Access, tuple[float, float]]:
    """The cells that are touched, and those of the hull."""
    cells: dict[_Access, tuple[float, float]] = {}
    for each in found:
        extents = [amounts.of(part.high) - amounts.of(part.low) + 1 for part in each.domain]
        # arrays that members lead to have other names in the tree: any reference may be to one
        own = [reference for reference in references if reference.array == each.name] or references
        asked = sum(reference.requests(loop) for reference in own)
        hull = math.prod(max(1.0, extent) for extent in extents)
        before = cells.get((each.name, each.access), (0.0, 0.0))
        empty = any(extent <= 0 for extent in extents)  # a difference of two guesses, which says nothing
        found_here = asked if asked and empty else min(hull, asked or hull)
        cells[each.name, each.access] = max(before[0], found_here), max(before[1], hull)
    return cells


def _bytes(cells: Mapping[_Access, float], sizes: Sizes) -> float:
    return sum(min(MOST, count) * sizes.of(name) for (name, _), count in cells.items())


class Sizes:
    """Bytes of an element, by the name of the variable or member; the first declaration of a name counts."""

    def __init__(self, ast: c_ast.FileAST) -> None:
        self._declarations = Declarations.of(ast)
        self._types: dict[str, c_ast.Node] = {}
        for item in ast.ext:
            if isinstance(item, c_ast.Decl) and isinstance(item.type, c_ast.FuncDecl):
                continue  # nothing that its parameters' names say holds for other variables
            for node in walk(item) if isinstance(item, c_ast.FuncDef | c_ast.Decl | c_ast.Typedef) else ():
                if isinstance(node, c_ast.Decl) and node.name:
                    self._types.setdefault(node.name, node.type)

    def of(self, name: str) -> int:
        """Bytes of an element of the array of that name; of a word where the type has no size of its own."""
        return _SIZES.get(self._type(name), _WORD)

    def are_double(self, names: Iterable[str]) -> bool:
        """Are these arrays of double precision, or, where none is of floats, of elements as long?"""
        types = {self._type(name) for name in names}
        if types & {"float", "double", "long double"}:
            return not types.isdisjoint(("double", "long double"))
        return any(_SIZES.get(each, _WORD) >= _WORD for each in types) or not types

    def _type(self, name: str) -> str:
        """The canonical type of an element; empty where there is none of one word."""
        kind = self._types.get(re.split(r"->|\.", name)[-1])
        while isinstance(kind, c_ast.ArrayDecl | c_ast.PtrDecl):
            kind = kind.type
        names = getattr(getattr(kind, "type", None), "names", None)
        return self._declarations.canonical(" ".join(names)) or "" if names else ""
