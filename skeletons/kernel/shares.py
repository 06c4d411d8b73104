"""Kernels whose iterations the devices of a program share: each makes those from one number to another.

The kernel for one device is that of a loop that starts later and ends earlier, with the cells that this
touches (`species.kernels.parts`).  One device after the other does its part, as far as anybody can tell: what
has to move between them is found when the program runs, from what each of them needs and from where the
newest value is, so that any part is right.  Parts run side by side where none needs what another one writes.
After Matz et al. (seed 002), sections 4, 7 and 8, but for whole iterations in place of thread blocks.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace

from models.errors import SkeletonError
from models.sizes.amounts import UNKNOWN, Amounts
from skeletons.kernel.context import Shared, Subject
from skeletons.kernel.regions import cell_range, row_range
from species.core.refusal import Refusal
from species.facts.loops import PART, CopyPlan, KernelArray, KernelLoop, KernelScalar, part_of
from species.source.text.code import names_in, parenthesised

AXES = "xyz"  # of the grid, the innermost loop first
_FROM, _TO = PART


def shared(subject: Subject, plan: CopyPlan, axis: str = "") -> tuple[Subject, str]:
    """The subject as the kernel of one device, and along which loop they share it; or as it is, and why one
    device runs all of it.

    The loop is the outermost one of which parts write to stretches of memory that are apart, else to rows
    that are, or the one of the `axis`: SkeletonError where that cannot be.
    """
    try:
        why = _obstacle(subject)
        loops = [] if why else list(_candidates(subject, axis))
    except Refusal as refusal:
        why, loops = str(refusal), []
    if loops:
        level = min(loops)[1]
        how = f"every device has a part of the iterations over {_loop(subject, level).iterator}"
        return _part(subject, plan, level), how
    if axis and AXES.index(axis) >= len(subject.spread):
        why = f"it has no axis {axis}"
    why = why or f"parts of its iterations may write to the same cells of {_written(subject)}"
    if axis:
        raise SkeletonError(f"--partition {subject.kernel.name}={axis}: {why}")
    return subject, why


def divided(subject: Subject, plan: CopyPlan) -> tuple[Subject | None, str]:
    """The subject as the kernel of a device that makes the first iterations of the outermost loop, while the
    host makes the others, and what is said of that; or None, and why one of them makes all.

    That the parts write to stretches of memory that are apart is asked when it is launched.
    """
    kept = next((s.name for s in subject.kernel.scalars if s.role in ("lastprivate", "extreme")), "")
    if kept:
        return None, f"the last of the iterations, or the best, has the value of {kept}"
    if subject.kernel.combined:
        return None, "values are combined in elements that data chooses"
    why = _obstacle(subject)
    parts = () if why else subject.kernel.parts[0]
    if not parts or any(array.writes == () for array in _outputs(subject, parts)):
        return None, why or "the cells that a part of its iterations writes are unknown"
    how = f"host and device may each make iterations over {_loop(subject, 0).iterator}"
    return _part(subject, plan, 0), how


def _loop(subject: Subject, level: int) -> KernelLoop:
    return subject.kernel.loops[level]


def _part(subject: Subject, plan: CopyPlan, level: int) -> Subject:
    """The kernel of one device, which has iterations `PART` of the loop at a level."""
    kernel, whole = subject.kernel, _loop(subject, level)
    start = _FROM if abs(whole.step) == 1 else f"{abs(whole.step)} * {_FROM}"
    moved = replace(
        whole,
        lower=f"{parenthesised(whole.lower)} {'+' if whole.step > 0 else '-'} {start}",
        trips=f"{_TO} - {_FROM} + 1",
    )
    own = replace(
        kernel,
        loops=(*kernel.loops[:level], moved, *kernel.loops[level + 1 :]),
        arrays=kernel.parts[level],
        scalars=(*kernel.scalars, *(KernelScalar(name, "long", "in") for name in PART)),
    )
    return replace(
        subject, kernel=own, copies=plan[part_of(kernel.name, level)], shared=Shared(subject, whole)
    )


def _obstacle(subject: Subject) -> str:
    kernel = subject.kernel
    if kernel.tables or subject.packed or any(array.is_unsized for array in kernel.arrays):
        return "the cells that it touches are found when it is launched"
    if kernel.pattern is not None:
        return "each of its iterations continues where the one before has ended"
    if set(PART) & set(names_in(subject.span.of(subject.text))):
        return f"{_FROM} and {_TO} are names of generated code"
    if not any(kernel.parts[: len(subject.spread)]):
        return "the cells that a part of its iterations touches are unknown"
    return ""


def _candidates(subject: Subject, axis: str) -> Iterator[tuple[int, int]]:
    """The loops that devices may share, by level; behind 0, or 1 where parts of rows are written."""
    last = len(subject.spread) - 1
    wanted = last - AXES.index(axis) if axis else None
    for level, arrays in enumerate(subject.kernel.parts[: last + 1]):
        found = [apart(array, subject.macro_body) for array in _outputs(subject, arrays)]
        if arrays and -1 not in found and wanted in (None, level):
            yield max(found, default=0), level


def _outputs(subject: Subject, arrays: tuple[KernelArray, ...]) -> list[KernelArray]:
    """The arrays that are written, but for those of which values that meet in a cell are combined."""
    combined = {one.array for one in subject.kernel.combined}
    return [array for array in arrays if array.writes is not None and array.name not in combined]


def _written(subject: Subject) -> str:
    return ", ".join(array.name for array in _outputs(subject, subject.kernel.arrays))


def apart(
    array: KernelArray, macro: Callable[[str], str | None], sizes: Mapping[str, float] | None = None
) -> int:
    """0: of two parts, one writes behind the other; 1: in every row it does; -1: nobody knows.

    It is found for sizes that are assumed, but for those in `sizes`; what moves is found at run time.
    """
    if array.writes == ():
        return -1
    texts = cell_range(array, array.writes or ())
    if _follows(macro, texts.first, texts.last, sizes or {}):
        return 0
    rows = array.written_rows
    inner = row_range(array, rows) if rows else texts
    return 1 if rows and _follows(macro, inner.first, inner.last, sizes or {}) else -1


def _follows(macro: Callable[[str], str | None], first: str, last: str, sizes: Mapping[str, float]) -> bool:
    """Does a part that ends where another one begins end in front of it?"""

    def value(text: str, start: int) -> float:
        known = {**sizes, _FROM: float(start), _TO: float(start + 9)}
        return Amounts(macro, UNKNOWN, known).of(text)

    return value(last, 20) < value(first, 30)
