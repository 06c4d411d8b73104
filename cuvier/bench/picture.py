"""The times of a race as a picture: bars, the shorter the faster (SVG 1.1)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from html import escape

from cuvier.bench.contenders import CUVIER
from cuvier.bench.race import Entry, Result

WIDTH, NAMES, VALUES = 720, 190, 120  # of the picture, and of what stands before and behind the bars
ROW, HEAD, GAP = 22, 30, 16
_OURS, _OTHERS = "#1f6f8b", "#b8c4c9"


def svg(results: Sequence[Result]) -> str:
    """One picture of all programs, one below the other."""
    parts, y = [], GAP
    for result in results:
        parts += [*_program(result, y)]
        y += HEAD + ROW * len(result.entries) + GAP
    head = f'<svg xmlns="http://www.w3.org/2000/svg" width="{WIDTH}" height="{y}" font-family="sans-serif"'
    return "\n".join([f'{head} font-size="13">', *parts, "</svg>"]) + "\n"


def _program(result: Result, y: int) -> Iterator[str]:
    longest = max((entry.seconds or 0.0 for entry in result.entries), default=0.0) or 1.0
    yield _text(GAP, y + 14, result.file, ' font-weight="bold"')
    for number, entry in enumerate(result.entries):
        yield from _row(result, entry, y + HEAD + ROW * number, longest)


def _row(result: Result, entry: Entry, y: int, longest: float) -> Iterator[str]:
    yield _text(GAP, y + 13, entry.title)
    if entry.seconds is None:
        yield _text(NAMES + 6, y + 13, entry.why.partition(":")[0])
        return
    width = max(1.0, (WIDTH - NAMES - VALUES) * entry.seconds / longest)
    colour = _OURS if entry.key == CUVIER else _OTHERS
    yield f'<rect x="{NAMES}" y="{y}" width="{width:.1f}" height="{ROW - 6}" fill="{colour}"/>'
    speed = result.speed(entry)
    told = f"{entry.seconds:.3f} s" + (f", {speed:.2f}" if speed is not None else "")
    yield _text(round(NAMES + width) + 6, y + 13, told + (" (different)" if entry.wrong else ""))


def _text(x: int, y: int, text: str, more: str = "") -> str:
    return f'<text x="{x}" y="{y}"{more}>{escape(text)}</text>'
