"""Members of structures in variables, around the nests that use them: `v->x[i]` becomes `v_x[i]`.

Kernels, and the skeletons for them, know variables and arrays only.  What was written is analysed like any
other text, and kept where the nest has become a kernel.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace

from skeletons import Choice, Program
from skeletons.ctext import rename
from skeletons.features import MEMBERS
from species.facts import Kernel, KernelArray, LoopFacts, UnitFacts
from species.grammar.nodes import Range
from species.positions import LoopSpans, Span
from species.source import TranslationUnit
from species.source.edits import Edit, apply_edits
from species.source.rewriting import Rewriting
from transfers.fuse.names import fresh, on_one_line


@dataclass(frozen=True)
class _Nest:
    """A loop, the variables for its members (by name: the member), and what stands in its place."""

    facts: LoopFacts
    names: dict[str, str]
    edit: Edit


@dataclass(frozen=True)
class Named:
    """A file in which members of structures have become variables."""

    unit: TranslationUnit
    facts: UnitFacts
    written: Rewriting
    nests: tuple[_Nest, ...]

    @property
    def places(self) -> tuple[Span, ...]:
        """What is no kernel's neighbour: nothing, blocks are apart from what stands around them."""
        return ()

    def in_source(self, program: Program) -> Program:
        """The program, its loops in terms of the file, and what was done to them."""
        made = {nest.edit: nest for nest in self.nests}
        names = {}
        for loop in program.replaced:
            edit = self._edit(loop.spans.whole) if loop.spans else None
            if loop.kernel is not None and edit is not None:
                names[loop.kernel.name] = ", ".join(made[edit].names.values())
        choices = tuple(
            _told(c, names[c.kernel.name]) if c.kernel.name in names else c for c in program.choices
        )
        return replace(program, replaced=tuple(self._in_source(program)), choices=choices)

    def _edit(self, span: Span) -> Edit | None:
        return self.written.edit_at(span.start)

    def _in_source(self, program: Program) -> Iterator[LoopFacts]:
        made = {nest.edit: nest for nest in self.nests}
        for loop in program.replaced:
            assert loop.spans is not None
            edit = self._edit(loop.spans.whole)
            if edit is None:
                parts = (loop.spans.whole, loop.spans.header, loop.spans.body)
                yield replace(loop, spans=LoopSpans(*map(self._original, parts)))
                continue
            nest = made[edit]
            spans = replace(loop.spans, whole=edit.span)
            yield replace(_renamed(loop, nest.names), spans=spans, position=nest.facts.position)

    def _original(self, span: Span) -> Span:
        """Where a stretch of the text stands in the file; there may be blocks of ours in it."""
        return Span(self.written.origin(span.start), self.written.origin(span.end))


def _told(choice: Choice, members: str) -> Choice:
    return replace(choice, why=((MEMBERS, True, f"{members} in variables"), *choice.why))


def with_members(
    unit: TranslationUnit, facts: UnitFacts, again: Callable[[str], tuple[TranslationUnit, UnitFacts]]
) -> Named | None:
    """The file with members in variables wherever that makes a kernel of a nest; None: nowhere.

    `again` reads the file as if it read like a text, and analyses it.
    """
    refused: set[Span] = set()
    while nests := tuple(_nests(unit, facts, refused)):
        text = Rewriting(unit.source.text, tuple(nest.edit for nest in nests))
        other, found = again(text.text)
        if len(found.diagnostics) != len(facts.diagnostics):
            return None
        unserved = {n.edit.span for n in nests if not _is_kernel(n, found, text)}
        if not unserved:
            return Named(other, found, text, nests)
        refused |= unserved
    return None


def _nests(unit: TranslationUnit, facts: UnitFacts, refused: set[Span]) -> Iterator[_Nest]:
    """The outermost loops that members keep from being kernels."""
    end = -1
    for loop in facts.loops:
        kernel = loop.kernel
        if kernel is None or loop.users or loop.spans is None or loop.position.file != unit.source.path:
            continue
        whole = loop.spans.whole
        if whole.start < end or whole in refused or "#" in whole.of(unit.source.text):
            continue
        if not kernel.obstacles:
            end = whole.end
        elif kernel.members:
            end = whole.end
            yield _nest(unit, loop, kernel)


def _nest(unit: TranslationUnit, loop: LoopFacts, kernel: Kernel) -> _Nest:
    assert loop.spans is not None
    whole, text = loop.spans.whole, unit.source.text
    names = {member.text: fresh("_".join(re.findall(r"\w+", member.text)), unit) for member in kernel.members}
    edits = sorted(
        (Edit(place, names[member.text]) for member in kernel.members for place in member.places),
        key=lambda edit: edit.span,
    )
    inside = [Edit(Span(e.span.start - whole.start, e.span.end - whole.start), e.replacement) for e in edits]
    declared = (f"{m.declaration.format(names[m.text])} = {m.text};" for m in kernel.members)
    tested = kernel.conditions if any(member.tested for member in kernel.members) else ()
    moved, original = apply_edits(whole.of(text), inside), on_one_line(whole.of(text))
    code = _guarded([_with_names(condition, names) for condition in tested], moved, original)
    block = _guarded(kernel.readable, f"{{ {' '.join(declared)} {code} }}", original)
    return _Nest(loop, {name: member for member, name in names.items()}, Edit(whole, block))


def _guarded(conditions: Iterable[str], code: str, otherwise: str) -> str:
    tested = " && ".join(f"({condition})" for condition in conditions)
    return f"if ({tested}) {{ {code} }} else {{ {otherwise} }}" if tested else code


def _with_names(text: str, names: dict[str, str]) -> str:
    """A text with variables for the members."""
    for member, name in names.items():
        text = re.sub(rf"(?<![\w.>]){re.escape(member)}(?!\w)", name, text)
    return text


def _is_kernel(nest: _Nest, facts: UnitFacts, text: Rewriting) -> bool:
    """Has the first of the loops that stand there now become a kernel?"""
    place = next(p for p, edit in zip(text.places(), text.edits, strict=True) if edit is nest.edit)
    inside = (
        f for f in facts.loops if f.spans and place.holds(f.spans.whole) and f.position.file == facts.file
    )
    first = min(inside, key=lambda f: f.spans.whole if f.spans else Span(0, 0), default=None)
    return first is not None and first.kernel is not None and not first.kernel.obstacles


def _renamed(loop: LoopFacts, names: dict[str, str]) -> LoopFacts:
    """A loop with the members in the place of the variables."""
    assert loop.kernel is not None
    arrays = tuple(_renamed_array(array, names) for array in loop.kernel.arrays)
    reductions = tuple(replace(r, variable=rename(r.variable, names)) for r in loop.reductions)
    return replace(loop, kernel=replace(loop.kernel, arrays=arrays), reductions=reductions)


def _renamed_array(array: KernelArray, names: dict[str, str]) -> KernelArray:
    def moved(region: tuple[Range, ...] | None) -> tuple[Range, ...] | None:
        return (
            None
            if region is None
            else tuple(Range(rename(r.low, names), rename(r.high, names)) for r in region)
        )

    extent = tuple(None if e is None else rename(e, names) for e in array.extent)
    name = names.get(array.name, array.name)
    return replace(array, name=name, extent=extent, reads=moved(array.reads), writes=moved(array.writes))
