"""Parsing with recovery: a declaration that pycparser refuses is left out, and the rest is kept."""

from __future__ import annotations

import re
import sys
from bisect import bisect_right
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace

from pycparser import c_ast
from pycparser.c_parser import CParser, ParseError

from species.source.chunks import Chunk, split_declarations

_ATTEMPTS = 200
_RECURSION_LIMIT = 20_000  # pure Python calls: deep expressions and long chains of `else if`
_WHERE = re.compile(r":(\d+):(\d+): (.*)", re.DOTALL)


@dataclass(frozen=True)
class Loss:
    """What the parser could not read: the place in the preprocessed text, and what was left out for it.

    `names` are those that it may have defined, `variables` those that may be another one's as well: of a
    declaration, of which nothing is left.  What was parsed all the same is `refused`.
    """

    line: int
    column: int
    message: str
    left_out: str
    user: bool
    names: frozenset[str] = frozenset()
    variables: frozenset[str] = frozenset()
    refused: bool = False


@dataclass(frozen=True)
class Parsed:
    """`ast` is empty where `complete` is False: nothing could be read."""

    ast: c_ast.FileAST
    losses: tuple[Loss, ...]
    complete: bool


@dataclass(frozen=True)
class _Failure:
    message: str
    line: int | None = None
    column: int = 1


def parse(text: str, is_user_line: Callable[[int], bool]) -> Parsed:
    """Parse preprocessed text; coordinates of the tree are lines and columns of `text`."""
    result = _attempt(text)
    if not isinstance(result, _Failure):
        return Parsed(result, (), True)
    return _Recovery(text, is_user_line).run(result)


def _attempt(text: str) -> c_ast.FileAST | _Failure:
    try:
        with _deep_recursion():
            return CParser().parse(text, "")
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


class _Recovery:
    def __init__(self, text: str, is_user_line: Callable[[int], bool]) -> None:
        self._text = text
        self._is_user_line = is_user_line
        self._starts = [0, *(match.end() for match in re.finditer("\n", text))]
        self._live = split_declarations(text)
        self._losses: dict[int, Loss] = {}  # by the start of the declaration
        self._words: dict[int, frozenset[str]] = {}  # of what was left out
        self._headers_reduced = False

    def run(self, failure: _Failure) -> Parsed:
        for _ in range(_ATTEMPTS):
            index = self._guilty(failure)
            if index is None:
                break
            self._leave_out(index, failure)
            result = _attempt(self._text)
            if not isinstance(result, _Failure):
                return Parsed(result, tuple(loss for _, loss in sorted(self._losses.items())), True)
            failure = result
        loss = Loss(failure.line or 1, failure.column, failure.message, "the whole file", True)
        return Parsed(c_ast.FileAST([]), (loss,), False)

    def _line(self, offset: int) -> int:
        return bisect_right(self._starts, offset)

    def _guilty(self, failure: _Failure) -> int | None:
        """The index of the declaration to leave out."""
        if failure.line is None:
            return self._first_failing()
        offset = self._starts[failure.line - 1] + failure.column - 1
        before = bisect_right([chunk.start for chunk in self._live], offset)
        # a bracket that is not closed is noticed much later
        open_ended = (index for index in range(before) if not self._live[index].balanced)
        return next(open_ended, max(0, before - 1)) if self._live else None

    def _first_failing(self) -> int | None:
        """Bisect for the declaration with which parsing begins to fail."""
        if not self._live or not isinstance(_attempt(self._text), _Failure):
            return None
        low, high = 0, len(self._live)  # the first `low` parse, the first `high` do not
        while high - low > 1:
            middle = (low + high) // 2
            if isinstance(_attempt(self._text[: self._live[middle - 1].end]), _Failure):
                high = middle
            else:
                low = middle
        return high - 1

    def _leave_out(self, index: int, failure: _Failure) -> None:
        chunk = self._live[index]
        user = self._is_user_line(self._line(chunk.start))
        if not user and not self._headers_reduced:
            self._reduce_headers()
            return
        prototype = chunk.prototype(self._text)
        self._note(chunk, failure, user, prototype is not None)
        if prototype is None:
            self._replace(chunk, "")
            del self._live[index]
        else:
            self._replace(chunk, prototype)
            self._live[index] = chunk.without_body()

    def _note(self, chunk: Chunk, failure: _Failure, user: bool, kept: bool) -> None:
        """Record the loss, before it; of one that fails twice, the first failure is the telling one."""
        first = self._losses.get(chunk.start)
        if first is not None:
            left_out = first.left_out.removeprefix("the body of ")
            self._losses[chunk.start] = replace(first, left_out=left_out, variables=self._words[chunk.start])
            return
        line = failure.line or self._line(chunk.start)
        column = failure.column if failure.line else chunk.start - self._starts[line - 1] + 1
        left_out = f"the body of {chunk.description}" if kept else chunk.description
        names = chunk.declared(self._text)
        self._words[chunk.start] = chunk.words(self._text)
        variables = frozenset() if kept else self._words[chunk.start]
        self._losses[chunk.start] = Loss(line, column, failure.message, left_out, user, names, variables)

    def _reduce_headers(self) -> None:
        """Leave all function bodies of system headers out at once: nobody asked for them."""
        self._headers_reduced = True
        for index, chunk in enumerate(self._live):
            if not self._is_user_line(self._line(chunk.start)):
                prototype = chunk.prototype(self._text)
                if prototype is not None:
                    self._replace(chunk, prototype)
                    self._live[index] = chunk.without_body()

    def _replace(self, chunk: Chunk, replacement: str) -> None:
        rest = self._text[chunk.start + len(replacement) : chunk.end]
        blanks = re.sub(r"[^\n]", " ", rest)
        self._text = self._text[: chunk.start] + replacement + blanks + self._text[chunk.end :]
