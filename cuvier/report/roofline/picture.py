"""The roofline of machines with the loops of a report in it (Williams, Waterman and Patterson 2009), as SVG.

A line for each place where loops may run: as fast as the memory allows up to the ridge, and flat at the peak;
broken, at what code without multiply-adds reaches.  A loop stands at its operations per byte, and as high as
it was predicted to run.  Colours follow the reader's light or dark scheme.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from html import escape
from math import floor, log10

from cuvier.base.shown import shown_line
from cuvier.document.model import Json
from cuvier.document.words import place_name
from cuvier.report.roofline.places import (
    LEFT,
    PLOT,
    RIGHT,
    TOP,
    WIDTH,
    Axes,
    Roof,
    axes_of,
    intensity,
    roofs_of,
)
from cuvier.report.roofline.style import COUNT, rules

BELOW = TOP + PLOT + 58  # the first line of the legend
ROW, GLYPH = 19.0, 7.6  # of a line of text: its height, and the width of a character
MOST = 10  # loops: more cannot be told apart


def drawn(predictions: Json, most: int = MOST) -> str:
    """The picture of all machines, with the loops that take most time on the first of them."""
    machines = predictions["machines"]
    double = all(each["double"] for machine in machines for each in machine["loops"])
    loops = [each for each in machines[0]["loops"] if intensity(each) is not None][: min(most, MOST)]
    roofs = [roof for machine in machines for roof in roofs_of(machine, double, single=len(machines) == 1)]
    axes = axes_of(roofs, loops)
    parts = [*_grid(axes), *_lines(axes, roofs), *_loops(axes, roofs, loops)]
    below = [*_legend(roofs), *_names(loops, len(roofs), double)]
    height = BELOW + ROW * (len(roofs) + len(loops) + 1)
    title = shown_line(f"Roofline of {', '.join(machine['name'] for machine in machines)}")
    head = (
        f'<svg xmlns="http://www.w3.org/2000/svg" class="roofline" role="img" width="100%"'
        f' viewBox="0 0 {WIDTH:g} {height:g}"><title>{escape(title)}</title><style>{rules()}</style>'
        f'<rect class="back" width="{WIDTH:g}" height="{height:g}"/>'
    )
    text = "\n".join([head, *parts, *below, "</svg>"]) + "\n"
    return text.encode("utf-8", "surrogateescape").decode("utf-8", "replace")


def _grid(axes: Axes) -> Iterator[str]:
    """The frame, and a line for each power of ten, with its number."""
    yield f'<rect class="edge" x="{LEFT:g}" y="{TOP:g}" width="{WIDTH - LEFT - RIGHT:g}" height="{PLOT:g}"/>'
    bottom = TOP + PLOT
    for value in _powers(axes.low, axes.high):
        yield f'<path class="edge" d="M{axes.x(value):.1f} {TOP:g}V{bottom:g}"/>'
        yield _text(axes.x(value), bottom + 16, _number(value), "dim", "middle")
    for value in _powers(axes.bottom, axes.top):
        yield f'<path class="edge" d="M{LEFT:g} {axes.y(value):.1f}H{WIDTH - RIGHT:g}"/>'
        yield _text(LEFT - 5, axes.y(value) + 4, _number(value / 1e9), "dim", "end")
    yield _text((LEFT + WIDTH - RIGHT) / 2, bottom + 34, "operations per byte", "dim", "middle")
    yield _text(4, 14, "10⁹ operations per second", "dim")


def _powers(low: float, high: float) -> Iterator[float]:
    power = floor(log10(low)) + 1
    while 10.0**power <= high:
        yield 10.0**power
        power += 1


def _lines(axes: Axes, roofs: Sequence[Roof]) -> Iterator[str]:
    for number, roof in enumerate(roofs):
        start = max(axes.low, axes.bottom / roof.bandwidth)  # where the slope enters the picture
        for limit, kind in ((roof.peak, "line"), (roof.plain, "plain")):
            ridge = max(start, limit / roof.bandwidth)
            slope = f"M{axes.x(start):.1f} {axes.y(roof.bandwidth * start):.1f}L" if kind == "line" else "M"
            flat = f"{axes.x(ridge):.1f} {axes.y(limit):.1f}H{WIDTH - RIGHT:g}"
            yield f'<path class="{kind} c{number % COUNT}" d="{slope}{flat}"/>'


def _loops(axes: Axes, roofs: Sequence[Roof], loops: Sequence[Json]) -> Iterator[str]:
    """A point on each line for a loop, and its number above the picture."""
    places = [axes.x(intensity(each) or 1.0) for each in loops]
    for place in sorted(set(places)):
        yield f'<path class="edge" d="M{place:.1f} {TOP - 4:g}V{TOP + PLOT:g}"/>'
    for place, label in _labels(places):
        yield _text(place, TOP - 9, label, "", "middle")
    for number, roof in enumerate(roofs):
        for each in loops:
            speed = roof.speed(each)
            if speed:
                at = f'cx="{axes.x(intensity(each) or 1.0):.1f}" cy="{axes.y(speed):.1f}"'
                yield f'<circle class="d{number % COUNT}" {at} r="4.5"/>'


def _labels(places: Sequence[float]) -> Iterator[tuple[float, str]]:
    """The numbers of loops that stand close to each other, in one text."""
    ordered = sorted(enumerate(places, 1), key=lambda pair: pair[1])
    groups: list[list[tuple[int, float]]] = []
    for number, place in ordered:
        room = GLYPH * (2 + 2 * len(groups[-1])) if groups else 0.0
        if groups and place - groups[-1][0][1] < room:
            groups[-1].append((number, place))
        else:
            groups.append([(number, place)])
    for group in groups:
        yield group[0][1], ",".join(str(number) for number, _ in sorted(group))


def _legend(roofs: Sequence[Roof]) -> Iterator[str]:
    for number, roof in enumerate(roofs):
        y = BELOW + ROW * number
        yield f'<path class="line c{number % COUNT}" d="M{LEFT - 44:g} {y - 5:g}h28"/>'
        yield f'<circle class="d{number % COUNT}" cx="{LEFT - 30:g}" cy="{y - 5:g}" r="4.5"/>'
        limits = f"{_number(roof.bandwidth / 1e9)} GB/s, {_number(roof.peak / 1e9)} Gop/s"
        yield _text(LEFT - 8, y, _cut(f"{roof.name}: {limits}"))


def _names(loops: Sequence[Json], before: int, double: bool) -> Iterator[str]:
    y = BELOW + ROW * before
    kind = "double" if double else "single"
    yield _text(8, y, f"Broken: code without multiply-adds. Peaks: {kind} precision.", "dim")
    for number, each in enumerate(loops, 1):
        y += ROW
        yield _text(30, y, f"{number}.", "", "end")
        yield _text(36, y, _cut(f"{place_name(each)} {each['function']}"))


def _number(value: float) -> str:
    """Four digits, and never an exponent."""
    return f"{value:,.0f}" if value >= 1000 else f"{value:.4g}"


def _cut(text: str) -> str:
    """The end of a text that is too long for the picture: it says more than the beginning."""
    room = int((WIDTH - LEFT) / GLYPH)
    return text if len(text) <= room else f"…{text[1 - room :]}"


def _text(x: float, y: float, text: str, kind: str = "", anchor: str = "") -> str:
    more = (f' class="{kind}"' if kind else "") + (f' text-anchor="{anchor}"' if anchor else "")
    return f'<text x="{x:.1f}" y="{y:.1f}"{more}>{escape(shown_line(text))}</text>'
