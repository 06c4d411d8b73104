"""Matches preprocessed tokens with the tokens of the original file.

Outside macro uses the preprocessor changes no token; so a stretch of the original is a pattern of literal
tokens and of holes (macro uses) that stand for any tokens.  A literal token gets its place only where the
pattern leaves no choice; all else stands for the macro uses around it.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from species.source.text.macros import MacroTable
from species.source.text.tokens import Token, has_newline

_LOOP_WORDS = frozenset(("for", "while", "do"))
_BUILT_IN = {
    "__LINE__",
    "__FILE__",
    "__DATE__",
    "__TIME__",
    "__COUNTER__",
    "__INCLUDE_LEVEL__",
    "__TIMESTAMP__",
}
_OPEN, _CLOSE = ("(", "[", "{"), (")", "]", "}")
_Allowed = Callable[[int, int], bool]


@dataclass(frozen=True)
class Origin:
    """Where preprocessed tokens come from: the original tokens `first` to `last`.

    `exact`: the one original token itself; otherwise the macro uses that the tokens come from.
    """

    first: int
    last: int
    exact: bool


@dataclass(frozen=True)
class Word:
    """A preprocessed token: its spelling, its line in the original file and its line in the output."""

    text: str
    line: int
    output_line: int


@dataclass(frozen=True)
class _Block:
    """A logical line: original tokens `[start, end)` on the physical lines `first_line` to `last_line`."""

    start: int
    end: int
    first_line: int
    last_line: int
    directive: bool


@dataclass(frozen=True)
class _Segment:
    """Adjacent literal tokens `[start, end)`; `open_left` and `open_right` tell of holes beside it."""

    start: int
    end: int
    open_left: bool
    open_right: bool


class OriginalTokens:
    """The tokens of an original file without comments and directives, and its logical lines."""

    def __init__(self, text: str, tokens: Sequence[Token]) -> None:
        self.tokens: list[Token] = []
        self.words: list[str] = []
        self.directives = [token for token in tokens if token.kind == "directive"]
        self.blocks: list[_Block] = []
        line, at, start, first_line, directive = 1, 0, 0, 1, False
        for token in tokens:
            gap = text[at : token.start]
            if has_newline(gap):
                self._close(start, first_line, line, directive)
                start, directive = len(self.tokens), False
                first_line = line + gap.count("\n")
            line += gap.count("\n") + token.text.count("\n")
            at = token.end
            directive = directive or token.kind == "directive"
            if token.kind not in ("comment", "directive"):
                self.tokens.append(token)
                self.words.append(token.spelling)
        self._close(start, first_line, line, directive)

    def _close(self, start: int, first_line: int, last_line: int, directive: bool) -> None:
        if directive or start < len(self.tokens):
            self.blocks.append(_Block(start, len(self.tokens), first_line, last_line, directive))


class Aligner:
    """Aligns the words of one visit with the file's tokens; `origins` is the result, one per word."""

    def __init__(self, original: OriginalTokens, words: Sequence[Word], macros: MacroTable) -> None:
        self._original = original
        self._words = words
        self._macros = macros
        self.origins: list[Origin | None] = [None] * len(words)
        self._by_line: dict[int, list[int]] = {}
        for index, word in enumerate(words):
            self._by_line.setdefault(word.line, []).append(index)
        self._align()

    def _align(self) -> None:
        blocks, at, output_line = self._original.blocks, 0, 1
        while at < len(blocks):
            block, found = blocks[at], self._found(blocks[at])
            at += 1
            if found:
                output_line = self._words[found[0]].output_line
            if block.directive or self._equal(block, found):
                continue
            is_macro = self._macro_test(output_line)
            while at < len(blocks) and self._unfinished(block, is_macro):
                if blocks[at].directive and not found:
                    break  # a branch that is not compiled
                found = found + self._found(blocks[at])
                block = _Block(block.start, blocks[at].end, block.first_line, blocks[at].last_line, False)
                at += 1
            if found:
                self._match(block, found, is_macro)

    def _found(self, block: _Block) -> list[int]:
        lines = range(block.first_line, block.last_line + 1)
        return [index for line in lines for index in self._by_line.get(line, ())]

    def _equal(self, block: _Block, found: list[int]) -> bool:
        if [self._words[i].text for i in found] != self._original.words[block.start : block.end]:
            return False
        for offset, index in enumerate(found):
            self.origins[index] = Origin(block.start + offset, block.start + offset, True)
        return True

    def _macro_test(self, output_line: int) -> Callable[[str], int]:
        """0 for a name that is no macro, 1 for an object-like and 2 for a function-like macro."""

        def test(name: str) -> int:
            if name in _BUILT_IN:
                return 1
            if name in ("_Pragma", "__pragma"):
                return 2
            definition = self._macros.definition_in_output(name, output_line)
            return 0 if definition is None else 1 if definition.params is None else 2

        return test

    def _unfinished(self, block: _Block, is_macro: Callable[[str], int]) -> bool:
        """Does a macro use run over the end of the block?"""
        words, at = self._original.words, block.start
        while at < block.end:
            if is_macro(words[at]) == 2:
                if at + 1 == block.end:
                    return words[at + 1 : at + 2] == ["("]
                if words[at + 1] == "(":
                    end = _closing(words, at + 1, block.end)
                    if end is None:
                        return True
                    at = end
            at += 1
        return False

    def _match(self, block: _Block, found: list[int], is_macro: Callable[[str], int]) -> None:
        texts = [self._words[i].text for i in found]
        for greedy in (False, True):
            segments = _segments(self._original.words, block, is_macro, greedy)
            placed = _place(self._original.words, segments, texts)
            if placed is not None:
                self._assign(block, found, segments, placed)
                return
        self._assign(block, found, [], [])

    def _assign(
        self, block: _Block, found: list[int], segments: list[_Segment], placed: list[int | None]
    ) -> None:
        """Give literals their tokens, and what lies between them the macro uses between them."""
        next_word, next_token = 0, block.start
        for segment, place in zip(segments, placed, strict=True):
            if place is None:
                continue
            self._assign_hole(found[next_word:place], next_token, segment.start - 1)
            for offset in range(segment.end - segment.start):
                token = segment.start + offset
                self.origins[found[place + offset]] = Origin(token, token, True)
            next_word, next_token = place + segment.end - segment.start, segment.end
        self._assign_hole(found[next_word:], next_token, block.end - 1)

    def _assign_hole(self, indices: list[int], first: int, last: int) -> None:
        origin = Origin(min(first, last), last, False) if last >= 0 else None
        for index in indices:
            self.origins[index] = origin


def _closing(words: Sequence[str], at: int, end: int) -> int | None:
    depth = 0
    for index in range(at, end):
        depth += (words[index] == "(") - (words[index] == ")")
        if depth == 0:
            return index
    return None


def _segments(
    words: Sequence[str], block: _Block, is_macro: Callable[[str], int], greedy: bool
) -> list[_Segment]:
    """The literal stretches of a block.

    `greedy`: every macro takes the parenthesised groups after it, as one does whose expansion ends with the
    name of a function-like macro.
    """
    segments, start, at, hole = [], block.start, block.start, False
    while at < block.end:
        end = _hole_end(words, at, block.end, is_macro(words[at]), greedy)
        if end > at:
            if at > start:
                segments.append(_Segment(start, at, hole, True))
            start, hole = end, True
        at = max(end, at + 1)
    if block.end > start:
        segments.append(_Segment(start, block.end, hole, False))
    return segments


def _hole_end(words: Sequence[str], at: int, end: int, kind: int, greedy: bool) -> int:
    """One past the macro use that begins at `at`; `at` itself where there is none."""
    groups = 0
    after = at + 1
    while kind and after < end and words[after] == "(" and (greedy or (kind == 2 and groups == 0)):
        closing = _closing(words, after, end)
        if closing is None:
            break
        after, groups = closing + 1, groups + 1
    return after if kind == 1 or groups else at


def _place(words: Sequence[str], segments: list[_Segment], texts: list[str]) -> list[int | None] | None:
    """Where each segment stands in `texts`: None for one with several places; None for all if it has none."""
    literals = [list(words[s.start : s.end]) for s in segments]
    certain = _only_places(segments, literals, texts, lambda start, end: True)
    if certain is None:
        return None
    # most macros expand to balanced text, which often leaves one place: good enough for all but loop keywords
    likely = _only_places(segments, literals, texts, _balance_test(texts)) or certain
    counted = _loop_words(texts) == sum(map(_loop_words, literals))
    merged = [
        sure if sure is not None else guess if counted or not _loop_words(literal) else None
        for sure, guess, literal in zip(certain, likely, literals, strict=True)
    ]
    return merged if _ascending(merged, literals) else certain


def _only_places(
    segments: list[_Segment], literals: list[list[str]], texts: list[str], allowed: _Allowed
) -> list[int | None] | None:
    """The places of the segments that have only one, given which texts a hole may stand for."""
    left = _leftmost(segments, literals, texts, allowed)
    right = _rightmost(segments, literals, texts, allowed)
    if left is None or right is None:
        return None
    return [low if low == high else None for low, high in zip(left, right, strict=True)]


def _leftmost(
    segments: list[_Segment], literals: list[list[str]], texts: list[str], allowed: _Allowed
) -> list[int] | None:
    placed, at = [], 0
    for segment, literal in zip(segments, literals, strict=True):
        latest = len(texts) - len(literal)
        first = at if segment.open_right else max(at, latest)
        last = latest if segment.open_left else min(at, latest)
        place = next((p for p in range(first, last + 1) if _fits(p, literal, texts) and allowed(at, p)), None)
        if place is None:
            return None
        placed.append(place)
        at = place + len(literal)
    return placed


def _rightmost(
    segments: list[_Segment], literals: list[list[str]], texts: list[str], allowed: _Allowed
) -> list[int] | None:
    """The leftmost places of everything reversed."""
    size = len(texts)
    mirrored = [_Segment(s.start, s.end, s.open_right, s.open_left) for s in reversed(segments)]
    reversed_literals = [literal[::-1] for literal in reversed(literals)]
    placed = _leftmost(mirrored, reversed_literals, texts[::-1], lambda a, b: allowed(size - b, size - a))
    if placed is None:
        return None
    return [size - p - len(literal) for p, literal in zip(reversed(placed), literals, strict=True)]


def _fits(place: int, literal: list[str], texts: list[str]) -> bool:
    return texts[place] == literal[0] and texts[place : place + len(literal)] == literal


def _balance_test(texts: list[str]) -> _Allowed:
    depths = [0]
    for text in texts:
        depths.append(depths[-1] + (text in _OPEN) - (text in _CLOSE))
    return lambda start, end: depths[end] == depths[start] == min(depths[start : end + 1])


def _ascending(placed: list[int | None], literals: list[list[str]]) -> bool:
    end = 0
    for place, literal in zip(placed, literals, strict=True):
        if place is not None:
            if place < end:
                return False
            end = place + len(literal)
    return True


def _loop_words(texts: Sequence[str]) -> int:
    return sum(text in _LOOP_WORDS for text in texts)
