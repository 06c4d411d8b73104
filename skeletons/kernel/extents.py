"""What launches find out themselves about memory of which the file does not tell how much is touched."""

from __future__ import annotations

from dataclasses import replace

from skeletons.catalogue.descriptor import Comm
from species.facts.loops import Kernel, LoopFacts

_FINDING: tuple[Comm, ...] = ("auto", "cgcm")  # modes in which programs find the extents of memory
_COUNTING: tuple[Comm, ...] = ("naive", "static", "auto")  # and in which launches count what they pack


def found_at_run_time(facts: LoopFacts, comm: Comm) -> tuple[LoopFacts, frozenset[str]]:
    """The loop without the obstacles that launches overcome where data moves by `comm`, and the arrays of
    which they count the cells that are written.
    """
    packed: frozenset[str] = frozenset()
    if comm in _COUNTING and facts.kernel is not None:
        packed = _packed(facts.kernel)
        facts = _with_packed(facts, facts.kernel, packed) if packed else facts
    if comm in _FINDING and facts.kernel is not None:
        facts = _with_units(facts, facts.kernel)
    return facts, packed


def _packed(kernel: Kernel) -> frozenset[str]:
    """The arrays of which a pack does nothing but write as many cells as it counts."""
    names = kernel.pattern.packed if kernel.pattern else ()
    own = (a for a in kernel.arrays if a.name in names and a.reads is None and len(a.extent) == 1)
    return frozenset(array.name for array in own)


def _with_packed(facts: LoopFacts, kernel: Kernel, packed: frozenset[str]) -> LoopFacts:
    """The loop where launches count what it packs before they need to know how much that is."""
    tables = {table.name for table in kernel.tables}
    unsized = (array.name for array in kernel.arrays if array.is_unsized and array.name not in tables)
    reasons = zip(unsized, kernel.unsized, strict=True)
    lifted = [reason for name, reason in reasons if name in packed]
    obstacles = tuple(reason for reason in kernel.obstacles if reason not in lifted)
    return replace(facts, kernel=replace(kernel, obstacles=obstacles))


def _with_units(facts: LoopFacts, kernel: Kernel) -> LoopFacts:
    """The loop where the extent of memory is found when the program runs.

    Devices are given the rows of its tables, which are no arrays of its kernel then, and whole units for
    arrays whose size the file does not tell.
    """
    names = {table.name for table in kernel.tables}
    arrays = tuple(array for array in kernel.arrays if array.name not in names)
    lifted = (*kernel.unsized, *(kernel.pointers if names else ()))
    obstacles = tuple(reason for reason in kernel.obstacles if reason not in lifted)
    return replace(facts, kernel=replace(kernel, arrays=arrays, obstacles=obstacles))
