"""Values that sizes are likely to have, where only the run knows them: what the program's text suggests.

    int n = argc > 1 ? atoi(argv[1]) : 300;      about 300
    grid.width = n + 2; smooth(&grid, n);        so is what is made of it, and what is passed on

They are guesses: generated code still asks.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field

from pycparser import c_ast

from species.source.syntax.tree import variables, walk

FEW = 16  # iterations that compilers unroll where they know how many there are
_CHANGES = ("++", "--", "p++", "p--")
_ARITHMETIC: Mapping[str, Callable[[float, float], float]] = {
    "+": lambda a, b: a + b,
    "-": lambda a, b: a - b,
    "*": lambda a, b: a * b,
    "/": lambda a, b: a // b if b else 0.0,
    "<<": lambda a, b: a * 2.0 ** min(b, 40.0),
    ">>": lambda a, b: a // 2.0 ** min(b, 40.0),
}
_Place = tuple[str, str]  # a function ("": the file) and a variable; ("", ".m"): a member m
_Given = tuple[str, c_ast.Node]  # where an expression stands, and the expression


@dataclass
class Typical:
    """The values that the names of a file are likely to have."""

    _enumerators: Mapping[str, float] = field(default_factory=dict)
    _given: dict[_Place, list[_Given]] = field(default_factory=lambda: defaultdict(list))
    _counted: set[_Place] = field(default_factory=set)  # steps or sums: no sizes
    _local: set[_Place] = field(default_factory=set)
    _parameters: set[_Place] = field(default_factory=set)
    _known: dict[_Place, float | None] = field(default_factory=dict)
    _names: dict[str, list[str]] = field(default_factory=lambda: defaultdict(list))  # by function

    @staticmethod
    def of(ast: c_ast.FileAST, enumerators: Mapping[str, float]) -> Typical:
        """`enumerators` are those of the file, with their values."""
        found, members = Typical(enumerators), dict(_structures(ast))
        functions = {f.decl.name: f for f in ast.ext if isinstance(f, c_ast.FuncDef)}
        for item in ast.ext:
            function = item.decl.name if isinstance(item, c_ast.FuncDef) else ""
            if function:
                found._parameters |= {(function, name) for name in _parameters(item)}
                found._local |= found._parameters
            for node in walk(item.body if isinstance(item, c_ast.FuncDef) else item):
                found._note(node, function, functions, members)
        return found

    def values(self, function: str) -> dict[str, float]:
        """By the names of a function's variables, the file's, and members, which have a dot before them."""
        if not self._names:
            for where, name in self._given:
                self._names[where].append(name)
        found = {n: self._value((where, n)) for where in ("", function) for n in self._names.get(where, ())}
        return {name: value for name, value in found.items() if value is not None}

    def suggests(self, size: str, function: str) -> bool:
        """Is a value likely for what a function calls so: `n`, `grid->rows`?"""
        name = re.split(r"->|\.", size)[-1]
        return (name if name == size else f".{name}") in self.values(function)

    def has_parameters(self, function: str) -> bool:
        """Is the function given anything?"""
        return any(name for where, name in self._parameters if where == function)

    def bounds(self, size: str, function: str) -> bool:
        """Is a parameter never more than its likely value, if all calls of the function are in the file?"""
        place = (function, size)
        given = self._given.get(place, [])
        is_parameter = bool(given) and place in self._parameters and place not in self._counted
        return is_parameter and all(self._is_number(node) for _, node in given)

    def _is_number(self, node: c_ast.Node) -> bool:
        calls = any(isinstance(part, c_ast.FuncCall) for part in walk(node))
        return not calls and {each.name for each in variables(node)} <= self._enumerators.keys()

    def only_number(self, member: str) -> int | None:
        """The small number that a member is only ever set to, beside 0."""
        given = [node for _, node in self._given.get(("", f".{member}"), [])]
        numbers = {node.value for node in given if isinstance(node, c_ast.Constant)} - {"0"}
        one = len(numbers) == 1 and all(isinstance(node, c_ast.Constant) for node in given)
        value = self._value(("", f".{member}")) or 0.0
        return int(value) if one and 1 < value <= FEW else None

    def _note(
        self,
        node: c_ast.Node,
        function: str,
        functions: Mapping[str, c_ast.FuncDef],
        members: Mapping[str, list[c_ast.Decl]],
    ) -> None:
        match node:
            case c_ast.Decl(name=name, init=init) if name:
                self._local.add((function, name))
                if isinstance(init, c_ast.InitList):
                    self._note_values(init, node.type, function, members)
                elif init is not None:
                    self._given[function, name].append((function, init))
            case c_ast.CompoundLiteral(init=c_ast.InitList() as values):
                self._note_values(values, node.type.type, function, members)
            case c_ast.Assignment(op="=", lvalue=c_ast.ID(name=name)):
                self._given[self._place(function, name)].append((function, node.rvalue))
            case c_ast.Assignment(op="=", lvalue=c_ast.StructRef(field=c_ast.ID(name=name))):
                self._given["", f".{name}"].append((function, node.rvalue))
            case c_ast.Assignment(lvalue=target) if node.op != "=":
                self._counted.add(self._target(function, target))
            case c_ast.UnaryOp(expr=target) if node.op in _CHANGES:
                self._counted.add(self._target(function, target))
            case c_ast.FuncCall(name=c_ast.ID(name=callee), args=c_ast.ExprList(exprs=given)):
                if callee in functions:
                    for name, value in zip(_parameters(functions[callee]), given, strict=False):
                        self._given[callee, name].append((function, value))

    def _note_values(
        self,
        values: c_ast.InitList,
        kind: c_ast.Node,
        function: str,
        members: Mapping[str, list[c_ast.Decl]],
    ) -> None:
        """`{ n, .data = p, { 3, 4 } }`: members by position, or by name; and those of an array's elements."""
        own = [] if isinstance(kind, c_ast.ArrayDecl) else _members_of(kind, members)
        named = {each.name: each for each in own}
        for position, value in enumerate(values.exprs or ()):
            decl = own[position] if position < len(own) else None
            if isinstance(value, c_ast.NamedInitializer):
                decl, value = named.get(getattr(value.name[0], "name", "")), value.expr
            if isinstance(value, c_ast.InitList):
                inner = kind.type if isinstance(kind, c_ast.ArrayDecl) else decl.type if decl else None
                if inner is not None:
                    self._note_values(value, inner, function, members)
            elif decl is not None and decl.name:
                self._given["", f".{decl.name}"].append((function, value))

    def _target(self, function: str, target: c_ast.Node) -> _Place:
        if isinstance(target, c_ast.StructRef):
            return "", f".{target.field.name}"
        return self._place(function, getattr(target, "name", "") if isinstance(target, c_ast.ID) else "")

    def _place(self, function: str, name: str) -> _Place:
        return (function if (function, name) in self._local else "", name)

    def _value(self, place: _Place) -> float | None:
        """The largest number that is given for it, greater than one; None where none is."""
        if place not in self._known:
            self._known[place] = None  # the answer for what is made of itself
            given = (self._of(node, function) for function, node in self._given.get(place, ()))
            numbers = [number for number in given if number is not None and number > 1]
            usable = bool(numbers) and place not in self._counted
            self._known[place] = max(numbers) if usable else None
        return self._known[place]

    def _of(self, node: c_ast.Node, function: str) -> float | None:
        match node:
            case c_ast.Constant(type=kind, value=text) if "int" in kind:
                return float(int(text.rstrip("uUlL"), 0)) if not text.startswith("0") or text == "0" else None
            case c_ast.Constant(type="double" | "float", value=text):
                return float(text.rstrip("fFlL")) if "x" not in text.lower() else None
            case c_ast.ID(name=name):
                known = self._value(self._place(function, name))
                return self._enumerators.get(name) if known is None else known
            case c_ast.StructRef(field=c_ast.ID(name=name)):
                return self._value(("", f".{name}"))
            case c_ast.Cast(expr=inner):
                return self._of(inner, function)
            case c_ast.TernaryOp(iftrue=first, iffalse=second):
                found = [self._of(each, function) for each in (first, second)]
                return max((each for each in found if each is not None), default=None)
            case c_ast.BinaryOp(op=operator, left=left, right=right) if operator in _ARITHMETIC:
                one, other = self._of(left, function), self._of(right, function)
                return None if one is None or other is None else _ARITHMETIC[operator](one, other)
        return None


def _parameters(function: c_ast.FuncDef) -> list[str]:
    listed = function.decl.type.args
    return [getattr(each, "name", None) or "" for each in listed.params] if listed else []


def _structures(ast: c_ast.FileAST) -> Iterator[tuple[str, list[c_ast.Decl]]]:
    """The members of structures, by tag and by name."""
    for node in walk(ast):
        if isinstance(node, c_ast.Struct) and node.decls and node.name:
            yield node.name, _declared(node)
        inner = getattr(node.type, "type", None) if isinstance(node, c_ast.Typedef) else None
        if isinstance(inner, c_ast.Struct) and inner.decls:
            yield node.name, _declared(inner)


def _declared(node: c_ast.Struct) -> list[c_ast.Decl]:
    return [each for each in node.decls if isinstance(each, c_ast.Decl)]


def _members_of(kind: c_ast.Node, members: Mapping[str, list[c_ast.Decl]]) -> list[c_ast.Decl]:
    """Those of the structure that a type is; none where it is no structure of a known name."""
    inner = getattr(kind, "type", None)
    if isinstance(inner, c_ast.Struct):
        return _declared(inner) if inner.decls else members.get(inner.name or "", [])
    names = list(getattr(inner, "names", ()))
    return members.get(str(names[0]), []) if len(names) == 1 else []
