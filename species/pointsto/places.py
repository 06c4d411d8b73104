"""What lvalues and variables are in the instructions of points-to analysis, and how pointers get lost."""

from __future__ import annotations

from abc import abstractmethod
from typing import Any

from pycparser import c_ast

from species.pointsto.instructions import ANY, CELL, NOWHERE, Key, Object
from species.pointsto.static_types import StaticTypes
from species.pointsto.variables import FRESH, Unsupported, is_function
from species.source.syntax.tree import walk
from species.symbols.summaries import bare
from species.symbols.symbols import Symbol
from species.symbols.types import UNKNOWN, CType

ASSIGNED = ("++", "--", "p++", "p--")


class Places(StaticTypes):
    """The lvalues of one function."""

    @abstractmethod
    def value(self, node: Any) -> int:
        """The slot of what an expression points to: see `Expressions`."""

    def lvalue(self, node: Any) -> tuple[int, Key]:
        """What leads to the memory of an lvalue, and which part of it that is."""
        found = self._lvalue(node)
        self.code.lvalues[id(node)] = found[0]
        return found

    def _lvalue(self, node: Any) -> tuple[int, Key]:
        match node:
            case c_ast.ID():
                symbol = self._symbols.get(id(node))
                return (self.address(symbol) if symbol is not None else NOWHERE), CELL
            case c_ast.ArrayRef():
                base, index = node.name, node.subscript
                if self.type_of(base).is_integer:
                    base, index = index, base
                self.value(index)
                return self.lvalue(base) if self.type_of(base).kind == "array" else (self.value(base), CELL)
            case c_ast.UnaryOp(op="*"):
                array = self.type_of(node.expr).kind == "array"
                return self.lvalue(node.expr) if array else (self.value(node.expr), CELL)
            case c_ast.StructRef():
                return self._member(node)
        return self.value(node), CELL

    def _member(self, node: c_ast.StructRef) -> tuple[int, Key]:
        owner = self.type_of(node.name)
        if node.type == "->":
            owner, base = owner.target or UNKNOWN, self.value(node.name)
        else:
            base = self._within(node.name)
        if self.is_choice(owner):
            return self.lvalue(node.name) if node.type == "." else (base, CELL)
        if owner.kind == "union" and self._holds_pointers(self.type_of(node).element):
            self.variables.by_member = False  # another structure may lie there, with other names
        is_part = owner.kind == "struct" and self._types.member(owner, node.field.name).kind != "unknown"
        return base, node.field.name if is_part else ANY

    def _within(self, node: Any) -> int:
        """What leads to a structure, or to an array of some: a part of its object where it is a member."""
        base, key = self.lvalue(node)
        return self.part(base, key, self.type_of(node))

    def part(self, base: int, key: Key, ctype: CType) -> int:
        """What leads to a member of a type: a part of the object, where it is a structure."""
        if ctype.element.kind != "struct" or key in (CELL, ANY) or base == NOWHERE:
            return base
        slot = self.code.slot()
        self.code.parts.append((slot, base, key, ctype.element.tag))
        self.code.within[slot] = base
        return slot

    def _holds_pointers(self, ctype: CType) -> bool:
        """May a structure have a pointer in it?"""
        return ctype.kind == "struct" and self.may_hold_pointers(ctype)

    def may_hold_pointers(self, ctype: CType) -> bool:
        """May something of the type be a pointer, or have one in it?"""
        element = ctype.element
        if element.kind not in ("struct", "union") or not self._types.has_layout(element):
            return not element.is_number
        return any(map(self.may_hold_pointers, self._types.members(element)))

    def is_choice(self, ctype: CType) -> bool:
        """Is it a union of pointers only, to numbers or to anything?  That is one pointer."""
        if ctype.kind != "union" or not self._types.has_layout(ctype):
            return False
        kinds = {member.kind for member in self._types.members(ctype)}
        targets = {(member.target or UNKNOWN).kind for member in self._types.members(ctype)}
        return kinds == {"pointer"} and targets <= {"int", "float", "void"}

    def address(self, symbol: Symbol) -> int:
        """A pointer to a variable, or to a function."""
        if is_function(symbol):
            return self.pointer_to(Object(None, id(symbol), symbol.name, shared=True))
        if symbol.peculiar:
            return self.foreign()  # it may be another variable as well
        return self.pointer_to(self.variables.object(symbol, self.code.name))

    def pointer_to(self, thing: Object) -> int:
        slot = self.code.slot()
        self.code.addresses.append((slot, thing))
        return slot

    def _slot(self, symbol: Symbol | None) -> int | None:
        """The slot of a variable that has one: nothing but its name leads to it."""
        if symbol is None or symbol.outlives_function or symbol.address_taken or symbol.peculiar:
            return None
        if symbol.ctype.volatile:
            return None
        is_scalar = symbol.is_scalar or symbol.ctype.kind == "function"
        if not is_scalar or symbol.ctype.kind == "unknown":
            return None
        if symbol not in self.variables.slots:
            self.variables.slots[symbol] = (self.code.name, self.code.slot())
        name, slot = self.variables.slots[symbol]
        if name != self.code.name:
            raise Unsupported(symbol.name)
        return slot

    # Pointers on their way

    def either(self, *slots: int) -> int:
        found = [slot for slot in dict.fromkeys(slots) if slot != NOWHERE]
        if len(found) < 2:
            return found[0] if found else NOWHERE
        joined = self.code.slot()
        self.code.copies += [(joined, slot) for slot in found]
        return joined

    def moved(self, slot: int) -> int:
        """A pointer to somewhere else in the same object."""
        if slot == NOWHERE:
            return NOWHERE
        to = self.code.slot()
        self.code.moves.append((to, slot))
        return to

    def whole(self, slot: int) -> int:
        """A pointer to the same place, as one of any type."""
        if slot == NOWHERE:
            return NOWHERE
        to = self.code.slot()
        self.code.wholes.append((to, slot))
        return to

    def foreign(self) -> int:
        """A pointer of which nothing is known."""
        slot = self.code.slot()
        self.code.unknown.append(slot)
        return slot

    def leak(self, base: int, key: Key = ANY) -> None:
        """The pointers in an object, or a part of it, get to where nobody follows them."""
        if base != NOWHERE:
            held = self.code.slot()
            self.code.loads.append((held, base, key))
            self.code.escapes.append(held)

    def overwrite(self, base: int, key: Key = ANY) -> None:
        """Something is stored in an object, or a part of it, that may be any pointer."""
        if base != NOWHERE:
            self.code.stores.append((base, key, self.foreign()))

    def _note_access(self, ctype: CType, base: int, accessed: set[int]) -> None:
        while base in self.code.within:  # the same object, as `Confined` looks for it
            base = self.code.within[base]
        accessed.add(base)
        self.code.opaque |= self._types.has_volatile(ctype)

    def _is_first(self, node: Any) -> bool:
        """Is an lvalue where its object, or what its pointer leads to, begins?"""
        match node:
            case c_ast.ArrayRef(subscript=c_ast.Constant(value="0")):
                return self.type_of(node.name).kind != "array" or self._is_first(node.name)
            case c_ast.UnaryOp(op="*"):
                return self.type_of(node.expr).kind != "array" or self._is_first(node.expr)
        return not isinstance(node, c_ast.ArrayRef | c_ast.StructRef)

    def evaluate_lengths(self, ctype: Any) -> None:
        """The lengths of arrays in a type; nobody writes any that do more than give a number."""
        for node in walk(ctype) if ctype is not None else ():
            if isinstance(node, c_ast.ArrayDecl) and node.dim is not None:
                self.refuse_effects(node.dim)
                self.value(node.dim)

    def refuse_effects(self, node: Any) -> None:
        """Raises Unsupported where an expression does more than give a value."""
        for part in walk(node):
            changes = isinstance(part, c_ast.UnaryOp) and part.op in ASSIGNED
            if changes or isinstance(part, c_ast.Assignment | c_ast.FuncCall):
                raise Unsupported("a length with an effect")

    # Types that stand for others

    def note_conversion(self, target: CType, node: Any) -> None:
        """A value becomes one of another type."""
        self.note_other_pointer(target, node)
        node = bare(node)
        if isinstance(node, c_ast.FuncCall) and self._is_new(node):
            return
        kinds = [(ctype.target or UNKNOWN).element.kind for ctype in (target, self.type_of(node))]
        others = ("void", "int", "struct", "union", "unknown")
        if "pointer" in kinds and any(kind in others for kind in kinds) and target.kind == "pointer":
            is_null = isinstance(node, c_ast.Constant)
            self.variables.cells_apart &= is_null

    def note_other_pointer(self, target: CType, node: Any) -> None:
        """What a pointer to a structure becomes may lead to what the structure is a part of."""
        if isinstance(node, c_ast.TernaryOp):
            self.note_other_pointer(target, node.iftrue)
            self.note_other_pointer(target, node.iffalse)
            return
        source = (self.type_of(node).target or UNKNOWN).element
        other = (target.target or UNKNOWN).element
        same = other.kind == "struct" and other.tag == source.tag
        if source.kind == "struct" and not same and not target.is_number:
            self.variables.flat.add(source.tag)

    def _is_new(self, node: c_ast.FuncCall) -> bool:
        """Does the call give new memory, of whatever type?"""
        return getattr(node.name, "name", "") in FRESH or id(node) in self.variables.resolution.allocating

    def _note_other_use(self, source: CType, target: CType) -> None:
        """A structure that is used as another one has its members at other names."""
        one, other = source.target, target.target
        if one is None or other is None or not {one.kind, other.kind} <= {"struct", "union", "pointer"}:
            return
        if one.kind != other.kind or (one.kind != "pointer" and one.tag != other.tag):
            self.variables.by_member = False
