"""C expressions with every load and store of memory instrumented."""

from __future__ import annotations

import re
from typing import Any

from pycparser import c_ast

from species.row_tests import NAMES as ROW_TESTS
from tests.oracle.ctypes import DOUBLE, INT, LONG, SIZE, VOID, CType, UnsupportedError, constant, pointer

_NAME = re.compile(r"(?<![\w.])(?<!->)[A-Za-z_]\w*")
_WORDS = frozenset(
    (
        *ROW_TESTS,
        "__int128",
        "sizeof",
        "int",
        "unsigned",
        "signed",
        "long",
        "short",
        "char",
        "double",
        "float",
        "const",
        "void",
        "struct",
    )
)
_UPDATES = {"+": "+", "-": "+", "*": "*", "&": "&", "|": "|", "^": "^"}
_DOUBLE = (
    *(
        "fabs",
        "sqrt",
        "fmax",
        "fmin",
        "floor",
        "ceil",
        "pow",
        "exp",
        "log",
        "sin",
        "cos",
        "tan",
        "atan",
        "atan2",
    ),
    *("fmod", "hypot", "cbrt", "exp2", "log2", "log10", "sinh", "cosh", "tanh", "round", "trunc"),
)
_INTEGER = frozenset(("abs", "labs"))
_MATH = _INTEGER.union(_DOUBLE, (f"{name}f" for name in _DOUBLE))
_OUTPUT = frozenset(("printf", "puts", "putchar", "rand", "srand", "fflush", "fprintf", "fputs"))


class Expressions:
    """The expressions of `Instrumenter`, which provides names and types."""

    def __init__(self) -> None:
        self.count = 0
        self.prototypes: dict[str, CType] = {}
        self.updated: tuple[str, str] | None = None  # a place and the operator that an `if` updates it with

    def renamed(self, text: str, wide: bool = False) -> str:
        """A text over the names of the source, as text over the names of the instrumented program.

        `wide`: sums with unsigned values do not wrap around, as in the mathematics of a report.
        """

        def replace(match: re.Match[str]) -> str:
            name = match.group()
            if name in _WORDS or name in self.typedefs or f"struct {name}" in text:
                return name
            if name in self.enumerators and not self.lookup(name):
                return str(self.enumerators[name])
            found = self.lookup(name)
            if found is None and name in ("min", "max"):
                return f"rt_{name}"
            if found is None:
                raise UnsupportedError(f"'{name}' is not visible")
            return f"(long){found.text}" if wide and found.ctype.tag == "I" else found.text

        return _NAME.sub(replace, text)

    # Lvalues: the text, the type, and whether a pointer was followed

    def place(self, node: Any) -> tuple[str, CType, bool]:
        match node:
            case c_ast.ID():
                found = self.lookup(node.name)
                if found is None:
                    raise UnsupportedError(f"no variable {node.name}")
                return found.text, found.ctype, False
            case c_ast.ArrayRef():
                return self._element(node)
            case c_ast.UnaryOp(op="*"):
                text, ctype = self.value(node.expr)
                return f"(*{text})", _target(ctype), True
            case c_ast.StructRef(type="."):
                text, ctype, via = self.place(node.name)
                return f"{text}.{node.field.name}", _member(ctype, node.field.name), via
            case c_ast.StructRef():
                text, ctype = self.value(node.name)
                return f"({text})->{node.field.name}", _member(_target(ctype), node.field.name), True
        raise UnsupportedError(f"no lvalue: {type(node).__name__}")

    def _element(self, node: c_ast.ArrayRef) -> tuple[str, CType, bool]:
        both = ((node.name, node.subscript), (node.subscript, node.name))  # `1[a]` is `a[1]`
        for array, subscript in both:
            if self._is_place(array):
                text, ctype, via = self.place(array)
                if ctype.kind == "array":
                    return f"{text}[{self._index(subscript, ctype.size)}]", ctype.target, via
        base, ctype = self.value(node.name)
        index, other = self.value(node.subscript)
        if ctype.kind != "pointer":
            base, ctype, index = index, other, base
        return f"({base})[{index}]", _target(ctype), True

    def _index(self, node: Any, size: str) -> str:
        text, _ = self.value(node)
        value = constant(node, {})
        if not size or (value is not None and size.isdigit() and 0 <= value < int(size)):
            return text
        return f"rt_index({text}, {size})"

    def _is_place(self, node: Any) -> bool:
        match node:
            case c_ast.ID():
                return self.lookup(node.name) is not None
            case c_ast.ArrayRef() | c_ast.StructRef() | c_ast.UnaryOp(op="*"):
                return True
        return False

    # Values

    def value(self, node: Any) -> tuple[str, CType]:
        match node:
            case c_ast.Constant(type="string"):
                return node.value, pointer(CType("scalar", "char", "c"))
            case c_ast.Constant():
                return node.value, DOUBLE if node.type in ("double", "float") else INT
            case c_ast.ID() if self.lookup(node.name) is None and node.name in self.enumerators:
                return str(self.enumerators[node.name]), INT
            case c_ast.ID() | c_ast.ArrayRef() | c_ast.StructRef() | c_ast.UnaryOp(op="*"):
                return self._read(node, 0)
            case c_ast.Assignment():
                return self._assignment(node)
            case c_ast.BinaryOp():
                return self._binary(node, self.value(node.left), self.value(node.right))
            case c_ast.UnaryOp():
                return self._unary(node)
            case c_ast.TernaryOp():
                condition = self.value(node.cond)[0]
                (a, x), (b, y) = self.value(node.iftrue), self.value(node.iffalse)
                return f"({condition} ? {a} : {b})", y if y.kind == "pointer" else x
            case c_ast.Cast():
                return self._cast(node)
            case c_ast.FuncCall():
                return self._call(node)
            case c_ast.ExprList():
                parts = [self.value(e) for e in node.exprs]
                return f"({', '.join(t for t, _ in parts)})", parts[-1][1]
        raise UnsupportedError(f"no expression: {type(node).__name__}")

    def _read(self, node: Any, op: int | str) -> tuple[str, CType]:
        text, ctype, via = self.place(node)
        if self.updated and self.updated[0] == text:
            op = self.updated[1]
        return self._load(text, ctype, via, op)

    def _load(self, text: str, ctype: CType, via: bool, op: int | str) -> tuple[str, CType]:
        if ctype.kind == "array":
            return text, ctype.decayed
        call = f"r{'v' if via else 'd'}_{_tag(ctype)}((void *)&{text}, {op})"
        return (f"(({ctype.declare('')}){call})" if ctype.kind == "pointer" else call), ctype

    def _store(self, text: str, ctype: CType, via: bool, value: str, op: int | str) -> str:
        call = f"w{'v' if via else 'r'}_{_tag(ctype)}((void *)&{text}, {value}, {op})"
        return f"(({ctype.declare('')}){call})" if ctype.kind == "pointer" else call

    def _assignment(self, node: c_ast.Assignment) -> tuple[str, CType]:
        text, ctype, via = self.place(node.lvalue)
        if node.op != "=":
            right, _ = self.value(node.rvalue)
            return self._update(text, ctype, via, node.op[:-1], right, after=True)
        if ctype.kind == "struct":
            return self._copy(text, ctype, node.rvalue)
        right, op = self._right(node.rvalue, text)
        return self._store(text, ctype, via, right, op), ctype

    def _right(self, node: Any, text: str) -> tuple[str, int | str]:
        """The right side of an assignment to `text`; if that is read as in `x = x + e`, the operator too."""
        if self.updated and self.updated[0] == text:
            return self.value(node)[0], self.updated[1]
        op = self._operator(node, text)
        if op is None:
            return self.value(node)[0], 0
        self.updated = (text, op)
        right, _ = self.value(node)
        self.updated = None
        return right, op

    def _operator(self, node: Any, text: str) -> str | None:
        """The operator of `x + e`, `x > e ? x : e` or `fmax(x, e)` if e does not mention the place x."""
        match node:
            case c_ast.BinaryOp(op="+" | "*" | "&" | "|" | "^" | "&&" | "||" | "-"):
                sides = [self._is_text(node.left, text), self._is_text(node.right, text)]
                if sides == [True, False] or (sides == [False, True] and node.op != "-"):
                    return f"'{_UPDATES.get(node.op, node.op[0])}'"
            case c_ast.TernaryOp(cond=c_ast.BinaryOp(op="<" | ">" | "<=" | ">=")):
                if self._is_text(node.iftrue, text) != self._is_text(node.iffalse, text):
                    return "'m'"
            case c_ast.FuncCall(name=c_ast.ID(name="fmax" | "fmin")):
                return "'m'"
        return None

    def _is_text(self, node: Any, text: str) -> bool:
        return self._is_place(node) and self.place(node)[0] == text

    def guarded(self, node: c_ast.If) -> str:
        """The condition of an `if`; in `if (e > x) x = e` the reads of x belong to an update."""
        body = node.iftrue
        while isinstance(body, c_ast.Compound) and len(body.block_items or []) == 1:
            body = body.block_items[0]
        compared = isinstance(node.cond, c_ast.BinaryOp) and node.cond.op in ("<", ">", "<=", ">=")
        match body:
            case c_ast.Assignment(op="=") if compared and node.iffalse is None:
                if self._is_place(body.lvalue):
                    text = self.place(body.lvalue)[0]
                    if any(self._is_text(side, text) for side in (node.cond.left, node.cond.right)):
                        self.updated = (text, "'m'")
        return self.value(node.cond)[0]

    def _copy(self, text: str, ctype: CType, right: Any) -> tuple[str, CType]:
        if not self._is_place(right):
            raise UnsupportedError("structure as a value")
        source, _, _ = self.place(right)
        return f"rt_memcpy(&{text}, &{source}, sizeof {text})", VOID

    def _update(
        self, text: str, ctype: CType, via: bool, op: str, right: str, after: bool
    ) -> tuple[str, CType]:
        """`lvalue op= right`; the place is found once."""
        a = f"a{self.fresh()}_"
        code = f"'{_UPDATES[op]}'" if op in _UPDATES else 0
        read, _ = self._load(f"*{a}", ctype, via, code)
        declared = f"{ctype.declare('*' + a)} = (void *)&{text};"
        if after:
            stored = self._store(f"*{a}", ctype, via, f"{read} {op} ({right})", code)
            return f"({{ {declared} {stored}; }})", ctype
        old = f"o{self.fresh()}_"
        stored = self._store(f"*{a}", ctype, via, f"{old} {op} ({right})", code)
        return f"({{ {declared} {ctype.declare(old)} = {read}; {stored}; {old}; }})", ctype

    def _binary(self, node: Any, left: tuple[str, CType], right: tuple[str, CType]) -> tuple[str, CType]:
        (a, x), (b, y) = left, right
        ctype = x if x.kind == "pointer" else y
        if x.kind == y.kind or node.op not in "+-":
            ctype = DOUBLE if "d" in (x.tag, y.tag) else LONG
        return f"({a} {node.op} {b})", ctype

    def _unary(self, node: c_ast.UnaryOp) -> tuple[str, CType]:
        if node.op == "&":
            text, ctype, _ = self.place(node.expr)
            return f"(&{text})", pointer(ctype)
        if node.op == "sizeof":
            if isinstance(node.expr, c_ast.Typename):
                return f"sizeof({self.type_of(node.expr).declare('')})", SIZE
            text = self.place(node.expr)[0] if self._is_place(node.expr) else self.value(node.expr)[0]
            return f"sizeof({text})", SIZE
        if node.op in ("++", "--", "p++", "p--"):
            text, ctype, via = self.place(node.expr)
            return self._update(text, ctype, via, node.op[-1], "1", after=node.op[0] != "p")
        text, ctype = self.value(node.expr)
        return f"({node.op}{text})", ctype if ctype.kind != "pointer" else INT

    def _cast(self, node: c_ast.Cast) -> tuple[str, CType]:
        text, _ = self.value(node.expr)
        ctype = self.type_of(node.to_type)
        if ctype.kind == "void":
            return f"((void){text})", VOID
        return f"(({ctype.declare('')}){text})", ctype

    def _call(self, node: c_ast.FuncCall) -> tuple[str, CType]:
        if not isinstance(node.name, c_ast.ID):
            raise UnsupportedError("call through a pointer")
        name = node.name.name
        arguments = [self.value(a)[0] for a in (node.args.exprs if node.args else [])]
        listed = ", ".join(arguments)
        if name in self.defined:
            self.current.calls.add(name)
            known = self.functions.get(name)
            return f"u_{name}({listed})", known.ctype if known else self.prototypes.get(name, INT)
        if name in _MATH:
            return f"{name}({listed})", INT if name in _INTEGER else DOUBLE
        if name in ("memcpy", "memmove", "memset", "malloc", "calloc", "free"):
            result = VOID if name == "free" else pointer(VOID)
            return f"rt_{name.replace('move', 'cpy')}({listed})", result
        if name in _OUTPUT:
            parts = [*(f"(void)({a})" for a in arguments), "rt_effect()", "1"]
            return f"({', '.join(parts)})", INT
        raise UnsupportedError(f"unknown function {name}")


def _tag(ctype: CType) -> str:
    if ctype.kind not in ("scalar", "pointer"):
        raise UnsupportedError(f"{ctype.kind} as a value")
    return ctype.tag


def _target(ctype: CType) -> CType:
    if ctype.kind not in ("pointer", "array"):
        raise UnsupportedError("no pointer")
    return ctype.target  # type: ignore[no-any-return]


def _member(ctype: CType, name: str) -> CType:
    found = dict(ctype.members).get(name)
    if found is None:
        raise UnsupportedError(f"no member {name}")
    return found  # type: ignore[no-any-return]
