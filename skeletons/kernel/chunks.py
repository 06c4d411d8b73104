"""A loop of the host that is cut into parts: how often it iterates, and where its iterator is then.

All texts are those of the source, macros included, so that the parts are still those of the loop when a macro
is given another value later on.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

from skeletons.kernel.context import Subject
from species.core.refusal import Refusal
from species.facts.loops import KernelLoop
from species.source.text.code import (
    block,
    code_tokens,
    dedented,
    directives,
    on_one_line,
    parenthesised,
    words_in,
)
from species.source.text.tokens import Token

_BEFORE_LABELS = frozenset({";", "{", "}", ")", ":"})
_RELATIONS = {"<": ">", "<=": ">=", ">": "<", ">=": "<="}  # with sides exchanged


@dataclass(frozen=True)
class SplitLoop:
    """`count` is a C expression, the number of iterations or less than 1; `lower` the first value.

    Where `start` is not empty, `lower` is a variable that has to be set to it first.
    """

    iterator: str
    ctype: str
    declared: bool  # by the loop itself
    count: str
    lower: str
    start: str
    rising: bool
    body: str
    private: tuple[str, ...]  # variables of which every iteration has its own

    def at(self, place: str) -> str:
        """The iterator in iteration number `place`."""
        if self.lower == "0" and self.rising:
            return place
        return f"{self.lower} {'+' if self.rising else '-'} {parenthesised(place)}"

    def header(self, first: str, end: str) -> str:
        """Of a loop from the iterator's value `first` to before `end`."""
        return f"for ({self.set_to(first)}; {self.is_before(self.iterator, end)}; {self.step})"

    def set_to(self, value: str) -> str:
        """The statement, or declaration, that gives the iterator a value."""
        return f"{self.ctype} {self.iterator} = {value}" if self.declared else f"{self.iterator} = {value}"

    def is_before(self, value: str, other: str) -> str:
        """Does a value of the iterator come before another?"""
        return f"{value} {'<' if self.rising else '>'} {other}"

    def is_after(self, value: str, other: str) -> str:
        """Does a value of the iterator come after another?"""
        return f"{value} {'>' if self.rising else '<'} {other}"

    def over(self, first: str, end: str) -> str:
        """The loop from one value of the iterator to before another."""
        if self.body.startswith("{"):
            return f"{self.header(first, end)} {block(self.body, 0)}"
        return f"{self.header(first, end)}\n    {block(self.body, 4)}"

    def with_body(self, body: str) -> SplitLoop:
        """The loop with another body."""
        return replace(self, body=body)

    @property
    def statements(self) -> str:
        """The body without braces around it."""
        tokens = code_tokens(self.body)
        if tokens[0].text != "{":
            return self.body
        inside = self.body[tokens[0].end : tokens[-1].start].replace("\r\n", "\n")
        return dedented(inside.strip("\n")).strip()

    def distance(self, first: str, end: str) -> str:
        """How many iterations there are from one value of the iterator to before another; below 1: none."""
        low, high = (first, end) if self.rising else (end, first)
        return f"{high} - {low}" if self.ctype in ("int", "long") else f"(long){high} - (long){low}"

    @property
    def step(self) -> str:
        """The statement by which the iterator goes on."""
        return f"{self.iterator}{'++' if self.rising else '--'}"

    @property
    def back(self) -> str:
        """The statement by which the iterator goes back to the iteration before."""
        return f"{self.iterator}{'--' if self.rising else '++'}"


def split_loop(subject: Subject, *, nested: bool = False) -> SplitLoop:
    """The kernel's loop, cut; Refusal where its header or body stand in the way.

    With `nested`, the outermost of several base loops.
    """
    loop, *others = subject.kernel.loops
    if (others and not nested) or abs(loop.step) != 1:
        raise Refusal("only single loops with steps of one are cut into parts")
    last = subject.scalars("lastprivate", "firstprivate")
    if last:
        raise Refusal(f"{last[0].name} carries a value between iterations")
    body = loop.spans.body.of(subject.text)
    check_text(subject, body)
    relation, bound = bound_of(subject, loop)
    own = (one.iterator for one in subject.kernel.loops if not one.declared_inside)
    start = on_one_line(loop.lower)
    lower = start if is_single(subject, start) else free_names(subject)("first")
    return SplitLoop(
        iterator=loop.iterator,
        ctype=loop.ctype,
        declared=loop.declared_inside,
        count=_count(subject, lower, relation, bound, loop.step > 0),
        lower=lower,
        start="" if lower == start else start,
        rising=loop.step > 0,
        body=body,
        private=(*own, *(scalar.name for scalar in subject.scalars("private"))),
    )


def check_text(subject: Subject, body: str) -> None:
    """Refusal for what cannot be written twice, or needs more than copies of single numbers."""
    if directives(subject.span.of(subject.text)):
        raise Refusal("a preprocessor line stands inside the loop")
    texts = [token.text for token in code_tokens(body)]
    words = words_in(body) | subject.macro_names(body)
    if texts.count(":") > texts.count("?") or {"goto", "static"} & words:
        raise Refusal("labels, or variables that stay, stand inside the loop")
    known = {scalar.name for scalar in subject.kernel.scalars} | subject.iterators
    facts = subject.facts
    own = (*facts.private, *facts.firstprivate, *facts.lastprivate)
    strange = [name for name in own if name not in known]
    if strange or subject.facts.linear or subject.facts.lastprivate_conditional:
        raise Refusal("every iteration needs more of its own than single numbers")


def can_stand_twice(text: str) -> bool:
    """Has it no label, whose name is one in a function, and no preprocessor line?"""
    texts = [token.text for token in code_tokens(text)]
    named = zip(texts, texts[1:], texts[2:], strict=False)
    labels = any(
        a in _BEFORE_LABELS and b != "default" and b.isidentifier() and c == ":" for a, b, c in named
    )
    return not labels and not directives(text)


def bound_of(subject: Subject, loop: KernelLoop) -> tuple[str, str]:
    """The condition as relation and bound: of `i < n` both, of `n > i` the same."""
    text = on_one_line(loop.condition)
    tokens = code_tokens(text)
    places = [k for k in range(len(tokens)) if tokens[k].text in _RELATIONS and is_outside(tokens, k)]
    if len(places) == 1:
        relation = tokens[places[0]]
        left, right = text[: relation.start].strip(), text[relation.end :].strip()
        if left == loop.iterator:
            return relation.text, right
        if right == loop.iterator:
            return _RELATIONS[relation.text], left
    raise Refusal(f"its condition `{loop.condition}` does not compare {loop.iterator} with a bound")


def is_outside(tokens: list[Token], k: int) -> bool:
    """Does it stand outside of all brackets?"""
    before = [t.text for t in tokens[:k]]
    return sum(before.count(b) for b in "([{") == sum(before.count(b) for b in ")]}")


def _count(subject: Subject, lower: str, relation: str, bound: str, rising: bool) -> str:
    """The number of iterations, of type long where it is a difference."""
    if (relation[0] == "<") != rising:
        raise Refusal("its iterator moves away from its bound")
    more = " + 1" if relation.endswith("=") else ""
    if rising and lower == "0":
        return bound if not more else f"(long){one_value(subject, bound)}{more}"
    upper, under = (one_value(subject, bound), lower) if rising else (lower, one_value(subject, bound))
    return f"(long){upper}{'' if under == '0' else f' - {under}'}{more}"


def is_single(subject: Subject, text: str) -> bool:
    """Is it a number or a variable, or a macro for one?"""
    tokens = code_tokens(text)
    body = subject.macro_body(tokens[0].text)
    return len(tokens) == 1 and (body is None or len(code_tokens(body)) == 1)


def one_value(subject: Subject, text: str) -> str:
    """`text` in parentheses where it could fall apart into several operands."""
    return text if is_single(subject, text) else f"({text})"


def free_names(subject: Subject) -> Callable[[str], str]:
    """Gives a name that the loop does not use for every name that is wanted, always the same."""
    text = subject.span.of(subject.text)
    taken = words_in(text) | subject.macro_names(text)

    def free(wanted: str) -> str:
        while wanted in taken or subject.macro_body(wanted) is not None:
            wanted += "_"
        return wanted

    return free
