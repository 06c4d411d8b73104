"""What `cuvier compile --plan` says: what would be copied around every kernel, and what is copied instead."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from species.facts.loops import ROW

if TYPE_CHECKING:
    from skeletons import Program
    from skeletons.select.api import KernelCopies
    from species.facts.loops import Kernel, Transfer

_BYTES = {"char": 1, "short": 2, "int": 4, "float": 4, "long": 8, "double": 8}


def planned(program: Program) -> str:
    """Per kernel its copies, and whether they are made at every launch; then what host code asks for, by
    line; and what became of pairs of kernels and of statements between them.
    """
    if not program.copies:
        return "no kernel copies anything\n"
    lines = ["per kernel, what a launch reads and writes:"]
    kernels = _kernels(program)
    for copies in program.copies:
        kernel = kernels[copies.kernel]
        lines.append(f"  {copies.kernel} (line {copies.line})")
        lines += [f"    {_transfer(transfer, kernel)}" for transfer in copies.transfers]
        lines.append(f"    {_stays(copies)}")
    if program.asks:
        lines.append("calls in host code that copy data if a kernel has changed it:")
        lines += [f"  line {line}: {text}" for line, text in program.asks]
    if program.fusions:
        lines.append("fusion of kernels in one block:")
        lines += [f"  {line}" for line in paired(program)]
    if program.glues:
        lines.append("host statements between kernels:")
        lines += [f"  {line}" for line in considered(program)]
    return "\n".join(lines) + "\n"


def paired(program: Program) -> list[str]:
    """What became of each pair of kernels that was looked at."""
    return [
        f"lines {one} and {other}: {'fused' if fusion.fused else 'not fused'}, {fusion.why}"
        for fusion in program.fusions
        for one, other in [fusion.lines]
    ]


def considered(program: Program) -> list[str]:
    """What became of each host statement between kernels."""
    return [
        f"line {glue.line}: {'glued,' if glue.glued else 'kept on the host:'} {glue.why}"
        for glue in program.glues
    ]


def _stays(copies: KernelCopies) -> str:
    if copies.why:
        return f"copied at every launch: {copies.why}"
    return "stays on the device; copied in only where the host has changed it since"


def _kernels(program: Program) -> dict[str, Kernel]:
    return {choice.kernel.name: choice.kernel for choice in program.choices}


def _transfer(transfer: Transfer, kernel: Kernel) -> str:
    bounds = transfer.rows or transfer.region
    region = "".join(f"[{bound.low}:{bound.high}]" for bound in bounds).replace(ROW, "row")
    size = _size(transfer, kernel)
    rows = "rows " if _is_table(transfer, kernel) else ""
    return f"{rows}{transfer.array}{region} {transfer.direction}" + (
        f", {size:,} bytes" if size is not None else ""
    )


def _is_table(transfer: Transfer, kernel: Kernel) -> bool:
    return any(table.name == transfer.array for table in kernel.tables)


def _size(transfer: Transfer, kernel: Kernel) -> int | None:
    """The bytes from the first to the last cell of the region, where all bounds are numbers.

    None where only a part of every row moves.
    """
    if transfer.rows or _is_table(transfer, kernel):
        return None
    array = next(a for a in kernel.arrays if a.name == transfer.array)
    element = _BYTES.get(array.element.split()[-1])
    extents = array.extent
    sizes = [_number(extent) for extent in extents]
    bounds = [(_number(b.low), _number(b.high)) for b in transfer.region] or [
        (0, size and size - 1) for size in sizes
    ]
    if element is None:
        return None
    first = last = 0
    for (low, high), size in zip(bounds, (1, *sizes[1:]), strict=True):
        if low is None or high is None or size is None:
            return None
        first, last = first * size + low, last * size + high
    return (last - first + 1) * element if last >= first else 0


def _number(text: str | None) -> int | None:
    return int(text) if text is not None and text.strip().lstrip("-").isdigit() else None


def as_values(program: Program) -> dict[str, Any]:
    """The same as JSON values."""
    kernels = _kernels(program)
    return {
        "copies": [
            {
                "kernel": copies.kernel,
                "line": copies.line,
                "stays": not copies.why,
                "why": copies.why,
                "transfers": [
                    {
                        "array": t.array,
                        "direction": t.direction,
                        "region": [[bound.low, bound.high] for bound in t.region],
                        "bytes": _size(t, kernels[copies.kernel]),
                    }
                    for t in copies.transfers
                ],
                "tables": [
                    {"table": t.name, "rows": [t.first, t.last], "writes": t.writes}
                    for t in kernels[copies.kernel].tables
                ],
            }
            for copies in program.copies
        ],
        "asks": [{"line": line, "call": text} for line, text in program.asks],
    }
