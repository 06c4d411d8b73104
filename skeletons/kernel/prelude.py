"""What device code needs before its kernels: types, macros and functions of the user's file."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from itertools import pairwise
from typing import TYPE_CHECKING

from pycparser import c_ast

from skeletons.catalogue.dialect import KNOWN_MACROS, Wrapper
from skeletons.kernel.spelling import Spelling
from species.core.refusal import Refusal
from species.source.syntax.declarations import Declarations
from species.source.syntax.tree import walk
from species.source.text.code import code_tokens, names_in, words_in
from species.source.text.macros import MacroDefinition

if TYPE_CHECKING:
    from species.source import TranslationUnit

# The type, with qualifiers in it or not, and its constants.
_LONG_DOUBLE = re.compile(
    r"\blong( const)* double\b|\bdouble( const)* long\b|\b(?!0[xX])[\d.]+(\.|[eE])[\d+-]*[lL]\b|\.\d+[lL]\b"
    r"|\b0[xX][\da-fA-F.]+[pP][\d+-]+[lL]\b"
)


@dataclass(frozen=True)
class Prelude:
    """Texts in the order in which they must stand."""

    types: tuple[tuple[int, str, str], ...] = ()  # (place in the file, text, and what the host needs of it)
    macros: tuple[tuple[str, str], ...] = ()  # (name, directive)
    wrappers: tuple[Wrapper, ...] = ()
    functions: tuple[tuple[str, str], ...] = ()  # (name, definition)
    passing: tuple[tuple[str, str], ...] = ()  # macros that are something else for other kernels

    def joined(self, other: Prelude) -> Prelude:
        """What both have for all kernels."""
        return Prelude(
            tuple(sorted(set(self.types + other.types))),
            tuple(dict.fromkeys(self.macros + other.macros)),
            tuple(dict.fromkeys(self.wrappers + other.wrappers)),
            tuple(dict.fromkeys(self.functions + other.functions)),
            tuple(dict.fromkeys(self.passing + other.passing)),
        )


def framed(text: str, macros: Sequence[tuple[str, str]]) -> str:
    """A text for which these macros are in force, and nothing else."""
    before = "".join(f"{directive}\n" for _, directive in macros)
    behind = "".join(f"#undef {directive.split()[1].partition('(')[0]}\n" for _, directive in macros)
    return f"{before}{text.rstrip(chr(10))}\n{behind}" if macros else text


@dataclass
class Collector:
    """Finds all that some texts need, transitively.  `variables` are the names that are left over."""

    unit: TranslationUnit
    declarations: Declarations
    names: Spelling
    line: int
    prelude: Prelude = field(default_factory=Prelude)
    variables: tuple[str, ...] = ()
    _wrappers: dict[str, str] = field(default_factory=dict)
    _seen: set[str] = field(default_factory=set)
    _found_macros: list[MacroDefinition] = field(default_factory=list)

    def collect(self, *texts: str, local: frozenset[str] = frozenset()) -> None:
        """Add what `texts` need; names in `local` are variables whatever else they may mean."""
        for text in texts:
            self._check_words(text)
            called = _called(text)
            for name in names_in(text):
                if name not in self._seen:
                    self._seen.add(name)
                    self._name(name, name in called, local)
            self._tags(text)

    def finish(self) -> Prelude:
        """The prelude, its texts in the device's language."""
        macros = [(m.name, self.translate_macro(m)) for m in self._found_macros]
        lasting = tuple(macro for macro in macros if self._lasts(macro[0]))
        passing = tuple(macro for macro in macros if not self._lasts(macro[0]))
        functions = tuple((n, self.spelling.translated(text)) for n, text in self.prelude.functions)
        return replace(self.prelude, macros=lasting, passing=passing, functions=functions)

    def _lasts(self, name: str) -> bool:
        """Is the name this macro wherever the files have it?"""
        return self.unit.macros.is_lasting(name) and name not in self.unit.unexpanded

    @property
    def spelling(self) -> Spelling:
        """The file's, with the functions of C that have been found."""
        return self.names.with_wrappers(self._wrappers)

    def translate_macro(self, macro: MacroDefinition) -> str:
        """The definition as a directive of the device code."""
        spelling = self.spelling
        params = "" if macro.params is None else f"({', '.join(map(spelling.name, macro.params))})"
        return f"#define {spelling.name(macro.name)}{params} {spelling.translated(macro.body)}".rstrip()

    def _name(self, name: str, called: bool, local: frozenset[str]) -> None:
        if name in local:
            self.variables += (name,)
        elif wrapper := (self.names.dialect.wrapper(name) if called and name not in self.names.own else None):
            self._wrappers[name] = f"c_{name}"
            self.prelude = replace(self.prelude, wrappers=(*self.prelude.wrappers, wrapper))
        elif macro := self.unit.macros.definition(name, self.line):
            self._macro(macro, local)
        elif name in self.declarations.types:
            self._type(name)
        elif called:
            self._function(name)
        else:
            self.variables += (name,)

    def _macro(self, macro: MacroDefinition, local: frozenset[str]) -> None:
        if macro.name in KNOWN_MACROS and not macro.user:
            return
        self.names.check_macro(macro.name, macro.body)
        if macro.name in self.declarations.functions:
            raise Refusal(f"{macro.name} is a function and a macro")
        self.collect(macro.body, local=local | frozenset(macro.params or ()))
        self._found_macros.append(macro)

    def _type(self, name: str) -> None:
        node = self.declarations.types[name]
        if name in self.names.dialect.known_types and name not in self.names.own:
            return
        canonical = self.declarations.canonical(name)
        if canonical is not None and name not in self.declarations.enumerators and not _has_enum(node):
            own = self.names.name(name)
            text = f"typedef {self.names.dialect.device_type(canonical)} {own};"
            host = f"typedef {canonical} {own};"
        else:
            text = self.declarations.text(node)
            self.collect(text)
            text = self.names.translated(text)
            host = text if _has_enum(node) else ""
        entry = (self.declarations.order[id(node)], text, host)
        self.prelude = replace(self.prelude, types=tuple(sorted({*self.prelude.types, entry})))

    def _tags(self, text: str) -> None:
        tokens = [token.text for token in code_tokens(text)]
        for keyword, tag in pairwise(tokens):
            name = f"{keyword} {tag}"
            if (
                keyword in ("struct", "union", "enum")
                and name in self.declarations.types
                and name not in self._seen
            ):
                self._seen.add(name)
                self._type(name)

    def _function(self, name: str) -> None:
        node = self.declarations.functions.get(name)
        if node is None:
            raise Refusal(f"{name}() cannot be called on the device")
        _check_function(name, node, self.declarations)
        text = self.declarations.function_text(name)
        inner = frozenset(n.name for n in walk(node) if isinstance(n, c_ast.Decl) and n.name != name)
        self.collect(text, local=inner)
        self.prelude = replace(self.prelude, functions=(*self.prelude.functions, (name, text)))

    def _check_words(self, text: str) -> None:
        found = sorted(words_in(text) & set(self.names.dialect.refused_words))
        if found:
            raise Refusal(f"`{found[0]}` cannot be used on the device")
        if _LONG_DOUBLE.search(" ".join(token.text for token in code_tokens(text))):
            raise Refusal("long double does not exist on the device")


def _called(text: str) -> frozenset[str]:
    tokens = code_tokens(text)
    pairs = pairwise(tokens)
    return frozenset(a.text for a, b in pairs if a.kind == "identifier" and b.text == "(")


def _has_enum(node: c_ast.Node) -> bool:
    return any(isinstance(n, c_ast.Enum) for n in walk(node))


def _check_function(name: str, node: c_ast.FuncDef, declarations: Declarations) -> None:
    """Device functions work on their own scalars only."""
    declared = {n.name for n in walk(node) if isinstance(n, c_ast.Decl)}
    known = declared | declarations.enumerators | set(declarations.functions)
    if any(isinstance(n, c_ast.PtrDecl | c_ast.ArrayDecl) for n in walk(node)):
        raise Refusal(f"{name}() works on pointers or arrays")
    called = {
        n.name.name for n in walk(node) if isinstance(n, c_ast.FuncCall) and isinstance(n.name, c_ast.ID)
    }
    members = {id(n.field) for n in walk(node) if isinstance(n, c_ast.StructRef)}
    for use in walk(node):
        if isinstance(use, c_ast.ID) and id(use) not in members and use.name not in known | called:
            raise Refusal(f"{name}() uses the variable {use.name} of the file")
    if name in called:
        raise Refusal(f"{name}() calls itself")
