"""The statements of a loop body as a tree over its text: which are loops, and what they consist of."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import zip_longest

from species.core.positions import Span
from species.source.text.code import code_tokens, matching
from species.source.text.tokens import Token

LOOPS = ("for", "while", "do")
JUMPS = frozenset(("goto", "return", "switch", "case", "default", "asm", "__asm__"))
_WITH_STATEMENTS = frozenset((*LOOPS, "if", "else", "switch", "case", "default"))
_STATEMENTS = JUMPS | {*LOOPS, "if", "else", "continue", "break", "++", "--", ";", "{", "}", ","}
_ASSIGNMENTS = frozenset(("=", "+=", "-=", "*=", "/=", "%=", "&=", "|=", "^=", "<<=", ">>="))


@dataclass(frozen=True)
class Statement:
    """`kind`: "for", "while", "do", "if", "block", "plain" (expressions and declarations) or "unknown".

    `header` is what stands in the parentheses of a `for`, `while` or `if`; `parts` are the statements of a
    block, the body of a loop, or the branches of an `if`.
    """

    kind: str
    span: Span
    header: Span | None = None
    parts: tuple[Statement, ...] = ()

    def sequence(self) -> tuple[Statement, ...]:
        """The statements of a block; any other statement by itself."""
        return self.parts if self.kind == "block" else (self,)

    def walk(self) -> Iterator[Statement]:
        """The statement and all in it."""
        yield self
        for part in self.parts:
            yield from part.walk()


def read_statement(text: str) -> Statement:
    """The one statement that `text` consists of."""
    tokens = code_tokens(text)
    try:
        return _statement(tokens, 0)[0]
    except IndexError:  # macros hide a part of it
        return Statement("unknown", Span(0, len(text)))


def _statement(tokens: list[Token], at: int) -> tuple[Statement, int]:
    """The statement that begins at token `at`, and the index after its last token."""
    match tokens[at].text:
        case "{":
            return _block(tokens, at)
        case "for" | "while" | "if" as kind:
            return _headed(tokens, at, kind)
        case "do":
            body, after = _statement(tokens, at + 1)
            end = _semicolon(tokens, after)
            return Statement("do", _span(tokens, at, end), None, (body,)), end + 1
    end = _semicolon(tokens, at)
    words = {
        token.text for token in tokens[at : end + 1]
    }  # behind a label, or in an expression of statements
    plain = not words & _WITH_STATEMENTS
    return Statement("plain" if plain else "unknown", _span(tokens, at, end)), end + 1


def _block(tokens: list[Token], at: int) -> tuple[Statement, int]:
    close, parts, place = matching(tokens, at), [], at + 1
    while place < close:
        part, place = _statement(tokens, place)
        parts.append(part)
    return Statement("block", _span(tokens, at, close), None, tuple(parts)), close + 1


def _headed(tokens: list[Token], at: int, kind: str) -> tuple[Statement, int]:
    close = matching(tokens, at + 1)
    bare = tokens[at + 1].text == "("  # else a macro hides them
    header = Span(tokens[at + 1].end, tokens[close].start) if bare else None
    body, after = _statement(tokens, close + 1)
    parts = [body]
    if kind == "if" and after < len(tokens) and tokens[after].text == "else":
        other, after = _statement(tokens, after + 1)
        parts.append(other)
    return Statement(kind, _span(tokens, at, after - 1), header, tuple(parts)), after


def _semicolon(tokens: list[Token], at: int) -> int:
    while at < len(tokens) - 1 and tokens[at].text != ";":
        at = matching(tokens, at) + 1 if tokens[at].text in ("(", "[", "{") else at + 1
    return min(at, len(tokens) - 1)


def _span(tokens: list[Token], first: int, last: int) -> Span:
    return Span(tokens[first].start, tokens[last].end)


@dataclass(frozen=True)
class Header:
    """`for (start; condition; update)` over one iterator; `declared` is its type if the loop declares it."""

    iterator: str
    declared: str
    lower: str
    condition: str
    update: str


def read_header(text: str) -> Header | None:
    """The header of a `for` that gives one iterator its first value; None for any other."""
    pieces = text.split(";")
    if len(pieces) != 3:
        return None
    start, condition, update = (piece.strip() for piece in pieces)
    tokens = code_tokens(start)
    at = next((k for k, token in enumerate(tokens) if token.text == "="), 0)
    if at == 0 or "," in (token.text for token in (*tokens, *code_tokens(update))):
        return None
    words = [token.text for token in tokens[:at]]
    if not condition or any(not word.isidentifier() for word in words):
        return None
    return Header(words[-1], " ".join(words[:-1]), start[tokens[at].end :].strip(), condition, update)


def written_names(text: str) -> frozenset[str]:
    """The variables that `text` may write: those before an assignment, beside `++` or `--`, or behind `&`."""
    tokens, found = [token.text for token in code_tokens(text)], set()
    for k, token in enumerate(tokens):
        before, after = tokens[k - 1] if k else "", tokens[k + 1] if k + 1 < len(tokens) else ""
        if token.isidentifier() and (after in _ASSIGNMENTS | {"++", "--"} or before in ("++", "--", "&")):
            found.add(token)
    return frozenset(found)


def hides_statements(bodies: Iterable[str]) -> bool:
    """Do macros, of which these are the bodies, change anything or decide what is executed?"""
    words = {token.text for body in bodies for token in code_tokens(body)}
    return bool(words & (_ASSIGNMENTS | _STATEMENTS))


def is_assignment(token: str) -> bool:
    """Does the token write what stands before it?"""
    return token in _ASSIGNMENTS


def is_stored(place: Span, text: str) -> bool:
    """Is what stands at a place of an expression written there?"""
    tokens = code_tokens(text)  # remembered, unlike those of what stands before and behind
    before = [token.text for token in reversed(tokens) if token.end <= place.start]
    after = [token.text for token in tokens if token.start >= place.end]
    for left, right in zip_longest(before, after, fillvalue=""):
        if (left, right) != ("(", ")"):
            return bool({left, right} & {"++", "--"}) or is_assignment(right)
    return False


def jumps_out(statement: Statement, text: str) -> bool:
    """May `continue` or `break` lead out of the statement?"""
    if statement.kind in LOOPS:
        return False
    if statement.kind == "plain":
        return code_tokens(statement.span.of(text))[0].text in ("continue", "break")
    return any(jumps_out(part, text) for part in statement.parts)
