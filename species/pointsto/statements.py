"""What statements, declarations and first values do with pointers."""

from __future__ import annotations

from typing import Any

from pycparser import c_ast

from species.pointsto.calls import Calls
from species.pointsto.instructions import ANY, CELL, NOWHERE, Code, Key
from species.symbols.types import UNKNOWN, CType

_PARTS = (
    *(c_ast.Compound, c_ast.If, c_ast.For, c_ast.While, c_ast.DoWhile, c_ast.Switch, c_ast.Case),
    *(c_ast.Default, c_ast.Label, c_ast.DeclList),
)
_IDLE = (
    *(c_ast.Break, c_ast.Continue, c_ast.Goto, c_ast.EmptyStatement, c_ast.Pragma),
    *(c_ast.StaticAssert, c_ast.Struct, c_ast.Union, c_ast.Enum),
)


class Statements(Calls):
    """The statements of one function, or the first values of the variables of a file."""

    def function(self, node: c_ast.FuncDef) -> Code:
        """The function as instructions."""
        self._result_type = self._types.resolve(node.decl.type.type)
        self.code.result = self.code.slot()
        self.code.parameters = [self._parameter(p) for p in self._listed_parameters(node)]
        self.statement(node.body)
        return self.code

    def _listed_parameters(self, node: c_ast.FuncDef) -> list[Any]:
        listed = node.decl.type.args.params if node.decl.type.args else []
        typed = {d.name: d for d in node.param_decls or [] if isinstance(d, c_ast.Decl)}
        named = [p for p in listed if not isinstance(p, c_ast.EllipsisParam)]
        return [typed.get(p.name, p) if isinstance(p, c_ast.ID) else p for p in named]

    def _parameter(self, node: Any) -> int:
        symbol = self._symbols.get(id(node))
        self.evaluate_lengths(getattr(node, "type", None))
        if symbol is None:
            return NOWHERE  # without a name
        slot = self._slot(symbol)
        if slot is None:
            slot = self.code.slot()
            self.put(self.address(symbol), CELL, symbol.ctype.decayed, slot)
        return slot

    def statement(self, node: Any) -> None:
        if node is None or isinstance(node, _IDLE):
            return
        if isinstance(node, c_ast.Typedef):
            self.evaluate_lengths(node.type)
        elif isinstance(node, c_ast.Decl):
            self.declaration(node)
        elif isinstance(node, c_ast.Return):
            self.code.copies.append((self.code.result, self.value(node.expr)))
            self.note_conversion(self._result_type, node.expr)
        elif isinstance(node, _PARTS):
            for child in node:
                self.statement(child)
        else:
            self.value(node)

    def declaration(self, node: c_ast.Decl) -> None:
        """A variable, with its first value."""
        self.evaluate_lengths(node.type)
        symbol = self._symbols.get(id(node))
        if node.init is None or symbol is None:
            return
        self.note_conversion(symbol.ctype, node.init)
        slot = self._slot(symbol)
        if slot is not None and not isinstance(node.init, c_ast.InitList):
            self.code.copies.append((slot, self.value(node.init)))
        elif slot is not None:
            self.code.copies += [(slot, self.value(e)) for e in node.init.exprs or ()]
        else:
            self.initialise(self.address(symbol), CELL, symbol.ctype, node.init)

    def value(self, node: Any) -> int:
        if not isinstance(node, c_ast.Compound):
            return super().value(node)
        items = node.block_items or []  # of `({ a; b; })`
        for item in items[:-1]:
            self.statement(item)
        if items and not isinstance(items[-1], (*_PARTS, *_IDLE, c_ast.Decl, c_ast.Return)):
            return self.value(items[-1])
        for item in items[-1:]:
            self.statement(item)
        return NOWHERE

    # First values

    def initialise(self, base: int, key: Key, ctype: CType, node: Any) -> None:
        if not isinstance(node, c_ast.InitList):
            self._first(base, key, ctype, node)
        elif ctype.kind == "array":
            for each in node.exprs or ():
                self._element(base, key, ctype, each)
        elif ctype.kind == "struct" and self._types.has_layout(ctype):
            self._members(self.part(base, key, ctype), ctype, node)
        elif self.is_choice(ctype) and len(node.exprs or ()) == 1:
            self._chosen(base, key, ctype, node.exprs[0])
        else:
            for each in node.exprs or ():
                self._anywhere(base, each)

    def _chosen(self, base: int, key: Key, ctype: CType, node: Any) -> None:
        """A first value of a union of pointers: whichever of them, it is that one."""
        value = node.expr if isinstance(node, c_ast.NamedInitializer) else node
        self._first(base, key, self._types.members(ctype)[0], value)

    def _first(self, base: int, key: Key, ctype: CType, node: Any) -> None:
        value = self.value(node)
        self.note_other_pointer(ctype, node)
        if ctype.kind == "array" and not isinstance(node, c_ast.Constant):
            self.code.blocks.append((self.part(base, key, ctype), value))
        elif ctype.kind != "array" and not ctype.is_number:
            self.put(base, key, ctype, value)

    def _element(self, base: int, key: Key, ctype: CType, node: Any) -> None:
        element = ctype.target or UNKNOWN
        if isinstance(node, c_ast.NamedInitializer):
            is_plain = len(node.name) == 1 and _is_one(node.name[0])
            node = node.expr
            if not is_plain:
                return self._anywhere(base, node)
        if self._is_flattened(element, node):
            return self._anywhere(base, node)
        return self.initialise(base, key, element, node)

    def _members(self, base: int, ctype: CType, node: c_ast.InitList) -> None:
        named = self._types.named_members(ctype)
        items = node.exprs or []
        if any(self._is_unusual(item, named) for item in items):
            for item in items:
                self._anywhere(base, item)
            return
        names, position = list(self._types.initialised(ctype)), 0
        for item in items:
            if isinstance(item, c_ast.NamedInitializer):
                position, item = names.index(item.name[0].name), _within(item)
            if position >= len(names) or self._is_flattened(named[names[position]], item):
                for each in items:
                    self._anywhere(base, each)
                return
            name = names[position]
            self.initialise(base, ANY if name.startswith("@") else name, named[name], item)
            position += 1

    def _is_unusual(self, item: Any, named: dict[str, CType]) -> bool:
        """Does it name something else than one member, or a part of one?"""
        if not isinstance(item, c_ast.NamedInitializer):
            return False
        return not isinstance(item.name[0], c_ast.ID) or item.name[0].name not in named

    def _is_flattened(self, ctype: CType, node: Any) -> bool:
        """Are the braces of an array or structure left out?"""
        if isinstance(node, c_ast.InitList) or ctype.kind not in ("array", "struct", "union", "unknown"):
            return False
        is_text = isinstance(node, c_ast.Constant) and node.type == "string"
        return not is_text and self.type_of(node).kind not in ("struct", "union")

    def _anywhere(self, base: int, node: Any) -> None:
        """A first value of some part of an object."""
        if isinstance(node, c_ast.NamedInitializer):
            node = node.expr
        if isinstance(node, c_ast.InitList):
            for each in node.exprs or ():
                self._anywhere(base, each)
            return
        value = self.code.slot()  # which may be stored more than once: `[0 ... 9] = malloc(8)`
        self.code.copies.append((value, self.value(node)))
        self.code.stores.append((base, ANY, value))
        if self.type_of(node).kind in ("struct", "union", "unknown"):
            self.code.blocks.append((base, value))


def _is_one(designator: Any) -> bool:
    """Does it name one element, not a range `[0 ... 9]` or a member?"""
    if isinstance(designator, c_ast.ArrayDesignator):
        return not isinstance(designator.expr, c_ast.ExprList)
    return isinstance(designator, c_ast.Constant | c_ast.ID)


def _within(item: c_ast.NamedInitializer) -> Any:
    """What a designator gives to the member that it names first: of `.a.b = 1`, `{ .b = 1 }` to a."""
    rest = item.name[1:]
    return c_ast.InitList([c_ast.NamedInitializer(rest, item.expr)]) if rest else item.expr
