"""What every kernel of a program would take by each version, for a user's arguments, without running it."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from cuvier.launch_tables.arguments import with_arguments
from cuvier.launch_tables.store import Measured
from cuvier.launch_tables.versioned_program import VersionedProgram
from models.estimate import Program
from models.nests import Loop, executions
from models.prediction.tables import KernelTables, Size, transfer_seconds
from models.sizes.amounts import Amounts
from species.source import read_translation_unit

MEASURED, ESTIMATED = "measured tables", "estimate of the machine's description"


@dataclass(frozen=True)
class Forecast:
    """Of a kernel: seconds of one of its `launches` on the host and on the device, without copies.

    `assumed` are the sizes that are unknown, with what they are taken for; `origin` says what the seconds
    come from.
    """

    kernel: str
    file: str
    line: int
    function: str
    launches: float
    size: Size
    host: float
    device: float
    origin: str
    assumed: tuple[tuple[str, float], ...]

    @property
    def taken(self) -> str:
        """The version that is predicted to be done first, where the data is in its place."""
        return "device" if self.device < self.host else "host"

    @property
    def gain(self) -> float:
        """How many times as long the other version takes."""
        low, high = sorted((self.host, self.device))
        return high / low if low > 0 else math.inf


def forecasts(
    program: VersionedProgram, measured: Measured | None, arguments: Sequence[str], threads: int
) -> list[Forecast]:
    """By place in the source; tables are used for kernels whose texts they were measured of."""
    unit = read_translation_unit(program.manifest["source"], program.preprocess)
    with_arguments(unit.ast, arguments)
    known = measured.for_program(program.hashes).tables.kernels if measured is not None else {}
    whole = Program.of(unit.ast)
    found = [_forecast(each, whole, known.get(each["name"]), threads) for each in program.manifest["kernels"]]
    return sorted(found, key=lambda each: (each.file, each.line))


def _forecast(
    kernel: Mapping[str, Any], program: Program, tables: KernelTables | None, threads: int
) -> Forecast:
    around, amounts = _place(kernel, program)
    size = _size(kernel, amounts)
    launches = program.called.get(kernel["function"], 1.0) * executions(around)
    host, device = (start + each * size.work for start, each in (kernel["host"], kernel["device"]))
    on_host = tables.host_seconds(threads, size) if tables is not None else None
    on_device = tables.device_seconds(size) if tables is not None else None
    is_measured = on_host is not None and on_device is not None
    if on_host is not None and on_device is not None:
        host, device = max(on_host, kernel["host"][0]), max(on_device, kernel["device"][0])
    return Forecast(
        kernel["name"],
        Path(kernel["file"]).name,
        kernel["line"],
        kernel["function"],
        launches,
        size,
        host,
        device,
        MEASURED if is_measured else ESTIMATED,
        tuple(sorted(amounts.taken.items())),
    )


def _place(kernel: Mapping[str, Any], program: Program) -> tuple[tuple[Loop, ...], Amounts]:
    """The loops around a kernel's, and what the names there stand for."""
    function = program.functions.get(kernel["function"])
    if function is None:
        return (), Amounts(lambda _: None, 1000.0)
    chains = (c for c in function.chains.values() if getattr(c[-1].node.coord, "line", 0) == kernel["line"])
    chain: tuple[Loop, ...] = next(chains, ())
    return chain[:-1], function.amounts.knowing(dict(function.amounts.values))


def _size(kernel: Mapping[str, Any], amounts: Amounts) -> Size:
    trips = [max(1.0, amounts.of(text)) for text in kernel["trips"]]
    parallel = math.prod(trips)
    return Size(trips[0], parallel, max(1.0, amounts.of(kernel["work"])) if kernel["work"] else parallel)


def copy_seconds(measured: Measured | None, count: float) -> tuple[float, float] | None:
    """What so many bytes take to the device, and back; None where that was not measured."""
    if measured is None or not measured.to_device:
        return None
    return transfer_seconds(measured.to_device, count), transfer_seconds(measured.to_host, count)


def assumed_in(found: Sequence[Forecast]) -> Iterator[tuple[str, float]]:
    """All sizes that are unknown, each once."""
    yield from sorted({pair for each in found for pair in each.assumed})
