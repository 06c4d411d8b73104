"""The values of structures, member by member: what `(view){ .data = p + n, .stride = w }` says of copies."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterator
from typing import Any

from pycparser import c_ast

from species.loops.environment import Known
from species.loops.expressions import Evaluated, Members
from species.loops.model import Place, Pointer
from species.loops.walk.state import State
from species.sets.affine import constant
from species.symbols.types import BIT_FIELD, CType

MOST = 16  # members, those of structures inside included
MADE = 64  # members of one in braces


class Aggregates(State):
    """Structures that are read, made and stored as a whole."""

    @abstractmethod
    def evaluate(self, node: Any) -> Evaluated:
        """The value of an expression."""

    @abstractmethod
    def part(self, owner: Place, name: str) -> Place:
        """A member of a structure."""

    @abstractmethod
    def value_at(self, place: Place) -> Known:
        """What is known to be at a place."""

    @abstractmethod
    def stored(self, result: Evaluated, ctype: CType) -> Known:
        """A value as a variable of a type holds it."""

    def members_at(self, place: Place) -> Members:
        """What is known of the members of a structure in memory."""
        names = [] if place.loose else [names for names, _ in self._typed(place.ctype)]
        if len(names) > MOST:
            return ()
        return tuple((each, self.value_at(self._within(place, each))) for each in names)

    def note_members(self, place: Place, value: Evaluated) -> None:
        """A structure has been stored: its members have these values.  Pointers are followed in variables."""
        is_own = place.base is None and place.symbol.storage in ("local", "parameter")
        if place.loose or place.ctype.tag != value.ctype.tag:
            return
        for names, known in value.members:
            if known is not None and (is_own or not isinstance(known, Pointer)):
                part = self._within(place, names)
                if not part.loose and not part.ctype.volatile:
                    self.env.values[part] = known

    def aggregate(self, node: c_ast.InitList, ctype: CType) -> Evaluated:
        """A structure in braces, as an initialiser or literal; what it does not name is zero."""
        found: dict[tuple[str, ...], Known] = {names: _zero(t) for names, t in self._typed(ctype)}
        named, position, whole = self.types.initialised(ctype), 0, len(found) <= MADE
        names = list(named)
        for item in node.exprs or ():
            if isinstance(item, c_ast.NamedInitializer):
                is_plain = len(item.name) == 1 and getattr(item.name[0], "name", None) in named
                position, item = names.index(item.name[0].name) if is_plain else len(names), item.expr
            name = names[position] if position < len(names) else ""
            given = self._given(item, named.get(name))
            whole &= given is not None
            found.update(((name, *rest), value) for rest, value in given or ())
            position += 1
        return Evaluated(None, ctype, tuple(found.items()) if whole else ())

    def _given(self, node: Any, ctype: CType | None) -> Members | None:
        """What an initialiser gives a member, or the members of it; None where that is not clear."""
        is_struct = ctype is not None and ctype.kind == "struct"
        if ctype is not None and is_struct and isinstance(node, c_ast.InitList):
            return self.aggregate(node, ctype).members or self._unknown(ctype)
        value = self.evaluate(node)
        if ctype is None or isinstance(node, c_ast.InitList):
            return () if ctype is not None and ctype.kind in ("array", "union") else None
        if is_struct:
            return (value.members or self._unknown(ctype)) if value.ctype.tag == ctype.tag else None
        if not (ctype.is_number or ctype.kind == "pointer"):  # a text, or braces are left out
            is_text = isinstance(node, c_ast.Constant) and node.type == "string"
            return () if ctype.kind == "array" and is_text else None
        return (((), self.stored(value, ctype)),) if _is_scalar(ctype) else ()

    def _unknown(self, ctype: CType) -> Members:
        """The members of a structure of which nothing is known."""
        return tuple((names, None) for names, _ in self._typed(ctype))

    def _within(self, owner: Place, names: tuple[str, ...]) -> Place:
        for name in names:
            owner = self.part(owner, name)
        return owner

    def _typed(self, ctype: CType) -> Iterator[tuple[tuple[str, ...], CType]]:
        """The integers and pointers in a structure, with their types."""
        for name, member in self.types.named_members(ctype).items():
            if member.kind == "struct":
                yield from (((name, *rest), inner) for rest, inner in self._typed(member))
            elif _is_scalar(member):
                yield (name,), member


def _is_scalar(ctype: CType) -> bool:
    return (ctype.is_integer and ctype.text != BIT_FIELD) or ctype.kind == "pointer"


def _zero(ctype: CType) -> Known:
    return constant(0) if ctype.is_integer else None
