"""From places in the preprocessed text to places in the original files."""

from __future__ import annotations

import copy
import re
from bisect import bisect_right
from collections.abc import Mapping
from functools import cached_property
from itertools import accumulate

from species.core.positions import Position, Span
from species.source.preprocess.align import Aligner, Origin, OriginalTokens, Word
from species.source.preprocess.output import PreprocessedOutput
from species.source.text.chunks import split_declarations
from species.source.text.files import SourceFile
from species.source.text.macros import MacroTable
from species.source.text.tokens import tokenize

_CONDITIONAL = re.compile(r"(?:#|%:)\s*(if|else|elif|endif)")


class LineMap:
    """All tokens of the user's files in preprocessed order ("words"), and the original tokens behind them."""

    def __init__(
        self, output: PreprocessedOutput, sources: Mapping[str, SourceFile], macros: MacroTable
    ) -> None:
        self._output = output
        self._sources = sources
        self._macros = macros
        self._words: list[Word] = []
        self._visits: list[int] = []  # of each word
        self._by_visit: dict[int, list[int]] = {}
        self._ranks: list[int] = []  # of each word in its visit
        self._by_line: dict[int, tuple[int, list[int]]] = {}  # output line: first word, columns of its words
        self._origins: dict[int, list[Origin | None]] = {}
        self._originals: dict[str, OriginalTokens] = {}
        self._read: dict[int, frozenset[int]] = {}
        self._known_starts: dict[int, list[int]] = {}  # by visit
        self._elsewhere: list[Position] = []  # the places of lines behind the output
        for index, (visit, line) in enumerate(output.origins):
            if output.visits[visit].user and output.lines[index]:
                self._add_line(index + 1, visit, line, output.lines[index])

    def _add_line(self, output_line: int, visit: int, line: int, text: str) -> None:
        tokens = tokenize(text)
        self._by_line[output_line] = len(self._words), [token.start + 1 for token in tokens]
        of_visit = self._by_visit.setdefault(visit, [])
        for token in tokens:
            self._ranks.append(len(of_visit))
            of_visit.append(len(self._words))
            self._words.append(Word(token.text, line, output_line))
            self._visits.append(visit)

    @cached_property
    def texts(self) -> tuple[str, ...]:
        """The spelling of every word."""
        return tuple(word.text for word in self._words)

    def visit_of(self, output_line: int) -> int:
        """The visit that a line of the output belongs to."""
        return self._output.origins[output_line - 1][0]

    def word_at(self, output_line: int, column: int) -> int | None:
        """The word that stands at a place of the output; None outside the user's files."""
        first, columns = self._by_line.get(output_line, (0, []))
        rank = bisect_right(columns, column) - 1
        return first + rank if rank >= 0 else None

    def extended(self) -> LineMap:
        """A copy, to which lines can be added."""
        twin = copy.copy(self)
        twin._elsewhere = list(self._elsewhere)
        return twin

    def add(self, position: Position) -> int:
        """A new line behind the output, that stands for a place in another file."""
        self._elsewhere.append(position)
        return len(self._output.origins) + len(self._elsewhere)

    def is_added(self, output_line: int) -> bool:
        return output_line > len(self._output.origins)

    def position(self, output_line: int, column: int) -> Position:
        """The original place of a place in the output."""
        if self.is_added(output_line):
            return self._elsewhere[output_line - len(self._output.origins) - 1]
        index = self.word_at(output_line, column)
        if index is not None:
            found = self._start(index)
            if found is not None:
                return self._source(index).position(found)
        visit, line = self._output.origins[output_line - 1]
        return Position(self._output.visits[visit].file, max(1, line), 1 if index is not None else column)

    def span(self, first: int, last: int) -> Span | None:
        """The original text of words `first` to `last`.

        None where they stand in different files, where one end is only a part of a macro use, where a
        conditional directive (`#if` ... `#endif`) lies half inside, or where the main file, which includes
        itself, reads as something else at another time.
        """
        if not self.same_file(first, last) or self._splits(first, first - 1) or self._splits(last, last + 1):
            return None
        start, end = self._start(first), self._end(last)
        if start is None or end is None or start >= end or self._is_read_again(first):
            return None
        original = self._original(self._file(first))
        return Span(start, end) if _conditionals_match(original, start, end) else None

    def declaration_start(self, offset: int, *, nearest: bool = False) -> int | None:
        """Where the external declaration begins that holds a place of the main file; None where it begins in
        another file (`nearest`: the last one before it that does not).

        What the preprocessor has left out is in none, and braces count that it has left in.
        """
        for visit in self._readings:
            words = self._by_visit[visit]
            last = bisect_right(self._starts(visit), offset) - 1
            if last < 0:
                continue
            first = self._declared_at(words[last])
            while nearest and first > 0 and not self.same_file(first, words[last]):
                first = self._declared_at(first - 1)
            return self._start(first) if self.same_file(first, words[last]) else None
        return None

    def _starts(self, visit: int) -> list[int]:
        """Where the words of a visit begin, or before them what begins last."""
        if visit not in self._known_starts:
            starts = (self._start(index) or 0 for index in self._by_visit[visit])
            self._known_starts[visit] = list(accumulate(starts, max))
        return self._known_starts[visit]

    def _declared_at(self, index: int) -> int:
        """The word that begins the declaration of a word, and a macro use if it comes from one."""
        first = self._declarations[bisect_right(self._declarations, index) - 1]
        while first > 0 and self._splits(first, first - 1):
            first = self._declarations[bisect_right(self._declarations, first - 1) - 1]
        return first

    @cached_property
    def _declarations(self) -> list[int]:
        """The words that external declarations begin with."""
        places, text = list[int](), 0
        for word in self._words:
            places.append(text)
            text += len(word.text) + 1
        chunks = split_declarations(" ".join(word.text for word in self._words))
        return [bisect_right(places, chunk.start) - 1 for chunk in chunks]

    def is_literal(self, index: int) -> bool:
        """Does the word stand in the original text itself, outside macro uses?"""
        origin = self.origin(index)
        return origin is not None and origin.exact

    def same_file(self, first: int, last: int) -> bool:
        """Do both words come from the same reading of the same file?"""
        return self._visits[first] == self._visits[last]

    def origin(self, index: int) -> Origin | None:
        """The original tokens that a word comes from; None where the file cannot be matched."""
        visit = self._visits[index]
        if visit not in self._origins:
            self._origins[visit] = self._align(visit)
        return self._origins[visit][self._ranks[index]]

    def _is_read_again(self, index: int) -> bool:
        """Does another reading of the main file have a word of the same place?"""
        own, origin = self._visits[index], self.origin(index)
        if len(self._readings) < 2 or own not in self._readings or origin is None:
            return False
        return any(origin.first in self._tokens_of(visit) for visit in self._readings if visit != own)

    @cached_property
    def _readings(self) -> tuple[int, ...]:
        """The visits of the main file."""
        visits = self._output.visits
        return tuple(k for k in self._by_visit if visits[k].file == visits[0].file)

    def _tokens_of(self, visit: int) -> frozenset[int]:
        """The original tokens that a visit's words come from."""
        if visit not in self._read:
            found = (self.origin(index) for index in self._by_visit[visit])
            spans = (range(origin.first, origin.last + 1) for origin in found if origin is not None)
            self._read[visit] = frozenset(token for span in spans for token in span)
        return self._read[visit]

    def _align(self, visit: int) -> list[Origin | None]:
        words = [self._words[index] for index in self._by_visit[visit]]
        about = self._output.visits[visit]
        if not about.physical or about.file not in self._sources:
            return [None] * len(words)
        return Aligner(self._original(about.file), words, self._macros).origins

    def _original(self, file: str) -> OriginalTokens:
        if file not in self._originals:
            text = self._sources[file].text
            self._originals[file] = OriginalTokens(text, tokenize(text))
        return self._originals[file]

    def _source(self, index: int) -> SourceFile:
        return self._sources[self._file(index)]

    def _file(self, index: int) -> str:
        return self._output.visits[self._visits[index]].file

    def _start(self, index: int) -> int | None:
        origin = self.origin(index)
        return None if origin is None else self._original(self._file(index)).tokens[origin.first].start

    def _end(self, index: int) -> int | None:
        origin = self.origin(index)
        return None if origin is None else self._original(self._file(index)).tokens[origin.last].end

    def _splits(self, index: int, neighbour: int) -> bool:
        """Does the macro use that the word comes from reach over to its neighbour?"""
        origin = self.origin(index)
        if origin is None or origin.exact or not 0 <= neighbour < len(self._words):
            return False
        return self.same_file(index, neighbour) and self.origin(neighbour) == origin


def _conditionals_match(original: OriginalTokens, start: int, end: int) -> bool:
    depth = 0
    for token in original.directives:
        match = _CONDITIONAL.match(token.text) if start < token.start < end else None
        if match is None:
            continue
        if match[1] == "if":
            depth += 1
        elif depth == 0:
            return False
        elif match[1] == "endif":
            depth -= 1
    return depth == 0
