"""Types as declarations say them."""

from __future__ import annotations

from species.symbols.symbols import Symbol
from species.symbols.types import CType


def declared_type(symbol: Symbol | None) -> str:
    """The type of a variable, as a declaration says it; empty: that takes more than a name and stars."""
    if symbol is None:
        return ""
    ctype: CType | None = symbol.ctype
    if ctype is not None and ctype.kind == "pointer":
        ctype = ctype.target
    if ctype is None or ctype.kind not in ("int", "float", "struct") or ctype.volatile or "@" in ctype.text:
        return ""
    const = "const " if "*" in symbol.ctype.text and ctype.const else ""  # a type's name has it with it
    return f"{const}{symbol.ctype.text}"
