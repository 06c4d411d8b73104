"""Loops whose headers macros make, with these in the text: `ROWS(y)` as `for (int y = 0; y < n; y++)`.

Kernels, and all that is made of a nest, are taken out of its text; compilers take no pragma before
`for ((i) = 0; (i) < n; (i)++)`.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from cuvier.pipeline.base.rewritten import Rewritten
from cuvier.pipeline.base.stage import Again
from species.core.positions import Span
from species.facts.loops import LoopFacts, UnitFacts
from species.source import TranslationUnit
from species.source.text.edits import Edit
from species.source.text.expansion import Inexpressible, expanded
from species.source.text.for_headers import header_parts
from species.source.text.macros import MacroDefinition
from species.source.text.rewriting import Rewriting
from species.source.text.tokens import Token, code_tokens
from transfers.fuse.names import on_one_line

_WORD = re.compile(r"[A-Za-z_]\w*")
_ITERATOR = re.compile(r"([A-Za-z_]\w*)\s*\)?\s*=")  # what a header sets


def with_headers(unit: TranslationUnit, facts: UnitFacts, again: Again) -> Rewritten | None:
    """The file with the headers of loops written out that macros make, and without parentheses around
    iterators; None: there are none, or the loops would become others.
    """
    edits = {edit.span: edit for edit in _edits(unit, facts)}
    if not edits:
        return None
    text = Rewriting(unit.source.text, tuple(edits[span] for span in sorted(edits)))
    other, now = again(text.text)
    if [_seen(loop) for loop in now.loops] != [_seen(loop) for loop in facts.loops]:
        return None
    return Rewritten(other, now, text)


def _seen(loop: LoopFacts) -> tuple[object, ...]:
    return loop.id, loop.kind, loop.position.line, loop.verdict


def _edits(unit: TranslationUnit, facts: UnitFacts) -> Iterator[Edit]:
    tokens = code_tokens(unit.source.text)
    starts = {token.start: place for place, token in enumerate(tokens)}
    for loop in facts.loops:
        if loop.users or loop.position.file != unit.source.path:
            continue
        if loop.spans is not None:
            header = loop.spans.header.of(unit.source.text)
            plain = _without_parentheses(header)
            if plain != header:
                yield Edit(loop.spans.header, plain)
            continue
        place = starts.get(unit.source.offset(loop.position.line, loop.position.column))
        edit = _written_out(unit, tokens, place, loop) if place is not None else None
        if edit is not None:
            yield edit


def _without_parentheses(header: str) -> str:
    """`for (i = 0; i < n; i++)` for `for ((i) = 0; (i) < n; (i)++)`, also where the whole test has some."""
    parts = header_parts(header)
    iterator = _ITERATOR.search(parts[0].of(header)) if parts is not None else None
    if iterator is None:
        return header
    header = re.sub(rf"(?<![\w)\]])(\s*)\(\s*({iterator[1]})\s*\)", r"\1\2", header)
    parts = header_parts(header)
    test = parts[1].of(header).strip() if parts is not None else ""
    if parts is None or not test.startswith("(") or _behind(code_tokens(test), 0) != len(test):
        return header
    return header[: parts[1].start] + f" {test[1:-1].strip()}" + header[parts[1].end :]


def _written_out(unit: TranslationUnit, tokens: list[Token], place: int, loop: LoopFacts) -> Edit | None:
    """The use of a macro that a loop begins with, with the header in its place."""
    line = loop.position.line

    def definition(name: str) -> MacroDefinition | None:
        return unit.macros.definition(name, line)

    macro = definition(tokens[place].text)
    end = tokens[place].end if macro is None or macro.params is None else _behind(tokens, place + 1)
    if macro is None or end is None:
        return None
    span = Span(tokens[place].start, end)
    try:
        text = expanded(span.of(unit.source.text), definition, lambda each: _makes_loop(each, unit, line))
    except Inexpressible:
        return None
    if not _WORD.match(text) or not text.startswith("for"):
        return None
    return Edit(span, _without_parentheses(on_one_line(text)))


def _makes_loop(macro: MacroDefinition, unit: TranslationUnit, line: int) -> bool:
    """Does what the macro stands for have a loop in it, by way of other macros, too?"""
    seen, pending = {macro.name}, [macro]
    while pending:
        for word in _WORD.findall(pending.pop().body):
            if word == "for":
                return True
            inner = unit.macros.definition(word, line) if word not in seen else None
            seen.add(word)
            pending += [inner] if inner is not None else []
    return False


def _behind(tokens: list[Token], place: int) -> int | None:
    """Where the parentheses end that open at a token; None where none do."""
    depth = 0
    for token in tokens[place:]:
        depth += (token.text == "(") - (token.text == ")")
        if depth <= 0:
            return token.end if token.text == ")" else None
    return None
