"""The calls of the watch library (watch.h) that record what a kernel leaves behind."""

from __future__ import annotations

from cuvier.verification.addresses import Addresses
from species.facts.loops import Kernel, KernelArray, LoopFacts
from species.grammar.nodes import Range
from species.symbols.exact_functions import EXACT_FUNCTIONS

FUNCTIONS, SUMS = 1, 2  # as in watch.h: why values may differ by rounding


def watch_calls(
    loop: LoopFacts, accelerator: bool, addresses: Addresses | None = None, before: str = ""
) -> str:
    """One line of C: statements that record all arrays and live scalars of the loop's kernel, where that is
    due; of structures without their `addresses`.  `before` is what is to be done first.
    """
    kernel = loop.kernel
    assert kernel is not None
    variables = _arrays(kernel) | _scalars(kernel)
    for array in (a for a in kernel.arrays if addresses is not None and a.name in variables):
        said = addresses.call(loop, array, _element(array)) if addresses is not None else ""
        element, call = variables[array.name]
        variables[array.name] = element, f"{{ {said}{call} }}" if said else call
    reordered = [name for name in _reordered(loop, kernel) if name in variables]
    allow = [f"cuvier_watch_rounding(CUVIER_KIND({variables[name][0]}));" for name in reordered]
    if accelerator and _has_inexact(kernel):  # the device has its own mathematical functions
        reordered, allow = list(variables), ["cuvier_watch_rounding('d');"]
    exact = [call for name, (_, call) in variables.items() if name not in reordered]
    calls = " ".join(exact + allow + [variables[name][1] for name in reordered])
    return f'if (cuvier_watch_due("{kernel.name}")) {{ {before}{calls} }}' if calls else ""


def rounds(loop: LoopFacts, accelerator: bool) -> int:
    """Why what the loop's kernel leaves may differ by rounding: FUNCTIONS, SUMS, both or 0."""
    kernel = loop.kernel
    assert kernel is not None
    sums = SUMS if _reordered(loop, kernel) else 0
    return sums | (FUNCTIONS if accelerator and _has_inexact(kernel) else 0)


def _has_inexact(kernel: Kernel) -> bool:
    """Functions of the program itself count: they may call others."""
    return any(function not in EXACT_FUNCTIONS for function in kernel.functions)


def _arrays(kernel: Kernel) -> dict[str, tuple[str, str]]:
    """Per array an element and the call that records it; addresses, different in every run, are left out."""
    arrays = [array for array in kernel.arrays if "*" not in array.element and array.named]
    return {array.name: (_element(array), _reached(array, _array(kernel.name, array))) for array in arrays}


def _reached(array: KernelArray, call: str) -> str:
    """The call, if a member of a structure is to be recorded only where there is one: `s->g->x`."""
    steps = array.name.split("->")[:-1]
    owners = ["->".join(steps[: k + 1]) for k in range(len(steps))]
    return f"if ({' && '.join(owners)}) {{ {call} }}" if owners else call


def _scalars(kernel: Kernel) -> dict[str, tuple[str, str]]:
    return {
        scalar.name: (scalar.name, f'CUVIER_WATCH_SCALAR("{kernel.name}", "{scalar.name}", {scalar.name});')
        for scalar in kernel.scalars
        if scalar.role in ("lastprivate", "reduction")
    }


def _reordered(loop: LoopFacts, kernel: Kernel) -> list[str]:
    """Variables whose parts may be combined in another order, with another rounding."""
    names = [s.name for s in kernel.scalars if s.role == "reduction" and s.operator in ("+", "*")]
    names += [r.variable.partition("[")[0].strip() for r in loop.reductions if r.operator in ("+", "*")]
    tied = kernel.pattern
    if tied and tied.kind == "scan" and tied.operator in ("+", "*"):  # so is what is stored on the way
        names += [array.name for array in kernel.arrays if array.writes is not None and array.named]
    return list(dict.fromkeys(names))


def _array(site: str, array: KernelArray) -> str:
    element = _element(array)
    rank = len(array.extent)
    address = array.name if rank else f"&{array.name}"  # a structure, of which members are touched
    lengths = "".join(f", {_length(array.name, k)}" for k in range(1, rank))
    head = f'"{site}", "{array.name}", CUVIER_KIND({element}), sizeof({element}), (const void *)({address})'
    kind, bytes_ = ("pointer", _bytes(array)) if array.pointer else ("object", f"sizeof({array.name})")
    whole = f"cuvier_watch_{kind}({head}, {bytes_}, {max(rank - 1, 0)}{lengths});"
    if rank < 2:
        return whole
    rows = f"if (CUVIER_HAS_ROWS({array.name})) cuvier_watch_rows({head}, {bytes_}); else"
    return f"{rows if rank == 2 else f'if (!CUVIER_HAS_ROWS({array.name}))'} {whole}"


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
