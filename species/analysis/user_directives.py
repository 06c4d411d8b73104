"""What the user's own directives of OpenMP and OpenACC speak of: code generation leaves it as it is.

A loop is theirs where it stands in the statement behind a directive, where a directive stands in it, and in
functions that are called from such statements: threads of the user's are there already, and may be several.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from pycparser import c_ast

from species.core.positions import Span
from species.source.parse.constructs import stands_alone, starts_threads
from species.source.syntax.tree import variables
from species.source.text.statements import UnbalancedError, statement_end
from species.source.text.tokens import Token, tokenize

if TYPE_CHECKING:
    from species.facts import Scop
    from species.facts.loops import LoopFacts
    from species.source import TranslationUnit

_DIRECTIVE = re.compile(r"(?:#|%:|\?\?=)\s*pragma\s+(?:omp|acc)\b\s*(.*)", re.DOTALL)
_OPERATOR = re.compile(r'L?"\s*(?:omp|acc)\b\s*(.*)"', re.DOTALL)
_FUNCTION = re.compile(r"\bomp_[a-z]\w*\s*\(")
_USE = re.compile(r"\bpragma\s+omp\b|\b_Pragma\b|\bomp\.h\b|\b_OPENMP\b")
_COMBINES = re.compile(
    r"\bomp\b[^\n]*\b(?:reduction|atomic|critical|ordered|task_reduction)\b|\bomp_set_lock\b"
)
_WORD = re.compile(r"[A-Za-z_]\w*")


@dataclass(frozen=True)
class UsersDirectives:
    """Where directives of the main file stand, the statements behind them, and the functions called there."""

    places: tuple[int, ...] = ()
    statements: tuple[Span, ...] = ()
    called: frozenset[str] = frozenset()
    unseen: frozenset[str] = frozenset()

    @staticmethod
    def of(unit: TranslationUnit) -> UsersDirectives:
        """Those of a file, whether or not conditions take them away."""
        text = unit.source.text
        tokens = [token for token in tokenize(text) if token.kind != "comment"]
        found = tuple(_directives(tokens))
        spoken = [(_statement(tokens, at), words) for at, words in found if not stands_alone(words)]
        threads = [span for span, words in spoken if starts_threads(words)]
        return UsersDirectives(
            tuple(tokens[at].start for at, _ in found),
            tuple(span for span, _ in spoken),
            _called(unit, threads) if threads else frozenset(),
            unit.directives.unseen,
        )

    def claim(self, span: Span, function: str) -> str:
        """Why a stretch of the function is the user's; empty: it is not."""
        if any(own.start <= span.start and span.end <= own.end for own in self.statements):
            return "the loop already stands under an OpenMP or OpenACC directive"
        if any(span.start < place < span.end for place in self.places):
            return "an OpenMP or OpenACC directive already stands in the loop"
        if function in self.called:
            return f"'{function}' is called under an OpenMP or OpenACC directive"
        if function in self.unseen:
            return f"a macro makes an OpenMP directive somewhere in '{function}'"
        return ""


def with_claims(
    unit: TranslationUnit, loops: list[LoopFacts], scops: list[Scop]
) -> tuple[list[LoopFacts], list[Scop]]:
    """The loops that the user's directives claim are told of it; static control parts are left out."""
    directives = UsersDirectives.of(unit)
    if not directives.places and not directives.unseen:
        return loops, scops
    ours = unit.source.path
    claimed = [
        replace(loop, users=directives.claim(loop.spans.whole, loop.function))
        if loop.spans is not None and loop.position.file == ours
        else loop
        for loop in loops
    ]
    return claimed, [s for s in scops if s.position.file != ours or not directives.claim(s.span, s.function)]


def calls_openmp(unit: TranslationUnit) -> bool:
    """Does the program need OpenMP's library, whatever becomes of its directives?"""
    return _FUNCTION.search(unit.preprocessed) is not None


def uses_openmp(unit: TranslationUnit) -> bool:
    """May it do something else where OpenMP is on?"""
    return any(_USE.search(source.text) for source in unit.sources.values())


def combines(unit: TranslationUnit) -> bool:
    """Do threads of the user's combine values, in an order that is another in every run?"""
    return any(_COMBINES.search(source.text) for source in unit.sources.values())


def _directives(tokens: list[Token]) -> Iterator[tuple[int, str]]:
    """The last tokens of directives, with what they say."""
    for at, token in enumerate(tokens):
        if token.kind == "directive" and (found := _DIRECTIVE.match(token.text)) is not None:
            yield at, found[1]
        if token.text == "_Pragma" and at + 3 < len(tokens):
            match = _OPERATOR.match(tokens[at + 2].text)
            if match is not None:
                yield at + 3, match[1]


def _statement(tokens: list[Token], at: int) -> Span:
    """The statement behind a directive; all that follows where nobody sees its end."""
    code = [token for token in tokens[at + 1 :] if token.kind != "directive"]
    if not code:
        return Span(tokens[at].end, tokens[at].end)
    try:
        end = statement_end([token.text for token in code], _first(code))
    except UnbalancedError:
        return Span(code[0].start, code[-1].end)
    return Span(code[0].start, code[end].end)


def _first(code: list[Token]) -> int:
    """Where the statement begins, behind other directives that are written as operators."""
    at = 0
    while code[at].text == "_Pragma" and at + 4 < len(code):
        at += 4
    return at


def _called(unit: TranslationUnit, statements: list[Span]) -> frozenset[str]:
    """The functions of the file that the statements name, and those that these name."""
    defined = {item.decl.name: item for item in unit.ast.ext if isinstance(item, c_ast.FuncDef)}
    names = {word for span in statements for word in _WORD.findall(span.of(unit.source.text))}
    open_ = _with_macros(names, unit) & defined.keys()
    found: set[str] = set()
    while open_:
        found |= open_
        bodies = (defined[name].body for name in open_)
        named = {part.name for body in bodies for part in variables(body)}
        open_ = (named & defined.keys()) - found
    return frozenset(found)


def _with_macros(names: set[str], unit: TranslationUnit) -> set[str]:
    """The names, and those that macros put in their places."""
    found: set[str] = set()
    while names:
        found |= names
        bodies = (body for name in names for body in unit.macros.bodies(name))
        names = {word for body in bodies for word in _WORD.findall(body)} - found
    return found
