"""What launches take by what was measured: ranking tables, tables of threads and of transfers.

After Dollinger (thesis, Strasbourg 2015; seed 000): sections 4.4 and 4.5, and 3.5.3 for threads.
`runtime/cuvier_tables.h` is the same in C, for generated programs; a test compares the two.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Mapping, Sequence
from dataclasses import dataclass


@dataclass(frozen=True)
class Size:
    """The iterations of a launch: of its outermost loop, those that may run at the same time, and all."""

    outer: float
    parallel: float
    work: float


@dataclass(frozen=True)
class Row:
    """Launches with so many `parallel` iterations take `slope * (work / parallel) + base` seconds for each of
    all their iterations.
    """

    parallel: float
    slope: float
    base: float

    def rate(self, size: Size) -> float:
        """Seconds of an iteration."""
        return self.slope * (size.work / size.parallel) + self.base


Rows = tuple[Row, ...]  # at least one; `parallel` grows
Points = tuple[tuple[float, float], ...]  # bytes and seconds; the bytes grow


def rate(rows: Rows, size: Size) -> float:
    """Seconds of an iteration: interpolated between rows, and as in the nearest one outside of them."""
    low, high = _around(size.parallel, [row.parallel for row in rows])
    first, last = rows[low].rate(size), rows[high].rate(size)
    return max(0.0, _between(size.parallel, (rows[low].parallel, first), (rows[high].parallel, last)))


def rate_of_threads(tables: Mapping[int, Rows], threads: int, size: Size) -> float:
    """Seconds of an iteration where so many threads work: between the numbers that were measured."""
    measured = sorted(tables)
    low, high = _around(threads, measured)
    first, last = rate(tables[measured[low]], size), rate(tables[measured[high]], size)
    return _between(threads, (measured[low], first), (measured[high], last))


def threads_seconds(made: Sequence[float], rates: Sequence[float]) -> float:
    """Seconds of threads that make `made` iterations; `rates[i]` of one iteration where i + 1 threads work.

    The formula in print (section 3.5.3) lacks the factor i + 1, which its example has.
    """
    most_first = [*sorted(made, reverse=True), 0.0]
    return sum((k + 1) * (most_first[k] - most_first[k + 1]) * each for k, each in enumerate(rates))


def shared_seconds(tables: Mapping[int, Rows], threads: int, size: Size) -> float:
    """Seconds of a loop that threads share in equal parts; some make one iteration of the outermost more."""
    if size.outer < 1:
        return size.work * rate_of_threads(tables, threads, size)
    each, left = divmod(size.outer, threads)
    made = [(each + (k < left)) * size.work / size.outer for k in range(threads)]
    return threads_seconds(made, [rate_of_threads(tables, k + 1, size) for k in range(threads)])


def transfer_seconds(points: Points, count: float) -> float:
    """Seconds that `count` bytes take; behind the last point as between the last two, none without points."""
    if not points or count <= 0:
        return 0.0
    if len(points) == 1 or count <= points[0][0]:
        return points[0][1]
    high = min(max(1, bisect_left(points, count, key=lambda point: point[0])), len(points) - 1)
    return _between(count, points[high - 1], points[high])


def _around(value: float, sorted_values: Sequence[float]) -> tuple[int, int]:
    """The places of the values that a value is between; the same twice outside."""
    high = bisect_left(sorted_values, value)
    return max(0, high - 1), min(high, len(sorted_values) - 1)


def _between(at: float, low: tuple[float, float], high: tuple[float, float]) -> float:
    if high[0] <= low[0]:
        return low[1]
    return low[1] + (high[1] - low[1]) * (at - low[0]) / (high[0] - low[0])


@dataclass(frozen=True)
class KernelTables:
    """Of a kernel whose texts have a `hash`: of the host by numbers of threads, and of the device."""

    hash: str
    host: Mapping[int, Rows]
    device: Rows

    def host_seconds(self, threads: int, size: Size) -> float | None:
        """What a launch takes on the host; None where that was not measured."""
        return shared_seconds(self.host, threads, size) if self.host else None

    def device_seconds(self, size: Size) -> float | None:
        """What a launch takes on the device; None where that was not measured."""
        return size.work * rate(self.device, size) if self.device else None


@dataclass(frozen=True)
class Tables:
    """Of a program on one machine; `device`: its name and its driver's version, empty where none was used."""

    device: str
    kernels: Mapping[str, KernelTables]
    to_device: Points = ()
    to_host: Points = ()

    def c_text(self, source: str) -> str:
        """The same in C, as the program reads it: `NAME_tables.h`."""
        lines, listed = list[str](), list[str]()
        for name, tables in self.kernels.items():
            device = {0: tables.device} if tables.device else {}
            for threads, rows in sorted({**tables.host, **device}.items()):
                own = f"cuvier_{name}_{threads or 'device'}"
                values = ", ".join(f"{{{r.parallel:.17g}, {r.slope:.9g}, {r.base:.9g}}}" for r in rows)
                lines.append(f"static const cuvier_row {own}[] = {{{values}}};")
                listed.append(f'{{"{name}", {threads}, {len(rows)}, {own}}}')
        lines += self._c_list("cuvier_table", "cuvier_tables_of_kernels", listed)
        for points, name in ((self.to_device, "cuvier_to_device"), (self.to_host, "cuvier_to_host")):
            lines += self._c_list("cuvier_transfer", name, [f"{{{b:.17g}, {s:.9g}}}" for b, s in points])
        called = f'"{self.device}"' if self.device else "NULL"
        parts = (
            _named("cuvier_tables_of_kernels", len(listed)),
            _named("cuvier_to_device", len(self.to_device)),
            _named("cuvier_to_host", len(self.to_host)),
        )
        head = f"/* What launches of {source}'s kernels take: measured by `cuvier profile`. */"
        whole = f"static const cuvier_measured_tables cuvier_measured = {{{called}, {', '.join(parts)}}};"
        return "\n".join((head, *lines, whole)) + "\n"

    @staticmethod
    def _c_list(kind: str, name: str, values: Sequence[str]) -> list[str]:
        return [f"static const {kind} {name}[] = {{{', '.join(values)}}};"] if values else []


def _named(name: str, count: int) -> str:
    return f"{name}, {count}" if count else "NULL, 0"
