"""The findings for people: a table for each kernel and level, and what could be changed."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from cuvier.misses.advice import advice, lines_of_warp, traffic
from cuvier.misses.result import Findings, KernelMisses, Level, Reference, missed, percent
from models.cache import KINDS, Misses

_COLUMNS = ("line", "reference", "", "accesses", "misses", "%", *KINDS)
_WIDEST = 36  # of a reference


def as_text(findings: Findings) -> str:
    """Ends with a newline."""
    lines = [f"{findings.file} on {findings.machine}", ""]
    for kernel in findings.kernels:
        lines += [*_kernel(kernel), ""]
    if not findings.kernels:
        lines.append("no loop of it asks memory for anything")
    lines += [f"note: {note}" for note in findings.notes]
    return "\n".join(lines).rstrip("\n") + "\n"


def place(reference: Reference) -> str:
    """Its line; `+` and the line of the generated file, where the user's has none."""
    return str(reference.line) if reference.line else f"+{reference.generated}"


def _kernel(kernel: KernelMisses) -> Iterator[str]:
    launches = f", {kernel.launches} of {kernel.of} launches" if kernel.of > 1 else ""
    cut = ", not to its end" if kernel.cut else ""
    yield f"{kernel.name}  {kernel.file}:{kernel.line}{launches}{cut}"
    for number, level in enumerate(kernel.levels):
        yield from _level(kernel, level, number)
    yield from _advice(kernel)


def _advice(kernel: KernelMisses) -> Iterator[str]:
    """References of which the same is to be said stand together."""
    whole = sum(traffic(kernel))
    found = advice(kernel)
    for text in dict.fromkeys(each.text for each in found):
        alike = [each for each in found if each.text == text]
        who = ", ".join(f"line {place(each.reference)} {each.reference.text}" for each in alike)
        share = percent(sum(each.traffic for each in alike), whole)
        yield f"  {who}: {share:.0f} % of the traffic; {text}."


def _level(kernel: KernelMisses, level: Level, number: int) -> Iterator[str]:
    total = level.total
    error = f" +- {100 * level.error:.1f}" if level.error else ""
    share = f", {100 * level.share:.0f} % of the cores looked at" if level.share < 1 else ""
    rate = percent(missed(total), total.accesses)
    yield f"  {level.name}: {total.accesses:,} accesses, {rate:.1f}{error} % misses{share}"
    shown = [
        (reference, misses, at)
        for at, (reference, misses) in enumerate(zip(kernel.references, level.seen, strict=True))
        if misses.accesses or (number == 0 and misses.asked)
    ]
    warps = number == 0 and kernel.warp > 0
    head = (*_COLUMNS[:4], *(("per warp",) if warps else ()), *_COLUMNS[4:])
    rows = [
        _row(reference, misses, lines_of_warp(kernel, at) if warps else None)
        for reference, misses, at in shown
    ]
    yield from _table([head, *rows])


def _row(reference: Reference, misses: Misses, warp: float | None) -> tuple[str, ...]:
    text = reference.text if len(reference.text) <= _WIDEST else reference.text[: _WIDEST - 3] + "..."
    own = missed(misses)
    return (
        place(reference),
        text or "(moved by the compiler)",
        "write" if reference.write else "read",
        f"{misses.accesses:,}" if misses.accesses else "-",
        *((f"{warp:.1f}",) if warp is not None else ()),
        f"{own:,}",
        f"{percent(own, misses.accesses):.1f}" if misses.accesses else "-",
        *(f"{each:,}" if each else "." for each in misses.misses),
    )


def _table(rows: Sequence[Sequence[str]]) -> Iterator[str]:
    """Texts to the left, numbers to the right."""
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    for row in rows:
        cells = [
            cell.ljust(width) if at in (1, 2) else cell.rjust(width)
            for at, (cell, width) in enumerate(zip(row, widths, strict=True))
        ]
        yield "    " + "  ".join(cells).rstrip()
