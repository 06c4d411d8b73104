"""Kernels whose iterations the devices of a program share: each makes those from one number to another.

The kernel for one device is that of a loop that starts later and ends earlier, with the cells that this touches
(`species.kernels.parts`).  One device after the other does its part, as far as anybody can tell: what has to
move between them is found when the program runs, from what each of them needs and from where the newest
value is, so that any part is right.  Parts run side by side where none needs what another one writes.
After Matz et al. (seed 002), sections 4, 7 and 8, but for whole iterations in place of thread blocks.
"""

from __future__ import annotations

from dataclasses import replace

from skeletons.kernel.context import Subject
from species.facts.loops import PART, Kernel, KernelScalar
from species.kernels.parts import moves_with_part
from species.source.text.code import names_in, parenthesised
from transfers.plan.around_kernels import copies_around

_FROM, _TO = PART


def shared(subject: Subject) -> tuple[Subject, str]:
    """The subject as the kernel of one device, and nothing; or as it is, and why one device runs all of it."""
    why = _obstacle(subject)
    if why:
        return subject, why
    kernel, first = subject.kernel, subject.kernel.loops[0]
    start = _FROM if abs(first.step) == 1 else f"{abs(first.step)} * {_FROM}"
    moved = replace(
        first,
        lower=f"{parenthesised(first.lower)} {'+' if first.step > 0 else '-'} {start}",
        trips=f"{_TO} - {_FROM} + 1",
    )
    own = replace(
        kernel,
        loops=(moved, *kernel.loops[1:]),
        arrays=kernel.parts,
        scalars=(*kernel.scalars, *(KernelScalar(name, "long", "in") for name in PART)),
    )
    return replace(subject, kernel=own, copies=tuple(copies_around(own)), shared=first), ""


def _obstacle(subject: Subject) -> str:
    kernel = subject.kernel
    if kernel.tables or subject.packed or any(array.is_unsized for array in kernel.arrays):
        return "the cells that it touches are found when it is launched"
    if kernel.pattern is not None:
        return "each of its iterations continues where the one before has ended"
    if not kernel.parts or kernel.loops[0].trips is None:
        return "the cells that a part of its iterations touches are unknown"
    if set(PART) & set(names_in(subject.span.of(subject.text))):
        return f"{_FROM} and {_TO} are names of generated code"
    return next(iter(_overlaps(kernel)), "")


def _overlaps(kernel: Kernel) -> list[str]:
    """Why the parts may not write apart from each other; values that are combined may meet in a cell."""
    combined = {one.array for one in kernel.combined}
    written = (a for a in kernel.parts if a.writes is not None and a.name not in combined)
    return [
        f"parts of its iterations may write to the same cells of {array.name}"
        for array in written
        if not moves_with_part(array)
    ]
