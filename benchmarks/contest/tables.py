"""The results as a table for the terminal, as Markdown, and as JSON."""

from __future__ import annotations

import dataclasses
import math
from typing import Any

from rich.table import Table

from .contenders import CONTENDERS, Contender
from .limits import Machine
from .measuring import OK, Measurement

OURS = ("openmp", "opencl")


def heads(contenders: list[Contender]) -> list[str]:
    """The columns: times, the best peer, Cuvier's ratios, the share of the limit."""
    ours = [c for c in contenders if c.key in OURS]
    ratios = [f"{c.title} / best peer" for c in ours]
    ratios += ["time of OpenCL / OpenMP"] if len(ours) == len(OURS) else []
    return ["program", *(f"{c.title} [ms]" for c in contenders), "best peer", *ratios, "share of the limit"]


def cells(measurement: Measurement, contenders: list[Contender]) -> list[str]:
    best = measurement.best_peer()
    ours = [c.key for c in contenders if c.key in OURS]
    shown = ours[0] if ours else best[0] if best else ""
    return [
        measurement.program.name,
        *(time_cell(measurement, c.key) for c in contenders),
        best[0] if best else "",
        *(_number(measurement.ratio(key), "{:.2f}") for key in ours),
        *(_number(measurement.times_as_long("opencl", "openmp"), "{:.2f}") for _ in ours[1:]),
        _number(measurement.share(shown), "{:.0%}"),
    ]


def time_cell(measurement: Measurement, key: str) -> str:
    """The median in milliseconds, or what failed, or a dash where a contender takes no part."""
    outcome = measurement.outcomes.get(key)
    if outcome is None:
        return "–"
    return _milliseconds(outcome.median) if outcome.median is not None else outcome.status


def line(measurement: Measurement) -> str:
    """All times of a program."""
    times = (f"{key} {time_cell(measurement, key)}" for key in measurement.outcomes)
    return f"{measurement.program.name} [ms]: {', '.join(times)}"


def _milliseconds(seconds: float) -> str:
    return f"{seconds * 1e3:#.3g}".rstrip(".") if seconds < 1 else f"{seconds * 1e3:.0f}"


def _number(value: float | None, form: str) -> str:
    return form.format(value) if value is not None else ""


def geometric_mean(values: list[float]) -> float | None:
    return math.exp(sum(map(math.log, values)) / len(values)) if values else None


def ratios(measurements: list[Measurement], key: str, *, serial: bool) -> list[float]:
    """Of the programs with a parallel kernel, or of all; those without a right result have none."""
    found = [m.ratio(key) for m in measurements if serial or not m.program.serial]
    return [ratio for ratio in found if ratio]


def summary(measurements: list[Measurement], contenders: list[Contender]) -> list[str]:
    """Geometric means against the best peer of each program, and what failed."""
    lines = []
    for contender in contenders:
        parallel = ratios(measurements, contender.key, serial=False)
        mean = geometric_mean(parallel)
        if mean is None:
            continue
        count = sum(not m.program.serial and contender.key in m.outcomes for m in measurements)
        whole = geometric_mean(ratios(measurements, contender.key, serial=True))
        lines.append(
            f"{contender.title}: {mean:.2f} times the best peer's speed (geometric mean of "
            f"{len(parallel)} of {count} programs with a parallel kernel, worst {min(parallel):.2f}; "
            f"{_number(whole, '{:.2f}')} with the serial ones)"
        )
    return [*lines, *_comparisons(measurements), *failures(measurements)]


def _comparisons(measurements: list[Measurement]) -> list[str]:
    """OpenCL with OpenMP where both have a parallel kernel, and products with the library."""
    lines = []
    parallel = (m for m in measurements if not m.program.serial)
    pairs = ((m.program.name, m.times_as_long("opencl", "openmp")) for m in parallel)
    times = {name: ratio for name, ratio in pairs if ratio is not None}
    if times:
        worst = max(times, key=lambda name: times[name])
        lines.append(
            f"Cuvier OpenCL takes {geometric_mean(list(times.values())):.2f} times as long as Cuvier OpenMP "
            f"(geometric mean of {len(times)}, worst {times[worst]:.2f} in {worst})"
        )
    pairs = ((m.program.name, m.times_as_long("blas", "openmp")) for m in measurements)
    shares = {name: share for name, share in pairs if share is not None}
    if shares:
        each = ", ".join(f"{name} {share:.0%}" for name, share in shares.items())
        mean = geometric_mean(list(shares.values()))
        lines.append(f"Cuvier OpenMP has {mean:.0%} of OpenBLAS's speed (geometric mean; {each})")
    return lines


def failures(measurements: list[Measurement]) -> list[str]:
    return [
        f"{m.program.name}, {key}: {outcome.status}: {outcome.note}"
        for m in measurements
        for key, outcome in m.outcomes.items()
        if outcome.status != OK
    ]


def machine_line(machine: Machine) -> str:
    """Rates in 10^9 per second."""
    rates = [f"{rate / 1e9:.3g}" for rate in dataclasses.astuple(machine)]
    return (
        f"STREAM triad {rates[0]} GB/s on one core, {rates[1]} on all; multiply-add peak "
        f"{rates[2]} / {rates[3]} GFLOP/s double, {rates[4]} / {rates[5]} single"
    )


def terminal(measurements: list[Measurement], contenders: list[Contender]) -> Table:
    table = Table(*heads(contenders))
    for column in table.columns[1:]:
        column.justify = "right"
    for measurement in measurements:
        table.add_row(*cells(measurement, contenders))
    return table


def markdown(
    measurements: list[Measurement], contenders: list[Contender], title: str, notes: list[str]
) -> str:
    """The page for benchmarks/results/."""
    head = heads(contenders)
    rows = [head, ["---", *["---:"] * (len(head) - 1)], *(cells(m, contenders) for m in measurements)]
    table = ["| " + " | ".join(row) + " |" for row in rows]
    points = [f"- {line}" for line in (*notes, *summary(measurements, contenders))]
    return "\n".join([f"# {title}", "", *table, "", *points, ""])


def as_json(measurements: list[Measurement], machine: Machine, settings: dict[str, Any]) -> dict[str, Any]:
    programs = {m.program.name: _program_json(m) for m in measurements}
    names = {c.key: c.title for c in CONTENDERS}
    return {
        "settings": settings,
        "contenders": names,
        "machine": dataclasses.asdict(machine),
        "programs": programs,
    }


def _program_json(measurement: Measurement) -> dict[str, Any]:
    best = measurement.best_peer()
    return {
        "sizes": measurement.program.sizes,
        "serial": measurement.program.serial,
        "limit": measurement.limit,
        "best_peer": best[0] if best else None,
        "contenders": {key: _outcome_json(measurement, key) for key in measurement.outcomes},
    }


def _outcome_json(measurement: Measurement, key: str) -> dict[str, Any]:
    outcome = measurement.outcomes[key]
    return {
        "status": outcome.status,
        "note": outcome.note,
        "median": outcome.median,
        "seconds": outcome.seconds,
        "ratio": measurement.ratio(key),
        "share": measurement.share(key),
    }
