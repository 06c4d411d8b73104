"""How functions use elements that they get pointers to: see `species.symbols.elements`."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from pycparser import c_ast

from species.source.syntax.tree import walk
from species.symbols.enumerations import constant_value
from species.symbols.static_types import type_of
from species.symbols.steps import step_of
from species.symbols.symbols import Resolution, Symbol
from species.symbols.types import CType, TypeTable

MOST = 16  # elements
_CHANGES = ("++", "--", "p++", "p--")
_ELEMENTS = ("int", "float", "complex", "struct")
_ENTRIES = (c_ast.Label, c_ast.Case, c_ast.Default)
_ASKING = ("==", "!=", "&&", "||", "!")


class Parameter(NamedTuple):
    """A parameter of a function of the file, counted from 0."""

    function: str
    position: int


@dataclass
class Use:
    """What happens to the `count` elements from that on which a parameter points to.

    They are `handed` to other parameters: all of them (0), or a part that has so many elements.
    """

    read: bool = False
    written: bool = False
    count: int = 1
    handed: set[tuple[Parameter, int]] = field(default_factory=set)


class ElementUses:
    """Looks at uses of parameters; `handed_to` gives those of other functions that an argument becomes."""

    def __init__(
        self,
        resolution: Resolution,
        types: TypeTable,
        handed_to: Callable[[c_ast.FuncCall, int], list[Parameter] | None],
    ) -> None:
        self._resolution, self._types, self._handed_to = resolution, types, handed_to

    def symbol(self, parameter: Parameter) -> Symbol | None:
        """The variable; None where there is no such parameter."""
        symbols = self.symbols(parameter.function)
        return symbols[parameter.position] if parameter.position < len(symbols) else None

    def symbols(self, function: str) -> list[Symbol | None]:
        """The variables that the parameters of a function are; None for what is none."""
        declared = self._resolution.functions[function].decl.type.args
        listed = declared.params if declared else []
        return [self._resolution.symbols.get(id(each)) for each in listed]

    def part_of(self, node: Any) -> Symbol | None:
        """The parameter that an argument is, or that leads to the element to whose part it points."""
        if not isinstance(node, c_ast.ID):
            points = isinstance(node, c_ast.UnaryOp) and node.op == "&"
            if not points and self._type(node).kind != "array":
                return None  # a pointer in the element leads elsewhere
            node = node.expr if points else node
            while self._steps_inside(node):
                node = node.name
            node = self._followed(node)
        symbol = self._resolution.symbols.get(id(node)) if isinstance(node, c_ast.ID) else None
        return symbol if symbol is not None and symbol.storage == "parameter" else None

    def of(self, function: str) -> Iterator[tuple[Parameter, Use]]:
        """The parameters of a function through which it looks at a few elements only."""
        symbols = self.symbols(function)
        wanted = {s: Use() for s in symbols if s is not None and self._may_be_confined(s)}
        body = self._resolution.functions[function].body
        above = {id(child): node for node in walk(body) for child in node} if wanted else {}
        for node in walk(body) if wanted else ():
            symbol = self._resolution.symbols.get(id(node)) if isinstance(node, c_ast.ID) else None
            if symbol in wanted and not self._note(node, above, wanted[symbol]):
                del wanted[symbol]
        return ((Parameter(function, k), wanted[s]) for k, s in enumerate(symbols) if s in wanted)

    def _may_be_confined(self, symbol: Symbol) -> bool:
        target = symbol.ctype.target if symbol.ctype.kind in ("pointer", "array") else None
        if target is None or target.volatile or symbol.writes or symbol.address_taken or symbol.peculiar:
            return False
        if target.kind in _ELEMENTS[:3]:
            return not target.may_alias
        whole = target.kind == "struct" and self._types.has_layout(target)
        return whole and not self._types.has_open_end(target)

    def _note(self, node: Any, above: dict[int, Any], use: Use) -> bool:
        """Enters one use of the parameter; False where it is no use of a few elements."""
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
            return self._note_argument(node, 0, parent, above, use)
        if self._followed(parent) is not node:
            return False
        count = self._count(parent.subscript, above) if isinstance(parent, c_ast.ArrayRef) else 1
        if count is None:
            return False
        use.count, cell = max(use.count, count), parent
        while self._steps_inside(above.get(id(cell))) and above[id(cell)].name is cell:
            cell = above[id(cell)]
        return self._note_cell(cell, above, use)

    def _count(self, subscript: Any, above: dict[int, Any]) -> int | None:
        """How many elements there are up to one; None where that is not known."""
        number = constant_value(subscript, self._types.certain_constants())
        if number is not None or not isinstance(subscript, c_ast.ID):
            return number + 1 if number is not None and 0 <= number < MOST else None
        symbol, loop = self._resolution.symbols.get(id(subscript)), above.get(id(subscript))
        while loop is not None and not (isinstance(loop, c_ast.For) and self._counts(loop, symbol)):
            loop = above.get(id(loop))
        last = constant_value(loop.cond.right, self._types.certain_constants()) if loop is not None else None
        return last + (loop.cond.op == "<=") if loop is not None and last in range(MOST) else None

    def _counts(self, loop: c_ast.For, symbol: Symbol | None) -> bool:
        """`for (k = 0; k < 3; k++)`, and nothing else that changes k, nor a way into the body but this?"""
        declared = loop.init.decls if isinstance(loop.init, c_ast.DeclList) else []
        started = declared[0] if len(declared) == 1 else loop.init
        plain = isinstance(started, c_ast.Assignment) and started.op == "="
        target, first = (
            (started.lvalue, started.rvalue) if plain else (started, getattr(started, "init", None))
        )
        step, test = step_of(loop.next), loop.cond
        if step is None or step.sign < 0 or getattr(test, "op", "") not in ("<", "<="):
            return False
        named = (target, test.left, step.variable)
        if symbol is None or any(self._resolution.symbols.get(id(each)) is not symbol for each in named):
            return False
        amount = 1 if step.amount is None else constant_value(step.amount, {})
        own = not (symbol.address_taken or symbol.outlives_function or symbol.ctype.volatile)
        if not own or constant_value(first, {}) != 0 or amount not in range(1, MOST):
            return False
        return not any(self._changes(part, symbol) or isinstance(part, _ENTRIES) for part in walk(loop.stmt))

    def _changes(self, node: Any, symbol: Symbol) -> bool:
        """Does it assign to the variable, or step it?"""
        target = node.lvalue if isinstance(node, c_ast.Assignment) else None
        target = node.expr if isinstance(node, c_ast.UnaryOp) and node.op in _CHANGES else target
        return target is not None and self._resolution.symbols.get(id(target)) is symbol

    def _note_cell(self, cell: Any, above: dict[int, Any], use: Use) -> bool:
        """A part of an element, which is read, written, or to which a pointer is made."""
        parent = above.get(id(cell))
        if isinstance(parent, c_ast.UnaryOp) and parent.op == "&":
            around = above.get(id(parent))
            return isinstance(around, c_ast.ExprList) and self._note_argument(parent, 1, around, above, use)
        ctype = self._type(cell)
        if ctype.kind == "array" and isinstance(parent, c_ast.ExprList):
            length = constant_value(ctype.extent, self._types.certain_constants())
            return bool(length) and self._note_argument(cell, length or 0, parent, above, use)
        if ctype.kind not in ("int", "float", "complex", "pointer", "struct") or ctype.volatile:
            return False
        changes = isinstance(parent, c_ast.UnaryOp) and parent.op in _CHANGES
        target = parent if isinstance(parent, c_ast.Assignment) and parent.lvalue is cell else None
        use.written |= changes or target is not None
        use.read |= target is None or target.op != "="
        return True

    def _note_argument(
        self, node: Any, limit: int, listed: c_ast.ExprList, above: dict[int, Any], use: Use
    ) -> bool:
        """The elements, or a part with at most `limit` of its own, are given to a function."""
        call = above.get(id(listed))
        if not isinstance(call, c_ast.FuncCall) or call.args is not listed:
            return False
        position = next(k for k, each in enumerate(listed.exprs) if each is node)
        handed = self._handed_to(call, position) or []
        use.handed.update((parameter, limit) for parameter in handed)
        return bool(handed) and all(self._takes(p, self._type(node)) for p in handed)

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
            case c_ast.ArrayRef():
                return node.name if self._is_pointer(node.name) else None
        return None

    def _is_pointer(self, node: Any) -> bool:
        """(Array parameters are pointers.)"""
        symbol = self._resolution.symbols.get(id(node)) if isinstance(node, c_ast.ID) else None
        return self._type(node).kind == "pointer" or (symbol is not None and symbol.storage == "parameter")

    def _steps_inside(self, node: Any) -> bool:
        """Is it a part of a structure or an array, which no pointer leads to?"""
        if isinstance(node, c_ast.StructRef):
            return bool(node.type == ".")
        is_row = isinstance(node, c_ast.ArrayRef) and self._type(node.name).kind == "array"
        return is_row and not self._is_pointer(node.name)

    def _type(self, node: Any) -> CType:
        return type_of(node, self._resolution.symbols, self._types)


def is_same_element(a: CType, b: CType) -> bool:
    """Do two pointers lead to things of one type, for certain?"""
    one, other = a.target, b.target
    if one is None or other is None or one.kind != other.kind or one.kind not in _ELEMENTS:
        return False
    if one.kind == "struct":
        return one.tag == other.tag
    return (one.bits, one.unsigned) == (other.bits, other.unsigned)
