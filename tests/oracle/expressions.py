"""C expressions as closures `(machine, frame) -> value`; lvalues as closures that give (object, index)."""

from __future__ import annotations

import operator
from collections.abc import Callable
from fractions import Fraction
from typing import Any

from pycparser import c_ast

from tests.oracle import library
from tests.oracle.memory import (
    DOUBLE,
    INT,
    LONG,
    VOID,
    Bytes,
    Object,
    Pointer,
    Type,
    UndefinedError,
    convert,
)

Closure = Callable[..., Any]
_COMPARE = {
    "<": operator.lt,
    "<=": operator.le,
    ">": operator.gt,
    ">=": operator.ge,
    "==": operator.eq,
    "!=": operator.ne,
}
_BITS = {"&": operator.and_, "|": operator.or_, "^": operator.xor}
_SIZES = {"char": 8, "short": 16, "int": 32, "long": 64, "_Bool": 8, "size_t": 64}


def common(a: Type, b: Type) -> Type:
    """The usual arithmetic conversions."""
    if "float" in (a.kind, b.kind):
        return DOUBLE
    a, b = promoted(a), promoted(b)
    if a.bits != b.bits:
        return a if a.bits > b.bits else b
    return a if not a.signed else b


def promoted(a: Type) -> Type:
    return INT if a.kind != "int" or a.bits < 32 else a


def divide(a: Any, b: Any, ctype: Type) -> Any:
    if b == 0:
        raise UndefinedError("division by zero")
    if ctype.kind == "float":
        return convert(Fraction(a) / Fraction(b), DOUBLE)
    quotient = abs(a) // abs(b)
    return quotient if (a >= 0) == (b > 0) else -quotient


def arithmetic(op: str, ctype: Type) -> Callable[[Any, Any], Any]:
    """The operation on two values of one type."""
    if op == "/":
        return lambda a, b: divide(a, b, ctype)
    if op == "%":
        return lambda a, b: a - b * divide(a, b, ctype)
    if op in ("<<", ">>"):
        return lambda a, b: convert(_shift(op, a, b), ctype)
    plain = {"+": operator.add, "-": operator.sub, "*": operator.mul, **_BITS}[op]
    return lambda a, b: convert(plain(a, b), ctype)


def _shift(op: str, a: int, b: int) -> int:
    if not 0 <= b < 32 or (op == "<<" and a < 0):
        raise UndefinedError("shift")
    return a << b if op == "<<" else a >> b


class ExpressionCompiler:
    """Expressions and types in a stack of scopes; names are slots of the frame or globals."""

    def __init__(self) -> None:
        self.scopes: list[dict[str, tuple[Any, Type]]] = [{}]
        self.typedefs: dict[str, Type] = {"size_t": Type("int", 64, False)}
        self.structs: dict[str, Type] = {}
        self.enumerators: dict[str, int] = {}
        self.functions: dict[str, Any] = {}
        self.slots = 0

    # Types

    def type_of(self, node: Any) -> Type:
        match node:
            case c_ast.TypeDecl() | c_ast.Decl() | c_ast.Typename():
                return self.type_of(node.type)
            case c_ast.PtrDecl():
                return Type("pointer", 64, target=self.type_of(node.type))
            case c_ast.ArrayDecl():
                size = self.rvalue(node.dim)[0] if node.dim is not None else None
                return Type("array", target=self.type_of(node.type), size=size)
            case c_ast.IdentifierType():
                return self._named(node.names)
            case c_ast.Struct():
                return self._struct(node)
            case c_ast.Enum():
                self._enum(node)
                return INT
        return Type("function")

    def _named(self, names: list[str]) -> Type:
        if names[-1] in self.typedefs:
            return self.typedefs[names[-1]]
        if "double" in names or "float" in names:
            return DOUBLE
        if "void" in names:
            return VOID
        bits = next((_SIZES[n] for n in names if n in _SIZES and n != "int"), 32)
        return Type("int", bits, "unsigned" not in names and "_Bool" not in names)

    def _struct(self, node: c_ast.Struct) -> Type:
        if node.decls is not None:
            found = Type("struct", members=tuple((d.name, self.type_of(d)) for d in node.decls))
            self.structs[node.name] = found
        return self.structs.get(node.name, Type("struct"))

    def _enum(self, node: c_ast.Enum) -> None:
        value = -1
        for item in node.values.enumerators if node.values else []:
            value = self.rvalue(item.value)[0](None, None) if item.value else value + 1
            self.enumerators[item.name] = value

    def cells(self, ctype: Type, m: Any, f: Any) -> int:
        """How many cells a value of the type takes."""
        if ctype.kind == "array":
            if ctype.size is None:
                raise UndefinedError("size")
            return int(ctype.size(m, f)) * self.cells(ctype.target, m, f)
        if ctype.kind == "struct":
            return sum(self.cells(t, m, f) for _, t in ctype.members)
        return 1

    def bytes(self, ctype: Type, m: Any, f: Any) -> int:
        if ctype.kind == "array":
            return int(ctype.size(m, f)) * self.bytes(ctype.target, m, f)
        if ctype.kind == "struct":
            return sum(self.bytes(t, m, f) for _, t in ctype.members)
        return ctype.bits // 8

    # Names

    def declare(self, name: str, ctype: Type) -> int:
        self.slots += 1
        self.scopes[-1][name] = (self.slots - 1, ctype)
        return self.slots - 1

    def lookup(self, name: str) -> tuple[Any, Type] | None:
        return next((s[name] for s in reversed(self.scopes) if name in s), None)

    def variable(self, name: str) -> tuple[Closure, Type]:
        """The object of a variable."""
        found = self.lookup(name)
        if found is None:
            raise UndefinedError(f"no variable {name}")
        slot, ctype = found
        if isinstance(slot, int):
            return lambda m, f: f[slot], ctype
        return lambda m, f: m.globals[slot], ctype

    # Lvalues

    def lvalue(self, node: Any) -> tuple[Closure, Type]:
        match node:
            case c_ast.ID():
                get, ctype = self.variable(node.name)
                return lambda m, f: (_alive(get(m, f)), 0), ctype
            case c_ast.ArrayRef():
                return self._element(node)
            case c_ast.UnaryOp(op="*"):
                return self._pointee(node.expr)
            case c_ast.StructRef():
                return self._member(node)
        raise UndefinedError(f"no lvalue: {type(node).__name__}")

    def _element(self, node: c_ast.ArrayRef) -> tuple[Closure, Type]:
        if not self.is_array(node.name) and self.rvalue(node.name)[1].kind != "pointer":
            node = c_ast.ArrayRef(node.subscript, node.name, node.coord)  # `1[a]`
        index, _ = self.rvalue(node.subscript)
        if self.is_array(node.name):
            get, ctype = self.lvalue(node.name)
            return self._array_element(get, ctype, index), ctype.target
        pointer, ctype = self.rvalue(node.name)
        if ctype.kind != "pointer":
            raise UndefinedError("subscript of no pointer")

        def place(m: Any, f: Any) -> Any:
            base = pointer(m, f)
            return base.target, base.index + index(m, f) * self.cells(ctype.target, m, f)

        return place, ctype.target

    def _array_element(self, get: Closure, ctype: Type, index: Closure) -> Closure:
        def place(m: Any, f: Any) -> Any:
            target, base = get(m, f)
            position = index(m, f)
            if ctype.size is not None and not 0 <= position < ctype.size(m, f):
                raise UndefinedError("out of bounds")
            return target, base + position * self.cells(ctype.target, m, f)

        return place

    def is_array(self, node: Any) -> bool:
        """Is the expression an array object?"""
        match node:
            case c_ast.ID():
                found = self.lookup(node.name)
                return found is not None and found[1].kind == "array"
            case c_ast.ArrayRef() | c_ast.StructRef() | c_ast.UnaryOp(op="*"):
                return self.lvalue(node)[1].kind == "array"
        return False

    def _pointee(self, node: Any) -> tuple[Closure, Type]:
        pointer, ctype = self.rvalue(node)
        if ctype.kind != "pointer":
            raise UndefinedError("no pointer")

        def place(m: Any, f: Any) -> Any:
            base = pointer(m, f)
            return base.target, base.index

        return place, ctype.target

    def _member(self, node: c_ast.StructRef) -> tuple[Closure, Type]:
        get, ctype = self._pointee(node.name) if node.type == "->" else self.lvalue(node.name)
        names = [n for n, _ in ctype.members]
        position = names.index(node.field.name)
        before = [t for _, t in ctype.members[:position]]

        def place(m: Any, f: Any) -> Any:
            target, base = get(m, f)
            return target, base + sum(self.cells(t, m, f) for t in before)

        return place, ctype.members[position][1]

    # Rvalues

    def rvalue(self, node: Any) -> tuple[Closure, Type]:
        match node:
            case c_ast.Constant():
                return _literal(node)
            case c_ast.ID() if self.lookup(node.name) is None and node.name in self.enumerators:
                value = self.enumerators[node.name]
                return lambda m, f: value, INT
            case c_ast.ID() | c_ast.ArrayRef() | c_ast.StructRef() | c_ast.UnaryOp(op="*"):
                return self._load(node)
            case c_ast.Assignment():
                return self._assignment(node)
            case c_ast.BinaryOp(op="&&" | "||"):
                return self._logical(node)
            case c_ast.BinaryOp():
                return self._binary(node.op, self.rvalue(node.left), self.rvalue(node.right))
            case c_ast.UnaryOp():
                return self._unary(node)
            case c_ast.TernaryOp():
                return self._ternary(node)
            case c_ast.Cast():
                return self.converted(self.rvalue(node.expr), self.type_of(node.to_type))
            case c_ast.FuncCall():
                return self._call(node)
            case c_ast.ExprList():
                parts = [self.rvalue(e) for e in node.exprs]
                return lambda m, f: [p(m, f) for p, _ in parts][-1], parts[-1][1]
        raise UndefinedError(f"no expression: {type(node).__name__}")

    def _load(self, node: Any) -> tuple[Closure, Type]:
        get, ctype = self.lvalue(node)
        if ctype.kind == "array":
            return lambda m, f: Pointer(*get(m, f)), Type("pointer", 64, target=ctype.target)
        if ctype.kind == "struct":
            raise UndefinedError("structure as a value")
        return lambda m, f: m.load(*get(m, f)), ctype

    def converted(self, value: tuple[Closure, Type], ctype: Type) -> tuple[Closure, Type]:
        get, source = value
        if ctype.kind == "void":
            return get, ctype
        if ctype.kind == "pointer":
            return lambda m, f: self._as_pointer(get(m, f), ctype, m, f), ctype
        if source.kind == "pointer" and ctype.kind == "int":
            return lambda m, f: get(m, f).address, ctype
        return lambda m, f: convert(get(m, f), ctype), ctype

    def _as_pointer(self, value: Any, ctype: Type, m: Any, f: Any) -> Any:
        if isinstance(value, Bytes) and ctype.target.kind != "void":
            amount = value.amount // self.bytes(ctype.target, m, f) * self.cells(ctype.target, m, f)
            new = m.new("heap", amount)
            if value.zero:
                new.cells = [0] * amount
            m.created.append(new)
            return Pointer(new)
        return value if isinstance(value, Bytes) else convert(value, ctype)

    def _assignment(self, node: c_ast.Assignment) -> tuple[Closure, Type]:
        get, ctype = self.lvalue(node.lvalue)
        right = self.rvalue(node.rvalue)
        if node.op == "=":
            value, _ = self.converted(right, ctype)

            def assign(m: Any, f: Any) -> Any:
                result = value(m, f)
                m.store(*get(m, f), result)
                return result

            return assign, ctype
        return self._update(get, ctype, node.op[:-1], right, after=True), ctype

    def _update(
        self, get: Closure, ctype: Type, op: str, right: tuple[Closure, Type], after: bool
    ) -> Closure:
        """`lvalue op= right`; the place is found once."""
        old: list[Any] = [None]
        combine, _ = self.converted(self._binary(op, (lambda m, f: old[-1], ctype), right), ctype)

        def update(m: Any, f: Any) -> Any:
            place = get(m, f)
            before = m.load(*place)
            old.append(before)
            result = combine(m, f)
            old.pop()
            m.store(*place, result)
            return result if after else before

        return update

    def _logical(self, node: c_ast.BinaryOp) -> tuple[Closure, Type]:
        left, right = self.truth(node.left), self.truth(node.right)
        if node.op == "&&":
            return lambda m, f: int(left(m, f) and right(m, f)), INT
        return lambda m, f: int(left(m, f) or right(m, f)), INT

    def truth(self, node: Any) -> Closure:
        get, ctype = self.rvalue(node)
        if ctype.kind == "pointer":
            return lambda m, f: get(m, f).target is not None
        return lambda m, f: get(m, f) != 0

    def _binary(
        self, op: str, left: tuple[Closure, Type], right: tuple[Closure, Type]
    ) -> tuple[Closure, Type]:
        (a, x), (b, y) = left, right
        if "pointer" in (x.kind, y.kind):
            return self._pointer_binary(op, left, right)
        ctype = promoted(x) if op in ("<<", ">>") else common(x, y)
        if op in _COMPARE:
            compare = _COMPARE[op]
            return lambda m, f: int(compare(convert(a(m, f), ctype), convert(b(m, f), ctype))), INT
        apply = arithmetic(op, ctype)
        return lambda m, f: apply(convert(a(m, f), ctype), convert(b(m, f), ctype)), ctype

    def _pointer_binary(self, op: str, left: Any, right: Any) -> tuple[Closure, Type]:
        if left[1].kind != "pointer" and op == "+":
            left, right = right, left
        (a, x), (b, y) = left, right
        if op in _COMPARE:
            compare = _COMPARE[op]
            return lambda m, f: int(compare(_address(a(m, f)), _address(b(m, f)))), INT
        if y.kind == "pointer":
            return lambda m, f: (a(m, f).index - b(m, f).index) // self.cells(x.target, m, f), LONG
        sign = 1 if op == "+" else -1

        def move(m: Any, f: Any) -> Any:
            base = a(m, f)
            return Pointer(base.target, base.index + sign * b(m, f) * self.cells(x.target, m, f))

        return move, x

    def _unary(self, node: c_ast.UnaryOp) -> tuple[Closure, Type]:
        if node.op == "&":
            get, ctype = self.lvalue(node.expr)
            return lambda m, f: Pointer(*get(m, f)), Type("pointer", 64, target=ctype)
        if node.op == "sizeof":
            ctype = self._static_type(node.expr)
            return lambda m, f: self.bytes(ctype, m, f), Type("int", 64, False)
        if node.op in ("++", "--", "p++", "p--"):
            get, ctype = self.lvalue(node.expr)
            one = (lambda m, f: 1), INT
            return self._update(get, ctype, node.op[-1], one, after=node.op[0] != "p"), ctype
        if node.op == "!":
            truth = self.truth(node.expr)
            return lambda m, f: int(not truth(m, f)), INT
        value, ctype = self.rvalue(node.expr)
        ctype = ctype if ctype.kind == "float" else promoted(ctype)
        if node.op == "-":
            return lambda m, f: convert(-value(m, f), ctype), ctype
        if node.op == "~":
            return lambda m, f: convert(~value(m, f), ctype), ctype
        return value, ctype

    def _static_type(self, node: Any) -> Type:
        if isinstance(node, c_ast.Typename):
            return self.type_of(node)
        return self.lvalue(node)[1] if self.is_array(node) else self.rvalue(node)[1]

    def _ternary(self, node: c_ast.TernaryOp) -> tuple[Closure, Type]:
        condition = self.truth(node.cond)
        (a, x), (b, y) = self.rvalue(node.iftrue), self.rvalue(node.iffalse)
        ctype = x if x.kind == "pointer" or y.kind == "void" else common(x, y)
        if ctype.kind == "pointer":
            return lambda m, f: a(m, f) if condition(m, f) else b(m, f), ctype
        return lambda m, f: convert(a(m, f) if condition(m, f) else b(m, f), ctype), ctype

    def _call(self, node: c_ast.FuncCall) -> tuple[Closure, Type]:
        name = node.name.name
        arguments = [self.rvalue(a) for a in (node.args.exprs if node.args else [])]
        if name in self.functions:
            function = self.functions[name]
            return lambda m, f: function(m, [a(m, f) for a, _ in arguments]), function.ctype
        known = library.FUNCTIONS.get(name)
        if known is None:
            raise UndefinedError(f"unknown function {name}")
        apply, ctype = known
        return lambda m, f: apply(*[a(m, f) for a, _ in arguments]), ctype


def _alive(target: Object | None) -> Object:
    if target is None:
        raise UndefinedError("not declared yet")
    return target


def _address(value: Any) -> int:
    return value.address if isinstance(value, Pointer) else int(value)


def _literal(node: c_ast.Constant) -> tuple[Closure, Type]:
    if "char" in node.type and node.type != "string":
        value = ord(node.value[1:-1].encode().decode("unicode_escape"))
        return lambda m, f: value, INT
    if node.type == "string":
        return lambda m, f: node.value, Type("pointer", 64, target=Type("int", 8))
    if node.type in ("double", "float", "long double"):
        number = convert(Fraction(node.value.rstrip("fFlL")), DOUBLE)
        return lambda m, f: number, DOUBLE
    text = node.value.rstrip("uUlL")
    bits = 64 if "l" in node.value.lower() else 32
    octal = text.startswith("0") and text.isdigit() and len(text) > 1
    whole = int(text, 8) if octal else int(text, 0)
    return lambda m, f: whole, Type("int", bits, "u" not in node.value.lower())
