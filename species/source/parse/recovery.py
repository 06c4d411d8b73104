"""Parsing with recovery: what the parser refuses costs a statement or a declaration, and the rest is kept."""

from __future__ import annotations

import re
import sys
from bisect import bisect_right
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import lru_cache

from pycparser import c_ast
from pycparser.c_parser import ParseError

from species.source.parse.grammar import GnuParser, LostStatement
from species.source.text.chunks import Chunk, split_declarations

_RECURSION_LIMIT = 20_000  # pure Python calls: deep expressions and long chains of `else if`
_WHERE = re.compile(r":(\d+):(\d+): (.*)", re.DOTALL)


@dataclass(frozen=True)
class Loss:
    """What the parser could not read: the place in the preprocessed text, and what was left out for it.

    `names` are those that it may have defined, `variables` those that may be another one's as well: of a
    declaration, of which nothing is left.  `mentioned` are those that unknown code, which stands in the tree
    for a statement, may access.  What was parsed all the same is `refused`.
    """

    line: int
    column: int
    message: str
    left_out: str
    user: bool
    names: frozenset[str] = frozenset()
    variables: frozenset[str] = frozenset()
    mentioned: frozenset[str] = frozenset()
    refused: bool = False
    of_statement: bool = False


@dataclass(frozen=True)
class Parsed:
    """The tree, what is not in it, and the types in it of which nothing is known."""

    ast: c_ast.FileAST
    losses: tuple[Loss, ...]
    unclear: frozenset[str] = frozenset()


@dataclass(frozen=True)
class _Failure:
    message: str
    line: int | None = None
    column: int = 1


def parse(
    text: str,
    is_user_line: Callable[[int], bool],
    *,
    headers: int = 0,
    modern: bool = False,
    guessing: bool = False,
) -> Parsed:
    """Parse preprocessed text; coordinates of the tree are lines and columns of `text`.

    `headers`: of how many characters, in whole lines, are the headers that it begins with?  Trees of texts
    that begin with the same ones share them.  `modern`: are C23's words keywords?  `guessing`: are there
    names of types that the text does not declare?
    """
    before, first = _headers(text[:headers], modern, guessing)
    if isinstance(first, _Failure):  # they may end in the middle of a declaration
        headers, (before, first) = 0, _headers("", modern, guessing)
    parser = GnuParser(modern=modern, guessing=guessing)
    parser.go_on_from(before)
    rest = _read_more(parser, text[headers:], 1 + text.count("\n", 0, headers))
    if isinstance(first, _Failure) or isinstance(rest, _Failure):
        return _Recovery(text, is_user_line, GnuParser(modern=modern, guessing=guessing)).run()
    losses = tuple(_of_statement(lost, is_user_line) for lost in (*before.lost, *parser.lost))
    return Parsed(c_ast.FileAST([*first.ext, *rest.ext]), losses, frozenset(parser.unclear))


@lru_cache(maxsize=2)
def _headers(text: str, modern: bool, guessing: bool) -> tuple[GnuParser, c_ast.FileAST | _Failure]:
    """What headers declare, which often are the same as those of the text before."""
    parser = GnuParser(modern=modern, guessing=guessing)
    return parser, _read_more(parser, text, 1)


def _read_more(parser: GnuParser, text: str, line: int) -> c_ast.FileAST | _Failure:
    """The declarations in a piece of a text, from `line` on; nothing of them is known where it fails."""
    with parser.resumed():
        return _attempt(lambda: parser.parse_more(f"#line {line}\n{text}"))


def _attempt(step: Callable[[], c_ast.FileAST]) -> c_ast.FileAST | _Failure:
    try:
        with _deep_recursion():
            return step()
    except ParseError as error:
        match = _WHERE.match(str(error))
        if match is None:
            return _Failure(str(error).lstrip(": ") or "syntax error")
        return _Failure(match[3], int(match[1]), int(match[2]))
    except RecursionError:
        return _Failure("nested too deeply")
    except Exception as error:  # whatever breaks inside pycparser must not lose the file
        return _Failure(f"the parser broke on it ({type(error).__name__}: {error})")


@contextmanager
def _deep_recursion() -> Iterator[None]:
    limit = sys.getrecursionlimit()
    sys.setrecursionlimit(max(limit, _RECURSION_LIMIT))
    try:
        yield
    finally:
        sys.setrecursionlimit(limit)


def _of_statement(lost: LostStatement, is_user_line: Callable[[int], bool]) -> Loss:
    what = f"a statement of function '{lost.function}'"
    user = is_user_line(lost.line)
    return Loss(lost.line, lost.column, lost.message, what, user, mentioned=lost.names, of_statement=True)


class _Recovery:
    """Parses declaration by declaration."""

    def __init__(self, text: str, is_user_line: Callable[[int], bool], parser: GnuParser) -> None:
        self._text = text
        self._is_user_line = is_user_line
        self._starts = [0, *(match.end() for match in re.finditer("\n", text))]
        self._parser = parser
        self._losses: list[Loss] = []

    def run(self) -> Parsed:
        items: list[c_ast.Node] = []
        for chunk in split_declarations(self._text):
            items += self._read(chunk)
        return Parsed(c_ast.FileAST(items), tuple(self._losses), frozenset(self._parser.unclear))

    def _read(self, chunk: Chunk) -> list[c_ast.Node]:
        result = self._piece(chunk.start, self._text[chunk.start : chunk.end])
        if not isinstance(result, _Failure):
            self._losses += [_of_statement(lost, self._is_user_line) for lost in self._parser.lost]
            return list(result.ext)
        prototype = chunk.prototype(self._text)
        kept = self._piece(chunk.start, prototype) if prototype is not None else result
        self._note(chunk, result, not isinstance(kept, _Failure))
        return [] if isinstance(kept, _Failure) else list(kept.ext)

    def _piece(self, start: int, text: str) -> c_ast.FileAST | _Failure:
        line = bisect_right(self._starts, start)
        indented = " " * (start - self._starts[line - 1]) + text
        return _read_more(self._parser, indented, line)

    def _note(self, chunk: Chunk, failure: _Failure, kept: bool) -> None:
        start = bisect_right(self._starts, chunk.start)
        line = failure.line or start
        column = failure.column if failure.line else chunk.start - self._starts[line - 1] + 1
        left_out = f"the body of {chunk.description}" if kept else chunk.description
        self._losses.append(
            Loss(
                line,
                column,
                failure.message,
                left_out,
                self._is_user_line(start),
                names=chunk.declared(self._text),
                variables=frozenset() if kept else chunk.words(self._text),
            )
        )
