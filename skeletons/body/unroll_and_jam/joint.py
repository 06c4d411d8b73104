"""What the merged iterations of a loop do together: inner loops and conditions that are the same for all."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise

from skeletons.body.unroll_and_jam.declared import Declared, is_other_declaration, read_declaration
from skeletons.body.unroll_and_jam.loads import Read, loads
from skeletons.kernel.array_views import BYTES
from skeletons.kernel.certainty import is_fixed, is_plain
from skeletons.kernel.context import Subject
from species.core.positions import Span
from species.facts.loops import KernelLoop
from species.source.syntax.statement_tree import (
    Header,
    Statement,
    jumps_out,
    read_header,
    read_statement,
    written_names,
)
from species.source.text.code import code_tokens, names_in


@dataclass(frozen=True)
class Unit:
    """Statements that are made for one iteration after the other; or one that is made for all of them."""

    statements: tuple[Statement, ...]
    joint: bool

    @property
    def span(self) -> Span:
        """From the first to the last."""
        return Span(self.statements[0].span.start, self.statements[-1].span.end)


@dataclass(frozen=True)
class Together:
    """The body `text` as it is for several iterations of `loop` at once; `is_whole`: for two at the least."""

    subject: Subject
    text: str
    loop: KernelLoop
    is_whole: bool = False

    @cached_property
    def sequence(self) -> tuple[Statement, ...]:
        """The statements of the body."""
        return read_statement(self.text).sequence()

    @cached_property
    def private(self) -> dict[str, str]:
        """The variables of an iteration that are declared before the loop, with their types."""
        used = names_in(self.text)
        return {s.name: s.ctype for s in self.subject.scalars("private") if s.name in used}

    @cached_property
    def joint(self) -> dict[Span, Header | None]:
        """The loops that are walked once, with their headers, and the conditions that are asked once."""
        found = dict(self._joint(self.sequence, frozenset()))
        return found if self._may_be_joint(found) else {}

    @cached_property
    def iterators(self) -> frozenset[str]:
        """Of the loops that are walked once."""
        return _iterators(self.joint)

    @cached_property
    def loads(self) -> tuple[Read, ...]:
        """The uses of cells that keep their values."""
        return tuple(loads(self.subject, self.text, self.is_whole))

    def units(self, sequence: tuple[Statement, ...]) -> list[Unit]:
        """The statements, those between joint ones taken together."""
        units: list[Unit] = []
        for part in sequence:
            joint = part.span in self.joint
            if units and not joint and not units[-1].joint:
                units[-1] = Unit((*units[-1].statements, part), False)
            else:
                units.append(Unit((part,), joint))
        return units

    def inside(self, part: Statement, around: frozenset[str]) -> frozenset[str]:
        """The iterators of the joint loops around what stands in `part`."""
        header = self.joint[part.span]
        return around | {header.iterator} if header else around

    def jumps(self, part: Statement) -> bool:
        """May an iteration end early there?"""
        return jumps_out(part, self.text)

    def declared(self, part: Statement) -> Declared | None:
        """What a statement declares."""
        if part.kind != "plain":
            return None
        return read_declaration(part.span.of(self.text), self.subject.declarations)

    def is_uniform(self, text: str, around: frozenset[str]) -> bool:
        """Has an expression one value for all merged iterations, in joint loops over `around`?"""
        return all(name in around or self._is_same(name) for name in names_in(text))

    def _is_same(self, name: str) -> bool:
        hidden = self.subject.macro_names(name)
        return self.loop.iterator not in hidden | {name} and is_fixed(self.subject, name)

    def _joint(
        self, sequence: tuple[Statement, ...], around: frozenset[str]
    ) -> Iterator[tuple[Span, Header | None]]:
        for part in sequence:
            if part.header is None or part.kind not in ("for", "if") or len(part.parts) != 1:
                continue
            header = self._walked_once(part, around) if part.kind == "for" else None
            if header is None and not (part.kind == "if" and self._asked_once(part, around)):
                continue
            inside = around | {header.iterator} if header else around
            yield part.span, header
            yield from self._joint(part.parts[0].sequence(), inside)

    def _asked_once(self, part: Statement, around: frozenset[str]) -> bool:
        assert part.header is not None
        text = part.header.of(self.text)
        return is_plain(text) and self.is_uniform(text, around) and not self.jumps(part)

    def _walked_once(self, part: Statement, around: frozenset[str]) -> Header | None:
        assert part.header is not None
        header = read_header(part.header.of(self.text))
        if header is None or any(self.jumps(inner) for inner in part.parts[0].sequence()):
            return None
        update = header.update.replace("=", " ").strip("+-")
        changes = written_names(header.update) == {header.iterator} and is_plain(update)
        plain = is_plain(header.lower) and is_plain(header.condition)
        own, texts = around | {header.iterator}, (header.lower, header.condition, update)
        return header if changes and plain and all(self.is_uniform(text, own) for text in texts) else None

    def _may_be_joint(self, found: dict[Span, Header | None]) -> bool:
        """Nothing but headers changes the iterators, and all else can be had once for each iteration."""
        statements = [part for whole in self.sequence for part in whole.walk()]
        plain = [part for part in statements if part.kind == "plain"]
        declared = [name for part in plain if (d := self.declared(part)) for name, _ in d.names]
        walked = [part for part in statements if part.span in found and part.header]
        iterators = _iterators(found)
        changed = written_names(self._without_headers(walked)) | set(declared)
        return not (
            iterators & changed
            or any(self.jumps(part) for part in self.sequence)
            or any(is_other_declaration(part.span.of(self.text), self.subject.declarations) for part in plain)
            or self._is_ambiguous(statements, declared)
            or set(self.private) - iterators & self.subject.redeclared
            or any(_is_addressed(self.text, name) for name in (*declared, *self.private))
            or any(self.subject.declarations.canonical(t) not in BYTES for t in self.private.values())
        )

    def _without_headers(self, parts: list[Statement]) -> str:
        text = self.text
        for span in (part.header for part in parts):
            if span is not None:
                text = text[: span.start] + " " * (span.end - span.start) + text[span.end :]
        return text

    def _is_ambiguous(self, statements: list[Statement], declared: list[str]) -> bool:
        """Does a name stand for two variables, or for one that a macro uses?"""
        headers = (read_header(part.header.of(self.text)) for part in statements if part.header)
        others = {*self.private, *self.subject.macro_names(self.text)}
        others |= {header.iterator for header in headers if header}
        hidden = self.subject.macro_names(self.text) & self.private.keys()
        return bool(hidden) or any(declared.count(name) > 1 or name in others for name in declared)


def _iterators(found: dict[Span, Header | None]) -> frozenset[str]:
    return frozenset(header.iterator for header in found.values() if header)


def _is_addressed(text: str, name: str) -> bool:
    """Is the variable's address taken (or does it stand behind a bitwise `&`, which is not told apart)?"""
    tokens = [token.text for token in code_tokens(text)]
    return any(before == "&" and token == name for before, token in pairwise(tokens))
