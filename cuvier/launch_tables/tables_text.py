"""Tables and forecasts for the terminal."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from cuvier.base.shown import shown_line
from cuvier.launch_tables.forecast import Forecast, assumed_in
from cuvier.launch_tables.store import Measured
from models.prediction.tables import Points, Row, Rows
from models.wording import amount

MOST_ROWS = 12  # of a table that are printed


def of_tables(measured: Measured, stale: Sequence[str]) -> str:
    """The tables, kernel by kernel, and what is out of date."""
    tables = measured.tables
    lines = [shown_line(f"measured {measured.date} on {measured.processor}; {tables.device or 'no device'}")]
    for name, kernel in tables.kernels.items():
        columns = {_threads(n): rows for n, rows in kernel.host.items()}
        columns |= {"device": kernel.device} if kernel.device else {}
        lines += ["", f"{name}: an iteration, by how many may run at the same time", *_grid(columns)]
    lines += ["", *_transfers(tables.to_device, tables.to_host)] if tables.to_device else []
    lines += ["", *(shown_line(f"out of date: {each}") for each in stale)] if stale else []
    return "\n".join(lines) + "\n"


def _threads(count: int) -> str:
    return f"{count} thread" + ("s" if count > 1 else "")


def _grid(columns: Mapping[str, Rows]) -> Iterator[str]:
    """A line for each number of parallel iterations that one of the tables has."""
    yield "  " + f"{'iterations':>12}" + "".join(f"{head:>22}" for head in columns)
    sizes = sorted({row.parallel for rows in columns.values() for row in rows})
    for size in _some(sizes):
        found = (next((_rate(r) for r in rows if r.parallel == size), "") for rows in columns.values())
        yield "  " + f"{size:>12,.0f}" + "".join(f"{text:>22}" for text in found)


def _some(sizes: Sequence[float]) -> Sequence[float]:
    """Not more than fit on a screen: the first, the last, and some between."""
    if len(sizes) <= MOST_ROWS:
        return sizes
    return [sizes[round(k * (len(sizes) - 1) / (MOST_ROWS - 1))] for k in range(MOST_ROWS)]


def _rate(row: Row) -> str:
    """`1.2 ns`; with a slope, what each sequential iteration adds."""
    text = amount(max(0.0, row.base))
    return f"{text} {'+' if row.slope > 0 else '-'} {amount(abs(row.slope))} * s" if row.slope else text


def _transfers(to_device: Points, to_host: Points) -> Iterator[str]:
    yield "copies           to the device           back"
    for (count, there), (_, back) in zip(_ends(to_device), _ends(to_host), strict=True):
        yield f"  {count:>12,.0f} bytes {amount(there):>12} {amount(back):>14}"


def _ends(points: Points) -> Points:
    """The first, the middle and the last point."""
    return tuple(points[k] for k in sorted({0, len(points) // 2, len(points) - 1}))


def of_forecasts(found: Sequence[Forecast], threads: int) -> str:
    """A line for each kernel, and what they come to."""
    sizes = ", ".join(f"{name} = {value:,.10g}" for name, value in assumed_in(found))
    lines = [f"unknown sizes are taken for: {sizes}"] if sizes else []
    lines.append(f"{'':34}{'launches':>10}{'iterations':>14}{_threads(threads):>12}{'device':>10}  taken")
    for each in found:
        place = shown_line(f"{each.kernel} {each.file}:{each.line}")
        seconds = f"{amount(each.host):>12}{amount(each.device):>10}"
        numbers = f"{each.launches:>10,.0f}{each.size.work:>14,.0f}{seconds}"
        lines.append(f"{place:34}{numbers}  {each.taken} ({each.gain:.3g}x): {each.origin}")
    host, device = (sum(each.launches * seconds for each, seconds in pairs) for pairs in _sums(found))
    best = sum(each.launches * min(each.host, each.device) for each in found)
    lines.append(
        f"all launches: host {amount(host)}, device {amount(device)}, each where it is faster {amount(best)};"
        " copies and the rest of the program not counted"
    )
    return "\n".join(lines) + "\n"


def _sums(found: Sequence[Forecast]) -> tuple[list[tuple[Forecast, float]], list[tuple[Forecast, float]]]:
    return [(each, each.host) for each in found], [(each, each.device) for each in found]
