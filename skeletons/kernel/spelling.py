"""What the user's names are called in device code, which has names of its own."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from itertools import pairwise
from typing import TYPE_CHECKING, Any

from pycparser import c_ast

from skeletons.catalogue.dialect import KNOWN_MACROS, Dialect
from species.core.positions import Span
from species.core.refusal import Refusal
from species.row_tests import called_in
from species.source.syntax.declarations import Declarations
from species.source.text.code import code_tokens
from species.source.text.edits import Edit, apply_edits

if TYPE_CHECKING:
    from species.source import TranslationUnit

_WORD = re.compile(r"[A-Za-z_]\w*")
_OURS = ("cuvier_", "CUVIER_")


@dataclass(frozen=True)
class Spelling:
    """How one file's names are spelled on the device.

    `names` has those that are others there, whatever they name; `wrappers` functions of C, where they are
    called; `own` are the functions, types, enumerators and macros that the user's files declare.
    """

    dialect: Dialect
    names: Mapping[str, str] = field(default_factory=dict)
    own: frozenset[str] = frozenset()
    wrappers: Mapping[str, str] = field(default_factory=dict)

    @staticmethod
    def of(unit: TranslationUnit, declarations: Declarations, dialect: Dialect) -> Spelling:
        """The names of a file; each that changes gets one that nothing in the file or its headers has."""
        declared = frozenset(_declared(unit, declarations))
        macros = unit.macros.users
        foreign = {n.split()[-1] for n in declarations.types} | unit.macros.names
        known = ({*dialect.known_types, *KNOWN_MACROS} & foreign) - declared - macros
        taken = {name for name in dialect.reserved if name not in known}
        taken |= declared & {*dialect.library, *dialect.known_types, *KNOWN_MACROS}
        taken |= macros & (({*dialect.library, *dialect.known_types} - KNOWN_MACROS) | dialect.locals)
        taken |= {name for name in declared | macros if name.startswith(dialect.prefixes)}
        words = user_words(unit)
        everything = words | unit.macros.names | unit.words
        changed = (word for word in sorted(words) if word in taken or word.startswith(_OURS))
        return Spelling(dialect, {name: _free(name, everything) for name in changed}, declared | macros)

    def name(self, name: str) -> str:
        """A name as the device has it."""
        return self.names.get(name, name)

    def with_wrappers(self, wrappers: Mapping[str, str]) -> Spelling:
        """The same with other names for called functions of C."""
        return Spelling(self.dialect, self.names, self.own, wrappers)

    def translated(self, text: str) -> str:
        """`text` in the device's language: names replaced, members as well, `long long` spelled as there."""
        tokens = code_tokens(text)
        edits = []
        for before, token, after in zip([None, *tokens], tokens, [*tokens[1:], None], strict=False):
            called = after is not None and after.text == "("
            is_member = before is not None and before.text in (".", "->")
            new = self.names.get(token.text)
            if new is None and called and not is_member:
                new = self.wrappers.get(token.text)
            if new is not None and token.kind in ("identifier", "keyword"):
                edits.append(Edit(Span(token.start, token.end), new))
        text = apply_edits(text, edits)
        return text if self.dialect.long_long else _one_long(text)

    def check_macro(self, name: str, body: str) -> None:
        """Refusal for a macro that may make one of the names that are others on the device."""
        if "##" in body and self.own & self.names.keys():
            clash = min(self.own & self.names.keys())
            raise Refusal(f"the macro {name} makes names, and {clash} is one of the device's as well")


def _declared(unit: TranslationUnit, declarations: Declarations) -> Any:
    """The functions, types, tags and enumerators of the user's files."""
    for name, node in [*declarations.functions.items(), *declarations.types.items()]:
        coord = node.decl.coord if name in declarations.functions else node.coord
        if coord is None or unit.is_user_file(unit.position(coord).file):
            yield name.split()[-1]


def user_words(unit: TranslationUnit) -> set[str]:
    """The words of the user's files."""
    return {word for source in unit.sources.values() for word in _WORD.findall(source.text)}


def written_tests(unit: TranslationUnit) -> tuple[str, ...]:
    """The tests of rows that passes have written into the text: it calls them, and has no such names."""
    defined = {each.decl.name for each in unit.ast.ext if isinstance(each, c_ast.FuncDef)}
    known = defined | {each.name for each in unit.ast.ext if isinstance(each, c_ast.Decl)}
    called = called_in(unit.source.text)
    return tuple(name for name in called if name not in known and name not in unit.macros.users)


def _free(name: str, taken: set[str] | frozenset[str]) -> str:
    new = f"{name}_"
    while new in taken:
        new += "_"
    return new


def _one_long(text: str) -> str:
    tokens = code_tokens(text)
    for before, token in reversed(list(pairwise(tokens))):
        if before.text == token.text == "long":
            text = text[: before.end] + text[token.end :]
        elif token.kind == "number" and token.text.lower().endswith(("ll", "llu")):
            plain = token.text.replace("ll", "l").replace("LL", "L")
            text = text[: token.start] + plain + text[token.end :]
    return text
