"""The kernels on a device as a page for benchmarks/results/: one table, and how the bars were met."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from models.machine import Device

from .shares import BANDWIDTH_BAR, LIBRARY_BAR, Result, Row, rows
from .tables import geometric_mean

HEAD = [
    *("program", "precision", "kernel", "skeleton", "species", "launches", "time [ms]"),
    *("share of the roofline", "times the default's speed", "share of cuBLAS"),
    "by tensor cores",
]
_LONGEST = 90  # letters of a species


def page(results: Sequence[Result], device: Device, title: str, notes: Sequence[str]) -> str:
    """Everything that is known so far."""
    found = [row for result in results for row in rows(result, device)]
    lines = [HEAD, ["---"] * 5 + ["---:"] * 6, *map(cells, found)]
    table = ["| " + " | ".join(line) + " |" for line in lines]
    points = [f"- {text}" for text in (*notes, device_line(device), *summary(found), *failures(results))]
    return "\n".join([f"# {title}", "", *table, "", *points, ""])


def cells(row: Row) -> list[str]:
    species = (
        row.kernel.species if len(row.kernel.species) <= _LONGEST else row.kernel.species[:_LONGEST] + "..."
    )
    return [
        *(row.program, row.precision, row.kernel.name, row.kernel.skeleton, species.replace("|", "\\|")),
        *(str(row.launches), f"{row.seconds * 1e3:.4g}"),
        _text(row.share, "{:.0%}"),
        _text(row.ratio, "{:.2f}"),
        _text(row.of_library, "{:.0%}"),
        _text(row.tensor_of_library, "{:.0%}"),
    ]


def _text(value: float | None, form: str) -> str:
    return form.format(value) if value is not None else ""


def device_line(device: Device) -> str:
    """The rates that the roofline is made of."""
    double = device.double or device.single / 32
    return (
        f"limits: {device.name}, {device.bandwidth / 1e9:.4g} GB/s, {double / 1e9:.4g} Gflop/s double and "
        f"{device.single / 1e9:.4g} single; a share above 100 % means that a cache had the data"
    )


def summary(found: Sequence[Row]) -> list[str]:
    """How many kernels meet the bars, by precision."""
    lines = []
    for precision in dict.fromkeys(row.precision for row in found):
        own = [row for row in found if row.precision == precision]
        moving = [row for row in own if row.is_judged]
        lines += _bar(moving, precision, "kernels bound by memory", lambda r: r.share, BANDWIDTH_BAR)
        kernels = [row for row in own if not row.is_whole]
        lines += _bar(kernels, precision, "products against cuBLAS", lambda r: r.of_library, LIBRARY_BAR)
        by_tensor = "products by tensor cores against cuBLAS"
        lines += _bar(kernels, precision, by_tensor, lambda r: r.tensor_of_library, LIBRARY_BAR)
        others = (row for row in kernels if row.kernel.skeleton != "default")
        mean = geometric_mean([row.ratio for row in others if row.ratio])
        if mean is not None:
            lines.append(
                f"{precision}: kernels with other skeletons are {mean:.2f} times as fast as by `default`"
            )
    return lines


def _bar(
    found: Sequence[Row], precision: str, what: str, share: Callable[[Row], float | None], bar: float
) -> list[str]:
    shares = {f"{row.program} {row.kernel.name}": value for row in found if (value := share(row)) is not None}
    if not shares:
        return []
    met = sum(value >= bar for value in shares.values())
    below = ", ".join(f"{name} {value:.0%}" for name, value in shares.items() if value < bar)
    mean = geometric_mean(list(shares.values()))
    return [
        f"{precision}, {what}: {met} of {len(shares)} reach {bar:.0%} (geometric mean {mean:.0%})"
        + (f"; below: {below}" if below else "")
    ]


def failures(results: Sequence[Result]) -> list[str]:
    return [f"{r.program}, {r.precision}: {note}" for r in results for note in r.notes]
