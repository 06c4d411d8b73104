"""Variables as points-to analysis keeps them, and words for expressions."""

from __future__ import annotations

from dataclasses import dataclass, field

from species.pointsto.instructions import Object
from species.pointsto.memory import Layout
from species.symbols.symbols import Resolution, Symbol
from species.symbols.types import TypeTable

FRESH = ("malloc", "calloc", "aligned_alloc", "memalign", "valloc", "alloca", "strdup", "strndup", "realloc")


class Unsupported(Exception):
    """There is something in the file of which nobody knows what it does with pointers."""


@dataclass
class Variables:
    """How the file's variables are kept, and what is found out about its members on the way."""

    resolution: Resolution
    types: TypeTable
    closed: bool  # no code outside of the file names its variables
    by_member: bool  # every structure is used as what it was declared
    strict: bool  # lvalues of different types are different cells
    foreign: frozenset[str] = frozenset()  # names that code which is not known uses
    taken: frozenset[str] = frozenset()  # functions that only pointers lead to for other code
    slots: dict[Symbol, tuple[str, int]] = field(default_factory=dict)
    objects: dict[Symbol, Object] = field(default_factory=dict)
    owners: dict[Symbol, str] = field(default_factory=dict)  # the functions that have them
    cells_apart: bool = True  # no pointer to a structure is used as one to pointers, or the other way round
    flat: set[str] = field(default_factory=set)  # structures that pointers of other types lead into
    one_member: set[str] = field(default_factory=set)  # members that pointers lead to

    def layout(self) -> Layout:
        """Which cells objects have, once all code has been looked at."""
        inside = {where: tag for where, tag in self.types.inside().items() if tag not in self.flat}
        return Layout(frozenset(self.one_member), inside, self.by_member, self.cells_apart)

    def object(self, symbol: Symbol, function: str) -> Object:
        """The object that a variable is, which `function` names."""
        if symbol not in self.objects:
            self.owners[symbol] = function
            shared = symbol.outlives_function
            declared = symbol.node is not None and "extern" in (getattr(symbol.node, "storage", None) or [])
            named = symbol.storage == "global" and (not self.closed or declared)
            foreign = bool(named or symbol.replaceable or (shared and symbol.name in self.foreign))
            self.objects[symbol] = Object(
                symbol.node, id(symbol), symbol.name, shared, is_variable=True, foreign=foreign
            )
        return self.objects[symbol]


def is_function(symbol: Symbol) -> bool:
    """(A parameter that is declared as a function is a pointer to one.)"""
    return symbol.storage == "function" or (symbol.ctype.kind == "function" and symbol.storage != "parameter")
