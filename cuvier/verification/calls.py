"""The calls of the watch library (watch.h) that record what a kernel leaves behind."""

from __future__ import annotations

from species.facts import Kernel, KernelArray, LoopFacts
from species.grammar.nodes import Range

# Functions with one correct result; others may differ in the last digits between two mathematical libraries.
_EXACT_FUNCTIONS = frozenset(
    name + suffix
    for name in (
        "fabs",
        "sqrt",
        "floor",
        "ceil",
        "trunc",
        "round",
        "rint",
        "fmin",
        "fmax",
        "fmod",
        "copysign",
    )
    for suffix in ("", "f")
) | {"abs", "labs", "llabs"}


def watch_calls(loop: LoopFacts, accelerator: bool) -> str:
    """One line of C: statements that record all arrays and live scalars of the loop's kernel."""
    kernel = loop.kernel
    assert kernel is not None
    calls = _rounding(loop, kernel, accelerator)
    calls += [_array(kernel.name, array) for array in kernel.arrays]
    calls += [
        f'CUVIER_WATCH_SCALAR("{kernel.name}", "{scalar.name}", {scalar.name});'
        for scalar in kernel.scalars
        if scalar.role in ("lastprivate", "reduction")
    ]
    return " ".join(calls)


def _rounding(loop: LoopFacts, kernel: Kernel, accelerator: bool) -> list[str]:
    """Calls that allow for rounding from here on, where numbers may be added in another order."""
    if accelerator and any(function not in _EXACT_FUNCTIONS for function in kernel.functions):
        return ["cuvier_watch_rounding('d');"]
    reordered = [s.name for s in kernel.scalars if s.role == "reduction" and s.operator in ("+", "*")]
    bases = {r.variable.partition("[")[0].strip() for r in loop.reductions if r.operator in ("+", "*")}
    reordered += [_element(array) for array in kernel.arrays if array.name in bases]
    return [f"cuvier_watch_rounding(CUVIER_KIND({text}));" for text in reordered]


def _array(site: str, array: KernelArray) -> str:
    element = _element(array)
    rank = len(array.extent)
    lengths = "".join(f", {_length(array.name, k)}" for k in range(1, rank))
    head = (
        f'"{site}", "{array.name}", CUVIER_KIND({element}), sizeof({element}), (const void *)({array.name})'
    )
    if not array.pointer:
        return f"cuvier_watch_object({head}, sizeof({array.name}), {rank - 1}{lengths});"
    return f"cuvier_watch_pointer({head}, {_bytes(array)}, {rank - 1}{lengths});"


def _element(array: KernelArray) -> str:
    return array.name + "[0]" * len(array.extent)


def _length(name: str, dimension: int) -> str:
    row = name + "[0]" * dimension
    return f"(size_t)(sizeof({row}) / sizeof({row}[0]))"


def _bytes(array: KernelArray) -> str:
    """The size to be used where no memory block is known: the extent, or else what the kernel touches."""
    rows = array.extent[0] if array.extent else None
    if rows is None:
        highest = [region[0] for region in (array.reads, array.writes) if region]
        unbounded = array.reads == () or array.writes == ()
        rows = None if unbounded or not highest else _most(highest)
    if rows is None:
        return "(size_t)0"
    return f"(size_t)({rows}) * sizeof({array.name}[0])"


def _most(regions: list[Range]) -> str:
    first, *others = [f"(({region.high}) + 1)" for region in regions]
    for other in others:
        first = f"({first} > {other} ? {first} : {other})"
    return first
