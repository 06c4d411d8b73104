"""The texts of assignments: what is assigned, and sums of products as far as tokens show them."""

from __future__ import annotations

from dataclasses import dataclass

from species.core.positions import Span
from species.source.text.edits import Edit, apply_edits
from species.source.text.tokens import Token, tokenize

_ASSIGNS = frozenset({"=", "+=", "-=", "*=", "/=", "%=", "&=", "|=", "^=", "<<=", ">>="})


@dataclass(frozen=True)
class Linear:
    """`rest + factors * variable`, or `rest - ...`; both texts may be empty."""

    rest: str
    factors: str
    negative: bool


def assignment(text: str) -> tuple[str, str, str] | None:
    """What stands left of the assignment, its operator, and the value; None if it is no single assignment.

    For a declaration, left of it is the declaration.
    """
    found = [t for t, depth in _levels(text) if depth == 0 and t.text in (*_ASSIGNS, ",")]
    if len(found) != 1 or found[0].text == ",":
        return None
    value = text[found[0].end :].strip()
    return text[: found[0].start].strip(), found[0].text, value.removesuffix(";").strip()


def conditional(text: str) -> tuple[str, str, str] | None:
    """`if (condition) name = value;`: the condition in its parentheses, name and value; None for anything
    else.
    """
    tokens = _levels(text)
    closing = next((t for t, depth in tokens[2:] if t.text == ")" and not depth), None)
    if closing is None or tokens[0][0].text != "if" or tokens[1][0].text != "(":
        return None
    body = text[closing.end :].strip()
    if body.startswith("{") and body.endswith("}"):
        body = body[1:-1].strip()
    parts = assignment(body)
    whole = body.count(";") == 1 and body.endswith(";")
    found = parts is not None and whole and parts[1] == "=" and parts[0].isidentifier()
    return (text[tokens[1][0].start : closing.end], parts[0], parts[2]) if found and parts else None


def linear(value: str, name: str) -> Linear | None:
    """The value as a sum in which one product has the variable as a factor; None where it is none."""
    rest, found = "", None
    for negative, term in _split(value, ("+", "-")):
        factors = [factor for _, factor in _split(term, ("*",))]
        if not term or any(not factor or _is_compound(factor) for factor in factors):
            return None
        if name in factors and found is None:
            found = (negative, " * ".join(f for f in factors if f != name))
        elif mentions(term, name):
            return None
        else:
            rest += f" {'-' if negative else '+'} {term}" if rest else ("-" if negative else "") + term
    return Linear(rest, found[1], found[0]) if found else None


def is_atom(text: str) -> bool:
    """Is it a single token, or something in parentheses, so that nothing beside it can take it apart?"""
    tokens = _levels(text)
    closed = [depth for _, depth in tokens[1:-1] if not depth]
    return len(tokens) == 1 or (len(tokens) > 1 and tokens[0][0].text == "(" and not closed)


def _split(text: str, operators: tuple[str, ...]) -> list[tuple[bool, str]]:
    """The parts between operators outside of parentheses; True where a minus stands before one."""
    parts, start, negative = [], 0, False
    tokens = [(t, depth) for t, depth in _levels(text) if t.kind != "comment"]
    for position, (token, depth) in enumerate(tokens):
        if depth or token.text not in operators:
            continue
        if position or token.text != "-":  # not a sign in front of it all
            parts.append((negative, text[start : token.start].strip()))
        negative, start = token.text == "-", token.end
    return [*parts, (negative, text[start:].strip())]


def _is_compound(factor: str) -> bool:
    """Is there anything but a name, a number, a subscripted name or parentheses?"""
    outer = [t.text for t, depth in _levels(factor) if depth == 0]
    names = [text for text in outer if text not in "()[]"]
    return len(names) > 1 or any(not (n[0].isalnum() or n[0] in "_.") for n in names)


def _levels(text: str) -> list[tuple[Token, int]]:
    """The tokens of code, each with the number of parentheses around it (its own not counted)."""
    found, depth = [], 0
    for token in tokenize(text):
        if token.kind in ("comment", "directive"):
            continue
        depth -= token.text in (")", "]", "}")
        found.append((token, depth))
        depth += token.text in ("(", "[", "{")
    return found


def mentions(text: str, name: str) -> int:
    """How often the text names a variable."""
    return len(_places(text, name))


def names_in(text: str) -> set[str]:
    """All identifiers."""
    return {t.text for t, _ in _levels(text) if t.kind == "identifier"}


def renamed(text: str, name: str, other: str) -> str:
    """The text with another expression, which binds tightly, for a variable."""
    return apply_edits(text, [Edit(Span(t.start, t.end), other) for t in _places(text, name)])


def _places(text: str, name: str) -> list[Token]:
    tokens = [t for t, _ in _levels(text)]
    pairs = zip([None, *tokens], tokens, strict=False)
    named = (pair for pair in pairs if pair[1].kind == "identifier" and pair[1].text == name)
    return [token for before, token in named if before is None or before.text not in (".", "->")]


def same(first: str, second: str) -> bool:
    """Do two texts consist of the same tokens?"""
    return [t.text for t, _ in _levels(first)] == [t.text for t, _ in _levels(second)]
