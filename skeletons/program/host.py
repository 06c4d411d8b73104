"""The place of a kernel in the host file: what is there, and what a template can put in its stead."""

from __future__ import annotations

from dataclasses import dataclass

from skeletons.kernel.context import Subject
from species.source.text.code import block, line_indent


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
