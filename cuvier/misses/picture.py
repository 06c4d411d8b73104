"""The findings as SVG: for every kernel and level, its accesses by outcome, and its reuse distances."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from html import escape

from cuvier.misses.result import Findings, KernelMisses, Level
from models.cache import KINDS

_COLOURS = {
    "hit": "#9ecae1",
    "compulsory": "#636363",
    "capacity": "#de2d26",
    "associativity": "#fd8d3c",
    "mshr": "#756bb1",
    "latency": "#c7e9c0",
}
_LEFT, _BAR, _GAP, _HISTOGRAM, _WIDTH = 190, 360, 40, 340, 960
_ROW, _HEIGHT, _TOP = 78, 44, 60


def svg(findings: Findings) -> str:
    """A whole file."""
    rows = [(kernel, level) for kernel in findings.kernels for level in kernel.levels if level.total.accesses]
    height = _TOP + _ROW * len(rows) + 10
    parts = [*_head(findings, height), *_legend()]
    for at, (kernel, level) in enumerate(rows):
        parts += [*_bar(kernel, level, _TOP + at * _ROW), *_histogram(level, _TOP + at * _ROW)]
    return "\n".join([*parts, "</svg>"]) + "\n"


def _head(findings: Findings, height: int) -> Iterator[str]:
    yield (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{_WIDTH}" height="{height}"'
        ' font-family="sans-serif" font-size="12">'
    )
    yield f'<rect width="{_WIDTH}" height="{height}" fill="white"/>'
    yield _text(10, 18, f"{findings.file} on {findings.machine}", "font-weight='bold'")
    yield _text(_LEFT + _BAR + _GAP, 42, "reuse distance in lines: share of accesses")


def _legend() -> Iterator[str]:
    x = _LEFT
    for name, colour in _COLOURS.items():
        yield f'<rect x="{x}" y="33" width="10" height="10" fill="{colour}"/>'
        yield _text(x + 13, 42, name, "font-size='10'")
        x += 20 + 6 * len(name)


def _bar(kernel: KernelMisses, level: Level, y: int) -> Iterator[str]:
    total = level.total
    yield _text(10, y + 16, kernel.name)
    yield _text(10, y + 32, f"{level.name}, {total.accesses:,}")
    outcomes = {"hit": total.accesses - sum(total.misses), **dict(zip(KINDS, total.misses, strict=True))}
    x = float(_LEFT)
    for name, count in outcomes.items():
        width = _BAR * count / total.accesses
        told = f"<title>{name}: {count:,} ({100 * count / total.accesses:.1f} %)</title>"
        if count:
            box = f'x="{x:.1f}" y="{y + 4}" width="{width:.1f}" height="{_HEIGHT - 14}"'
            yield f'<rect {box} fill="{_COLOURS[name]}">{told}</rect>'
        x += width


def _histogram(level: Level, y: int) -> Iterator[str]:
    counts, left = level.total.distances, _LEFT + _BAR + _GAP
    step, base, most = _HISTOGRAM / len(counts), y + _HEIGHT - 6, max(counts)
    for at, count in enumerate(counts):
        tall = (_HEIGHT - 10) * count / most
        box = f'x="{left + at * step:.1f}" y="{base - tall:.1f}" width="{step - 1:.1f}" height="{tall:.1f}"'
        told = f"<title>{_range(at, counts)}: {count:,}</title>"
        if count:
            yield f'<rect {box} fill="{_fill(at, level, counts)}">{told}</rect>'
    yield f'<line x1="{left}" y1="{base}" x2="{left + _HISTOGRAM}" y2="{base}" stroke="#888"/>'
    for at in (0, 7, 14, 21, len(counts) - 1):
        yield _text(left + at * step, base + 12, _range(at, counts).split(" ")[0], "font-size='9'")


def _fill(at: int, level: Level, counts: Sequence[int]) -> str:
    """By what a fully associative cache would make of it."""
    if at == len(counts) - 1:
        return _COLOURS["compulsory"]
    return _COLOURS["hit" if (1 << at) >> 1 < level.lines else "capacity"]


def _range(at: int, counts: Sequence[int]) -> str:
    if at == len(counts) - 1:
        return "first"
    return str(at) if at < 2 else f"{1 << (at - 1)} to {(1 << at) - 1}"


def _text(x: float, y: float, text: str, style: str = "") -> str:
    return f'<text x="{x:.0f}" y="{y:.0f}" {style}>{escape(text)}</text>'
