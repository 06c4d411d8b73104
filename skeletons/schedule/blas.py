"""What CBLAS has to know of a file: how its arrays lie in memory, and what fits an `int`."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

import islpy as isl
from pycparser import c_ast

from skeletons.schedule.core.model import ScopModel
from skeletons.sums.contraction import Contraction
from skeletons.sums.contraction.library import HEADER, MOST, Layout, LibraryCalls, LibraryWriter
from species.core.refusal import Refusal
from species.source.scopes import FileScopes
from species.source.syntax.declarations import Declarations
from species.source.syntax.expressions import NotPlain, canonical, parse_statement, type_of
from species.source.text.code import names_in, rename, words_in

if TYPE_CHECKING:
    from species.source import TranslationUnit

_SMALL = ("int", "short", "unsigned short", "char", "signed char", "unsigned char")
_NUMBER = re.compile(r"\(?\s*(\d+)\s*\)?")


class Blas:
    """Calls of CBLAS for the contractions of one file."""

    def __init__(self, unit: TranslationUnit, declarations: Declarations, scopes: FileScopes) -> None:
        self._unit, self._declarations, self._scopes = unit, declarations, scopes

    def calls(
        self, model: ScopModel, name: str, found: Contraction, sizes: tuple[str, str, str]
    ) -> LibraryCalls:
        """The calls that compute a contraction; Refusal says why the library does not."""
        own = {word for word in words_in(self._unit.source.text) if word.lower().startswith("cblas_")}
        if own and HEADER not in self._unit.source.text:
            raise Refusal(f"the file has a {min(own)} of its own")
        for loop in (found.rows[-1], found.columns[-1], found.depth[-1]):
            self._check(model, name, loop.iterator, loop.ctype)
        layouts = {
            array.variable: Layout(array.extents, self._is_one_piece(model, array.variable))
            for array in model.scop.arrays
        }
        macros = self._unit.macros.names
        return LibraryWriter(found, layouts, lambda text: self._fits(model, text), sizes, macros).calls()

    def _check(self, model: ScopModel, name: str, iterator: str, ctype: str) -> None:
        """Refusal unless an iterator is an int that is never negative: so are the differences."""
        domain = model.domains.sets[name]
        place = model.statements[name].iterators.index(iterator)
        below = domain.upper_bound_val(isl.dim_type.set, place, isl.Val(-1))
        if canonical(ctype) not in _SMALL or not below.is_empty():
            raise Refusal(f"{iterator} may take more values than an int can count")

    def _is_one_piece(self, model: ScopModel, variable: str) -> bool:
        """Is it an array, or a pointer to one, and no pointers to rows?"""
        node = self._scopes.at(model.scop.function, model.scop.position).declaration(variable)
        inner: Any = getattr(node, "type", None)
        if not isinstance(inner, c_ast.ArrayDecl | c_ast.PtrDecl):
            return False
        inner = inner.type
        while isinstance(inner, c_ast.ArrayDecl):
            inner = inner.type
        return isinstance(inner, c_ast.TypeDecl) and isinstance(inner.type, c_ast.IdentifierType)

    def _fits(self, model: ScopModel, text: str) -> bool:
        """Does the value of an expression fit an int, by its type or as a number?"""
        text = rename(text, self._numbers(model, text))
        number = _NUMBER.fullmatch(text)
        if number is not None:
            return int(number[1]) <= MOST
        try:
            types = {name: self._type(model, name) for name in names_in(text)}
            return type_of(parse_statement(text), types) in _SMALL
        except (NotPlain, Refusal):
            return False

    def _numbers(self, model: ScopModel, text: str) -> dict[str, str]:
        """The macros in a text that are numbers."""
        line = model.scop.position.line
        found = {name: self._unit.macros.definition(name, line) for name in names_in(text)}
        bodies = {name: macro.body.strip() for name, macro in found.items() if macro is not None}
        return {name: body for name, body in bodies.items() if _NUMBER.fullmatch(body)}

    def _type(self, model: ScopModel, name: str) -> str:
        node = self._scopes.at(model.scop.function, model.scop.position).declaration(name)
        inner = getattr(getattr(node, "type", None), "type", None)
        ctype = " ".join(inner.names) if isinstance(inner, c_ast.IdentifierType) else None
        known = self._declarations.canonical(ctype) if ctype is not None else None
        if known is None:
            raise Refusal(f"the type of {name} is not known")
        return known
