"""Places in memory: finds them, reads them, writes them."""

from __future__ import annotations

from dataclasses import replace
from itertools import count
from typing import Any

from pycparser import c_ast

from species.loops import expressions as ex
from species.loops.environment import Key, Known, is_shared, unknown
from species.loops.expressions import NOTHING, Evaluated, text_length
from species.loops.model import Place, Pointer
from species.loops.modified import Written, members_of, writes_may_change
from species.loops.walk.aggregates import Aggregates
from species.loops.walk.nulls import is_zero, null_pointer
from species.loops.walk.selected_indices import Assigned
from species.sets.affine import Affine, Value, constant
from species.sets.conditions import Compare
from species.sets.domains import implied
from species.sets.modular import flat
from species.sets.products import product
from species.source.syntax.tree import walk
from species.symbols.symbols import Symbol
from species.symbols.types import BIT_FIELD, INT, SIZE, UNKNOWN, CType

_numbers = count()
# Expressions whose operands are not promoted: their type is `sizeof`'s.
_TYPED = (c_ast.Typename, c_ast.ID, c_ast.ArrayRef, c_ast.StructRef, c_ast.FuncCall, c_ast.Cast)


class Memory(Aggregates):
    """Lvalues: which place they mean, what is known to be there, what a write changes."""

    # Reading

    def load(self, node: Any) -> Evaluated:
        if isinstance(node, c_ast.ID) and node.name in self.types.constants and not self.symbol(node):
            value = self._enumerator(node.name)
            fits = not value.is_constant or INT.value_range[0] <= value.constant <= INT.value_range[1]
            return Evaluated(value, INT) if fits else self._large(node.name, value)
        place = self.place(node)
        if place is None or place.ctype.kind == "function":
            return NOTHING
        if place.ctype.kind == "array" and not self._is_pointer_variable(place):
            self.note_peculiar(place.symbol, node)
            return Evaluated(ex.decayed(place), place.ctype)
        self.record(place, False, node)
        if place.ctype.kind == "struct":
            return Evaluated(None, place.ctype, self.members_at(place))
        found = self.value_at(place)
        if isinstance(found, Pointer) and place.ctype.target is not None:
            found = ex.retyped(found, place.ctype.target)  # it may have been stored as another type's
        return Evaluated(found, place.ctype)

    def _is_pointer_variable(self, place: Place) -> bool:
        """Array parameters are pointers."""
        return place.is_variable and place.symbol.storage == "parameter"

    def value_at(self, place: Place) -> Known:
        if place.loose:
            return self.fresh(place.name, place.ctype, "memory") if place.ctype.is_integer else None
        if place.ctype.volatile or place.symbol.ctype.volatile:
            key = place.symbol if place.is_variable else place
            return unknown(key, ("volatile", next(_numbers)), self.loop_set)
        if not place.is_variable:
            row = self._row(place)
            return row or (self.env.get(place) if place.ctype.kind in ("int", "pointer") else None)
        symbol = place.symbol
        if (
            symbol.ctype.const
            and not symbol.ctype.volatile
            and not symbol.replaceable
            and symbol not in self.env.values
            and symbol.node is not None
            and symbol.scope is None
        ):
            folded = self._constant_initialiser(symbol)
            if folded is not None:
                return folded
        return self.env.get(symbol)

    def _row(self, place: Place) -> Pointer | None:
        """The row that an element of a table of rows points to."""
        rows = self.tables.get(place.symbol)
        if rows is None or len(place.path) != 1:
            return None
        target = place.ctype.target or UNKNOWN
        return Pointer(Place(rows, place.path, None, place.ctype), Affine(), target)

    def _constant_initialiser(self, symbol: Symbol) -> Affine | None:
        initialiser = getattr(symbol.node, "init", None)
        if initialiser is None or not symbol.ctype.is_integer:
            return None
        with self.quietly():
            value = self.stored(self.evaluate(initialiser), symbol.ctype)
        return value if isinstance(value, Affine) and value.is_constant else None

    def _large(self, name: str, value: Affine) -> Evaluated:
        """An enumerator that is no `int` has the type of its enumeration."""
        ctype = self.types.large.get(name)
        return Evaluated(value, ctype) if ctype is not None else NOTHING

    def _enumerator(self, name: str) -> Affine:
        if self.types.constants[name] is None:
            return self.fresh(name, INT, "not affine")
        expression, previous = self.types.constants[name]
        if expression is not None:
            value = self.evaluate(expression).value
            return value if isinstance(value, Affine) else self.fresh(name, INT, "not affine")
        return self._enumerator(previous) + 1 if previous else constant(0)

    # Places

    def place(self, node: Any) -> Place | None:
        """The place that an lvalue means; what is read on the way there is recorded."""
        match node:
            case c_ast.ID():
                symbol = self.symbol(node)
                return Place(symbol, ctype=symbol.ctype) if symbol else None
            case c_ast.ArrayRef():
                return self._element(node)
            case c_ast.UnaryOp(op="*"):
                return self._target(self.evaluate(node.expr), constant(0), node)
            case c_ast.StructRef():
                return self._member(node)
        self.evaluate(node)
        return self._somewhere(node)

    def _somewhere(self, node: Any, ctype: CType = UNKNOWN) -> Place:
        """A place of which nothing is known."""
        symbol = Symbol(self.text(node), ctype, "memory", exposed=True, points_to=self.effects.points_to)
        base = Value(("somewhere", next(_numbers), node), self.loop_set, symbol.name, INT, "memory")
        return Place(symbol, (), base, ctype, loose=True)

    def _element(self, node: c_ast.ArrayRef) -> Place:
        base = self.evaluate(node.name)
        if not isinstance(base.value, Pointer) and base.ctype.is_integer:
            base, index = self.evaluate(node.subscript), self.integer(node.name)[0]
        else:
            index = self.integer(node.subscript)[0]
        return self._target(base, index, node)

    def _target(self, pointer: Evaluated, index: Affine, node: Any) -> Place:
        if not isinstance(pointer.value, Pointer):
            return self._somewhere(node, pointer.ctype.target or UNKNOWN)
        index = flat(index)
        found = ex.dereferenced(pointer.value, index)
        lengths = self._row_lengths(pointer.value.place)
        found = replace(found, lengths=lengths) if lengths else found
        if pointer.value.reach == "row" and not self._stays_in_row(pointer.value, index):
            whole = len(found.subscripts) == len(found.path) == len(lengths) + 1
            number = found.linear if whole else None
            row = None if whole else ex.row_number(found)
            path = found.path if number is not None else ()
            return replace(found, path=path, loose=True, flat=number, row=row)
        return found

    def _stays_in_row(self, pointer: Pointer, index: Affine) -> bool:
        """Is `pointer[index]` certainly in the row of the array that the pointer was made from?"""
        place, at = pointer.place, pointer.offset + index
        if place.symbol.is_rows:
            return len(place.path) == 1  # each is memory of its own
        lengths = self._row_lengths(place)
        is_own = 0 < len(place.subscripts) == len(place.path) <= len(lengths)
        size = lengths[len(place.path) - 1] if is_own else self._length_of(place)
        return (
            size is not None
            and implied(Compare(at), self.facts)
            and implied(Compare(size - 1 - at), self.facts)
        )

    def _length_of(self, place: Place) -> Affine | None:
        """How many elements a row has that is a part of a structure, where its type alone tells."""
        ctype: CType | None = place.symbol.ctype
        for step in place.path:
            if ctype is None:
                return None
            ctype = self.types.member(ctype, step) if isinstance(step, str) else ctype.target
        if ctype is None or ctype.kind != "array" or not isinstance(ctype.extent, c_ast.Node):
            return None
        with self.quietly():
            size = self.length(ctype.extent)
        return size if isinstance(size, Affine) and size.is_constant else None

    def _row_lengths(self, place: Place) -> tuple[Affine, ...]:
        """How many elements the rows of an array of arrays have, outer ones first; () where nobody knows.

        Lengths that are values are those that were found where the type is written.
        """
        ctype = place.symbol.ctype.target
        is_reached = place.base is not None and any(isinstance(part, Place) for part in place.base.key)
        if ctype is None or ctype.kind != "array" or place.symbol.is_rows or is_reached:
            return ()
        lengths = []
        while ctype is not None and ctype.kind == "array":
            with self.quietly():
                length = self.length(ctype.extent) if isinstance(ctype.extent, c_ast.Node) else None
            is_known = isinstance(length, Affine) and (length.is_constant or id(ctype.extent) in self.lengths)
            if not isinstance(length, Affine) or not is_known:
                return ()
            lengths.append(length)
            ctype = ctype.target
        return tuple(lengths)

    def _member(self, node: c_ast.StructRef) -> Place:
        if node.type == "->":
            owner: Place | None = self._target(self.evaluate(node.name), constant(0), node)
        else:
            owner = self.place(node.name)
        if owner is None:
            return self._somewhere(node)
        return self.part(owner, node.field.name)

    def part(self, owner: Place, name: str) -> Place:
        """A member of a structure or union."""
        ctype = self.types.member(owner.ctype, name)
        if ctype.kind == "array" and getattr(ctype.extent, "value", "1") in ("0", "1"):
            self.model.open_ended.add(owner.symbol)
        # A member of an anonymous union is not found in its owner: it may overlap its neighbours.
        alone = owner.ctype.kind != "union" or self.unions.is_alone(self.model.name, owner.ctype, name)
        apart = alone and ctype.text != BIT_FIELD and ctype.kind != "unknown"
        if owner.loose or not apart or self._runs_on(owner, ctype, name):
            flat = owner.flat if not self.types.has_no_length(ctype) else None
            return replace(owner, ctype=ctype, loose=True, flat=flat)
        return replace(owner, path=(*owner.path, name), ctype=ctype)

    def _runs_on(self, owner: Place, ctype: CType, name: str) -> bool:
        """Is it an array of no length with something behind it, in its structure or in one around that?"""
        if not self.types.has_no_length(ctype):
            return False
        is_alone = all(step == constant(0) for step in owner.path)
        return not is_alone or not self.types.is_last(owner.ctype, name)

    # Writing

    def store(self, place: Place | None, result: Evaluated, node: Any) -> Evaluated:
        """Assigns to a place: records the write and updates what is known."""
        if place is None:
            return NOTHING
        self.record(place, True, node)
        value = self.stored(result, place.ctype)
        if place.is_variable:
            if place.symbol in self.watched:
                self.watched[place.symbol].append(Assigned(node, value, self.facts))
            self._set(place.symbol, value)
            self._note_allocation(place.symbol)
            if is_shared(place.symbol) or not place.symbol.is_scalar:
                self._spread(place)
            self.note_members(place, result)
        else:
            self._spread(place)
            if not place.loose and isinstance(value, Affine):
                self.env.values[place] = value
            self.note_members(place, result)
        return Evaluated(value, place.ctype)

    def stored(self, result: Evaluated, ctype: CType) -> Known:
        value = result.value
        if ctype.is_integer and isinstance(value, Affine) and result.ctype.is_integer:
            return ex.convert(value, result.ctype, ctype, self.facts)
        if ctype.kind == "pointer" and is_zero(value, result.ctype):
            target = ctype.target or UNKNOWN
            return null_pointer(target) if target.kind != "unknown" else None
        if ctype.kind in ("pointer", "array") and isinstance(value, Pointer):
            if not ex.is_same_type(ctype.target or UNKNOWN, value.target, self.of_one_length):
                return ex.viewed(value, ctype.target)
            value = ex.retyped(value, ctype.target or UNKNOWN)
            in_row = value.reach == "array" and ex.is_row(value.place)
            return replace(value, reach="row") if in_row else value
        return None

    def _set(self, symbol: Symbol, value: Known) -> None:
        moved = (
            isinstance(value, Pointer)
            and symbol not in self.tracked
            and (symbol.is_single_allocation or value.place.symbol is symbol)
        )
        if value is None or moved:  # what is reached from here on is named by the variable as it is now
            self.env.forget(symbol, self.loop_set)
        else:
            self.env.values[symbol] = value

    def _note_allocation(self, symbol: Symbol) -> None:
        """`p = malloc(n * sizeof(double))`: p has n elements."""
        known = not symbol.is_single_allocation or symbol in self.model.extents
        if known or symbol.ctype.target is None or symbol.ctype.target.kind == "array" or self.quiet:
            return
        given = self.given.get(id(symbol.allocation))
        if given is None:
            return  # a null pointer, before it
        sizes = [v if isinstance(v, Affine) else self.fresh("?", SIZE, "a size") for v in given]
        element = self._bytes(symbol.ctype.target)
        if symbol.allocation.name.name == "calloc" and len(sizes) == 2 and sizes[1] == element:
            self.model.extents[symbol] = (sizes[0],)
        elif (
            len(sizes) == 1
            and element.is_constant
            and all(c % element.constant == 0 for _, c in sizes[0].terms)
        ):
            terms = frozenset((a, c // element.constant) for a, c in sizes[0].terms)
            self.model.extents[symbol] = (Affine(terms, sizes[0].constant // element.constant),)

    def _spread(self, place: Place) -> None:
        """Forgets what a write of `place` may have changed elsewhere."""
        written = Written(place.symbol, place.ctype, members_of(place), place)

        def changed(key: Key) -> bool:
            if isinstance(key, Symbol) and place.is_variable:
                return False
            bytes_of_it = key is place.symbol and place.base is None and place.loose
            return bytes_of_it or writes_may_change(written, key)

        def by_pointer(key: Key) -> bool:
            own = key if isinstance(key, Symbol) else key.symbol
            return place.symbol is not own or (isinstance(key, Symbol) and place.base is not None)

        self.env.forget_where(changed, self.loop_set, by_pointer)

    # Sizes

    def size(self, node: Any) -> Affine:
        """`sizeof node`, for a type name or an expression."""
        if isinstance(node, c_ast.Constant) and node.type == "string":
            length = text_length(node.value)
            return self.fresh("sizeof", SIZE, "a size") if length is None else constant(length + 1)
        if not isinstance(node, _TYPED) and not (isinstance(node, c_ast.UnaryOp) and node.op in ("*", "&")):
            return self.fresh("sizeof", SIZE, "a size")  # of the type that operands are promoted to
        ctype = self.types.resolve(node) if isinstance(node, c_ast.Typename) else self.scanner.type_of(node)
        symbol = self.symbol(node)
        if symbol is None or symbol.ctype.kind != "array":
            return self._bytes(ctype)
        return self._bytes(ctype.decayed) if symbol.storage == "parameter" else self._declared_size(symbol)

    def _declared_size(self, array: Symbol) -> Affine:
        """The size of an array, which has the lengths that it was declared with."""
        if array not in self.model.extents:
            self.note_extents(array)
        size: Affine | None = self._bytes(array.ctype.element)
        for length in self.model.extents[array]:
            size = product(size, length) if size is not None and length is not None else None
        return self.fresh(f"sizeof {array.name}", SIZE, "a size") if size is None else size

    def _bytes(self, ctype: CType) -> Affine:
        """The size of a type: known for arithmetic types, else opaque, a new one for what may vary."""
        if ctype.kind in ("int", "float") and 0 < ctype.bits <= 64:
            return constant(max(1, ctype.bits // 8))
        if ctype.kind == "array" and ctype.target is not None and isinstance(ctype.extent, c_ast.Node):
            with self.quietly():
                length = self.length(ctype.extent)
            if isinstance(length, Affine) and length.is_constant:
                return self._bytes(ctype.target).scaled(length.constant)
        fixed = ctype.kind in ("float", "complex", "pointer")
        if fixed or (ctype.kind in ("struct", "union") and self.types.has_layout(ctype)):
            name = "void *" if ctype.kind == "pointer" else ctype.text  # an array parameter is a pointer
            return Affine.of(Value(("sizeof", name), frozenset(), f"sizeof({name})", SIZE))
        return self.fresh(f"sizeof({ctype.text})", SIZE, "a size")

    def length(self, extent: Any) -> Known:
        """The length of an array, which was found where its type is written; nothing is evaluated twice."""
        if id(extent) in self.lengths:
            return self.lengths[id(extent)]
        return None if self.scanner.modified(extent).anything else self.evaluate(extent).value

    def of_one_length(self, first: Any, second: Any) -> bool:
        """Are arrays with these size expressions of one length?  Variables in them must be so for ever."""
        if first is second or first is None or second is None:
            return True
        names = [self.symbol(n) for size in (first, second) for n in walk(size) if isinstance(n, c_ast.ID)]
        if not all(s is None or _is_fixed(s) for s in names):
            return False
        with self.quietly():
            a, b = self.length(first), self.length(second)
        return isinstance(a, Affine) and a == b and not self.scanner.modified(first, second).anything

    def note_extents(self, symbol: Symbol | None) -> None:
        """How many elements an array has in each dimension, where its declaration, or every call, says so."""
        if symbol is not None and symbol.elements is not None:
            self.model.extents[symbol] = (constant(symbol.elements),)
        if symbol is None or symbol.ctype.kind != "array" or symbol.elements is not None:
            return
        sizes: list[Affine | None] = []
        ctype: CType | None = symbol.ctype
        with self.quietly():
            while ctype is not None and ctype.kind == "array":
                value = self.length(ctype.extent) if isinstance(ctype.extent, c_ast.Node) else None
                sizes.append(value if isinstance(value, Affine) else None)
                ctype = ctype.target
        if symbol.storage == "parameter":
            sizes[0] = None  # a caller may pass any number of rows
        elif sizes[0] is None:
            sizes[0] = self._length_of_initialiser(symbol)
        self.model.extents[symbol] = tuple(sizes)

    def _length_of_initialiser(self, symbol: Symbol) -> Affine | None:
        initialiser = getattr(symbol.node, "init", None)
        if not isinstance(initialiser, c_ast.InitList) or symbol.replaceable:
            return None
        element = symbol.ctype.target or UNKNOWN
        return constant(len(initialiser.exprs)) if _is_one_each(initialiser, element) else None


def _is_one_each(initialiser: c_ast.InitList, element: CType) -> bool:
    """Does every item of a list stand for one element?

    A designator says which; a text in braces stands for all (C11 6.7.9p14), and elements with parts take as
    many items as they have, where they have no braces of their own (p20).
    """
    if any(isinstance(item, c_ast.NamedInitializer) for item in initialiser.exprs):
        return False
    if element.kind in ("array", "struct", "union", "unknown"):
        return all(isinstance(item, c_ast.InitList) for item in initialiser.exprs)
    texts = any(isinstance(n, c_ast.Constant) and "string" in n.type for n in initialiser.exprs)
    return not (texts and element.is_integer)


def _is_fixed(symbol: Symbol) -> bool:
    """Does the variable keep the value that it starts with?"""
    outside = symbol.storage == "global" and not symbol.ctype.const
    return not (symbol.writes or symbol.address_taken or outside or symbol.ctype.volatile)
