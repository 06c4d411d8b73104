"""The place of a kernel in the host file: what is there, and what a template can put in its stead."""

from __future__ import annotations

from dataclasses import dataclass

from skeletons.kernel.context import Subject
from species.core.refusal import Refusal
from species.source.text.code import block, code_tokens, line_indent, parenthesised
from species.source.text.for_headers import header_parts


@dataclass(frozen=True)
class HostView:
    """`loop` is the original text, with directives for inner loops; `kept` are the headers that must run
    again for their iterators' values.
    """

    name: str
    loop: str
    indent: str
    conditions: tuple[str, ...]
    kept: tuple[str, ...]
    species: str
    line: int
    reorders: bool  # threads add floating-point numbers in another order
    asks: str  # begins the names of functions that ask for data on the device; empty: none stays there

    @property
    def at(self) -> str:
        """The name of the number of the first iteration that the host makes, where it makes some."""
        return f"{self.asks}at"

    @property
    def inner_loop(self) -> str:
        """The original loop, one level further in."""
        return block(self.loop, self.indent + "    ")


def host_view(subject: Subject, loop: str, asks: str = "") -> HostView:
    """What `subject` looks like in its file; `loop` is its text, with directives inside if that is of use."""
    return HostView(
        name=subject.name,
        loop=loop,
        indent=line_indent(subject.text, subject.span.start),
        conditions=tuple(f"({condition})" for condition in subject.kernel.conditions),
        kept=_kept(subject),
        species=str(subject.facts.species or ""),
        line=subject.line,
        reorders=reorders_floats(subject),
        asks=asks,
    )


def begun_later(text: str, subject: Subject, number: str) -> str:
    """The text of the loop that leaves out its first iterations, `number` of them (a variable); Refusal where
    the header does not show where it begins.
    """
    loop = subject.kernel.loops[0]
    header = loop.spans.header.of(subject.text)
    before, _, after = text.partition(header)  # there may be a directive before it
    parts = header_parts(header)
    if parts is None or not after:
        raise Refusal("its header does not show where it begins")
    left, equals, start = parts[0].of(header).partition("=")
    if not equals or {"=", ","} & {token.text for token in code_tokens(start)}:
        raise Refusal("its header does more than to begin with a value")
    times = f"{abs(loop.step)} * " if abs(loop.step) > 1 else ""
    moved = f"{times}({loop.ctype}){number}"
    begin = f"{left}= {parenthesised(start.strip())} {'+' if loop.step > 0 else '-'} {moved}"
    return before + header[: parts[0].start] + begin + header[parts[0].end :] + after


def reorders_floats(subject: Subject) -> bool:
    """Do threads that share the loop add or multiply numbers with a point in another order?"""
    kernel, canonical = subject.kernel, subject.declarations.canonical
    elements = {array.name: array.element for array in kernel.arrays}
    sums = [(s.operator, s.ctype) for s in kernel.scalars if s.role == "reduction"]
    sums += [(c.operator, elements.get(c.array, "")) for c in kernel.combined if not c.members]
    sums += [pair for c in kernel.combined for pair in zip(c.operators, c.types, strict=True)]
    return any(sign in ("+", "*") and canonical(ctype) in ("float", "double") for sign, ctype in sums)


def _kept(subject: Subject) -> tuple[str, ...]:
    kept = subject.kept_iterators()
    if not kept:
        return ()
    needed = max(k for k, loop in enumerate(subject.kernel.loops) if loop.iterator in kept)
    return tuple(loop.spans.header.of(subject.text) for loop in subject.kernel.loops[: needed + 1])
