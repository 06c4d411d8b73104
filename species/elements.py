"""What functions of the file do with elements that they get pointers to: `void push(body *b) { b->x++; }`.

A parameter is confined if its function looks through it at one element only, and hands it on, or a pointer to
a part of that element, to confined parameters only.  Other pointers lead elsewhere (`species.pointsto`).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from pycparser import c_ast

from species.loops.static_types import type_of
from species.loops.symbols import Resolution, Symbol
from species.loops.types import CType, TypeTable
from species.source.tree import walk
from species.summaries import Summaries

_CHANGES = ("++", "--", "p++", "p--")
_ASKING = ("==", "!=", "&&", "||", "!")


class Parameter(NamedTuple):
    """A parameter of a function of the file, counted from 0."""

    function: str
    position: int


@dataclass
class Use:
    """What happens to the element that a parameter points to."""

    read: bool = False
    written: bool = False
    handed: set[Parameter] = field(default_factory=set)  # to which it, or a part of it, is given


class Elements:
    """The confined parameters of the functions of one file.

    `by_pointer` gives the functions that a call by a pointer may lead to; None where others may be.
    """

    def __init__(
        self,
        resolution: Resolution,
        types: TypeTable,
        summaries: Summaries,
        by_pointer: Callable[[c_ast.FuncCall], list[str] | None],
    ) -> None:
        self._resolution, self._types = resolution, types
        self._summaries, self._by_pointer = summaries, by_pointer
        self._uses: dict[Parameter, Use] | None = None

    def of(self, parameter: Parameter) -> Use | None:
        """The uses of the element; None where the parameter is not confined."""
        if self._uses is None:
            self._uses = self._solved()
        return self._uses.get(parameter)

    def is_confined(self, function: str, symbol: Symbol) -> bool:
        """Is the variable a confined parameter of the function?"""
        symbols = self._symbols(function) if function in self._resolution.functions else []
        return symbol in symbols and self.of(Parameter(function, symbols.index(symbol))) is not None

    def symbol(self, parameter: Parameter) -> Symbol | None:
        """The variable; None where there is no such parameter."""
        symbols = self._symbols(parameter.function)
        return symbols[parameter.position] if parameter.position < len(symbols) else None

    def handed_to(self, call: c_ast.FuncCall, position: int) -> list[Parameter] | None:
        """The parameters of functions of the file that an argument becomes; None where others may get it."""
        own = self._summaries.called(call)
        names = [own] if own is not None else self._by_pointer(call)
        return [Parameter(name, position) for name in names] if names else None

    def part_of(self, node: Any) -> Symbol | None:
        """The confined parameter that an argument is, or to whose element's part it points."""
        if isinstance(node, c_ast.UnaryOp) and node.op == "&":
            node = node.expr
            while self._steps_inside(node):
                node = node.name
            node = self._followed(node)
        symbol = self._resolution.symbols.get(id(node)) if isinstance(node, c_ast.ID) else None
        return symbol if symbol is not None and symbol.storage == "parameter" else None

    def _symbols(self, function: str) -> list[Symbol | None]:
        declared = self._resolution.functions[function].decl.type.args
        listed = declared.params if declared else []
        return [self._resolution.symbols.get(id(each)) for each in listed]

    def _solved(self) -> dict[Parameter, Use]:
        """The greatest set of parameters that are given to each other only, with all that happens to them."""
        found: dict[Parameter, Use] = {}
        for function in self._resolution.functions:
            if self._summaries.knows(function):
                found.update(self._looked_at(function))
        while bad := [p for p, use in found.items() if not use.handed <= found.keys()]:
            for parameter in bad:
                del found[parameter]
        changed = True
        while changed:
            changed = False
            for use in found.values():
                before = use.read, use.written
                use.read |= any(found[p].read for p in use.handed)
                use.written |= any(found[p].written for p in use.handed)
                changed |= before != (use.read, use.written)
        return found

    def _looked_at(self, function: str) -> Iterator[tuple[Parameter, Use]]:
        symbols = self._symbols(function)
        wanted = {s: Use() for s in symbols if s is not None and self._may_be_confined(s)}
        body = self._resolution.functions[function].body
        above = {id(child): node for node in walk(body) for child in node} if wanted else {}
        for node in walk(body) if wanted else ():
            symbol = self._resolution.symbols.get(id(node)) if isinstance(node, c_ast.ID) else None
            if symbol in wanted and not self._note(node, above, wanted[symbol]):
                del wanted[symbol]
        return ((Parameter(function, k), wanted[s]) for k, s in enumerate(symbols) if s in wanted)

    def _may_be_confined(self, symbol: Symbol) -> bool:
        target = symbol.ctype.target if symbol.ctype.kind == "pointer" else None
        if target is None or target.volatile or symbol.writes or symbol.address_taken or symbol.peculiar:
            return False
        if target.kind in ("int", "float", "complex"):
            return not target.may_alias
        return target.kind == "struct" and self._types.has_layout(target) and not self._is_open(target)

    def _is_open(self, ctype: CType) -> bool:
        """Has the structure an array at its end that may be longer than it says?"""
        last = [*self._types.members(ctype)][-1:]
        if not last or last[0].kind == "struct":
            return bool(last) and self._is_open(last[0])
        return last[0].kind == "array" and getattr(last[0].extent, "value", "1") in ("0", "1")

    def _note(self, node: Any, above: dict[int, Any], use: Use) -> bool:
        """Enters one use of the parameter; False where it is no use of one element."""
        parent = above.get(id(node))
        if isinstance(parent, c_ast.UnaryOp) and parent.op in ("!", "sizeof"):
            return True
        if isinstance(parent, c_ast.BinaryOp) and parent.op in _ASKING:
            return True
        if isinstance(parent, c_ast.If | c_ast.TernaryOp) and parent.cond is node:
            return True
        if isinstance(parent, c_ast.Cast) and self._types.resolve(parent.to_type).kind == "void":
            return True
        if isinstance(parent, c_ast.ExprList):
            return self._note_argument(node, parent, above, use)
        if self._followed(parent) is not node:
            return False
        cell = parent
        while self._steps_inside(above.get(id(cell))) and above[id(cell)].name is cell:
            cell = above[id(cell)]
        return self._note_cell(cell, above, use)

    def _note_cell(self, cell: Any, above: dict[int, Any], use: Use) -> bool:
        """A part of the element, which is read, written, or to which a pointer is made."""
        parent = above.get(id(cell))
        if isinstance(parent, c_ast.UnaryOp) and parent.op == "&":
            around = above.get(id(parent))
            return isinstance(around, c_ast.ExprList) and self._note_argument(parent, around, above, use)
        ctype = self._type(cell)
        if ctype.kind not in ("int", "float", "complex", "pointer", "struct") or ctype.volatile:
            return False
        changes = isinstance(parent, c_ast.UnaryOp) and parent.op in _CHANGES
        target = parent if isinstance(parent, c_ast.Assignment) and parent.lvalue is cell else None
        use.written |= changes or target is not None
        use.read |= target is None or target.op != "="
        return True

    def _note_argument(self, node: Any, listed: c_ast.ExprList, above: dict[int, Any], use: Use) -> bool:
        call = above.get(id(listed))
        if not isinstance(call, c_ast.FuncCall) or call.args is not listed:
            return False
        position = next(k for k, each in enumerate(listed.exprs) if each is node)
        handed = self.handed_to(call, position)
        use.handed.update(handed or ())
        return bool(handed) and all(self._takes(p, self._type(node)) for p in handed or ())

    def _takes(self, parameter: Parameter, given: CType) -> bool:
        """Is the parameter a pointer to what is given?"""
        symbol = self.symbol(parameter)
        return symbol is not None and is_same_element(symbol.ctype, given)

    def _followed(self, node: Any) -> Any:
        """The pointer whose very target an expression is (a part of); None: it is none."""
        match node:
            case c_ast.StructRef(type="->"):
                return node.name
            case c_ast.UnaryOp(op="*"):
                return node.expr
            case c_ast.ArrayRef(subscript=c_ast.Constant(value="0")):
                return node.name if self._type(node.name).kind == "pointer" else None
        return None

    def _steps_inside(self, node: Any) -> bool:
        """Is it a part of a structure or an array, which no pointer leads to?"""
        if isinstance(node, c_ast.StructRef):
            return bool(node.type == ".")
        return isinstance(node, c_ast.ArrayRef) and self._type(node.name).kind == "array"

    def _type(self, node: Any) -> CType:
        return type_of(node, self._resolution.symbols, self._types)


def is_same_element(a: CType, b: CType) -> bool:
    """Do two pointers lead to things of one type, for certain?"""
    one, other = a.target, b.target
    if one is None or other is None or one.kind != other.kind:
        return False
    if one.kind == "struct":
        return one.tag == other.tag
    return (one.bits, one.unsigned) == (other.bits, other.unsigned)
