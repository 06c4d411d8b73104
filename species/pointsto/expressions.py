"""What expressions point to: from syntax trees to the instructions of points-to analysis."""

from __future__ import annotations

from abc import abstractmethod
from typing import Any

from pycparser import c_ast

from species.pointsto.instructions import ANY, CELL, NOWHERE, Key, Object, bytes_of
from species.pointsto.places import ASSIGNED, Places
from species.pointsto.variables import Unsupported, is_function
from species.symbols.types import CHAR, UNKNOWN, CType

_AS_NUMBERS = ({"pointer", "struct"}, {"pointer", "int"}, {"pointer", "float"})  # what casts lead from and to


class Expressions(Places):
    """The expressions of one function."""

    def value(self, node: Any) -> int:
        """The slot of what an expression points to, or of the structure that it is; effects on the way."""
        match node:
            case None | c_ast.Typename():
                self.evaluate_lengths(node)
                return NOWHERE
            case c_ast.Constant():
                is_text = node.type == "string"
                return self.pointer_to(Object(node, id(node), "a string")) if is_text else NOWHERE
            case c_ast.ID() | c_ast.ArrayRef() | c_ast.StructRef() | c_ast.UnaryOp(op="*"):
                return self._read(node)
            case c_ast.UnaryOp():
                return self._unary(node)
            case c_ast.BinaryOp():
                return self._binary(node)
            case c_ast.Assignment():
                return self._assignment(node)
            case c_ast.TernaryOp():
                self.value(node.cond)
                return self.either(self.value(node.iftrue), self.value(node.iffalse))
            case c_ast.ExprList():
                return [self.value(each) for each in node.exprs][-1]
            case c_ast.Cast():
                return self._cast(node)
            case c_ast.FuncCall():
                return self.call(node)
            case c_ast.CompoundLiteral():
                return self._literal(node)
        raise Unsupported(type(node).__name__)

    @abstractmethod
    def call(self, node: c_ast.FuncCall) -> int:
        """A call: see `Calls`."""

    @abstractmethod
    def initialise(self, base: int, key: Key, ctype: CType, node: Any) -> None:
        """A first value: see `Statements`."""

    def _read(self, node: Any) -> int:
        symbol = self._symbols.get(id(node)) if isinstance(node, c_ast.ID) else None
        if isinstance(node, c_ast.ID) and (symbol is None or is_function(symbol)):
            return self.address(symbol) if symbol is not None else NOWHERE  # else it is an enumerator
        slot = self._slot(symbol)
        if slot is not None:
            return slot if not self.type_of(node).is_number else NOWHERE
        (base, key), ctype = self.lvalue(node), self.type_of(node)
        if ctype.kind == "array":
            base = self._named(node, base, key)
            return base if self._is_first(node) else self.moved(base)
        self._note_access(ctype, base, self.code.read)
        if ctype.kind in ("struct", "union"):
            return self.part(base, key, ctype)
        if ctype.kind == "function":
            return base  # `*f` is `f`
        if ctype.is_number or ctype.kind == "void":
            self._read_number(node, base, key)
            return NOWHERE
        read = self.code.slot()
        self.code.loads.append((read, base, ANY if ctype.kind == "unknown" else key))
        if key == ANY or ctype.volatile:  # a part of a union may have been a number
            return self.either(read, self.foreign())
        return self.either(read, base) if ctype.kind == "unknown" else read

    def _read_number(self, node: Any, base: int, key: Key) -> None:
        """What is read as bytes, through a pointer, may be those of pointers, which then get anywhere."""
        if self.is_in_union(node):
            self.leak(base)
        elif self._may_be_part(node):
            self.leak(base, bytes_of(key))

    def is_in_union(self, node: Any) -> bool:
        """Is it a part of a union, which may be read as something else?"""
        while isinstance(node, c_ast.ArrayRef | c_ast.StructRef):
            if isinstance(node, c_ast.StructRef):
                owner = self.type_of(node.name)
                owner = owner.target or UNKNOWN if node.type == "->" else owner
                is_mixed = not self.is_choice(owner) and self.may_hold_pointers(owner)
                if owner.kind not in ("struct", "pointer") and is_mixed:
                    return True
            node = node.name
        return False

    def _may_be_part(self, node: Any) -> bool:
        """May an lvalue be a part of a pointer?  Other numbers than characters are not, by C11 6.5p7."""
        ctype = self.type_of(node)
        if not isinstance(node, c_ast.ArrayRef | c_ast.UnaryOp):
            return False
        return ctype.is_number and (ctype.bits == CHAR.bits or ctype.may_alias or not self.variables.strict)

    def _unary(self, node: c_ast.UnaryOp) -> int:
        if node.op in ("sizeof", "_Alignof"):
            self.evaluate_lengths(node.expr)
            if not isinstance(node.expr, c_ast.Typename) and self.type_of(node.expr).kind == "array":
                self.refuse_effects(node.expr)  # of arrays with lengths of their own, it is evaluated
            return NOWHERE
        if node.op == "&":
            return self._address_of(node.expr)
        inner = self.value(node.expr)
        if node.op in ASSIGNED:
            self._note_write(node.expr)
            self._move(node.expr, inner)
        return inner if node.op in ASSIGNED and not self.type_of(node.expr).is_integer else NOWHERE

    def _named(self, node: Any, base: int, key: Key) -> int:
        """What a pointer to an lvalue leads to: from a member of a structure, to others of that."""
        ctype = self.type_of(node)
        if ctype.element.kind == "struct":
            return self.part(base, key, ctype)
        if key not in (CELL, ANY):
            self.variables.one_member.add(key)
        while isinstance(node, c_ast.ArrayRef):
            node = node.name
        if isinstance(node, c_ast.StructRef) and node.type == ".":
            self.variables.flat.add(self.type_of(node.name).element.tag)
        return base

    def _address_of(self, node: Any) -> int:
        base = self._named(node, *self.lvalue(node))
        return base if self._is_first(node) else self.moved(base)

    def _move(self, target: Any, value: int) -> None:
        """`target += n`, of which `value` was the value."""
        if value != NOWHERE and not self.type_of(target).is_integer:
            self.assign(target, self.moved(value))

    def _binary(self, node: c_ast.BinaryOp) -> int:
        left, right = self.value(node.left), self.value(node.right)
        if node.op not in ("+", "-"):
            return NOWHERE
        kinds = [self.type_of(n).kind for n in (node.left, node.right)]
        pointers = [kind in ("pointer", "array") for kind in kinds]
        if all(pointers):
            return NOWHERE  # a distance
        return self.moved(self.either(left, right) if not any(pointers) else left if pointers[0] else right)

    def _assignment(self, node: c_ast.Assignment) -> int:
        value = self.value(node.rvalue)
        self.note_conversion(self.type_of(node.lvalue), node.rvalue)
        if node.op != "=":
            moved = self.value(node.lvalue)
            self._note_write(node.lvalue)
            self._store_number(node.lvalue)
            if node.op in ("+=", "-="):
                self._move(node.lvalue, moved)
            return moved if node.op in ("+=", "-=") else NOWHERE
        self.assign(node.lvalue, value)
        return value

    def _note_write(self, target: Any) -> None:
        symbol = self._symbols.get(id(target)) if isinstance(target, c_ast.ID) else None
        if self._slot(symbol) is None:
            self._note_access(self.type_of(target), self.lvalue(target)[0], self.code.written)

    def assign(self, target: Any, value: int) -> None:
        """`target = value`, of any type."""
        symbol = self._symbols.get(id(target)) if isinstance(target, c_ast.ID) else None
        slot = self._slot(symbol)
        if slot is not None:
            self.code.copies.append((slot, value))
            return
        base, key = self.lvalue(target)
        self.put(base, key, self.type_of(target), value)
        self._store_number(target)

    def put(self, base: int, key: Key, ctype: CType, value: int) -> None:
        """Stores a value of a type."""
        self._note_access(ctype, base, self.code.written)
        if value == NOWHERE:
            return
        base = self.part(base, key, ctype) if ctype.kind != "pointer" else base
        if ctype.kind in ("struct", "union", "array", "unknown"):
            self.code.blocks.append((base, value))
        if ctype.kind in ("pointer", "unknown"):
            self.code.stores.append((base, ANY if ctype.kind == "unknown" else key, value))
        if key == ANY:
            self.code.escapes.append(value)  # a part of a union: it may be read as a number

    def _store_number(self, target: Any) -> None:
        """As `_read_number`, of what is stored."""
        if self.type_of(target).is_number and self.is_in_union(target):
            self.overwrite(self.lvalue(target)[0])
        elif self._may_be_part(target):
            base, key = self.lvalue(target)
            self.overwrite(base, bytes_of(key))

    def _cast(self, node: c_ast.Cast) -> int:
        self.evaluate_lengths(node.to_type)
        inner, source, target = self.value(node.expr), self.type_of(node.expr), self.type_of(node)
        if target.is_number:
            if inner != NOWHERE:
                self.code.escapes.append(inner)  # an address as a number may become a pointer again
            return NOWHERE
        if target.kind == "void":
            return NOWHERE
        self._note_other_use(source, target)
        self.note_conversion(target, node.expr)
        if {(ctype.target or UNKNOWN).element.kind for ctype in (source, target)} in _AS_NUMBERS:
            self.leak(inner)  # pointers are read, or made, as what has none
            self.overwrite(inner)
        if target.kind == "unknown" and inner != NOWHERE:
            self.code.escapes.append(inner)
        is_number = source.kind in ("int", "unknown") and not isinstance(node.expr, c_ast.Constant)
        return self.either(inner, self.foreign()) if is_number and target.kind != "struct" else inner

    def _literal(self, node: c_ast.CompoundLiteral) -> int:
        made = Object(node, id(node), "a literal", automatic=bool(self.code.name))
        base, ctype = self.pointer_to(made), self.type_of(node)
        self.initialise(base, CELL, ctype, node.init)
        if ctype.kind in ("struct", "union", "array"):
            return base
        read = self.code.slot()
        self.code.loads.append((read, base, CELL))
        return read
