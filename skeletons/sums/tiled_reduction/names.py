"""What the names in a sum mean: their types, and whether they have one value in all iterations."""

from __future__ import annotations

from functools import cached_property
from typing import Any

from pycparser import c_ast

from skeletons.kernel.context import Subject
from skeletons.sums.tiled_reduction.nest import Parts, parts
from species.source.syntax.declarations import Declarations
from species.source.syntax.expressions import (
    NotPlain,
    canonical,
    check_plain,
    names,
    parse_statement,
    text_of,
    type_of,
)
from species.source.syntax.tree import walk
from species.source.text.code import code_tokens, matching, names_in, rename


class Names:
    """The names in the inner loops of a body that is taken apart."""

    def __init__(self, subject: Subject, found: Parts) -> None:
        self._subject, self._before = subject, found.before
        self._nest = found.nest if self._has_plain_macros(found.nest) else self._expanded(found)
        self.privates = {
            s.name: self._canonical(s.ctype) for s in subject.kernel.scalars if s.role == "private"
        }
        self._inputs = {s.name: self._canonical(s.ctype) for s in subject.kernel.scalars if s.role == "in"}

    def plain_nest(self) -> str:
        """The inner loops with built-in types in the place of the file's names for them."""
        return plain_types(self._nest, self._subject.declarations)

    def is_fixed(self, name: str) -> bool:
        """Has the name one value in all iterations?"""
        if name in self._subject.redeclared:
            return False
        known = name in self._inputs or name in self._subject.declarations.enumerators
        return known or self._subject.macro_body(name) is not None

    def types(self, target: Any, iterators: dict[str, str]) -> dict[str, str]:
        """The types of all names (of arrays, their elements'); `iterators` are those of the inner loops."""
        base = {loop.iterator: loop.ctype for loop in self._subject.kernel.loops}
        arrays = {name: array.element for name, array in self._subject.arrays.items()}
        found = {n: self._canonical(c) for n, c in {**base, **arrays}.items()}
        found |= self._inputs | iterators
        found |= dict.fromkeys(self._subject.declarations.enumerators, "int")
        if isinstance(target, c_ast.ID):
            found[target.name] = self._type_of_scalar(target.name)
        return found | {name: self._type_of_macro(name) for name in self._macros(frozenset(iterators))}

    def _has_plain_macros(self, text: str) -> bool:
        """Do all macros in `text` stand for values, which do not change?"""
        subject = self._subject
        hidden = subject.macro_names(text)
        if hidden & {*subject.arrays, *subject.iterators, *subject.redeclared}:
            return False
        macros = (n for n in {*names_in(text), *hidden} if subject.macro_body(n) is not None)
        return all(is_one_value(str(subject.macro_body(name))) for name in macros)

    def _expanded(self, found: Parts) -> str:
        """The inner loops as the preprocessor leaves them."""
        items = getattr(self._body, "block_items", None) or [self._body]
        loops = [item for item in items if isinstance(item, c_ast.For)]
        if len(loops) != sum(1 for _ in parts(self._subject.body)):
            raise NotPlain("macros hide the inner loops")
        return text_of(loops[found.number])

    def _canonical(self, ctype: str) -> str:
        found = self._subject.declarations.canonical(ctype.removeprefix("const "))
        return ctype if found is None else found

    def _type_of_scalar(self, name: str) -> str:
        """The type of a variable that every iteration has for itself."""
        if name not in self._subject.redeclared:
            if name not in self.privates:
                raise NotPlain(f"{name} is no variable of one iteration")
            return canonical(self.privates[name])
        if name in self.privates:
            raise NotPlain(f"there are two variables {name}")
        declared = [d for d in walk(self._body) if isinstance(d, c_ast.Decl) and d.name == name]
        is_top = declared[0] in (getattr(self._body, "block_items", None) or [])
        if len(declared) != 1 or not is_top or name not in names_in(self._before):
            raise NotPlain(f"{name} is not declared once, before the inner loops")
        return self._declared_type(declared[0])

    def _declared_type(self, declared: Any) -> str:
        inner = declared.type
        plain = isinstance(inner, c_ast.TypeDecl) and isinstance(inner.type, c_ast.IdentifierType)
        if not plain or declared.quals or declared.storage:
            raise NotPlain(f"{declared.name} is no plain variable")
        return canonical(self._canonical(" ".join(inner.type.names)))

    @cached_property
    def _body(self) -> Any:
        """The syntax tree of what the innermost base loop repeats."""
        unit = self._subject.unit
        loops = unit.all_of(c_ast.For)
        node = next(n for n in loops if unit.loop_position(n) == self._subject.facts.position)
        for _ in self._subject.kernel.loops[1:]:
            node = next(n for n in walk(node.stmt) if isinstance(n, c_ast.For))
        return node.stmt

    def _macros(self, iterators: frozenset[str]) -> list[str]:
        """The macros in the inner loops; NotPlain where one changes from iteration to iteration."""
        for name in sorted(self._subject.macro_names(self._nest) & {*self.privates, *iterators}):
            raise NotPlain(f"a macro uses {name}")
        return [n for n in names_in(self._nest) if self._subject.macro_body(n) is not None]

    def _type_of_macro(self, name: str, depth: int = 0) -> str:
        tree = parse_statement(str(self._subject.macro_body(name)))
        check_plain(tree)
        return type_of(tree, {n: self._type_in_macro(n, depth) for n in sorted(names(tree))})

    def _type_in_macro(self, name: str, depth: int) -> str:
        if self._subject.macro_body(name) is not None and depth < 20:
            return self._type_of_macro(name, depth + 1)
        if name in self._inputs:
            return self._inputs[name]
        if name in self._subject.declarations.enumerators:
            return "int"
        raise NotPlain(f"the type of {name} is not known")


def plain_types(text: str, known: Declarations) -> str:
    """`text` with built-in types in the place of the file's names for them."""
    given = {name: known.canonical(name) for name in names_in(text) if name in known.types}
    types = {n: c for n, c in given.items() if c is not None and n not in known.enumerators}
    return rename(text, types)


def is_one_value(text: str) -> bool:
    """`7`, `-7`, `N` or something in parentheses: its neighbours cannot tear it apart."""
    tokens = code_tokens(text)
    if len(tokens) == 2 and tokens[0].text == "-":
        tokens = tokens[1:]
    is_closed = bool(tokens) and tokens[0].text == "(" and matching(tokens, 0) == len(tokens) - 1
    return len(tokens) == 1 or is_closed
