"""Reading and rewriting C text token by token: names, subscripts, layout."""

from __future__ import annotations

import textwrap
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from species.core.positions import Span
from species.source.text.edits import Edit, apply_edits
from species.source.text.tokens import Token, tokenize
from species.source.text.tokens import code_tokens as code_tokens
from species.source.text.tokens import directives as directives
from species.source.text.tokens import names_in as names_in
from species.source.text.tokens import words_in as words_in

_OPEN, _CLOSE = "([{", ")]}"


@dataclass(frozen=True)
class Access:
    """`name[e1][e2]...` in a text: offsets of the whole, and the texts and spans of the subscripts."""

    span: Span
    subscripts: tuple[str, ...]
    subscript_spans: tuple[Span, ...]


def has_members(text: str) -> bool:
    """Does `text` select a member of a structure?"""
    return any(token.text in (".", "->") for token in code_tokens(text))


def rename(text: str, names: Mapping[str, str]) -> str:
    """`text` with every identifier or keyword in `names` replaced; members keep their names."""
    tokens = code_tokens(text)
    edits = [
        Edit(Span(token.start, token.end), names[token.text])
        for before, token in zip([None, *tokens], tokens, strict=False)
        if token.kind in ("identifier", "keyword")
        and token.text in names
        and (before is None or before.text not in (".", "->"))
    ]
    return apply_edits(text, edits)


def substitute(text: str, values: Mapping[str, str]) -> str:
    """`text` with variables replaced by expressions, in parentheses where they do not stand by themselves."""
    tokens = code_tokens(text)
    edits = []
    for before, token, after in zip([None, *tokens], tokens, [*tokens[1:], None], strict=False):
        if token.kind != "identifier" or token.text not in values or (before and before.text in (".", "->")):
            continue
        value = values[token.text]
        alone = before and after and before.text in ("[", "(", ",") and after.text in ("]", ")", ",")
        edits.append(Edit(Span(token.start, token.end), value if alone else parenthesised(value)))
    return apply_edits(text, edits)


def accesses(text: str, name: str) -> tuple[Access, ...]:
    """All uses of the array `name`, which may be one of a structure, `g->u`; one without subscripts has empty
    `subscripts`.
    """
    tokens, wanted = code_tokens(text), [token.text for token in code_tokens(name)]
    words, found = [token.text for token in tokens], []
    for at in range(len(tokens) - len(wanted) + 1):
        is_member = at > 0 and words[at - 1] in (".", "->")
        if words[at : at + len(wanted)] == wanted and not is_member:
            found.append(_access(text, tokens, at, at + len(wanted)))
    return tuple(found)


def _access(text: str, tokens: list[Token], at: int, k: int) -> Access:
    """The use whose name ends before token `k`."""
    spans, end = [], tokens[k - 1].end
    while k < len(tokens) and tokens[k].text == "[":
        close = matching(tokens, k)
        spans.append(Span(tokens[k].end, tokens[close].start))
        end, k = tokens[close].end, close + 1
    return Access(Span(tokens[at].start, end), tuple(span.of(text).strip() for span in spans), tuple(spans))


def matching(tokens: list[Token], at: int) -> int:
    """The index of the bracket that closes the one at `at`."""
    depth = 0
    for k in range(at, len(tokens)):
        depth += (tokens[k].text in _OPEN) - (tokens[k].text in _CLOSE)
        if depth == 0:
            return k
    return len(tokens) - 1


def without_directives(text: str) -> str:
    """`text` with its preprocessor lines taken out, their line ends with them."""
    edits = []
    for token in directives(text):
        start = text.rfind("\n", 0, token.start) + 1
        end = min(len(text), token.end + 1)
        edits.append(Edit(Span(start if not text[start : token.start].strip() else token.start, end), ""))
    return apply_edits(text, edits)


def on_one_line(text: str) -> str:
    """An expression without comments and line breaks."""
    parts, end = list[str](), 0
    for token in tokenize(text):
        if token.kind == "comment":
            continue
        parts += [" "] if end < token.start and parts else []
        parts.append(token.spelling)
        end = token.end
    return "".join(parts)


def line_indent(text: str, offset: int) -> str:
    """The white space at the start of the line that `offset` is in."""
    line = text[text.rfind("\n", 0, offset) + 1 :]
    return line[: len(line) - len(line.lstrip(" \t"))]


def starts_line(text: str, offset: int) -> bool:
    """Is there only white space before `offset` on its line?"""
    return not text[text.rfind("\n", 0, offset) + 1 : offset].strip()


def block(text: str, indent: int | str) -> str:
    """`text` laid out anew: the first line unindented, the others moved to `indent` as a whole."""
    prefix = indent if isinstance(indent, str) else " " * indent
    first, newline, rest = _unspliced(text.replace("\r\n", "\n")).partition("\n")
    if not newline:
        return first
    deeper = not first.lstrip().startswith("{") and _is_continuation(first)
    moved = textwrap.indent(dedented(rest), prefix + "    " if deeper else prefix)
    return first + "\n" + "\n".join(line.rstrip() for line in moved.split("\n"))


def dedented(text: str) -> str:
    """`text` without the white space that all of its lines begin with; literals keep theirs."""
    return textwrap.dedent("\n".join(map(_with_blanks, _unspliced(text).split("\n"))))


def _unspliced(text: str) -> str:
    """The text with every literal on one line, so that only white space stands at the start of lines."""
    literals = (t for t in tokenize(text) if t.kind in ("string", "char") and "\n" in t.text)
    return apply_edits(text, [Edit(Span(t.start, t.end), t.spelling) for t in literals])


def _with_blanks(line: str) -> str:
    """The line, indented by blanks instead of tabs."""
    rest = line.lstrip(" \t")
    return line[: len(line) - len(rest)].expandtabs(8) + rest


def _is_continuation(first: str) -> bool:
    return not first.startswith("#") and not first.rstrip().endswith(("{", ";", "}"))


def identifier(text: str) -> str:
    """`text` as a C identifier."""
    plain = "".join(c if c.isascii() and c.isalnum() else "_" for c in text)
    return f"_{plain}" if plain[:1].isdigit() else plain


def parenthesised(text: str) -> str:
    """`text` in parentheses unless it is a single token."""
    text = text.strip()
    return text if len(code_tokens(text)) <= 1 else f"({text})"


def unique(names: Iterable[str]) -> tuple[str, ...]:
    """The names in order, each once."""
    return tuple(dict.fromkeys(names))


def begins_statement(text: str, offset: int) -> bool:
    """May several statements stand there in the place of one?"""
    before = code_tokens(text[:offset])
    return bool(before) and before[-1].text in ("{", "}", ";")
