"""Ranking tables as a picture: what an iteration takes, by how many may run at the same time."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from html import escape
from math import ceil, floor, log10

from cuvier.base.shown import shown_line
from cuvier.launch_tables.store import Measured
from cuvier.report.roofline.style import COUNT, rules
from models.prediction.tables import KernelTables, Rows, Size

WIDTH, HEIGHT = 640.0, 230.0  # of a kernel's part
LEFT, RIGHT, TOP, BOTTOM = 70.0, 130.0, 34.0, 34.0
Curve = list[tuple[float, float]]


def drawn(measured: Measured) -> str:
    """One part for each kernel, both axes logarithmic; a curve for each number of threads, and the device."""
    kernels = measured.tables.kernels
    parts = [line for k, (name, each) in enumerate(kernels.items()) for line in _part(name, each, k * HEIGHT)]
    height = HEIGHT * max(1, len(kernels))
    title = shown_line(f"What iterations take: {measured.processor}; {measured.device or 'no device'}")
    head = (
        f'<svg xmlns="http://www.w3.org/2000/svg" class="roofline" role="img" width="100%"'
        f' viewBox="0 0 {WIDTH:g} {height:g}"><title>{escape(title)}</title><style>{rules()}</style>'
        f'<rect class="back" width="{WIDTH:g}" height="{height:g}"/>'
    )
    return "\n".join([head, *parts, "</svg>"]) + "\n"


def curves(kernel: KernelTables) -> Mapping[str, Curve]:
    """By what made the iterations: numbers of parallel iterations, and the seconds of each."""
    found = {f"{n} thread" + "s" * (n > 1): _curve(rows) for n, rows in kernel.host.items()}
    return found | ({"device": _curve(kernel.device)} if kernel.device else {})


def _curve(rows: Rows) -> Curve:
    """Where as many iterations are made as run in parallel, or there is no slope."""
    return [(row.parallel, max(1e-12, row.rate(Size(1, row.parallel, row.parallel)))) for row in rows]


def _part(name: str, kernel: KernelTables, down: float) -> Iterator[str]:
    found = curves(kernel)
    points = [point for curve in found.values() for point in curve]
    if not points:
        return
    spans = [_decades([point[axis] for point in points]) for axis in (0, 1)]
    yield f'<g transform="translate(0 {down:g})">'
    yield _text(LEFT, 16, f"{name}: seconds of an iteration, by iterations that may run at the same time")
    yield from _grid(spans)
    for k, (title, curve) in enumerate(found.items()):
        places = [_place(point, spans) for point in curve]
        path = " ".join(f"{x:.1f},{y:.1f}" for x, y in places)
        yield f'<polyline class="line c{k % COUNT}" points="{path}"/>'
        yield from (f'<circle class="d{k % COUNT}" cx="{x:.1f}" cy="{y:.1f}" r="3"/>' for x, y in places)
        y = TOP + 16 + 18 * k
        yield f'<circle class="d{k % COUNT}" cx="{WIDTH - RIGHT + 14:g}" cy="{y - 4:g}" r="4"/>'
        yield _text(WIDTH - RIGHT + 24, y, title)
    yield "</g>"


def _decades(values: list[float]) -> tuple[int, int]:
    """The powers of ten around values."""
    low, high = floor(log10(min(values))), ceil(log10(max(values)))
    return low, max(high, low + 1)


def _place(point: tuple[float, float], spans: list[tuple[int, int]]) -> tuple[float, float]:
    (x_low, x_high), (y_low, y_high) = spans
    across = (log10(point[0]) - x_low) / (x_high - x_low)
    up = (log10(point[1]) - y_low) / (y_high - y_low)
    return LEFT + across * (WIDTH - LEFT - RIGHT), HEIGHT - BOTTOM - up * (HEIGHT - TOP - BOTTOM)


def _grid(spans: list[tuple[int, int]]) -> Iterator[str]:
    """A line for each power of ten, with its number."""
    bottom, right = HEIGHT - BOTTOM, WIDTH - RIGHT
    for power in range(spans[0][0], spans[0][1] + 1):
        x, _ = _place((10.0**power, 10.0 ** spans[1][0]), spans)
        yield f'<path class="edge" d="M{x:.1f} {TOP:g}V{bottom:g}"/>'
        yield _text(x, bottom + 16, f"1e{power}", "dim", "middle")
    for power in range(spans[1][0], spans[1][1] + 1):
        _, y = _place((10.0 ** spans[0][0], 10.0**power), spans)
        yield f'<path class="edge" d="M{LEFT:g} {y:.1f}H{right:g}"/>'
        yield _text(LEFT - 6, y + 4, f"1e{power} s", "dim", "end")


def _text(x: float, y: float, text: str, kind: str = "", anchor: str = "start") -> str:
    return f'<text class="{kind}" x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}">{escape(text)}</text>'
