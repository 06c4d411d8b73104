"""What a file declares outside of its functions, and types as texts that can be compared between files."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from pycparser import c_ast, c_generator

from species.source.syntax.tree import walk

_PROMOTED = ("char", "char signed", "char unsigned", "short", "short unsigned", "_Bool", "float")
_TAGGED = (c_ast.Struct, c_ast.Union, c_ast.Enum)


class Outside:
    """The declarations at file level, by name, and `types` by kind and name, `struct s`.

    Those in `opaque` are named where their members are not known.
    """

    def __init__(self, ast: c_ast.FileAST) -> None:
        self.types: dict[str, Any] = {}
        self.opaque: set[str] = set()
        self.constants: dict[str, c_ast.Enum] = {}
        self.functions: dict[str, list[c_ast.Decl]] = {}
        self.variables: dict[str, list[c_ast.Decl]] = {}
        self._old_style: dict[int, list[Any]] = {}  # by the id of the declaration
        self._generator = c_generator.CGenerator()
        for item in ast.ext:
            self._add(item)

    def _add(self, item: Any) -> None:
        declared = item.decl if isinstance(item, c_ast.FuncDef) else item
        if isinstance(item, c_ast.FuncDef) and item.param_decls:
            self._old_style[id(declared)] = item.param_decls
        if isinstance(declared, c_ast.Typedef):
            self.types.setdefault(f"typedef {declared.name}", declared)
        elif isinstance(declared, c_ast.Decl) and declared.name is not None:
            is_function = isinstance(declared.type, c_ast.FuncDecl)
            listed = self.functions if is_function else self.variables
            listed.setdefault(declared.name, []).append(declared)
        if isinstance(getattr(declared, "type", None), c_ast.Node):
            self.add_types(walk(declared.type))

    def add_types(self, nodes: Iterable[Any]) -> None:
        """Notes the types that are defined here."""
        for node in nodes:
            if isinstance(node, c_ast.Typedef):
                self.types.setdefault(f"typedef {node.name}", node)
            elif isinstance(node, c_ast.Struct | c_ast.Union) and node.name:
                if node.decls is None:
                    self.opaque.add(type_key(node))
                else:
                    self.types.setdefault(type_key(node), node)
            elif isinstance(node, c_ast.Enum) and node.values is not None:
                if node.name:
                    self.types.setdefault(type_key(node), node)
                self.constants.update((each.name, node) for each in node.values.enumerators)

    def type_of(self, key: str) -> Any:
        """What `typedef t`, `struct s` or `constant C` stands for; None: nothing."""
        kind, _, name = key.partition(" ")
        return self.constants.get(name) if kind == "constant" else self.types.get(key)

    def is_taken(self, name: str) -> bool:
        """Does the name mean something at file level?"""
        known = (self.functions, self.variables, self.constants)
        return any(name in names for names in known) or f"typedef {name}" in self.types

    def text(self, node: c_ast.Node) -> str:
        """A declaration as C."""
        found: str = self._generator.visit(node)
        return found

    # Types as texts

    def signature(self, name: str) -> str | None:
        """The type of a function; None where its declarations differ or do not tell its parameters."""
        found = {self._function(each) for each in self.functions.get(name, ())}
        return found.pop() if len(found) == 1 else None

    def variable(self, name: str) -> str | None:
        """The type of a variable, but for how many rows an array has; None where its declarations differ."""
        found = {self._of_variable(each.type) for each in self.variables.get(name, ())}
        return found.pop() if len(found) == 1 else None

    def _of_variable(self, node: Any) -> str:
        return f"[]{self.type_text(node.type)}" if isinstance(node, c_ast.ArrayDecl) else self.type_text(node)

    def _function(self, declared: c_ast.Decl) -> str | None:
        parameters = self._parameters(declared.type.args, self._old_style.get(id(declared)))
        return None if parameters is None else f"{self.type_text(declared.type.type)}({parameters})"

    def _parameters(self, arguments: Any, old_style: list[Any] | None) -> str | None:
        if old_style is not None:
            listed = {each.name: self._parameter(each) for each in old_style}
            found = [listed.get(each.name, "int") for each in arguments.params]
            return None if set(found) & set(_PROMOTED) else ",".join(found)
        if arguments is None or any(isinstance(each, c_ast.ID) for each in arguments.params):
            return None
        return ",".join(map(self._parameter, arguments.params))

    def _parameter(self, node: Any) -> str:
        """The type that a parameter is given: arrays and functions are pointers; it has no qualifiers."""
        if isinstance(node, c_ast.EllipsisParam):
            return "..."
        declared = node.type
        match declared:
            case c_ast.ArrayDecl() | c_ast.PtrDecl():
                return f"*({self.type_text(declared.type)})"
            case c_ast.FuncDecl():
                return f"*({self.type_text(declared)})"
            case c_ast.TypeDecl():
                return self.type_text(declared.type)
        return self.type_text(declared)

    def type_text(self, node: Any) -> str:
        """A type in one spelling, names of types replaced by what they stand for; tags stay."""
        match node:
            case c_ast.TypeDecl() | c_ast.Typename():
                return _qualified(self.type_text(node.type), node.quals)
            case c_ast.PtrDecl():
                return _qualified(f"*({self.type_text(node.type)})", node.quals)
            case c_ast.ArrayDecl():
                length = self.text(node.dim) if isinstance(node.dim, c_ast.Node) else ""
                return f"[{length}]({self.type_text(node.type)})"
            case c_ast.FuncDecl():
                parameters = self._parameters(node.args, None)
                return f"{self.type_text(node.type)}({'?' if parameters is None else parameters})"
            case c_ast.IdentifierType():
                known = self.types.get(f"typedef {node.names[0]}") if len(node.names) == 1 else None
                return self.type_text(known.type) if known is not None else _spelling(node.names)
        if isinstance(node, _TAGGED) and node.name:
            return type_key(node)
        return self.text(node)


def type_key(node: Any) -> str:
    """`struct s`, of a type with a tag."""
    return f"{type(node).__name__.lower()} {node.name}"


def _qualified(text: str, quals: Iterable[str] | None) -> str:
    return " ".join([*sorted(set(quals or ())), text])


def _spelling(names: list[str]) -> str:
    """The words of a type that is built in, those that say nothing left out."""
    words = sorted(names)
    if "signed" in words and "char" not in words:
        words.remove("signed")
    if "int" in words and {"short", "long", "unsigned"} & set(words):
        words.remove("int")
    return " ".join(words) or "int"
