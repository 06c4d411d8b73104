"""What a file declares at its top level: types, enumerators and functions, by name, from the AST."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from pycparser import c_ast, c_generator

_QUALIFIERS = frozenset(("const", "volatile", "restrict", "register", "static", "extern", "__restrict"))
_ORDER = (
    "unsigned",
    "signed",
    "char",
    "short",
    "int",
    "long",
    "float",
    "double",
    "_Bool",
    "_Complex",
    "void",
)
_CANONICAL = {
    ("char",): "char",
    ("signed", "char"): "signed char",
    ("unsigned", "char"): "unsigned char",
    ("short",): "short",
    ("unsigned", "short"): "unsigned short",
    (): "int",
    ("unsigned",): "unsigned int",
    ("long",): "long",
    ("unsigned", "long"): "unsigned long",
    ("long", "long"): "long long",
    ("unsigned", "long", "long"): "unsigned long long",
    ("float",): "float",
    ("double",): "double",
    ("long", "double"): "long double",
    ("_Bool",): "_Bool",
}


@dataclass(frozen=True)
class Declarations:
    """The file's top-level declarations.

    `types` has typedef names, enumerators, and tags as `struct s`.
    """

    types: dict[str, c_ast.Node]
    enumerators: frozenset[str]
    functions: dict[str, c_ast.FuncDef]
    order: dict[int, int]  # id of a declaration -> its place in the file

    @staticmethod
    @lru_cache(maxsize=4)
    def of(ast: c_ast.FileAST) -> Declarations:
        """Read the top level of `ast`."""
        types: dict[str, c_ast.Node] = {}
        enumerators: set[str] = set()
        functions: dict[str, c_ast.FuncDef] = {}
        for item in ast.ext:
            if isinstance(item, c_ast.FuncDef):
                functions[item.decl.name] = item
            elif isinstance(item, c_ast.Typedef | c_ast.Decl):
                enumerators.update(_enumerators(item))
                for name in _declared_types(item):
                    types.setdefault(name, item)
        return Declarations(
            types, frozenset(enumerators), functions, {id(n): k for k, n in enumerate(ast.ext)}
        )

    def canonical(self, ctype: str) -> str | None:
        """The built-in arithmetic type that `ctype` stands for ("unsigned int"), None for anything else."""
        words = [word for word in ctype.replace("*", " * ").split() if word not in _QUALIFIERS]
        if len(words) == 2 and words[0] == "enum":
            return "unsigned int"
        if len(words) == 1 and words[0] in self.types and words[0] not in self.enumerators:
            return self._of_typedef(self.types[words[0]])
        if any(word not in _ORDER for word in words) or not words:
            return None
        return _CANONICAL.get(_normal(words))

    def _of_typedef(self, node: c_ast.Node) -> str | None:
        inner = getattr(getattr(node, "type", None), "type", None)
        if isinstance(inner, c_ast.IdentifierType):
            return self.canonical(" ".join(inner.names))
        return "unsigned int" if isinstance(inner, c_ast.Enum) else None

    def text(self, node: c_ast.Node) -> str:
        """A type's declaration as C text, without a variable that it may also declare."""
        generator = c_generator.CGenerator()
        if isinstance(node, c_ast.Decl):
            node = _base(node)
        return f"{generator.visit(node)};"

    def function_text(self, name: str) -> str:
        """The definition of a function as C text: macros expanded, `static` and `inline` left out."""
        text = str(c_generator.CGenerator().visit(self.functions[name])).rstrip()
        while (word := text.split(" ", 1)[0]) in ("static", "inline", "extern"):
            text = text.removeprefix(word).lstrip()
        return text


def _normal(words: list[str]) -> tuple[str, ...]:
    plain = [word for word in words if word != "int" and not (word == "signed" and "char" not in words)]
    return tuple(sorted(plain, key=_ORDER.index))


def _base(node: Any) -> Any:
    while hasattr(node, "type") and not isinstance(node, c_ast.Struct | c_ast.Union | c_ast.Enum):
        node = node.type
    return node


def _declared_types(item: Any) -> Iterator[str]:
    if isinstance(item, c_ast.Typedef):
        yield item.name
    base = _base(item)
    if isinstance(base, c_ast.Struct | c_ast.Union) and base.name and base.decls:
        yield f"{'struct' if isinstance(base, c_ast.Struct) else 'union'} {base.name}"
    if isinstance(base, c_ast.Enum) and base.values:
        yield from ([f"enum {base.name}"] if base.name else [])
        yield from _enumerators(item)


def _enumerators(item: Any) -> Iterator[str]:
    base = _base(item)
    if isinstance(base, c_ast.Enum) and base.values:
        yield from (value.name for value in base.values.enumerators)
