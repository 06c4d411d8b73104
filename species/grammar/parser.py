"""Species and pragmas from text.  Lark is loaded when the first text is parsed, not before."""

from __future__ import annotations

from species.grammar.nodes import Species
from species.grammar.pragmas import Pragma


def parse_species(text: str) -> Species:
    """The species that `text` spells, in the named, the unnamed or Bones's form.

    Ends of ranges come back in the form of `expressions.canonical`.  Raises `SpeciesSyntaxError`.
    """
    from species.grammar.lalr import parse

    result = parse(text, start="species")
    assert isinstance(result, Species)
    return result


def parse_pragma(text: str) -> Pragma:
    """The species pragma that `text` spells: one logical line, from the `#` on.

    Comments and backslash-newlines in it are skipped.  Raises `SpeciesSyntaxError`.
    """
    from species.grammar.lalr import parse

    result = parse(text, start="pragma")
    assert not isinstance(result, Species)
    return result
