"""Loops over chunks of the iterations of another one, which counts up by one to a bound."""

from __future__ import annotations

from dataclasses import dataclass

from cuvier.pipeline.base.counted_header import CountedHeader, counted_header
from skeletons.kernel.names import FreshNames
from species.facts.loop_forms import Deferral, Stages


@dataclass(frozen=True)
class Chunks:
    """The loop over chunks in C, which sets `first` and `end`; `form` says what counts."""

    form: Stages | Deferral
    header: CountedHeader
    first: str
    end: str

    @property
    def own(self) -> str:
        """What a declaration of the iterator begins with."""
        return f"{self.form.ctype} "

    def opened(self, declared: str, most: str) -> str:
        """From the block on that the loops stand in; `most` iterations are in a chunk."""
        head, first, ctype = self.header, self.first, self.form.ctype
        wide, more = "" if ctype in ("long", "size_t") else "(long)", ">=" if head.sign == "<=" else ">"
        last = f"{wide}({head.bound}) - {first} {more} {most} ? {first} + {most} : ({ctype})({head.beyond})"
        start = f"{{ {self.own}{first} = {head.start};{declared} while ({first} {head.sign} {head.bound}) {{"
        return f"{start} const {self.own}{self.end} = {last};"

    @property
    def head(self) -> str:
        """The header of a loop over the iterations of one chunk."""
        i = self.form.iterator
        return f"for ({self.own}{i} = {self.first}; {i} < {self.end}; {i}++)"

    @property
    def closed(self) -> str:
        """What stands behind the last loop over the iterations of a chunk."""
        after = "" if self.form.declared_inside else f" {self.form.iterator} = {self.first};"
        return f" {self.first} = {self.end}; }}{after} }}"


def chunks(header: str, form: Stages | Deferral, names: FreshNames) -> Chunks:
    """The chunks of a loop with a `header` that says from where to where it counts."""
    counted = counted_header(header, form.iterator)
    assert counted is not None
    return Chunks(form, counted, names.fresh(f"{form.iterator}_from"), names.fresh(f"{form.iterator}_end"))
