"""Members of structures in variables, around the nests that use them: `v->x[i]` becomes `v_x[i]`.

Kernels, and the skeletons for them, know variables and arrays only.  What was written is analysed like any
other text, and kept where the nest has become a kernel.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator, Mapping

from cuvier.pipeline.base.stage import Again, Nest, Renewed, renewed
from skeletons.catalogue.descriptor import Target
from skeletons.catalogue.passes import MEMBERS
from skeletons.kernel.chunks import can_stand_twice
from species.core.positions import Span
from species.facts.loops import Kernel, KernelLoop, KernelMember, LoopFacts, UnitFacts
from species.source import TranslationUnit
from species.source.syntax.statement_tree import written_names
from species.source.text.code import substitute
from species.source.text.edits import Edit, apply_edits
from transfers.fuse.names import fresh, on_one_line


def with_members(unit: TranslationUnit, facts: UnitFacts, target: Target, again: Again) -> Renewed | None:
    """The file with members in variables wherever that makes a kernel of a nest, or threads share it; None:
    nowhere.

    `again` reads the file as if it read like a text, and analyses it.
    """

    def serves(loop: LoopFacts) -> bool:
        return _is_kernel(loop) if target.accelerator else _is_shared(loop)

    return renewed(MEMBERS, unit, facts, again, lambda refused: _nests(unit, facts, target, refused), serves)


def _nests(
    unit: TranslationUnit, facts: UnitFacts, target: Target, refused: Collection[Span]
) -> Iterator[Nest]:
    """The outermost loops that members keep from being kernels, or that threads share."""
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
        elif kernel.members and (target.accelerator or loop.few or _may_be_shared(loop)):
            end = whole.end
            nest = _nest(unit, loop, kernel, target)
            twice = nest.edit.replacement.startswith("if (")
            if not twice or can_stand_twice(whole.of(unit.source.text)):
                yield nest


def _nest(unit: TranslationUnit, loop: LoopFacts, kernel: Kernel, target: Target) -> Nest:
    assert loop.spans is not None
    whole, text = loop.spans.whole, unit.source.text
    members = [m for m in kernel.members if not (m.by_address and target.accelerator)]
    variables = {m.text: fresh("_".join(re.findall(r"\w+", m.text)), unit) for m in members}
    numbers = {m.text: number for m in members if (number := _number(m, loop)) is not None}
    names = variables | {each: f"(({ctype}){number})" for each, (ctype, number) in numbers.items()}
    edits = sorted(
        (Edit(place, _used(m, names)) for m in members for place in m.places),
        key=lambda edit: edit.span,
    )
    inside = [Edit(Span(e.span.start - whole.start, e.span.end - whole.start), e.replacement) for e in edits]
    made = [m for m in members if m.text not in numbers]
    declared = (f"{m.declaration.format(names[m.text])} = {m.value};" for m in made)
    tested = kernel.conditions if any(member.tested for member in members) else ()
    moved, original = apply_edits(whole.of(text), inside), on_one_line(whole.of(text))
    code = _guarded([_with_names(condition, names) for condition in tested], moved, original)
    first = _first_condition(kernel.loops[0]) if kernel.readable else ""
    readable = kernel.readable if not (first and kernel.entered) else ()
    known = [*filter(None, [first]), *readable, *(f"{n} == {number}" for n, (_, number) in numbers.items())]
    once = not readable and not numbers
    otherwise = _without_iterations(kernel.loops[0]) if once else original
    block = _guarded(known, f"{{ {' '.join(declared)} {code} }}", otherwise)
    return Nest(loop, {names[member.text]: member.text for member in made}, Edit(whole, block))


def _first_condition(loop: KernelLoop) -> str:
    """Whether a loop makes an iteration, as C would find out, bounds that wrap around included; empty where
    that cannot be asked twice.
    """
    if written_names(f"{loop.lower};{loop.condition}"):
        return ""
    start = f"({loop.ctype})({on_one_line(loop.lower)})"
    return substitute(on_one_line(loop.condition), {loop.iterator: start})


def _without_iterations(loop: KernelLoop) -> str:
    """What a loop does that makes no iteration: its iterator gets its first value."""
    lower = on_one_line(loop.lower)
    return "" if loop.declared_inside or lower == loop.iterator else f"{loop.iterator} = {lower};"


def _used(member: KernelMember, names: Mapping[str, str]) -> str:
    return f"&{names[member.text]}" if member.by_address else names[member.text]


def _number(member: KernelMember, loop: LoopFacts) -> tuple[str, int] | None:
    """The type of a member that compilers know to be a small number, and the number, for one version."""
    if loop.few is None or re.split(r"->|\.", member.text)[-1] != loop.few[0]:
        return None
    return member.declaration.format("").strip(), loop.few[1]


def _guarded(conditions: Iterable[str], code: str, otherwise: str) -> str:
    tested = " && ".join(f"({condition})" for condition in conditions)
    other = f"{{ {otherwise} }}" if otherwise else "{ }"  # one `else` at least: another may stand behind
    return f"if ({tested}) {{ {code} }} else {other}" if tested else code


def _with_names(text: str, names: dict[str, str]) -> str:
    """A text with variables for the members."""
    for member, name in names.items():
        text = re.sub(rf"(?<![\w.>]){re.escape(member)}(?!\w)", name, text)
    return text


def _is_shared(loop: LoopFacts) -> bool:
    """Do threads share the iterations?  (Of members, compilers know less than of variables.)"""
    return loop.kernel is not None and not loop.kernel.sharing_obstacle and not loop.unprofitable


def _may_be_shared(loop: LoopFacts) -> bool:
    """Do they, or would they if variables held what the loop's header reads?"""
    moving = loop.kernel is not None and loop.kernel.moving_header and not loop.unprofitable
    return moving or _is_shared(loop)


def _is_kernel(loop: LoopFacts) -> bool:
    return loop.kernel is not None and not loop.kernel.obstacles
