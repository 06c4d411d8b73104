"""The values of iterators in the texts of statements: of the type that they have in the source."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass

from species.core.positions import Span
from species.source.text.code import code_tokens, matching, names_in, parenthesised
from species.source.text.edits import Edit, apply_edits
from species.source.text.tokens import Token

_KINDS = ("int", "long")  # whose sums are of the same type
_BINARY = frozenset(
    (
        *("+", "-", "*", "/", "%", "&", "|", "^", "<<", ">>", "&&", "||", "?", ":", ","),
        *("<", ">", "<=", ">=", "==", "!=", "+=", "-=", "*=", "/="),
    )
)
_BEFORE, _BEHIND = _BINARY | {"(", "[", "="}, _BINARY | {")", "]", ";"}  # a conversion
_ARITHMETIC = ("+", "-", "*", "(", ")")


@dataclass(frozen=True)
class Value:
    """What stands for an iterator: C text, and the type to convert it to, empty where it has that already."""

    text: str
    cast: str

    def standing(self, alone: bool, plain: bool) -> str:
        """The value as all that is between brackets, as one of a sum's (`plain`), or as any operand."""
        text = f"({self.cast}){parenthesised(self.text)}" if self.cast else self.text
        return text if alone or (plain and self.cast) else parenthesised(text)


def value(text: str, ctype: str, types: Mapping[str, str]) -> Value:
    """The value of an iterator of type `ctype`; `types` are those of the loops' variables."""
    return Value(text, "" if _type_of(text, types) == ctype else ctype)


def _type_of(text: str, types: Mapping[str, str]) -> str:
    """The type of an expression over variables and numbers; empty where nobody knows."""
    tokens = code_tokens(text)
    found = {types.get(t.text, "") for t in tokens if t.kind in ("identifier", "keyword")} or {"int"}
    if len(tokens) > 1 and not all(
        t.kind in ("identifier", "number") or t.text in _ARITHMETIC for t in tokens
    ):
        return ""
    if len(tokens) > 1 and not found <= set(_KINDS):
        return ""
    return max(found)  # `long` is larger in the alphabet, too


def with_values(
    text: str, values: Mapping[str, Value], summands: Collection[str], macro: Callable[[str], str]
) -> str:
    """The text with values in the place of iterators.

    Subscripts are the same in every type as long as nothing wraps around: whole ones, and sums of what is in
    `summands`.  `macro(name)` is the text of a macro.
    """
    tokens = code_tokens(text)
    subscripts = list(_subscripts(tokens))
    open_ = ("[",) if any(map(macro, names_in(text))) else ("[", "(", ",")
    edits = []
    for at, token in enumerate(tokens):
        before, after = tokens[at - 1].text if at else "", tokens[at + 1].text if at + 1 < len(tokens) else ""
        if token.kind != "identifier" or token.text not in values or before in (".", "->"):
            continue
        found = values[token.text]
        whole = before == "[" and after == "]"
        inside = [s for s in subscripts if s[0] < at < s[1]]
        if whole or (inside and _is_sum(tokens[inside[-1][0] + 1 : inside[-1][1]], summands)):
            found = Value(found.text, "")
        alone = whole or (before in open_ and after in ("]", ")", ","))
        plain = len(open_) > 1 and before in _BEFORE and after in _BEHIND
        edits.append(Edit(Span(token.start, token.end), found.standing(alone, plain)))
    return apply_edits(text, edits)


def _subscripts(tokens: list[Token]) -> list[tuple[int, int]]:
    """Where subscripts begin and end, inner ones after those that they stand in."""
    return [(at, matching(tokens, at)) for at, token in enumerate(tokens) if token.text == "["]


def _is_sum(tokens: list[Token], summands: Collection[str]) -> bool:
    return all(t.text in summands or t.text.isdigit() or t.text in _ARITHMETIC for t in tokens)
