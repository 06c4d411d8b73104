"""Statements that combine a value into an element of an array, found in text: `h[k]++`, `h[k] = h[k] + e`.

The analysis has shown that every use of the array is such an update, by one operator.  Here each of them is
taken apart, and what cannot be taken apart in one certain way is refused.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from species.core.positions import Span
from species.core.refusal import Refusal
from species.source.text.code import Access, accesses, code_tokens, matching
from species.source.text.tokens import Token

_STEPS = {"++": "+", "--": "-"}
_COMPOUND = {"+=": "+", "-=": "-", "*=": "*", "&=": "&", "|=": "|", "^=": "^"}
_LEVELS = {"*": 7, "/": 7, "%": 7, "+": 6, "-": 6, "<<": 5, ">>": 5, "&": 4, "^": 3, "|": 2}
_COMPARISONS = ("<", ">", "<=", ">=")
_OPENING = ("(", "[", "{")


@dataclass(frozen=True)
class Update:
    """`span` is the statement without its semicolon: `place` is combined with `operand`.

    `operator` is one of + - * & | ^ min max; for - the operand is taken away.
    """

    span: Span
    place: str
    operator: str
    operand: str
    is_block: bool = False  # a statement in braces, which has no semicolon


def updates(text: str, name: str, operator: str, macro: Callable[[str], str | None]) -> tuple[Update, ...]:
    """All updates of the array `name` in a body; Refusal where some use of it is of another form.

    `macro` gives the text that a macro stands for, None for other names.
    """
    tokens = code_tokens(text)
    found: list[Update] = []
    for access in accesses(text, name):
        if any(u.span.start <= access.span.start < u.span.end for u in found):
            continue
        update = _Reader(text, tokens, access, operator, macro).update()
        if update is None:
            raise Refusal(f"`{access.span.of(text)}` is combined in a way that has no atomic form")
        found.append(update)
    used = [a for u in found for part in (u.place, u.operand) for a in accesses(part, name)]
    if len(used) != len(found):
        raise Refusal(f"{name} is used inside of an update of {name}")
    return tuple(found)


def only_update(text: str, name: str, operator: str, macro: Callable[[str], str | None]) -> Update:
    """The one update of the variable `name` in a body; Refusal where there is none, or several.

    Its other uses are reads: that has to be known.
    """
    tokens = code_tokens(text)
    found: list[Update] = []
    for access in accesses(text, name):
        if not any(u.span.start <= access.span.start < u.span.end for u in found):
            update = _Reader(text, tokens, access, operator, macro).update()
            found += [update] if update is not None else []
    if len(found) != 1:
        raise Refusal(f"{name} is combined in a way that is not understood")
    return found[0]


@dataclass(frozen=True)
class _Reader:
    text: str
    tokens: list[Token]
    access: Access
    operator: str
    macro: Callable[[str], str | None]

    def update(self) -> Update | None:
        first = next(k for k, t in enumerate(self.tokens) if t.start == self.access.span.start)
        last = next(k for k, t in enumerate(self.tokens) if t.end == self.access.span.end)
        if self._before(first) in _STEPS:
            return self._step(first - 1, last, first - 1, last)
        if self._after(last) in _STEPS:
            return self._step(first, last + 1, last + 1, last)
        if self._after(last) in _COMPOUND and self._is_statement(first):
            return self._compound(first, last + 1)
        if self._after(last) == "=" and self._is_statement(first):
            return self._assignment(first, last + 1)
        return self._conditional(first)

    def _before(self, at: int) -> str:
        return self.tokens[at - 1].text if at else ""

    def _after(self, at: int) -> str:
        return self.tokens[at + 1].text if at + 1 < len(self.tokens) else ""

    def _is_statement(self, first: int) -> bool:
        """Does a statement begin at this token?"""
        before = self._before(first)
        if before != ")":
            return before in ("", ";", "{", "}", "else", "do") and not self._in_header(first)
        opening = next(k for k in range(first) if self._closes(k) == first - 1)
        return self._before(opening) in ("if", "for", "while") and not self._in_header(first)

    def _closes(self, k: int) -> int:
        return matching(self.tokens, k) if self.tokens[k].text == "(" else -1

    def _in_header(self, first: int) -> bool:
        return any(k < first < self._closes(k) for k in range(first))

    def _end(self, first: int) -> int | None:
        """The token before the semicolon of the statement at `first`, if it is one expression."""
        k = first
        while k < len(self.tokens):
            if self.tokens[k].text == ";":
                return k - 1
            if self.tokens[k].text in (",", ")", "}", "]"):
                return None
            k = matching(self.tokens, k) + 1 if self.tokens[k].text in _OPENING else k + 1
        return None

    def _made(self, first: int, last: int, operator: str, operand: str) -> Update:
        span = Span(self.tokens[first].start, self.tokens[last].end)
        return Update(span, self.access.span.of(self.text), operator, operand)

    def _step(self, first: int, last: int, sign: int, place: int) -> Update | None:
        if not self._is_statement(first) or self._after(max(last, place)) != ";" or self.operator != "+":
            return None
        return self._made(first, last, _STEPS[self.tokens[sign].text], "1")

    def _compound(self, first: int, sign: int) -> Update | None:
        operator, end = _COMPOUND[self.tokens[sign].text], self._end(first)
        plain = "+" if operator == "-" else operator
        if end is None or end <= sign or plain != self.operator or self._assigns(sign + 1, end):
            return None
        return self._made(first, end, operator, self._text(sign + 1, end))

    def _text(self, first: int, last: int) -> str:
        return self.text[self.tokens[first].start : self.tokens[last].end]

    def _words(self, first: int, last: int) -> list[str]:
        return [t.text for t in self.tokens[first : last + 1]]

    def _place(self) -> list[str]:
        return [t.text for t in code_tokens(self.access.span.of(self.text))]

    def _assigns(self, first: int, last: int) -> bool:
        return any(w in ("=", "++", "--") or w in _COMPOUND for w in self._words(first, last))

    # Assignments

    def _assignment(self, first: int, sign: int) -> Update | None:
        end = self._end(first)
        if end is None or end <= sign:
            return None
        if self.operator in ("min", "max"):
            operand = self._chosen(sign + 1, end) or self._called(sign + 1, end)
            return None if operand is None else self._made(first, end, self.operator, operand)
        found = None if self._assigns(sign + 1, end) else self._term(sign + 1, end)
        return None if found is None else self._made(first, end, *found)

    def _term(self, first: int, last: int) -> tuple[str, str] | None:
        """Operator and operand of `place op rest` or `rest op place`."""
        place, size = self._place(), len(self._place())
        if self._words(first, first + size - 1) == place and first + size < last:
            operator, rest = self.tokens[first + size].text, (first + size + 1, last)
            plain = "+" if operator == "-" else operator
            if plain == self.operator and self._binds(*rest, _LEVELS[plain] + 1):
                return operator, self._text(*rest)
        if self._words(last - size + 1, last) == place and last - size > first:
            operator, rest = self.tokens[last - size].text, (first, last - size - 1)
            if operator == self.operator and self._binds(*rest, _LEVELS[operator]):
                return operator, self._text(*rest)
        return None

    def _binds(self, first: int, last: int, level: int) -> bool:
        """Do all operators outside of brackets bind at least as strongly as `level` says?"""
        operand = False  # has an operand come before, so that an operator has two?
        for k in self._outside(first, last):
            word, kind = self.tokens[k].text, self.tokens[k].kind
            if kind == "identifier" and not self._is_one_value(word):
                return False
            if operand and word not in ("[", "(", ".", "->"):
                if _LEVELS.get(word, 0) < level:
                    return False
                operand = False
            elif not operand and word not in ("+", "-", "*", "&", "~", "!"):
                operand = not self._is_cast(k)
            elif word in (".", "->"):
                operand = False
        return operand

    def _is_one_value(self, name: str) -> bool:
        """Is it no macro that could fall apart into several operands?"""
        tokens = code_tokens(self.macro(name) or "")
        return len(tokens) <= 1 or (tokens[0].text == "(" and matching(tokens, 0) == len(tokens) - 1)

    def _is_cast(self, k: int) -> bool:
        """`(double)x`: a bracket before an operand."""
        if self.tokens[k].text != "(":
            return False
        after = matching(self.tokens, k) + 1
        return after < len(self.tokens) and (
            self.tokens[after].kind in ("identifier", "number") or self.tokens[after].text == "("
        )

    def _outside(self, first: int, last: int) -> Sequence[int]:
        found, k = [], first
        while k <= last:
            found.append(k)
            k = matching(self.tokens, k) + 1 if self.tokens[k].text in _OPENING else k + 1
        return found

    # The greater and the less

    def _split(self, first: int, last: int, *separators: str) -> list[tuple[int, int]]:
        """The parts between separators outside of brackets."""
        ends = [k for k in self._outside(first, last) if self.tokens[k].text in separators]
        starts = [first, *(k + 1 for k in ends)]
        return list(zip(starts, [*(k - 1 for k in ends), last], strict=True))

    def _other(self, parts: Sequence[tuple[int, int]]) -> tuple[int, int] | None:
        """Of two parts, the one that is not the place."""
        if len(parts) != 2 or any(a > b for a, b in parts):
            return None
        left, right = (self._bare(*part) for part in parts)
        if self._words(*left) == self._place():
            return right
        return left if self._words(*right) == self._place() else None

    def _bare(self, first: int, last: int) -> tuple[int, int]:
        while first < last and self._closes(first) == last:
            first, last = first + 1, last - 1
        return first, last

    def _compared(self, first: int, last: int) -> tuple[int, int] | None:
        first, last = self._bare(first, last)
        if any(self.tokens[k].text in ("&&", "||", "?", "==", "!=", ",") for k in self._outside(first, last)):
            return None
        return self._other(self._split(first, last, *_COMPARISONS))

    def _equal(self, *parts: tuple[int, int] | None) -> str | None:
        """The text of the parts if it is one."""
        words = [None if part is None else self._words(*part) for part in parts]
        if None in words or any(w != words[0] for w in words) or parts[0] is None:
            return None
        return None if self._assigns(*parts[0]) else self._text(*parts[0])

    def _chosen(self, first: int, last: int) -> str | None:
        """The operand of `e < place ? e : place`."""
        first, last = self._bare(first, last)
        parts = self._split(first, last, "?", ":")
        if len(parts) != 3 or any(a > b for a, b in parts):
            return None
        return self._equal(self._other(parts[1:]), self._compared(*parts[0]))

    def _called(self, first: int, last: int) -> str | None:
        """The operand of `fmin(place, e)`."""
        name = self.tokens[first]
        if name.kind != "identifier" or self.macro(name.text) is not None or self._closes(first + 1) != last:
            return None
        return self._equal(self._other(self._split(first + 2, last - 1, ",")))

    def _conditional(self, inside: int) -> Update | None:
        """`if (e < place) place = e;`"""
        if self.operator not in ("min", "max"):
            return None
        tests = [k for k in range(1, inside) if self._closes(k) > inside and self._before(k) == "if"]
        if not tests or not self._is_statement(tests[-1] - 1):
            return None
        opening = tests[-1]
        closing = self._closes(opening)
        first = closing + 1
        braced = self._after(closing) == "{"
        body = first + braced
        end = self._end(body)
        size = len(self._place())
        if end is None or self._words(body, body + size) != [*self._place(), "="]:
            return None
        final = end + 1 + braced
        if self._after(final) == "else" or (braced and self.tokens[final].text != "}"):
            return None
        operand = self._equal(self._compared(opening + 1, closing - 1), self._bare(body + size + 1, end))
        if operand is None:
            return None
        made = self._made(opening - 1, final if braced else end, self.operator, operand)
        return replace(made, is_block=braced)
