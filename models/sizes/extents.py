"""How many iterations loops make at most, because the arrays that they go along are declared no longer.

unsigned char used[256];
for (i = 0; i < n; i++) used[i] = 0;        no more than 256, whatever n is
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from pycparser import c_ast

from models.sizes.amounts import UNKNOWN, Amounts
from models.sizes.headers import c_text, header_of
from species.source.syntax.tree import variables, walk

_Shape = tuple[float, ...]  # elements per dimension; infinite where they are not declared
_UNSURE = (c_ast.Continue, c_ast.Goto, c_ast.Switch, c_ast.Label)
FEWEST = 2  # elements: arrays of one, and of none, at the end of a structure stand for longer ones


@dataclass(frozen=True)
class Extents:
    """What a file says of the lengths of arrays: by variable, and of members, which have a dot before them.

    Of several that share a name, the longest counts.
    """

    shapes: Mapping[str, _Shape]

    @staticmethod
    def of(ast: c_ast.FileAST, enumerators: Mapping[str, float]) -> Extents:
        """Reads the declarations of the file; `enumerators` are its, with their values."""
        found: dict[str, _Shape] = {}
        reader, passed = _Reader(ast, enumerators), _parameters(ast)
        for node, name in _declared(ast):
            shape = reader.shape(node.type)
            shape = (math.inf, *shape[1:]) if id(node) in passed else shape  # it is a pointer
            found[name] = _longer(found[name], shape) if name in found else shape
        return Extents(found)

    def most(self, loop: c_ast.Node) -> float:
        """The iterations that it makes at most; infinite where no array says so."""
        header = header_of(loop)
        if header is None or not _steps(header.next) or any(isinstance(n, _UNSURE) for n in walk(loop.stmt)):
            return math.inf
        accesses = _always(loop.stmt)
        return min((self._along(each, header.iterator) for each in accesses), default=math.inf)

    def _along(self, access: c_ast.ArrayRef, iterator: str) -> float:
        """The length of the dimension along which the iterator goes."""
        subscripts: list[c_ast.Node] = []
        node: c_ast.Node = access
        while isinstance(node, c_ast.ArrayRef):
            subscripts.insert(0, node.subscript)
            node = node.name
        match node:
            case c_ast.ID(name=name) | c_ast.StructRef(field=c_ast.ID(name=name)):
                shape = self.shapes.get(name if isinstance(node, c_ast.ID) else f".{name}", ())
            case _:
                return math.inf
        pairs = zip(subscripts, shape, strict=False)
        return min((n for each, n in pairs if _moves_with(each, iterator) and n >= FEWEST), default=math.inf)


def _longer(one: _Shape, other: _Shape) -> _Shape:
    """What both are no longer than; nothing is known of dimensions that only one has."""
    return tuple(map(max, one, other))


def _declared(ast: c_ast.FileAST) -> Iterator[tuple[c_ast.Decl, str]]:
    """Variables and members, with the names under which they are known here."""
    members = {
        id(each)
        for node in walk(ast)
        if isinstance(node, c_ast.Struct | c_ast.Union)
        for each in node.decls or ()
    }
    for node in walk(ast):
        if isinstance(node, c_ast.Decl) and node.name and not isinstance(node.type, c_ast.FuncDecl):
            yield node, f".{node.name}" if id(node) in members else node.name


def _parameters(ast: c_ast.FileAST) -> set[int]:
    lists = (node.args for node in walk(ast) if isinstance(node, c_ast.FuncDecl) and node.args)
    return {id(each) for listed in lists for each in listed.params}


@dataclass
class _Reader:
    """Reads shapes, through the names of types."""

    ast: c_ast.FileAST
    enumerators: Mapping[str, float]

    def __post_init__(self) -> None:
        named = (node for node in walk(self.ast) if isinstance(node, c_ast.Typedef))
        self.types = {node.name: node.type for node in named}

    def shape(self, kind: c_ast.Node) -> _Shape:
        """Elements per dimension; none for what is no array."""
        found: list[float] = []
        for _ in range(len(self.types) + 8):  # of types that are made of each other wrongly, no more
            match kind:
                case c_ast.ArrayDecl(type=inner, dim=dim):
                    found.append(self._length(dim))
                    kind = inner
                case c_ast.PtrDecl(type=inner):
                    found.append(math.inf)
                    kind = inner
                case c_ast.TypeDecl(type=c_ast.IdentifierType(names=[name])) if name in self.types:
                    kind = self.types[name]
                case _:
                    break
        return tuple(found)

    def _length(self, dim: c_ast.Node | None) -> float:
        if dim is None:
            return math.inf
        amounts = Amounts(lambda _: None, UNKNOWN, dict(self.enumerators))
        unclear = any(
            isinstance(each, c_ast.FuncCall | c_ast.ArrayRef | c_ast.StructRef) for each in walk(dim)
        )
        length = amounts.of(c_text(dim))
        return math.inf if unclear or amounts.taken or "sizeof" in c_text(dim) else length


def _steps(node: c_ast.Node | None) -> bool:
    """Does a header count in whole steps?"""
    match node:
        case c_ast.UnaryOp(op="++" | "--" | "p++" | "p--") | c_ast.Assignment(op="+=" | "-="):
            return True
    return False


def _moves_with(subscript: c_ast.Node, iterator: str) -> bool:
    """Is each value of the iterator another element: `i`, `i + k`, `n - i`?"""
    match subscript:
        case c_ast.ID(name=name):
            return bool(name == iterator)
        case c_ast.Cast(expr=inner):
            return _moves_with(inner, iterator)
        case c_ast.BinaryOp(op="+" | "-", left=one, right=other):
            sides = [iterator in {each.name for each in variables(side)} for side in (one, other)]
            return sides.count(True) == 1 and _moves_with(one if sides[0] else other, iterator)
    return False


def _always(node: c_ast.Node) -> Iterator[c_ast.ArrayRef]:
    """The accesses to arrays that no condition guards, but for those of loops."""
    match node:
        case c_ast.If(cond=part) | c_ast.TernaryOp(cond=part) | c_ast.BinaryOp(op="&&" | "||", left=part):
            yield from _always(part)
            return
        case c_ast.UnaryOp(op="&" | "sizeof"):
            return  # an address may be one behind the end
        case c_ast.ArrayRef():
            yield node
    for _, child in node.children():
        yield from _always(child)
